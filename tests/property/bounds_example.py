#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs examples/bounds.c and checks what it prints: bounds_example.py PROGRAM."""
import re
import subprocess
import sys

run = subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE, text=True)
rows = {line[:38].strip(): [float(n) for n in re.findall(r"-?\d+\.\d+", line[38:])] for line in run.stdout.splitlines()}
chains = {name: n for name, n in rows.items() if len(n) == 3}
wrong = [name for name, (low, value, high) in chains.items() if not low <= value <= high and "mean" not in name]
if rows["norm of the Jacobian"][1] > rows["any softmax at temperature 1"][0]:
    wrong.append("any softmax at temperature 1")
if rows["distance of the rest from the 5 largest"[:38]][2] > rows["the published bound"][0] + 1e-5:
    wrong.append("the published bound is sharper")
sys.exit(f"wrong: {wrong}\n{run.stdout}" if wrong or len(chains) != 4 or len(rows) != 8 else 0)
