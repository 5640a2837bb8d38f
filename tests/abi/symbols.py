#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's symbols file, which tells since which release a function exists: symbols.py check|update MAP HEADER FILE.

Every name of the map has its line; a new one gets the version of HEADER (version.h), and no line ever changes. One
whose function was not released yet may be taken back."""
import os
import re
import sys

HEAD = """libnorm.so.0 libnorm0 #MINVER#
* Build-Depends-Package: libnorm-numeric-dev
 LIBNORM_0@LIBNORM_0 0.1.0
"""


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def main(action, map_path, header, path):
    version = ".".join(re.search(rf"#define LIBNORM_VERSION_{part} (\d+)", read(header))[1]
                       for part in ("MAJOR", "MINOR", "PATCH"))
    names = sorted(re.findall(r"^\s+(norm_\w+);", read(map_path), flags=re.MULTILINE))
    stored = read(path) if os.path.exists(path) else ""
    since = dict(re.findall(r"^ (norm_\w+)@LIBNORM_0 (\S+)$", stored, flags=re.MULTILINE))
    if action == "update":
        lines = [f" {name}@LIBNORM_0 {since.get(name, version)}\n" for name in names]
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.write(HEAD + "".join(lines))
        os.replace(path + ".new", path)
        return 0
    missing, extra = sorted(set(names) - set(since)), sorted(set(since) - set(names))
    for name in missing:
        print(f"not in {path}: {name}")
    for name in extra:
        print(f"in {path}, not in the map: {name}")
    print(f"{len(since)} symbols; they are written by ninja -C BUILD abi-update")
    return bool(missing or extra or not names or not stored.startswith(HEAD))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
