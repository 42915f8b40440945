#!/usr/bin/env python3
"""Random programs, in bulk: run.py [--supersteps | --flows | --primitives | --kernels | --numbers | --front-end | --check] --seeds A..B

  --supersteps  supersteps and host code: every configuration prints what the first one does, and what the program does when it is
                written without lambdas, references and generic structs (generate.py)
  --flows       loops and branches around supersteps: the same as the straight line of supersteps that they make (flow_program.py)
  --kernels     branches, loops and memory that differ between threads: the same at every SIMD width (kernels.py)
  --primitives  reduce, scan, compact, thread.fork, ...: as computed serially with exact numbers (primitives.py)
  --numbers     expressions of all types, constants and variables, primitives on integers: as NumPy computes them (number_program.py)
  --front-end   other programs with their tokens deleted, doubled, spliced, ...: an answer to each, with a place (mutants.py)
  --check       what bsgpc run --check tells: the races, the accesses outside of memory and the uses of what nobody wrote that the emulator of CUDA saw (check_program.py)

With $BSGP_CUDA_DRIVER set (docs/gpu.md: a driver, or the emulator of one) target cuda is a configuration too.
Prints the seeds that go wrong, a small program for each of the first ones, and how many programs used each construct.
--reduce SEED prints a small program that is still wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kinds
from compilers import Compilers

KINDS = {"supersteps": kinds.Supersteps, "flows": kinds.Flows, "primitives": kinds.Primitives, "kernels": kinds.Kernels, "numbers": kinds.Numbers, "front_end": kinds.FrontEnd, "check": kinds.Checked}
SHOWN = 5  # small programs


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1..50", help="the first and the last one (default: 1..50)")
    parser.add_argument("--bsgpc", default=os.path.join(os.environ.get("BSGP_BUILD_DIR", "build"), "bin", "bsgpc"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", metavar="FOLDER", help="write the programs that go wrong into this folder")
    parser.add_argument("--reduce", type=int, metavar="SEED")
    kind = parser.add_mutually_exclusive_group()
    for name in KINDS:
        kind.add_argument("--" + name.replace("_", "-"), dest="kind", action="store_const", const=name)
    parser.set_defaults(kind="supersteps")
    parser.add_argument("--sample", type=int, default=0, help="how many configurations try each kernel and each program of flows besides the reference (default: all), each program of numbers (default: 1)")
    parser.add_argument("--skip-unknown", action="store_true", help="leave out configurations whose options the compiler does not have")
    parser.add_argument("--targets", type=int, default=4, help="how many configurations try each program of primitives: the reference, and others by turns")
    parser.add_argument("--without", default="", help="steps that programs of primitives do not take, with commas between")
    parser.add_argument("--timeout", type=int, default=60, help="seconds a program may take on a target (more on a machine with other work)")
    return parser.parse_args()


def written(folder, name, content):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode(errors="surrogateescape"))
    return path


def report(arguments, kind, seed, case, wrong, shown):
    print(f"seed {seed} {wrong}", flush=True)
    if arguments.keep:
        written(arguments.keep, f"{seed}.bsgp", case.source())
        if case.known:
            written(arguments.keep, f"{seed}.expected", "\n".join(case.known) + "\n")
    if shown:
        print(f"  again: ./dev fuzz --{arguments.kind.replace('_', '-')} --reduce {seed}")
        for line in kind.reduced(seed).splitlines()[-40:]:
            print("  | " + line.encode(errors="backslashreplace").decode()[:240])


def main():
    arguments = parsed()
    kind = KINDS[arguments.kind](Compilers(arguments.bsgpc), arguments)
    if arguments.reduce is not None:
        sys.stdout.buffer.write(kind.reduced(arguments.reduce).encode(errors="surrogateescape"))
        return 0
    used, bad, count = collections.Counter(), [], 0

    def judged(seed):
        case = kind.case(seed)
        return seed, case, kind.judge(case)

    first, last = (int(s) for s in arguments.seeds.split(".."))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for seed, case, wrong in pool.map(judged, range(first, last + 1)):
            count += 1
            if count % 500 == 0:
                print(f"{count} programs, {count - len(bad)} good", file=sys.stderr, flush=True)
            used.update(kind.uses(case))
            if wrong:
                bad.append(seed)
                report(arguments, kind, seed, case, wrong, len(bad) <= SHOWN)
    for name, times in sorted(used.items()):
        print(f"{times:6} {name}")
    print(f"{count - len(bad)} of {count} programs are good" + (f"; not: {' '.join(map(str, bad))}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
