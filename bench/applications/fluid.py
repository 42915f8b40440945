"""The fluid beside the same in C++, Taichi and Warp: time steps of one dam."""
import json
import os
import statistics
import subprocess
import sys

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "fluid")
ROOT = os.path.join(HERE, "..", "..")
PYTHON_PEERS = ("taichi", "warp")
PACKAGES = ("numpy", "taichi", "warp-lang")


def build(build_folder):
    """The program's path."""
    folder = os.path.join(build_folder, "bench-applications", "fluid")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    made, program = os.path.join(folder, "dam.o"), os.path.join(folder, "fluid")
    programs.output(tool, "compile", os.path.join(FOLDER, "dam.bsgp"), "-o", made, "--header", os.path.join(folder, "dam.h"))
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-I", folder,
                    "-I", os.path.join(ROOT, "include"), *(os.path.join(FOLDER, name) for name in ("main.cpp", "by_hand.cpp")), made,
                    os.path.join(build_folder, "lib", "libbsgp_runtime.a"), "-o", program, "-pthread", "-ldl")
    return program


def python_with_peers(folder):
    """A Python that has them, in an environment of its own; None: they cannot be had."""
    environment = os.path.join(folder, "python")
    python = os.path.join(environment, "bin", "python")
    has = [python, "-c", "import numpy, taichi, warp"]
    if os.path.exists(python) and subprocess.run(has, capture_output=True).returncode == 0:
        return python
    programs.install(("python3-venv",))
    print("installing:", *PACKAGES, "into", environment, flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True).returncode == 0
    if made and subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], capture_output=True).returncode == 0:
        return python
    print("note: Taichi and Warp cannot be installed: left out")
    return None


def peer(python, name, state, steps, rounds):
    """Milliseconds of rounds, and how far places are off behind one step; None: it failed."""
    command = [python, os.path.join(FOLDER, "peer.py"), name, state, str(steps), str(rounds)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        print(f"note: {name} failed: {result.stderr.strip().splitlines()[-1:]}")
        return None
    return json.loads(result.stdout.splitlines()[-1])


def line(row, peers):
    def ratio(other):
        return f"{statistics.median(a / b for a, b in zip(row[other], row['ours'])):.2f}"

    ours = statistics.median(row["ours"]) / row["steps"]
    others = [f"{statistics.median(found['ms']) / found['steps'] / ours:.1f}" if found else "" for found in peers]
    off = max([row["off"]] + [found["off"] for found in peers if found])
    return (f"| {row['particles']:,} | {ours:.2f} | {row['particles'] / ours / 1e3:.1f} | {ratio('groups')} | {ratio('loops')} | "
            f"{' | '.join(others)} | {off:.0e} |")


def stays_inside(build_folder):
    """The program itself, which looks behind each step whether a particle has left the box, and fails then."""
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    example = os.path.join(ROOT, "examples", "fluid", "fluid.bsgp")
    text = programs.output(tool, "run", example, "--", "--check", "4096", "--particles", "10000", "--steps", "10000")
    print("\n" + text.rstrip())


def run(build_folder, quick=False, only=()):
    sizes = [name for name in only if name.isdigit()] or (["10000", "100000"] if quick else ["10000", "100000", "1000000"])
    build_folder = os.path.abspath(build_folder)
    program = build(build_folder)
    folder = os.path.dirname(program)
    python = python_with_peers(folder)
    threads = len(os.sched_getaffinity(0))
    print(f"\nfluid: load before {os.getloadavg()[0]:.1f}, {threads} {'threads' if threads > 1 else 'thread, CPU time'}; medians. "
          "How many times as long others take\n", flush=True)
    print("| particles | a step, ms | million a second | C++, groups | C++, loops | Taichi | Warp | places differ by |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    command = [program] + ["--quick"] * quick + [folder] + sizes
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for row in map(json.loads, result.stdout.splitlines()):
        steps, state = max(2, row["steps"] // 4), os.path.join(folder, str(row["size"]))
        found = [peer(python, name, state, steps, 3 if quick else 5) if python else None for name in PYTHON_PEERS]
        print(line(row, [f and dict(f, steps=steps) for f in found]), flush=True)
    if result.returncode:
        raise SystemExit(f"{program} failed")
    stays_inside(build_folder)
