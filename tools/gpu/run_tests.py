#!/usr/bin/env python3
"""./dev gpu-test: runs what ./dev gpu-products built on this machine's GPU, and compares what it prints. Needs neither LLVM
nor CMake. Two passes: as it is, and with device memory poisoned."""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "test"))
from program import complaint

PASSES = [("cuda", {}), ("cuda, poisoned", {"BSGP_POISON": "1"})]


def use_libraries(folder):
    """Programs find those that gpu-products put there."""
    known = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = os.path.join(os.path.abspath(folder), "lib") + (":" + known if known else "")


def run(command, environment, timeout):
    """Exit status (None: it did not end in time), standard output, standard error."""
    inherited = {name: value for name, value in os.environ.items() if name != "BSGP_POISON"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, cwd=ROOT,
                              env={**inherited, "BSGP_TARGET": "cuda", **environment})
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", ""
    except OSError as error:
        return -1, "", str(error)


def gpu_expected():
    """Something here says that there is a GPU: then a runtime that finds none is a failure."""
    return bool(os.environ.get("BSGP_CUDA_DRIVER") or glob.glob("/dev/nvidia[0-9]*"))


def probe(folder, timeout):
    """Why no program can run on a GPU here, in the runtime's words; empty: one can."""
    status, printed, error = run([os.path.join(folder, "probe")], {}, timeout)
    if status is None:
        return f"the probe did not end within {timeout} s"
    if status == 0 and printed != "gpu 42\n":
        return f"the probe should print 'gpu 42', but printed '{printed.strip()}'"
    return "" if status == 0 else error.strip() or f"the probe's exit status is {status}"


def run_one(folder, entry, environment, timeout):
    """What is wrong; empty: nothing."""
    if entry["error"]:
        return "not built:\n" + entry["error"]
    status, printed, error = run([os.path.join(folder, entry["file"]), *entry["arguments"]], environment, timeout)
    if status is None:
        return f"still running after {timeout} s"
    wrong = complaint(status, printed, entry["output"], entry["contains"])
    return f"{wrong}\n{printed[-2000:]}{error[-2000:]}".rstrip() if wrong else ""


def run_all(folder, programs, options):
    """Numbers of passes and failures; what failed is printed."""
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for name, environment in PASSES:
            for entry, wrong in zip(programs, pool.map(lambda e: run_one(folder, e, environment, options.timeout), programs)):
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAILED: {entry['name']} ({name}): {wrong}", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(prog="./dev gpu-test", description=__doc__)
    parser.add_argument("--products", default=os.path.join(ROOT, "build", "gpu"), metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name contains TEXT")
    parser.add_argument("--timeout", type=float, default=240 if os.environ.get("BSGP_CUDA_DRIVER") else 60, metavar="SECONDS",
                        help="for one program (default: 60; 240 with another driver library, an emulator)")
    parser.add_argument("-j", type=int, default=min(4, os.cpu_count()), metavar="N", help="programs at a time (default: %(default)s)")
    parser.add_argument("--require-gpu", action="store_true", help="no GPU is a failure")
    options = parser.parse_args()
    try:
        with open(os.path.join(options.products, "manifest.json")) as file:
            manifest = json.load(file)
    except OSError as error:
        raise SystemExit(f"{error}: ./dev gpu-products makes it, on a machine with LLVM")
    programs = [entry for entry in manifest["programs"] if options.only in entry["name"]]

    print(f"{len(programs)} programs of commit {manifest['commit']}, code for {manifest['gpu'] or 'no GPU'}", flush=True)
    use_libraries(options.products)
    reason = probe(os.path.abspath(options.products), options.timeout)
    if reason and not (options.require_gpu or gpu_expected()):
        print(f"no GPU: skipped\n{reason}\n0 passed, 0 failed, {len(programs) * len(PASSES)} skipped")
        return 0
    if reason:
        print(f"FAILED: probe\n{reason}\n0 passed, 1 failed, {len(programs) * len(PASSES)} skipped")
        return 1

    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(os.path.join(options.products, "programs.tar.xz")) as archive:
            archive.extractall(folder)
        passed, failed = run_all(folder, programs, options)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
