#!/bin/sh
# SPDX-License-Identifier: MIT
# ninja abi-update: all that is made from the headers and the library. Arguments: Python, the source tree, what
# symbols.py wants (three), what describe.py wants.
set -eu
here=$(dirname "$0")
python=$1 source=$2
"$python" "$source/tests/python/signatures.py" update "$source"
"$python" "$here/symbols.py" update "$3" "$4" "$5"
shift 5
exec "$python" "$here/describe.py" update "$@"
