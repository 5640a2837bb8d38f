#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the gate shuts: gate.py COMPILER... builds a tiny library, describes it, changes it, and wants every change
to be noticed by describe.py, and no change to be none."""
import os
import subprocess
import sys
import tempfile

import describe
from since import broken

HEADER = """#include <stdint.h>
#define LIBNORM_TINY_FLAG 1u
typedef struct norm_tiny { uint32_t struct_size; uint32_t flags; double a; int32_t b; } norm_tiny;
typedef struct norm_error { uint32_t struct_size; int64_t where; } norm_error;
typedef struct norm_handle norm_handle;
int32_t norm_call(const norm_tiny *tiny, float x, const norm_handle *h, norm_error *error);
uint64_t norm_other(void);
"""
# In a file of its own, as in the library: abidw 2.2 does not know where clang's primary file is.
INSIDE = "struct norm_handle { int inside; };\n"
SOURCE = """#include <libnorm/norm.h>
#include "inside.h"
int32_t norm_call(const norm_tiny *tiny, float x, const norm_handle *h, norm_error *error)
{
    return tiny->b + (int)x + h->inside + (int)error->where;
}
uint64_t norm_other(void) { return 1; }
"""
# What is changed: title, text, its replacement; whether it is a change of the ABI; whether it is one that an older
# program would notice.
CHANGES = [
    ("nothing", "", "", False, False),
    ("the inside of a handle", "int inside;", "long before; int inside;", False, False),
    ("the code", "return 1;", "return 2;", False, False),
    ("the type of a parameter", "float x", "double x", True, True),
    ("the sign of a result", "int32_t norm_call", "uint32_t norm_call", True, True),
    ("a member at the tail", "int32_t b;", "int32_t b; int32_t c;", True, False),
    ("a member's type, of the same size", "double a;", "int64_t a;", True, True),
    ("a member's name", "uint32_t flags;", "uint32_t reserved;", True, True),
    ("the order of members", "double a; int32_t b;", "int32_t b; double a;", True, True),
    ("const", "const norm_tiny *tiny", "norm_tiny *tiny", True, True),
    ("a parameter more", "norm_other(void)", "norm_other(int32_t more)", True, True),
    ("a function gone", "norm_other", "norm_another", True, True),
    ("a struct that may not grow", "int64_t where;", "int64_t where; int64_t more;", True, True),
    ("a function more", "uint64_t norm_other(void)", "void norm_more(void) {} uint64_t norm_other(void)", True, False),
]


class Folder:
    def __init__(self, path, compiler):
        self.path, self.compiler = path, compiler
        self.include = os.path.join(path, "include")
        self.library = os.path.join(path, "libnorm.so")
        os.makedirs(os.path.join(self.include, "libnorm"))

    def build(self, old="", new=""):
        """The library with one text replaced."""
        header, inside, source = (text.replace(old, new) if old else text for text in (HEADER, INSIDE, SOURCE))
        describe.write(os.path.join(self.include, "libnorm", "norm.h"), header.replace("{} uint64_t", "; uint64_t"))
        describe.write(os.path.join(self.path, "inside.h"), inside)
        describe.write(os.path.join(self.path, "tiny.c"), source)
        subprocess.run([*self.compiler, "-g", "-fPIC", "-shared", "-Wl,-soname,libnorm.so.0", "-I", self.include,
                        "-o", self.library, os.path.join(self.path, "tiny.c")], check=True)


def main(*compiler):
    bad = 0
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path, compiler)
        folder.build()
        describe.readable(folder.library)
        stored = os.path.join(path, "stored.abi")
        describe.write(stored, describe.describe(folder.library, folder.include))
        for title, old, new, is_change, is_break in CHANGES:
            folder.build(old, new)
            for compare, expected in ((None, is_change), (broken, is_break)):
                report = describe.difference(stored, folder.library, folder.include, compare)
                if (report != "") != expected:
                    bad += 1
                    print(f"{title}: {report or 'not noticed'}")
        folder.build()
        before = describe.numbers(folder.include, compiler)
        folder.build("TINY_FLAG 1u", "TINY_FLAG 2u")
        if describe.check_numbers(before, describe.numbers(folder.include, compiler)):
            bad += 1
            print("the value of a macro: not noticed")
        if not describe.check_numbers("A 1\n", "A 1\nB 2\n", True) or describe.check_numbers("A 1\n", "B 2\n", True):
            bad += 1
            print("macros added and gone: not told apart")
    print(f"{len(CHANGES) + 2} changes, {bad} judged wrongly")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
