#!/usr/bin/env python3
"""./dev gpu-products: builds what a machine with a GPU, but without LLVM, needs for ./dev gpu-test and ./dev gpu-bench:
an executable of each test program and example with a manifest of what it must print, and the benchmark."""
import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "test"), os.path.join(ROOT, "bench", "gpu")]
import build as bench_build
import program as test_program

MOST_MB = 60
CPU = "x86-64-v2"  # small: the code for GPUs is what counts


def gpu_options(bsgpc, gpu):
    """A compiler without the option makes programs that gpu-test finds to lack code for GPUs."""
    text = subprocess.run([bsgpc, "build", "--help"], capture_output=True, text=True).stdout
    return ["--gpu", gpu] if "--gpu" in text else []


def build_program(options, source, to):
    """Makes one executable; returns the compiler's messages where that fails."""
    os.makedirs(os.path.dirname(to), exist_ok=True)
    command = [options.bsgpc, "build", source, "-o", to, "--cpu", CPU, *options.gpu_options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"
    subprocess.run(["strip", to], check=True)
    return ""


def entry_of(options, path, folder):
    program = test_program.Program(os.path.join(ROOT, path))
    name = os.path.join(os.path.basename(os.path.dirname(path)), os.path.splitext(os.path.basename(path))[0])
    source = os.path.relpath(os.path.join(ROOT, program.source), ROOT)  # a program of test/run knows its whole path
    file = os.path.join("programs", name)
    error = build_program(options, source, os.path.join(folder, file))
    return {"name": name, "file": file, "arguments": program.arguments, "output": program.output,
            "contains": program.contains, "error": error}


def build_programs(options, paths):
    """All of them in one compressed archive: most of each is the runtime. Returns their entries."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "programs"))
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            entries = list(pool.map(lambda path: entry_of(options, path, folder), paths))
        with tarfile.open(os.path.join(options.out, "programs.tar.xz"), "w:xz", preset=2) as archive:
            archive.add(os.path.join(folder, "programs"), "programs")
    return entries


def copy_libraries(options):
    """The shared libraries of ours that programs are linked with: run_tests.py says where they are."""
    folder = os.path.join(options.out, "lib")
    os.makedirs(folder, exist_ok=True)
    for path in glob.glob(os.path.join(options.build, "lib", "libbsgp_*.so.*")):
        shutil.copy(path, folder)


def size_mb(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names) / 1e6


def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + (" and changes" if git("status", "--porcelain") else "")


def main():
    parser = argparse.ArgumentParser(prog="./dev gpu-products", description=__doc__)
    parser.add_argument("--build", default="build", help="the build of BSGP")
    parser.add_argument("--out", help="where to (default: gpu/ in the build)")
    parser.add_argument("--gpu", default="sm_80", help="the oldest compute capability (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name contains TEXT")
    parser.add_argument("--no-bench", action="store_true", help="no benchmark")
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N", help="programs at a time")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.out = os.path.abspath(options.out or os.path.join(options.build, "gpu"))
    options.bsgpc = os.path.join(options.build, "bin", "bsgpc")
    options.gpu_options = gpu_options(options.bsgpc, options.gpu)
    error = build_program(options, "tools/gpu/probe.bsgp", os.path.join(options.out, "probe"))
    if error:
        raise SystemExit(error)
    programs = build_programs(options, [path for path in test_program.all_programs(ROOT) if options.only in path])
    copy_libraries(options)
    manifest = {"commit": commit(), "gpu": options.gpu if options.gpu_options else None, "programs": programs}
    with open(os.path.join(options.out, "manifest.json"), "w") as to:
        json.dump(manifest, to, indent=1)
    for entry in programs:
        if entry["error"]:
            print(f"NOT BUILT: {entry['name']}\n{entry['error']}")
    if not options.no_bench:
        bench_build.make_products(options.out, options.build, ["--cpu", CPU, *options.gpu_options])
    failed = sum(bool(entry["error"]) for entry in programs)
    total = size_mb(options.out)
    print(f"{len(programs) - failed} programs built, {failed} not; code for GPUs: {manifest['gpu'] or 'none'}; "
          f"{total:.1f} MB in {os.path.relpath(options.out, os.getcwd())}")
    if total > MOST_MB:
        raise SystemExit(f"more than {MOST_MB} MB")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
