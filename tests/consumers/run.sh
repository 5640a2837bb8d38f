#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Strangers' programs against an installed libnorm: run.sh WORK-FOLDER
#
# pkg-config and the loader must find the installed tree (PKG_CONFIG_PATH, LD_LIBRARY_PATH). Builds and runs the C++ and
# Fortran examples, a CMake project, and a Meson project with libnorm as its subproject.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1/consumers
here=$root/tests/consumers
data=$root/examples/data
rm -rf "$work"
mkdir -p "$work"
read -ra flags < <(pkg-config --cflags --libs libnorm)

for compiler in 'g++ -std=c++17' 'g++ -std=c++20' 'clang++ -std=c++17' 'clang++ -std=c++20'; do
    read -ra command <<<"$compiler"
    "${command[@]}" -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror "$root/examples/cpp/weights.cpp" \
        -o "$work/weights" "${flags[@]}"
    "$work/weights" "$data/gpt2-tiny" 'the war and the prince' >"$work/weights.txt"
    grep -q '^  weight 0.702048  gradient  0.418353$' "$work/weights.txt"
    grep -q '^  weight 0.750000  gradient  0.500000$' "$work/weights.txt"
    grep -q '^softmax layer 7 head 3: 0\.[0-9]*$' "$work/weights.txt"
    grep -q '^LIBNORM_E_SPEC, byte 8: ' "$work/weights.txt"
    echo "examples/cpp with $compiler gives what it should"
done

gfortran -std=f2018 -pedantic -Wall -Wextra -Werror -J "$work" "$root/examples/fortran/weights.f90" \
    -o "$work/fortran" "${flags[@]}"
[[ $("$work/fortran" | tr -s ' ' | sed -n 1p) == ' 0.000000 0.000000 0.125000 0.875000 sum 1.000000' ]]
echo "examples/fortran gives what it should"

cmake -S "$here/cmake" -B "$work/cmake" >"$work/cmake.log"
cmake --build "$work/cmake" >>"$work/cmake.log"
"$work/cmake/consumer"
echo "a CMake project finds libnorm through pkg-config"

# The library alone, with neither its tests nor its programs, shared and static.
cp -r "$here/subproject" "$here/consumer.c" "$work/"
mv "$work/consumer.c" "$work/subproject/"
ln -s "$root" "$work/subproject/subprojects/libnorm"
for kind in shared static; do
    ${meson:-meson} setup "$work/$kind" "$work/subproject" --buildtype=debug --force-fallback-for=libnorm \
        "-Dlibnorm:default_library=$kind" >"$work/$kind.log"
    ${meson:-meson} test -C "$work/$kind" >>"$work/$kind.log"
    [[ $(${meson:-meson} test -C "$work/$kind" --list 2>/dev/null | grep -c .) == 1 ]]
    [[ ! -e $work/$kind/subprojects/libnorm/examples/normlab/normlab ]]
    echo "a Meson project has libnorm as its $kind subproject"
done
