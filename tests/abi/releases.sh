#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs and descriptions of every earlier release against the library of today: releases.sh LIBRARY
#
# For each tag v*: its tests/abi/libnorm.abi and numbers.txt, of which today's must keep all; then its tests/abi/first.c
# and its examples, compiled against the headers of that release, linked with the library of today and run. Before the
# first release there is nothing to hold (exit code 77); "abi first" then stands for a caller of 0.1.0.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$(realpath "$1")
compiler=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=${library%/*}

mapfile -t tags < <(git -C "$root" tag --list 'v*' --sort=v:refname)
if ((${#tags[@]} == 0)); then
    echo "no earlier release"
    exit 77
fi
status=0
for tag in "${tags[@]}"; do
    mkdir "$work/$tag"
    git -C "$root" archive "$tag" include tests/abi examples | tar xf - -C "$work/$tag"
    python3 "$root/tests/abi/describe.py" since "$library" "$root/include" "$work/$tag/tests/abi" "$compiler" ||
        status=1
    for program in "$work/$tag"/tests/abi/first.c "$work/$tag"/examples/*.c; do
        # Linked with today's file by its name: the program records libnorm.so.0, as it did then.
        "$compiler" -D_POSIX_C_SOURCE=200809L -I "$work/$tag/include" -o "$work/program" "$program" "$library" -lm
        arguments=()
        case ${program##*/} in
            heads.c) arguments=("$work/$tag/examples/data/gpt2-tiny" 0 1 "the war") ;;
            tokenize.c) arguments=("$work/$tag/examples/data/gpt2-tiny" "the war") ;;
        esac
        if ! "$work/program" "${arguments[@]}" >"$work/output" 2>&1 && ! grep -q '^usage:' "$work/output"; then
            echo "FAILED: $tag's ${program##*/}"
            tail -n 5 "$work/output"
            status=1
        fi
    done
    echo "$tag: looked at"
done
exit $status
