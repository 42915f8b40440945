"""Builds and runs bench/irregular and prints its table, in markdown: used by bench/run.py."""
import json
import os
import re
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("main.cpp", "graphs.cpp", "others.cpp", "atomics.cpp", "../primitives/team.cpp")


def compile_bsgp(tool, folder, suffix, options):
    """The object file. One program has both: all that is exported ends with the suffix, in the header too."""
    made, header = (os.path.join(folder, f"irregular{suffix}.{end}") for end in ("o", "h"))
    programs.output(tool, "compile", os.path.join(HERE, "irregular.bsgp"), "-o", made, "--header", header, *options)
    if suffix:
        exported = re.findall(r"^bsgp_status (\w+)\(", open(header).read(), re.M)
        programs.output("objcopy", *(f"--redefine-sym={name}={name}{suffix}" for name in exported), made)
        text = re.sub(r"^bsgp_status (\w+)\(", rf"bsgp_status \1{suffix}(", open(header).read(), flags=re.M)
        open(header, "w").write(text.replace("HEADER_IRREGULAR_H", f"HEADER_IRREGULAR{suffix.upper()}_H"))
    return made


def build(build_folder):
    """The program's path."""
    folder = os.path.join(build_folder, "bench-irregular")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    objects = [compile_bsgp(tool, folder, suffix, options)
               for suffix, options in (("", ()), ("_width1", ("--vector-width", "1")))]
    program = os.path.join(folder, "irregular")
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
                    "-I", folder, "-I", os.path.join(HERE, "..", "..", "include"),
                    *(os.path.join(HERE, source) for source in SOURCES),
                    *objects, os.path.join(build_folder, "lib", "libbsgp_runtime.a"), "-o", program, "-pthread", "-ldl")
    return program


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def row(problem):
    if not problem["right"]:
        return f"| {problem['name']} | **results differ** | | | |"
    ours = problem["vectors"]
    ratios = [statistics.median(a / b for a, b in zip(problem[other], ours)) for other in ("alone", "cpp")]
    both = statistics.median(c / a for c, a in zip(problem["cpp"], problem["alone"]))
    return f"| {problem['name']} | {number(statistics.median(ours))} | {ratios[0]:.2f} | {ratios[1]:.2f} | {both:.2f} |"


def run(build_folder, quick=False, only=()):
    program = build(os.path.abspath(build_folder))
    load, threads = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"\n`./dev bench irregular{' --quick' * quick}`: load before {load:.1f}, {threads} {'threads' if threads > 1 else 'thread, CPU time'}; "
          "medians. How many times as long another form takes, within rounds\n")
    print("| | BSGP, ms | width 1 | C++ | C++ over width 1 |\n|---|---|---|---|---|", flush=True)
    with subprocess.Popen([program] + ["--quick"] * quick + list(only), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(row(json.loads(line)), flush=True)
    if process.returncode:
        raise SystemExit(f"{program}: results differ, or it failed")
