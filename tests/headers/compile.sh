#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header alone, included twice, by one compiler at one standard, every warning an error.
#   compile.sh INCLUDE_DIR LANGUAGE STANDARD COMPILER...
# A compiler that does not know the standard, or cannot compile the language at all: exit code 77, skipped.
set -u
include=$1 language=$2 standard=$3
shift 3

compile() {
    "$@" -x "$language" -std="$standard" -pedantic -Wall -Wextra -Wundef -Werror -fsyntax-only -I "$include" -
}

if ! printf '#include <stddef.h>\n#include <stdint.h>\n' | compile "$@" 2>/dev/null; then
    echo "$* does not compile $language as $standard"
    exit 77
fi
count=0 failed=0
for header in "$include"/libnorm/*.h; do
    name=libnorm/${header##*/}
    count=$((count + 1))
    if ! printf '#include <%s>\n#include <%s>\nint libnorm_header_test;\n' "$name" "$name" | compile "$@"; then
        echo "FAILED: <$name> alone, $standard"
        failed=$((failed + 1))
    fi
done
echo "$count headers, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
