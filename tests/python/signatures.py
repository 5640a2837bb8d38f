#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of signatures in the Python module, made from the headers.

signatures.py check|update SOURCE_ROOT: whether it is what the headers say; or writes it anew.
"""
import glob
import os
import re
import sys
import textwrap

LETTERS = {"size_t": "z", "int32_t": "i", "norm_status": "i", "uint32_t": "u", "uint64_t": "U", "int64_t": "I",
           "double": "d", "float": "f", "void": "v"}


def letter(text):
    """One parameter, name included, or the result's type."""
    text = " ".join(text.split())
    if text.count("*") + text.count("[") > 0:
        return "s" if re.match(r"const char \*\w*$", text) and "ret_" not in text else "p"
    kind = text.replace("const ", "").split()
    return LETTERS[kind[0]]


def parameters(text):
    """Split at commas outside of parentheses."""
    depth, parts, part = 0, [], ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return parts + [part]


def signatures(root):
    table = {}
    for path in sorted(glob.glob(os.path.join(root, "include", "libnorm", "*.h"))):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
        for found in re.finditer(r"LIBNORM_API\b([^;()]*?)\bnorm_(\w+)\s*\(([^;]*?)\)\s*;", text, flags=re.DOTALL):
            result, name, given = found[1].strip(), found[2], found[3].strip()
            letters = "" if given == "void" else "".join(letter(p) for p in parameters(given))
            table.setdefault(letter(result) + letters, []).append(name)
    lines = []
    for code, names in sorted(table.items()):
        lines += textwrap.wrap(f"{code}: {' '.join(sorted(names))}", 116, subsequent_indent="    ",
                               break_on_hyphens=False)
    return "\n".join(lines)


def main():
    mode, root = sys.argv[1:3]
    path = os.path.join(root, "examples", "python", "libnorm.py")
    with open(path, encoding="utf-8") as file:
        module = file.read()
    before, rest = module.split('_SIGNATURES = """\n', 1)
    table, behind = rest.split('\n"""', 1)
    made = signatures(root)
    if mode == "update" and made != table:
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(f'{before}_SIGNATURES = """\n{made}\n"""{behind}')
        os.replace(path + ".new", path)
    elif made != table:
        print(f"{path}: the table of signatures is not that of the headers; run {sys.argv[0]} update {root}")
        return 1
    print(f"{made.count(chr(10)) + 1} lines, 0 wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
