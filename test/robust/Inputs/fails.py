#!/usr/bin/env python3
"""fails.py BSGPC FILE: the program must end with exit status 1 and say the same on every target; prints what it said, with
addresses written 0x...."""
import re
import subprocess
import sys

CONFIGURATIONS = [["--target", "reference"], ["--target", "reference", "--shuffle", "7"], ["--target", "cpu"],
                  ["--target", "cpu", "-O0", "--threads", "3"]]


def main():
    bsgpc, path = sys.argv[1:]
    said = []
    for options in CONFIGURATIONS:
        done = subprocess.run([bsgpc, "run", path, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        if done.returncode != 1:
            sys.exit(f"{' '.join(options)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        said.append(re.sub(r"0x[0-9a-f]+", "0x...", done.stdout + done.stderr))
    for options, text in zip(CONFIGURATIONS, said):
        if text != said[0]:
            sys.exit(f"{' '.join(options)} says\n{text}\nbut the reference\n{said[0]}")
    print(said[0], end="")


if __name__ == "__main__":
    main()
