#!/usr/bin/env python3
"""Each beginning of a program that ends behind one of its tokens is answered by `check`: truncated.py BSGPC PROGRAM."""
import concurrent.futures
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')


def answer(text):
    with tempfile.NamedTemporaryFile(suffix=".bsgp") as file:
        file.write(text.encode())
        file.flush()
        done = subprocess.run([sys.argv[1], "check", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, b"error:" in done.stderr


def main():
    text = open(sys.argv[2]).read()
    ends = [match.end() for match in TOKEN.finditer(text)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for end, (status, told) in zip(ends, pool.map(answer, (text[:end] for end in ends))):
            if status not in (0, 1) or told != (status == 1):
                wrong += 1
                print(f"WRONG: status {status} of what ends with {text[max(0, end - 40):end]!r}")
    print(f"{len(ends)} beginnings, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
