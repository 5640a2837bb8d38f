#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what Meson's testlog.json files hold: count.py LOG...

A Check program counts as many tests as it has test functions, any other test as one. A program that failed counts at
least one failure, whatever it printed. Skipped tests are named. The last line is "N passed, N failed"; the exit code
is 1 if any failed or if nothing ran.
"""
import json
import re
import sys

SUMMARY = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$", re.MULTILINE)


def main(logs):
    passed = failed = 0
    skipped = []
    for path in logs:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                test = json.loads(line)
                result, output = test["result"], test.get("stdout") or ""
                if result == "SKIP":
                    skipped.append(test["name"])
                    continue
                ran = bad = 0
                for checks, failures, errors in SUMMARY.findall(output):
                    ran += int(checks)
                    bad += int(failures) + int(errors)
                if result not in ("OK", "EXPECTEDFAIL"):
                    bad = max(bad, 1)
                ran = max(ran, bad, 1)
                passed += ran - bad
                failed += bad
    if skipped:
        print("skipped: " + ", ".join(skipped))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
