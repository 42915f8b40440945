"""The tessellator with and without thread.fork, and the same by hand in C++."""
import json
import os
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("tessellation/main.cpp", "tessellation/by_hand.cpp", "../primitives/team.cpp")


def build(build_folder):
    folder, libraries = os.path.join(build_folder, "bench-applications", "tessellation"), os.path.join(build_folder, "lib")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    made, program = os.path.join(folder, "meshes.o"), os.path.join(folder, "tessellation")
    programs.output(tool, "compile", os.path.join(HERE, "tessellation", "meshes.bsgp"), "-o", made, "--header", os.path.join(folder, "meshes.h"))
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-Wall", "-Wextra", "-I", folder, "-I", os.path.join(HERE, "..", "..", "include"),
                    *(os.path.join(HERE, source) for source in SOURCES), made, os.path.join(libraries, "libbsgp_runtime.a"), "-o", program,
                    "-L", libraries, "-lbsgp_image", f"-Wl,-rpath,{libraries}", "-pthread", "-ldl")
    return program


def line(row):
    fork, loops, hand = (statistics.median(row[form]) for form in ("fork", "loops", "hand"))
    ratios = " | ".join(f"{statistics.median(a / b for a, b in zip(row[other], row['fork'])):.2f}" for other in ("loops", "hand"))
    return (f"| {row['view']} | {row['detail']:g} | {row['vertices']:,} | {row['faces']:,} | {fork:.3f} | {loops:.3f} | {hand:.3f} | {ratios} | "
            f"{fork * 1e6 / row['vertices']:.1f} |")


def run(build_folder, quick=False, only=()):
    program = build(os.path.abspath(build_folder))
    load, threads = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"\ntessellation: load before {load:.1f}, {threads} {'threads' if threads > 1 else 'thread, CPU time'}; medians, ms. "
          "How many times as long as with fork the others take, within rounds\n", flush=True)
    print("| view | detail | vertices | triangles | with fork | loops | C++ | loops | C++ | ns a vertex, with fork |\n|---|---|---|---|---|---|---|---|---|---|")
    result = subprocess.run([program] + ["--quick"] * quick + list(only), stdout=subprocess.PIPE, text=True)
    for row in result.stdout.splitlines():
        print(line(json.loads(row)))
    if result.returncode:
        raise SystemExit(f"{program}: meshes differ, or it failed")
