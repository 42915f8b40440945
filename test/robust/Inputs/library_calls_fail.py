#!/usr/bin/env python3
"""library_calls_fail.py BSGPC: each call of the library fails at run time, and the message names the line of the call."""
import os
import subprocess
import sys
import tempfile

CALLS = [
    "reduce(+, p, m);", "scan(+, p, m);", "scan_inclusive(max, p, m);", "sort(p, m);", "sort(p, m, <);",
    "sort_by_key(p, p, m);", "sort_by_key(p, p, m, <);", "sort_index(p, p, m);", "sort_index_keys(p, p, m);",
    "sort_index_keys(p, p, m, <);", "histogram(p, 4, p, m);", "histogram(p, m, p, 4);", "reduce(+, flags, m);",
    "inner(p, m);", "sort(p, huge);", "sort_by_key(l, one);", "sort_by_key(l, one, <);", "reduce_by_key(l, one, +);", "compact(l, one);",
    "split(l, one);",
]
# Every call is a line of its own; argument i of the program says which one runs.
HEAD = """inner(int* p, int m) { reduce(+, p, m); }
int main(int argc, char** argv) {
  device int* p = dnew[4]int;
  device bool* flags = dnew[4]bool;
  int m = -argc;
  long huge = 1l << 60;
  dlist(int) l = {1, 2}, one = {1};
  switch (argc) {
"""


def main():
    bsgpc = sys.argv[1]
    lines = [f"  case {i + 2}: {call} break;" for i, call in enumerate(CALLS)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calls.bsgp")
        with open(path, "w") as file:
            file.write(HEAD + "\n".join(lines) + "\n  }\n  return 0;\n}\n")
        program = os.path.join(folder, "calls")
        subprocess.run([bsgpc, "build", path, "-o", program, "--gpu", "none"], check=True, timeout=120)
        for i, call in enumerate(CALLS):
            done = subprocess.run([program, *["x"] * (i + 1)], capture_output=True, text=True, timeout=120)
            line = 1 if call.startswith("inner") else HEAD.count("\n") + i + 1
            if done.returncode != 1 or f"calls.bsgp:{line}:" not in done.stderr or "<" in done.stderr.split(": error:")[0]:
                sys.exit(f"{call}: exit status {done.returncode}, expected line {line}\n{done.stderr}")


if __name__ == "__main__":
    main()
