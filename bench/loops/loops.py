"""Builds and runs bench/loops and prints its table, in markdown: used by bench/run.py."""
import json
import os
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("main.cpp", "grids.cpp", "graphs.cpp", "../primitives/team.cpp")
OTHERS = ("each", "threads", "serial")


def build(build_folder):
    """The program's path."""
    folder = os.path.join(build_folder, "bench-loops")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    made, program = (os.path.join(folder, name) for name in ("loops.o", "loops"))
    programs.output(tool, "compile", os.path.join(HERE, "loops.bsgp"), "-o", made, "--header", os.path.join(folder, "loops.h"))
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-fopenmp-simd", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
                    "-I", folder, "-I", os.path.join(HERE, "..", "..", "include"),
                    *(os.path.join(HERE, source) for source in SOURCES),
                    made, os.path.join(build_folder, "lib", "libbsgp_runtime.a"), "-o", program, "-pthread", "-ldl")
    return program


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def ratio(forms, other, ours):
    """The median within turns; of the time of all rounds, as forms may need another number of them."""
    if other not in forms or not ours:
        return ""
    return f"{statistics.median(a / b for a, b in zip(forms[other]['ms'], ours)):.2f}"


def row(problem):
    if not problem["right"]:
        return f"| {problem['name']} | **results differ** | | | | |"
    forms, ours = problem["forms"], problem["forms"]["one"]["ms"]
    rounds = forms["one"]["rounds"]
    us = number(statistics.median(ours) * 1e3 / rounds) if ours else "not timed"
    return f"| {problem['name']} | {rounds} | {us} | " + " | ".join(ratio(forms, other, ours) for other in OTHERS) + " |"


def run(build_folder, quick=False, only=(), tiny=False):
    program = build(os.path.abspath(build_folder))
    load, threads = os.getloadavg()[0], len(os.sched_getaffinity(0))
    mode = ["--tiny"] if tiny else ["--quick"] if quick else []
    command = " ".join(["./dev bench loops", *mode, *(f"--only '{name}'" for name in only)])
    how = f"{threads} threads" if threads > 1 else "1 thread, CPU time"
    print(f"\n`{command}`: load before {load:.1f}, {how}; medians. How many times as long another form takes, within turns\n")
    print("| | rounds | one spawn, µs a round | a spawn a round | C++, threads | C++, serial |\n|---|---|---|---|---|---|", flush=True)
    with subprocess.Popen([program, *mode, *only], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(row(json.loads(line)), flush=True)
    if process.returncode:
        raise SystemExit(f"{program}: results differ, or it failed")
