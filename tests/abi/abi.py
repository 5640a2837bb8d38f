#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the built shared library promises to the loader: abi.py CHECK LIBRARY MAP INCLUDE_DIR.

Reads the library with nm, objdump and readelf of binutils; exit code 77 (skipped) where they are missing.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

# What the toolchain itself puts into the writable part of a shared library.
TOOLCHAIN_OBJECTS = re.compile(r"^(completed\.\d+|__dso_handle|__TMC_END__|_edata|__bss_start|_end|\.(data|bss)|"
                               r"_GLOBAL_OFFSET_TABLE_|_DYNAMIC|__JCR_(LIST|END)__)?$")
# The one object that may be written: the CPU level, found once.
OWN_OBJECTS = re.compile(r"^(norm__cpu_level\.)?detected(\.\d+)?$")

# What may be undefined besides the C library: names any provider of the library has.
PARTNERS = re.compile(r"^(cblas_[sd](gemm|gemv|syrk|trsm|dot|axpy|scal|copy|nrm2|asum)|json_\w+|utf8proc_\w+|"
                      r"_ITM_(de)?registerTMCloneTable|__gmon_start__|__cxa_finalize)$")
# What a library may not do to its host: print, end it, read the environment, change locale, rounding or signals.
# (uselocale is base/c_locale.c's: this thread's locale while JSON is parsed, given back before anybody else runs.)
FORBIDDEN = re.compile(
    r"^(v?f?d?printf|puts|fputs|putchar|fputc|putc|fwrite|perror|std(out|err)|exit|_exit|_Exit|quick_exit|abort|atexit|"
    r"(secure_)?getenv|setenv|putenv|unsetenv|setlocale|localeconv|signal|sigaction|sigprocmask|"
    r"fesetround|fesetenv|feholdexcept|feenableexcept|srand|rand|random|strtok|strerror|system|popen|v?fork|chdir|"
    r"umask|dlopen|openblas_\w+|omp_\w+|GOMP_\w+)$")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def map_names(path):
    text = re.sub(r"/\*.*?\*/", "", open(path, encoding="ascii").read(), flags=re.DOTALL)
    nodes = re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", text, flags=re.DOTALL)
    names = []
    for node, body in nodes:
        yield_names = re.sub(r"\b(global|local)\s*:", "", body)
        names += [n.strip() for n in yield_names.split(";") if n.strip() and n.strip() != "*"]
    return names


def header_names(include):
    names = []
    for path in sorted(glob.glob(os.path.join(include, "libnorm", "*.h"))):
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.DOTALL)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
        names += re.findall(r"LIBNORM_API\b[^;()]*?\b(\w+)\s*\(", text)
    return names


def exported(library):
    symbols = []
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        _, kind, name = line.split(" ", 2)
        symbols.append((kind, name))
    return symbols


def complain(title, names):
    for name in names:
        print(f"{title}: {name}")
    return len(names)


def check_map(library, map_path, include):
    listed, declared = map_names(map_path), header_names(include)
    bad = complain("listed twice in the map", sorted({n for n in listed if listed.count(n) > 1}))
    bad += complain("declared in a header, missing in the map", sorted(set(declared) - set(listed)))
    bad += complain("in the map, declared in no header", sorted(set(listed) - set(declared)))
    bad += complain("not a public name", [n for n in listed if not re.match(r"^norm_[a-z0-9]", n)])
    if listed != sorted(listed):
        bad += complain("the map is not sorted near", [b for a, b in zip(listed, listed[1:]) if a > b])
    print(f"{len(listed)} names in the map, {len(declared)} declarations")
    return bad or not listed


def check_exports(library, map_path, include):
    symbols = exported(library)
    functions = {name.split("@")[0] for kind, name in symbols if kind == "T"}
    nodes = {name for kind, name in symbols if kind == "A"}
    others = [f"{name} ({kind})" for kind, name in symbols if kind not in "TA"]
    listed = set(map_names(map_path))
    bad = complain("exported data, weak or indirect symbol", others)
    bad += complain("exported, not in the map", sorted(functions - listed))
    bad += complain("in the map, not exported", sorted(listed - functions))
    bad += complain("not in node LIBNORM_0", [n for k, n in symbols if k == "T" and not n.endswith("@@LIBNORM_0")])
    if not any(node.split("@")[0] == "LIBNORM_0" for node in nodes):
        bad += complain("missing", ["version node LIBNORM_0"])
    print(f"{len(functions)} functions exported")
    return bad or not functions


def check_loading(library, map_path, include):
    dynamic, sections, segments = (run("readelf", option, library) for option in ("-dW", "-SW", "-lW"))
    bad = 0
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
    if soname != ["libnorm.so.0"]:
        bad += complain("SONAME is not libnorm.so.0", soname or ["none"])
    bad += complain("in the dynamic section", re.findall(r"\((TEXTREL|RPATH|RUNPATH|INIT_ARRAY_PLUS)\)", dynamic))
    # One pointer is the toolchain's frame_dummy; a second one would be a constructor of ours.
    pointer = 8 if re.search(r"Class:\s+ELF64", run("readelf", "-hW", library)) else 4
    arrays = r"\] (\.init_array|\.ctors|\.fini_array|\.preinit_array)\s+\S+\s+\S+\s+\S+\s+(\w+)"
    for name, size in re.findall(arrays, sections):
        if int(size, 16) > pointer:
            bad += complain("constructors or destructors", [f"{name} holds {int(size, 16) // pointer} pointers"])
    if re.search(r"GNU_STACK.*\bRWE\b", segments):
        bad += complain("executable", ["stack"])
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    bad += complain("must not be needed", [n for n in needed if re.match(r"lib(norm|gomp|omp|stdc\+\+)\b", n)])
    print("needs " + " ".join(needed))
    return bad


def check_objects(library, map_path, include):
    written = []
    for line in run("objdump", "-t", library).splitlines():
        parts = re.match(r"^[0-9a-f]+ .{7} (\.t?data|\.t?bss|COMMON|\*COM\*)\s+[0-9a-f]+\s*(?:\.hidden )?(\S*)$", line)
        if parts and not TOOLCHAIN_OBJECTS.match(parts[2]):
            written.append(parts[2])
    own = [n for n in written if OWN_OBJECTS.match(n)]
    bad = complain("writable object", [n for n in written if n not in own])
    if len(own) > 1:
        bad += complain("the CPU level is kept more than once", own)
    print(f"writable objects: {' '.join(own) or 'none'}")
    return bad


def check_undefined(library, map_path, include):
    names = [line.split()[-1] for line in run("nm", "-D", "--undefined-only", library).splitlines()]
    versioned = any("@GLIBC_" in n for n in names)
    bad = 0
    for name in names:
        bare = name.split("@")[0]
        if FORBIDDEN.match(bare):
            bad += complain("a library must not use", [bare])
        elif versioned and "@GLIBC_" not in name and not PARTNERS.match(bare):
            bad += complain("undefined and of no known library", [name])
    print(f"{len(names)} undefined symbols")
    return bad or not names


def check_structs(library, map_path, include):
    """Every struct that says its size is passed by an older and a newer caller, and none is read or written against the
    size it has today: a struct that grew would refuse the callers of the release before."""
    root = os.path.dirname(include)
    callers = "".join(open(path, encoding="utf-8").read()
                      for path in glob.glob(os.path.join(root, "tests", "unit", "callers_*.c")))
    tested = set(re.findall(r"SUPPORT_SIZED\((\w+),", callers)) | {"norm_error"}
    sized = set()
    for path in sorted(glob.glob(os.path.join(include, "libnorm", "*.h"))):
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.DOTALL)
        sized |= set(re.findall(r"typedef struct (\w+)\s*\{\s*uint32_t struct_size\b", text))
    bad = complain("says its size, in no SUPPORT_SIZED of tests/unit/callers_*.c", sorted(sized - tested))
    bad += complain("in tests/unit/callers_*.c, in no header", sorted(tested - sized))
    today = re.compile(r"norm__struct_(?:writable\([^,;]*|read\([^,;]*,[^,;]*,[^,;]*), *sizeof\b[^;]*;")
    for path in sorted(glob.glob(os.path.join(root, "libnorm", "**", "*.c"), recursive=True)):
        bad += complain(os.path.relpath(path, root) + ": the size of the first release is not sizeof",
                        today.findall(open(path, encoding="utf-8").read()))
    print(f"{len(sized)} structs say their size")
    return bad or not sized


CHECKS = {"map": check_map, "structs": check_structs,
          "exports": check_exports, "loading": check_loading, "objects": check_objects,
          "undefined": check_undefined}

if __name__ == "__main__":
    for tool in ("nm", "objdump", "readelf"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}")
            sys.exit(77)
    sys.exit(1 if CHECKS[sys.argv[1]](*sys.argv[2:5]) else 0)
