#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of the Python module with the first Python that has what they need; skips where there is none.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, pytest' 2>/dev/null; then
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$LIBNORM_SOURCE/examples/python" \
            exec "$python" -m pytest -q -p no:cacheprovider "$1"
    fi
done
echo "skipped: no Python with NumPy and pytest"
exit 77
