#!/usr/bin/env python3
"""Runs random programs on every target and says whose output differs: run.py --seeds A..B [--primitives | --kernels] [--bsgpc PATH] [--keep FOLDER]

The first configuration is the oracle; with --primitives every configuration must print what was computed with the program as well.
With --kernels and --sample N each program is tried by the oracle and N other configurations, chosen by its seed.
With $BSGP_CUDA_DRIVER set (docs/gpu.md: a driver, or the emulator of one) target cuda is a configuration too.
Prints the seeds that differ or fail, and how many programs used each construct.
--reduce SEED prints a small program that still differs: statements are taken out as long as it does.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate
import kernel_reduce
import kernels
import primitive_program
import primitives

CONFIGURATIONS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu", ["--target", "cpu"]),
    ("cpu -O0", ["--target", "cpu", "-O0"]),
]
PRIMITIVES = [
    ("reference", ["--target", "reference", "-O1"]),
    ("cpu, 2 threads", ["--target", "cpu", "--threads", "2"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu, 1 thread", ["--target", "cpu", "--threads", "1"]),
    ("cpu -O0, 2 threads", ["--target", "cpu", "-O0", "--threads", "2"]),
    ("cpu x86-64-v2, 3 threads", ["--target", "cpu", "--cpu", "x86-64-v2", "--threads", "3"]),
    ("cpu -O1 x86-64-v3", ["--target", "cpu", "-O1", "--cpu", "x86-64-v3"]),
]
KERNELS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu", ["--target", "cpu"]),
    ("cpu, width 1", ["--target", "cpu", "--vector-width", "1"]),
    ("cpu, width 4", ["--target", "cpu", "--vector-width", "4"]),
    ("cpu, width 8", ["--target", "cpu", "--vector-width", "8"]),
    ("cpu, width 16", ["--target", "cpu", "--vector-width", "16"]),
    ("cpu x86-64-v3, width 8", ["--target", "cpu", "--vector-width", "8", "--cpu", "x86-64-v3"]),
    ("cpu x86-64-v2, width 4", ["--target", "cpu", "--vector-width", "4", "--cpu", "x86-64-v2"]),
    ("cpu -O1", ["--target", "cpu", "-O1"]),
]


if "BSGP_CUDA_DRIVER" in os.environ:  # such as the emulator of tools/cuda_emulator
    for configurations in (CONFIGURATIONS, PRIMITIVES, KERNELS):
        configurations.append(("cuda", ["--target", "cuda"]))


def known_to(bsgpc, configurations, skip):
    """The configurations whose options the binary has; with `skip` the others are named and left out, without it they are an error."""
    text = subprocess.run([bsgpc, "run", "--help"], capture_output=True, text=True, check=True).stdout
    unknown = [name for name, options in configurations if any(o.startswith("--") and not re.search(rf"{o}\b", text) for o in options)]
    if unknown:
        print(f"{bsgpc} has not the options of: {'; '.join(unknown)}", file=sys.stderr)
        if not skip:
            sys.exit(1)
    return [c for c in configurations if c[0] not in unknown]


timeout = 60


def run(bsgpc, path, options):
    environment = dict(os.environ, BSGP_POISON="1")
    try:
        done = subprocess.run([bsgpc, "run", path, *options], capture_output=True, text=True, errors="replace", timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        return f"still running after {timeout} s"
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "bsgp" in line]
        return f"status {done.returncode}: {(errors or [done.stderr[-300:]])[0]}"
    return done.stdout


def judge(bsgpc, text, configurations=CONFIGURATIONS, known=None):
    """None, or what is wrong: (kind, configuration, outputs). known: the lines it must print, as far as that is known beforehand."""
    with tempfile.NamedTemporaryFile("w", suffix=".bsgp", delete=False) as file:
        file.write(text)
    try:
        expected = run(bsgpc, file.name, configurations[0][1])
        if expected.startswith(("status", "still")):
            return "fails", configurations[0][0], expected, ""
        if known and primitive_program.difference(expected, known):
            return "wrong", configurations[0][0], "\n".join(known), expected
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


def reduce_primitives(bsgpc, program):
    wrong = judge(bsgpc, program.text(), PRIMITIVES, program.expected())
    if not wrong:
        return program
    configurations = PRIMITIVES[:1] + [c for c in PRIMITIVES[1:] if c[0] == wrong[1]]

    def still(other):
        found = judge(bsgpc, other.text(), configurations, other.expected())
        return found and found[0] == wrong[0] and (found[0] != "fails" or failure(found)[:40] == failure(wrong)[:40])
    return primitive_program.reduced(program, still)


def reduce_kernel(arguments, seed):
    text, smaller = kernels.generate(seed)
    all_of_them = known_to(arguments.bsgpc, KERNELS, arguments.skip_unknown)
    wrong = judge(arguments.bsgpc, text, all_of_them)
    if not wrong:
        return text
    configurations = all_of_them[:1] + [c for c in all_of_them[1:] if c[0] == wrong[1]]

    def still(other):
        found = judge(arguments.bsgpc, other, configurations)
        return found and found[:2] == wrong[:2] and (found[0] == "differs" or failure(found)[:60] == failure(wrong)[:60])
    return kernel_reduce.reduced(text, smaller, still)


def failure(wrong):
    """In a line."""
    kind, _, expected, found = wrong
    if kind == "fails":
        return re.sub(r"\S*/tmp\w+\.bsgp:", "", (found or expected).splitlines()[0])
    return primitive_program.difference(found, expected.splitlines()) or ""


def cases(arguments):
    """For each seed: (seed, the program, the configurations, what it must print)."""
    first, last = (int(s) for s in arguments.seeds.split(".."))
    configurations = known_to(arguments.bsgpc, KERNELS, arguments.skip_unknown) if arguments.kernels else []
    for seed in range(first, last + 1):
        if arguments.kernels:
            count = min(arguments.sample or len(KERNELS), len(configurations) - 1)
            yield seed, kernels.generate(seed)[0], configurations[:1] + random.Random(seed).sample(configurations[1:], count), None
            continue
        if not arguments.primitives:
            yield seed, generate.generate(seed), CONFIGURATIONS, None
            continue
        program = primitives.generate(seed, arguments.without.split(","))
        others = PRIMITIVES[1:]
        picked = [others[(seed + i) % len(others)] for i in range(min(arguments.targets - 1, len(others)))]
        yield seed, program.text(), PRIMITIVES[:1] + picked, program.expected()


def keep(folder, seed, text, known):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{seed}.bsgp"), "w") as file:
        file.write(text)
    if known:
        with open(os.path.join(folder, f"{seed}.expected"), "w") as file:
            file.write("\n".join(known) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1..50")
    parser.add_argument("--bsgpc", default=os.path.join(os.environ.get("BSGP_BUILD_DIR", "build"), "bin", "bsgpc"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="write the programs that differ into this folder")
    parser.add_argument("--reduce", type=int)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--supersteps", action="store_true", help="programs of supersteps and host code (generate.py): the default")
    kind.add_argument("--primitives", action="store_true", help="programs of reduce, scan, compact, thread.fork, … (primitives.py)")
    kind.add_argument("--kernels", action="store_true", help="programs of branches and loops that differ between threads (kernels.py)")
    parser.add_argument("--sample", type=int, default=0, help="how many configurations try each kernel, besides the reference (default: all)")
    parser.add_argument("--skip-unknown", action="store_true", help="leave out configurations whose options the compiler does not have")
    parser.add_argument("--targets", type=int, default=4, help="how many configurations try each program of primitives: the reference, and others by turns")
    parser.add_argument("--without", default="", help="steps that programs of primitives do not take, with commas between")
    parser.add_argument("--timeout", type=int, default=60, help="seconds a program may take on a target (more on a machine with other work)")
    arguments = parser.parse_args()
    global timeout
    timeout = arguments.timeout
    if arguments.reduce is not None:
        if arguments.primitives:
            smaller = reduce_primitives(arguments.bsgpc, primitives.generate(arguments.reduce, arguments.without.split(",")))
            print(smaller.text() + "".join(f"// OUTPUT: {line}\n" for line in smaller.expected()), end="")
        elif arguments.kernels:
            print(reduce_kernel(arguments, arguments.reduce), end="")
        else:
            print(reduce(arguments.bsgpc, generate.generate(arguments.reduce)), end="")
        return 0
    used, bad, count = collections.Counter(), [], 0

    def judged(case):
        return case, judge(arguments.bsgpc, *case[1:])

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (seed, text, _, known), wrong in pool.map(judged, cases(arguments)):
            count += 1
            if count % 500 == 0:
                print(f"{count} programs, {count - len(bad)} agree", file=sys.stderr, flush=True)
            used.update(text.splitlines()[1].removeprefix("// uses: ").split(", "))
            if not wrong:
                continue
            bad.append(seed)
            print(f"seed {seed} {wrong[0]} on {wrong[1]}: {failure(wrong)}", flush=True)
            if arguments.keep:
                keep(arguments.keep, seed, text, known)
    for name, times in sorted(used.items()):
        print(f"{times:6} {name}")
    print(f"{count - len(bad)} of {count} programs agree" + (f"; not: {' '.join(map(str, bad))}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
