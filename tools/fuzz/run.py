#!/usr/bin/env python3
"""Runs random programs on every target and says whose output differs: run.py --seeds A..B [--bsgpc PATH] [--keep FOLDER]

The first configuration is the oracle. Prints the seeds that differ or fail, and how many programs used each construct.
--reduce SEED prints a small program that still differs: statements are taken out as long as it does.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import generate

CONFIGURATIONS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu", ["--target", "cpu"]),
    ("cpu -O0", ["--target", "cpu", "-O0"]),
]


def run(bsgpc, path, options):
    environment = dict(os.environ, BSGP_POISON="1")
    try:
        done = subprocess.run([bsgpc, "run", path, *options], capture_output=True, text=True, errors="replace", timeout=60, env=environment)
    except subprocess.TimeoutExpired:
        return "still running after 60 s"
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "bsgp" in line]
        return f"status {done.returncode}: {(errors or [done.stderr[-300:]])[0]}"
    return done.stdout


def judge(bsgpc, text, configurations=CONFIGURATIONS):
    """None, or what is wrong: (kind, configuration, outputs)."""
    with tempfile.NamedTemporaryFile("w", suffix=".bsgp", delete=False) as file:
        file.write(text)
    try:
        expected = run(bsgpc, file.name, configurations[0][1])
        if expected.startswith(("status", "still")):
            return "fails", configurations[0][0], expected, ""
        for name, options in configurations[1:]:
            found = run(bsgpc, file.name, options)
            if found != expected:
                return "differs" if not found.startswith(("status", "still")) else "fails", name, expected, found
        return None
    finally:
        os.unlink(file.name)


def units(lines):
    """Pieces that may be taken out: a line by itself, or a line that opens braces to the line that closes them."""
    for i, line in enumerate(lines):
        depth, end = 0, i
        for end in range(i, len(lines)):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
        if depth == 0:
            yield i, end + 1


def removable(piece):
    text = "\n".join(piece)
    kept = re.search(r"barrier|rotated|neighbours|exchanged|reversed|totalOf|prefixed|oldrank|spawn|thread\.size =|dnew|int size", text)
    return text.strip() not in ("", "}", "{") and not kept


def reduce(bsgpc, text, report=lambda text: None):
    wrong = judge(bsgpc, text)
    if not wrong:
        return text
    configurations = [CONFIGURATIONS[0]] + [c for c in CONFIGURATIONS[1:] if c[0] == wrong[1]]

    def still(lines):
        other = judge(bsgpc, "\n".join(lines) + "\n", configurations)
        return other and other[0] == wrong[0] and (other[0] == "differs" or other[2][:60] + other[3][:60] == wrong[2][:60] + wrong[3][:60])

    lines, before = text.splitlines(), None
    while lines != before:
        before = list(lines)
        at = len(lines) - 1
        while not lines[at].startswith("run("):
            ends = [last for first, last in units(lines) if first == at]
            if ends and removable(lines[at:ends[0]]) and still(lines[:at] + lines[ends[0]:]):
                del lines[at:ends[0]]
                report("\n".join(lines) + "\n")
            at -= 1
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1..50")
    parser.add_argument("--bsgpc", default=os.path.join(os.environ.get("BSGP_BUILD_DIR", "build"), "bin", "bsgpc"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="write the programs that differ into this folder")
    parser.add_argument("--reduce", type=int)
    arguments = parser.parse_args()
    if arguments.reduce is not None:
        print(reduce(arguments.bsgpc, generate(arguments.reduce)), end="")
        return 0
    first, last = (int(s) for s in arguments.seeds.split(".."))
    seeds = range(first, last + 1)
    used, bad = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        programs = [generate(seed) for seed in seeds]
        for seed, text, wrong in zip(seeds, programs, pool.map(lambda text: judge(arguments.bsgpc, text), programs)):
            used.update(text.splitlines()[1].removeprefix("// uses: ").split(", "))
            if not wrong:
                continue
            bad.append(seed)
            kind, configuration, expected, found = wrong
            print(f"seed {seed} {kind} on {configuration}: {(found or expected).splitlines()[0] if kind == 'fails' else ''}", flush=True)
            if arguments.keep:
                os.makedirs(arguments.keep, exist_ok=True)
                with open(os.path.join(arguments.keep, f"{seed}.bsgp"), "w") as file:
                    file.write(text)
    for name, count in sorted(used.items()):
        print(f"{count:6} {name}")
    print(f"{len(seeds) - len(bad)} of {len(seeds)} programs agree" + (f"; not: {' '.join(map(str, bad))}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
