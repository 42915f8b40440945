#!/usr/bin/env python3
"""Compiles programs to PTX and, where the assembler of CUDA is there, assembles them: check_ptx.py --bsgpc PATH PROGRAM.bsgp...

Each program is compiled for --from (sm_75: what ahead-of-time programs hold) and assembled for every GPU of --gpus, as the
driver will do. Prints what failed, and the kernels whose registers spilled to memory; --most-spilled N makes an error of more
than N bytes, stored and loaded. (A few are worth it where a multiprocessor holds more thread blocks for them.)
Without an assembler ($PTXAS, on the path, or in /usr/local/cuda/bin) it says so, and PTX is only made.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile


def assembler():
    places = [os.environ.get("PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def compiled(options, program):
    """The PTX, or None and what went wrong."""
    command = [options.bsgpc, "emit", "ptx", "--gpu", options.source, program]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return (done.stdout, "") if done.returncode == 0 else (None, f"exit {done.returncode}\n{done.stderr[-2000:]}")


def spills(log):
    """Kernels that spill, with the bytes."""
    found, kernel = {}, "?"
    for line in log.splitlines():
        if match := re.search(r"Function properties for (\S+)", line):
            kernel = match[1]
        if (match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)) and int(match[1]) + int(match[2]):
            found[kernel] = int(match[1]) + int(match[2])
    return found


def check(options, ptxas, program):
    """The kernels of a program, what is wrong, and what is remarkable."""
    text, error = compiled(options, program)
    if text is None:
        return 0, [f"{program}: {error}"], []
    kernels = len(re.findall(r"^\.visible \.entry", text, re.M))
    wrong, remarks = [], []
    if not ptxas or not kernels:
        return kernels, wrong, remarks
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "program.ptx")
        with open(source, "w") as file:
            file.write(text)
        for gpu in options.gpus.split(","):
            done = subprocess.run([ptxas, "-v", f"-arch={gpu}", source, "-o", os.path.join(folder, "cubin")], capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append(f"{program} for {gpu}: {(done.stdout + done.stderr)[-2000:]}")
            for kernel, count in spills(done.stdout + done.stderr).items():
                (wrong if count > options.most_spilled else remarks).append(f"{program}: {kernel} spills {count} bytes on {gpu}")
    return kernels, wrong, remarks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--bsgpc", default="build/bin/bsgpc")
    parser.add_argument("--from", dest="source", default="sm_75")
    parser.add_argument("--gpus", default="sm_75,sm_80,sm_90")
    parser.add_argument("--most-spilled", type=int, default=1 << 30, metavar="BYTES")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    ptxas = assembler()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda program: check(options, ptxas, program), options.programs))
    wrong = [text for result in results for text in result[1]]
    for result in results:
        print("\n".join(result[1] + result[2]), end="\n" if result[1] + result[2] else "")
    how = f"assembled for {options.gpus}" if ptxas else "not assembled: there is no ptxas here"
    print(f"{len(options.programs)} programs, {sum(result[0] for result in results)} kernels from {options.source}, {how}: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
