#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stored description of the ABI: describe.py CHECK LIBRARY INCLUDE_DIR FOLDER COMPILER...

FOLDER holds two files: libnorm.abi, what libabigail's abidw reads in the debug information of a 64-bit build (every
exported function, its parameters, the layout of every public struct), and numbers.txt, the value of every LIBNORM_
macro, of which a built library knows nothing. CHECK is one of

description, numbers   fail on any difference, additions included: whoever changes the ABI looks at the difference, runs
                       `ninja abi-update` in the build folder and commits both files;
update                 what that command runs;
since                  with the FOLDER of an older release: what that had is still there and the same. Functions and
                       numbers may have been added, and members at the tail of structs that say their size.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from since import broken

REFRESH = "reviewed, and meant so? `ninja -C BUILD abi-update`, and commit tests/abi"
# Handles stay opaque, and nothing of the machine or of the build folder is kept.
SHAPE = ["--drop-private-types", "--exported-interfaces-only", "--no-architecture", "--no-corpus-path",
         "--no-show-locs", "--no-comp-dir-path", "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash"]
# Neither numbers nor part of the ABI: guards, the marker of declarations, the version of this release.
NOT_NUMBERS = re.compile(r"^LIBNORM_(\w+_H|API|VERSION_(MAJOR|MINOR|PATCH))$")


def run(*command, accept=(0,), **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, LC_ALL="C"), check=False, **more)
    if done.returncode not in accept:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def numbers(include, compiler):
    """One line a macro, sorted: its name and its value."""
    text = run(*compiler, "-E", "-dM", "-I", include, "-x", "c", "-", input="#include <libnorm/norm.h>\n").stdout
    found = dict(re.findall(r"^#define (LIBNORM_\w+) ?(.*)$", text, flags=re.MULTILINE))
    return "".join(f"{name} {value}\n" for name, value in sorted(found.items()) if not NOT_NUMBERS.match(name))


def check_numbers(stored, found, grown=False):
    """Whether they are equal, but for new ones if it may have grown; says what is not."""
    old, new = (dict(line.split(" ", 1) for line in text.splitlines()) for text in (stored, found))
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            print(f"{name} is gone, it was {old[name]}")
        elif name not in old:
            print(f"{name} is new: {new[name]}")
        elif old[name] != new[name]:
            print(f"{name} was {old[name]}, is {new[name]}")
    if grown:
        new = {name: value for name, value in new.items() if name in old}
    return old == new and bool(new)


def readable(library):
    """Ends the test where this library or this machine cannot be compared with the description."""
    for tool in ("abidw", "abidiff", "readelf"):
        if shutil.which(tool) is None:
            skip(f"no {tool} (Debian: abigail-tools, binutils)")
    version = re.search(r"(\d+)\.(\d+)", run("abidiff", "--version").stdout)
    if (int(version[1]), int(version[2])) < (2, 2):
        skip(f"libabigail {version[0]} is older than 2.2")
    if not re.search(r"Class:\s+ELF64", run("readelf", "-hW", library).stdout):
        skip("the description is that of 64-bit machines")
    if not re.search(r"\.debug_info", run("readelf", "-SW", library).stdout):
        skip("a build without debug information")


def difference(stored, library, include, compare=None):
    """What tells a library from a stored description; empty where nothing does. compare(stored, now): by what else."""
    with tempfile.TemporaryDirectory() as folder:
        now = os.path.join(folder, "now.abi")
        write(now, describe(library, include))
        if compare is not None:
            return "\n".join(compare(stored, now))
        # Description against description: given the library itself and its headers, abidiff passes over changed
        # structs as private. Its exit code tells "changed" from "incompatible", but not rightly (float to double counts
        # as the former): any difference is one here. The two low bits are its own errors.
        done = run("abidiff", "--harmless", stored, now, accept=range(16))
    if done.returncode & 3:
        sys.exit(f"abidiff failed:\n{done.stdout}")
    return done.stdout if done.returncode else ""


def describe(library, include):
    """The description as text, the same from every build folder."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.abi")
        run("abidw", *SHAPE, "--headers-dir", include, "--out-file", out, library)
        with open(out, encoding="utf-8") as text:
            return re.sub(r" path='[^']*?(libnorm/[^']*)'", r" path='\1'", text.read())


def write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".new", path)


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def main(action, library, include, folder, *compiler):
    description, table = os.path.join(folder, "libnorm.abi"), os.path.join(folder, "numbers.txt")
    if action == "update":
        readable(library)
        write(description, describe(library, include))
        write(table, numbers(include, compiler))
        print(f"wrote {description} and {table}")
        return 0
    grown = action == "since"
    if action in ("numbers", "since"):
        same = check_numbers(read(table), numbers(include, compiler), grown)
        print(f"{len(read(table).splitlines())} numbers as described" if same else
              "numbers.txt differs from the headers" + ("" if grown else ": " + REFRESH))
        if not same or not grown:
            return not same
    readable(library)
    functions = read(description).count("<elf-symbol ")
    if grown:
        report = difference(description, library, include, broken)
        print(report or f"all {functions} functions as they were")
    else:
        report = difference(description, library, include)
        print(f"libnorm.abi differs from the library: {REFRESH}\n{report}" if report else
              f"{functions} functions as described")
    return bool(report)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
