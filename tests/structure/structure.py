#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of the house that a reader of one file cannot see: structure.py CHECK SOURCE_ROOT.

Each check prints what breaks it, one line a place, and exits 1 if there was any.
"""
import os
import re
import sys

# What each room may include besides itself; docs/structure.md draws it.
ROOMS = {
    "base": set(),
    "kernels": {"base"},
    "normalizers": {"base", "kernels"},
    "blas": {"base"},
    "bounds": {"base", "kernels"},
    "measure": {"base", "bounds", "kernels"},
    "attention": {"base", "kernels", "normalizers", "blas"},
    "json": {"base"},
    "tokenizer": {"base", "json"},
    "gpt2": {"base", "kernels", "normalizers", "attention", "blas", "json"},
}
# Doors to the outside: a header of another project, and the rooms that may open it.
DOORS = {"cblas.h": {"blas"}, "jansson.h": {"json"}, "utf8proc.h": {"tokenizer"}, "dlfcn.h": {"blas"},
         "pthread.h": {"base"}}
ONE_FILE = {"cblas.h", "utf8proc.h", "dlfcn.h", "pthread.h"}
LONGEST = 400
ONE_FILE_MODULES = {"examples/python/libnorm.py"}  # meant to be copied as one file
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


class Report:
    def __init__(self):
        self.seen = self.bad = 0

    def wrong(self, place, what):
        self.bad += 1
        print(f"{place}: {what}")


def files(root, *folders, ends=(".c", ".h")):
    for folder in folders:
        for where, names, found in os.walk(os.path.join(root, folder)):
            names[:] = sorted(n for n in names if not n.startswith(".") and n not in ("__pycache__", "data"))
            for name in sorted(found):
                if name.endswith(ends):
                    yield os.path.relpath(os.path.join(where, name), root)


def lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return text.read().splitlines()


def includes(root, path):
    for number, line in enumerate(lines(root, path), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1] == "<", found[2]


def arrows(root, report):
    """Rooms include only what lies below them, each foreign header has its door."""
    users = {}
    for path in files(root, "libnorm"):
        room = path.split(os.sep)[1]
        if room not in ROOMS:
            report.wrong(path, f"no room {room}: add it to the list of rooms with what it may include")
            continue
        report.seen += 1
        for number, system, name in includes(root, path):
            place = f"{path}:{number}"
            if system:
                if name in DOORS and room not in DOORS[name]:
                    report.wrong(place, f"<{name}> belongs to {' and '.join(sorted(DOORS[name]))}")
                users.setdefault(name, set()).add(path)
            elif name == "norm_config.h":
                continue
            elif "/" in name:
                target = name.split("/")[0]
                if target != room and target not in ROOMS[room]:
                    report.wrong(place, f'"{name}": {room} lies not above {target}')
            elif not os.path.exists(os.path.join(root, os.path.dirname(path), name)):
                report.wrong(place, f'"{name}" is not beside it')
    for name in sorted(ONE_FILE):
        if len(users.get(name, ())) > 1:
            report.wrong(", ".join(sorted(users[name])), f"<{name}> is for one file")


def public(root, report):
    """Programs and examples see the public headers and their own files, nothing else."""
    for path in files(root, "examples", ends=(".c", ".h", ".cpp", ".hpp")):
        report.seen += 1
        for number, system, name in includes(root, path):
            if system or os.path.exists(os.path.join(root, os.path.dirname(path), name)):
                continue
            if path.startswith(os.path.join("examples", "normlab", "")) and \
                    os.path.exists(os.path.join(root, "examples", "normlab", name)):
                continue
            report.wrong(f"{path}:{number}", f'"{name}" is neither a public header nor a file of its own')
    for path in files(root, "include"):
        report.seen += 1
        for number, system, name in includes(root, path):
            if not system or not re.match(r"^(libnorm/\w+\.h|stddef\.h|stdint\.h)$", name):
                report.wrong(f"{path}:{number}", f"{name} in a public header: only stddef.h, stdint.h and libnorm/...")


def form(root, report):
    """Length, licence line, no tabs, no trailing blanks, guards."""
    for path in files(root, "include", "libnorm", "examples", "tests", ".ci", "subprojects/packagefiles",
                      ends=(".c", ".h", ".cpp", ".hpp", ".py", ".sh", "run", "long", ".inc")):
        report.seen += 1
        text = lines(root, path)
        if len(text) > LONGEST and "table" not in os.path.basename(path) and path not in ONE_FILE_MODULES:
            report.wrong(path, f"{len(text)} lines; at most {LONGEST}")
        if not any("SPDX-License-Identifier:" in line for line in text[:3]):
            report.wrong(path, "no SPDX line on top")
        for number, line in enumerate(text, 1):
            if "\t" in line or line != line.rstrip():
                report.wrong(f"{path}:{number}", "tab or trailing blank")
            if len(line) > 120:
                report.wrong(f"{path}:{number}", f"{len(line)} columns; at most 120")
    for path in files(root, "include", "libnorm", ends=".h"):
        name = os.path.basename(path)[:-2]
        room = path.split(os.sep)[1]
        guard = f"LIBNORM_{name}_H" if path.startswith("include") else f"NORM_{room}_{name}_H"
        guard = re.sub(r"\W", "_", guard).upper()
        text = "\n".join(lines(root, path))
        if "template" not in name and f"#ifndef {guard}\n#define {guard}\n" not in text:
            report.wrong(path, f"guard is not {guard}")


def names(root, report):
    """Private functions are norm__..., public ones norm_...; macros of public headers LIBNORM_... or NORM__."""
    for path in files(root, "include"):
        text = lines(root, path)
        for number, line in enumerate(text, 1):
            macro = re.match(r"^\s*#\s*define\s+(\w+)", line)
            if macro:
                report.seen += 1
                if not macro[1].startswith("LIBNORM_"):
                    report.wrong(f"{path}:{number}", f"macro {macro[1]} does not start with LIBNORM_")
            if line.startswith("LIBNORM_API"):
                report.seen += 1
                before = text[number - 2]
                if not before.rstrip().endswith("*/"):
                    report.wrong(f"{path}:{number}", "a public declaration without a comment")
                if re.search(r"\b(long|bool|_Bool|wchar_t|restrict|va_list|FILE|time_t)\b", line):
                    report.wrong(f"{path}:{number}", "a type that not every language and system has")
    for path in files(root, "libnorm", ends=".h"):
        for number, line in enumerate(lines(root, path), 1):
            found = re.match(r"^[a-z][\w *]*?\b\*?(\w+)\(", line)
            if found and not line.startswith("static") and found[1] not in ("sizeof",):
                report.seen += 1
                if not found[1].startswith("norm__"):
                    report.wrong(f"{path}:{number}", f"{found[1]} is shared between files: its name starts with norm__")


def built(root, report):
    """Every C file is named in the build file beside it, or it is dead. Consumers are built by scripts."""
    scripts = "\n".join("\n".join(lines(root, path)) for path in files(root, "tests/consumers", ends=(".sh", ".txt")))
    for path in files(root, "libnorm", "tests", "examples", ends=".c"):
        report.seen += 1
        folder, name = os.path.split(path)
        found = folder == os.path.join("tests", "consumers") and f"/{name}" in scripts
        while folder and not found:
            build = os.path.join(root, folder, "meson.build")
            stem = re.escape(name[:-2])
            found = os.path.exists(build) and \
                re.search(rf"['/]{stem}(\.c)?'", open(build, encoding="utf-8").read()) is not None
            folder = os.path.dirname(folder)
        if not found:
            report.wrong(path, "is named in no meson.build above it")


def readme(root, report):
    """The C of README.md is examples/softmax.c, compiled and run by the tests."""
    text = open(os.path.join(root, "README.md"), encoding="utf-8").read()
    code = open(os.path.join(root, "examples", "softmax.c"), encoding="utf-8").read()
    code = re.sub(r"\A/\* SPDX[^\n]*\n", "", code).strip()
    blocks = [b.strip() for b in re.findall(r"```c\n(.*?)```", text, flags=re.DOTALL)]
    report.seen += 1
    if code not in blocks:
        report.wrong("README.md", "no C block equals examples/softmax.c without its licence line")


def pages(root, report):
    """Links of the pages lead somewhere, every page can be reached from README.md, every normalizer has its line."""
    seen, new = set(), {"README.md"}
    while new:
        page = new.pop()
        seen.add(page)
        text = "\n".join(lines(root, page))
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
            report.seen += 1
            target = os.path.normpath(os.path.join(os.path.dirname(page), link))
            if not os.path.exists(os.path.join(root, target)):
                report.wrong(page, f"links to {link}, which is not there")
            elif target.endswith(".md") and target not in seen:
                new.add(target)
    for page in files(root, "docs", ends=".md"):
        if page not in seen:
            report.wrong(page, "no page leads here from README.md")
    table = "\n".join(lines(root, "docs/normalizers.md"))
    for path in files(root, "libnorm/normalizers", ends=".c"):
        for name in re.findall(r'^    \.name = "(\w+)",$', "\n".join(lines(root, path)), flags=re.MULTILINE):
            report.seen += 1
            if f"`{name}`" not in table:
                report.wrong("docs/normalizers.md", f"says nothing of {name}, which {path} defines")


def manual(root, report):
    """The manual pages know every command, every option and every header."""
    page = "\n".join(lines(root, "docs/man/normlab.1"))
    for path in files(root, "examples/normlab", ends=".c"):
        text = "\n".join(lines(root, path))
        words = [(name, f".Fl {name[1:]}") for name in re.findall(r'\{"(--[a-z0-9-]+)", OPTION_', text)]
        words += [(name, f".Cm {name}") for name in re.findall(r'const struct command \w+ = \{\n\s+"(\w+)"', text)]
        for name, markup in words:
            report.seen += 1
            if not re.search(re.escape(markup[1:]) + r"(?![\w-])", page):
                report.wrong("docs/man/normlab.1", f"says nothing of {name}, which {path} takes")
    page = "\n".join(lines(root, "docs/man/libnorm.3"))
    for path in files(root, "include"):
        report.seen += 1
        if f"In libnorm/{os.path.basename(path)}\n" not in page:
            report.wrong("docs/man/libnorm.3", f"says nothing of {path}")
    for path in files(root, "include"):
        report.seen += 1
        if not path.endswith("norm.h") and \
                f"#include <libnorm/{os.path.basename(path)}>" not in "\n".join(lines(root, "include/libnorm/norm.h")):
            report.wrong("include/libnorm/norm.h", f"does not include {path}")


CHECKS = {f.__name__: f for f in (arrows, public, form, names, built, readme, pages, manual)}

if __name__ == "__main__":
    result = Report()
    CHECKS[sys.argv[1]](sys.argv[2], result)
    print(f"{result.seen} looked at, {result.bad} wrong")
    sys.exit(1 if result.bad or not result.seen else 0)
