#!/usr/bin/env python3
"""./dev gpu-bench: BSGP's primitives and CUDA's on this machine's GPU, as tables. Needs what ./dev gpu-products built; no LLVM,
no CMake."""
import argparse
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
import build
import first_result
import tables

NVIDIA_SMI = ("name,driver_version,temperature.gpu,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,"
              "clocks_event_reasons.active")


def settings_found():
    """The card as it is found; nothing is changed."""
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={NVIDIA_SMI}", "--format=csv,noheader"], capture_output=True, text=True)
    except OSError:
        return "nvidia-smi is not there"
    return done.stdout.strip() or done.stderr.strip()


def commit_of(products):
    try:
        with open(os.path.join(products, "manifest.json")) as file:
            return json.load(file)["commit"]
    except OSError:
        return "unknown"


def check_program(options):
    """Of the build, or where there is none, of what gpu-products made."""
    folder = os.path.abspath(options.build)
    if not os.path.exists(os.path.join(folder, "bin", "bsgpc")):
        return ready_program(options)
    objects = os.path.join(folder, "gpu-check")
    build.bsgp_objects(objects, folder, [])
    return build.without_cuda(objects, objects)


def check(options):
    """Results against a serial computation, on whatever target BSGP_TARGET names."""
    done = subprocess.run([check_program(options), "--check", *sizes(options), *options.problems], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or options.verbose:
        print(done.stderr, end="")
    if not lines:
        return 1
    wrong = sum(bool(row["wrong"]) for row in lines[1:])
    print(f"target {lines[0]['target']}: {len(lines) - 1 - wrong} results right, {wrong} wrong")
    return 1 if done.returncode or len(lines) == 1 else 0


def sizes(options):
    return [word for size in options.size for word in ("--size", str(size))]


def ready_program(options):
    """gpu_bench: as gpu-products made it, or built here."""
    to = os.path.join(options.products, "bench")
    program = os.path.join(to, "gpu_bench")
    if options.rebuild or not os.path.exists(program):
        nvcc = build.find_nvcc()
        if not nvcc or not os.path.exists(os.path.join(to, "primitives.o")):
            raise SystemExit(f"{to} has no gpu_bench, and it cannot be built here: ./dev gpu-products makes it")
        build.with_cuda(to, os.path.join(options.products, "objects"), nvcc, options.arch)
    return program


def bench(options):
    program = ready_program(options)
    smi = [settings_found()]
    done = subprocess.run([program, "--rounds", str(options.rounds), *sizes(options), *options.problems],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE if options.quiet else None, text=True,
                          env={**os.environ, "BSGP_TARGET": "cuda"})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines:  # exit status 2: no context on a GPU
        print(done.stderr or "", end="")
        if done.returncode != 2 or glob.glob("/dev/nvidia[0-9]*"):
            raise SystemExit("the benchmark failed")
        print("no GPU: skipped")
        return 0
    smi.append(settings_found())
    data = {"commit": commit_of(options.products), **lines[0], "before": smi[0], "after": smi[1], "results": lines[1:]}
    if not options.problems or "first" in options.problems:
        data["first"] = first_result.measure(os.path.join(options.products, "bench"), options.starts)
    if options.json:
        with open(options.json, "w") as to:
            json.dump(data, to, indent=1)
    tables.show(data)
    return done.returncode


def main():
    parser = argparse.ArgumentParser(prog="./dev gpu-bench", description=__doc__)
    parser.add_argument("problems", nargs="*", help="reduce, scan, compact, histogram, sort, faces, launch, copy, first (default: all)")
    parser.add_argument("--check", action="store_true", help="no times: results against a serial computation, on any machine")
    parser.add_argument("--build", default="build", help="with --check: the build of BSGP")
    parser.add_argument("--products", default=os.path.join(ROOT, "build", "gpu"), help="what gpu-products made")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--starts", type=int, default=7, help="processes of each kind for the time to a first result")
    parser.add_argument("--size", type=int, action="append", default=[], help="elements (default: 2^16, 2^18 ... 2^28)")
    parser.add_argument("--json", metavar="FILE", help="all samples")
    parser.add_argument("--rebuild", action="store_true", help="build here, with nvcc")
    parser.add_argument("--arch", default="native", help="of --rebuild, as for nvcc -arch (default: native)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--verbose", action="store_true", help="with --check: progress")
    options = parser.parse_args()
    return check(options) if options.check else bench(options)


if __name__ == "__main__":
    sys.exit(main())
