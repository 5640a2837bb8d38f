#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libnorm beside NRL's library of the same name, with libnorm-dev and libzmq3-dev installed: beside.sh WORK-FOLDER
#
# Installs libnorm as a distribution does, link and archive in a folder of their own, and looks at what a linker, CMake
# and the loader make of the two.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1/beside
here=$root/tests/consumers
[[ -e /usr/include/normApi.h && -e /usr/include/zmq.h ]] ||
    { echo "no libnorm-dev or no libzmq3-dev"; exit 77; }

# soname PROGRAM: which libnorm it asks the loader for.
soname() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(libnorm\.[^]]*\)\].*/\1/p'; }
expect() { # WHAT GOT WANTED
    [[ $2 == "$3" ]] || { printf '%s: %s, expected %s\n' "$1" "$2" "$3"; exit 1; }
    printf '%s: %s\n' "$1" "$2"
}

rm -rf "$work"
mkdir -p "$work"
"${meson:-meson}" setup "$work/build" "$root" -Dtests=disabled -Dexamples=disabled -Dnormlab=disabled \
    -Ddefault_library=both -Dlinkdir=libnorm-numeric --prefix="$work/usr" --libdir=lib >"$work/log"
"${meson:-meson}" install -C "$work/build" >>"$work/log"
lib=$work/usr/lib
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
# NRL's development files in the same folder, as in a distribution.
nrl=$(pkg-config --variable=libdir norm)
[[ -e $lib/libnorm-numeric/libnorm.so && ! -e $lib/libnorm.so && ! -e $lib/libnorm.a && -e $lib/libnorm.so.0 ]]
cp -P "$nrl"/libnorm.so "$nrl"/libnorm.so.1 "$nrl"/libnorm.a "$lib"

read -ra own < <(pkg-config --cflags --libs libnorm)
read -ra both < <(pkg-config --cflags --libs libzmq libnorm)
read -ra inverse < <(pkg-config --cflags --libs libnorm libzmq)
# CMake has pkg-config keep the system's folders: then ours must come first.
read -ra kept < <(PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs libnorm libzmq)
gcc "$here/consumer.c" "${own[@]}" -o "$work/consumer"
expect "pkg-config --libs libnorm" "$(soname "$work/consumer")" libnorm.so.0
"$work/consumer"
read -ra static < <(pkg-config --static --cflags --libs libnorm | sed "s|-lnorm|$lib/libnorm-numeric/libnorm.a|")
gcc "$here/consumer.c" "${static[@]}" -o "$work/static"
env -u LD_LIBRARY_PATH "$work/static"

c11=(-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra "$here/beside.c" -ldl)
gcc "${c11[@]}" "${both[@]}" -o "$work/both"
gcc "${c11[@]}" "${inverse[@]}" -o "$work/inverse"
gcc "${c11[@]}" "${kept[@]}" -o "$work/kept"
for program in both inverse kept; do
    expect "with ZeroMQ, $program" "$(soname "$work/$program")" libnorm.so.0
    timeout 30 "$work/$program"
done
printf '#include <normApi.h>\nint main() { return NormCreateInstance() == NORM_INSTANCE_INVALID; }\n' >"$work/nrl.cpp"
read -ra theirs < <(pkg-config --cflags --libs norm)
g++ "$work/nrl.cpp" "${theirs[@]}" -o "$work/nrl"
expect "pkg-config --libs norm" "$(soname "$work/nrl")" libnorm.so.1
"$work/nrl"
g++ -x c++ -fsyntax-only "${own[@]}" - <<<'#include <normApi.h>
#include <libnorm/norm.h>'
echo "the headers of both in one C++ file"

cmake -S "$here/cmake" -B "$work/cmake" >>"$work/log"
cmake --build "$work/cmake" >>"$work/log"
expect "CMake" "$(soname "$work/cmake/consumer")" libnorm.so.0
"$work/cmake/consumer"
