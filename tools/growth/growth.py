#!/usr/bin/env python3
"""Does the work of compiling grow as the program does? Each program is compiled at 1, 2, 4 and 8 times a size, and the
instructions are counted: by the processor where it can be asked, else by valgrind; never by the clock.

Of linear work W, W(8) - W(4) is 4 times W(2) - W(1); of quadratic work 16 times. Past 6.5 the test fails."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from programs import PROGRAMS

LIMIT = 6.5
NOTHING = 0.01 # a share of the work that says nothing of its growth
parser = argparse.ArgumentParser()
parser.add_argument("--tool", required=True, help="compile_work")
parser.add_argument("--only", action="append", default=[], metavar="NAME")
parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of the programs")
options = parser.parse_args()


def counts_itself():
    """Does the processor tell a process how many instructions it has run?"""
    run = subprocess.run([options.tool], input="nothing -\nnothing -\n", capture_output=True, text=True, check=True)
    return int(run.stdout.split()[1]) > 0


def counted(jobs, folder):
    """The instructions of each job (phases, path), without those of a process that does nothing."""
    jobs = [jobs[0], ("nothing", "-")] + jobs
    command = [options.tool]
    by_valgrind = not counts_itself()
    if by_valgrind:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=" + os.path.join(folder, "%p")] + command
    run = subprocess.run(command, input="".join(f"{phases} {path}\n" for phases, path in jobs), capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    counts = []
    for line in run.stdout.splitlines():
        pid, count = line.split()
        if by_valgrind:
            count = re.search(r"I +refs: +([\d,]+)", open(os.path.join(folder, pid)).read())[1].replace(",", "")
        counts.append(int(count))
    return [count - counts[0] for count in counts[1:]]


def main():
    if not counts_itself() and not shutil.which("valgrind"):
        print("growth: SKIPPED: neither the processor nor valgrind counts instructions here")
        return 0
    part, parts = map(int, options.part.split("/"))
    chosen = {name: PROGRAMS[name] for name in (options.only or list(PROGRAMS))[part - 1::parts]}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for name, (phases, size, text) in chosen.items():
            for times in (1, 2, 4, 8):
                path = os.path.join(folder, f"{name}.{times}.bsgp")
                open(path, "w").write(text(size * times))
                jobs.append((phases, path))
        counts = counted(jobs, folder)
    print(f"{'program':<28}{'1x':>8}{'2x':>8}{'4x':>8}{'8x':>8}  million instructions; growth (linear: 4)")
    for i, name in enumerate(chosen):
        work = counts[4 * i:4 * i + 4]
        growth = (work[3] - work[2]) / max(work[1] - work[0], NOTHING * work[0])
        failed += growth > LIMIT
        print(f"{name:<28}" + "".join(f"{count / 1e6:8.1f}" for count in work) + f"  {growth:.1f}" + (" FAILED" if growth > LIMIT else ""))
    return 1 if failed else 0


sys.exit(main())
