"""The ray tracer beside Embree: trees, and the rays that the program sends."""
import json
import os
import re
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("libembree-dev",)
SOURCES = ("ray_tracer/main.cpp", "ray_tracer/embree.cpp", "../primitives/team.cpp")
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "ray_tracer", "ray_tracer.bsgp")
FORMS = ("single", "packets", "robust", "robust_packets")


def build(build_folder):
    """The program's path, and the compiler's."""
    folder = os.path.join(build_folder, "bench-applications", "ray_tracer")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    made, program = os.path.join(folder, "rays.o"), os.path.join(folder, "ray_tracer")
    programs.output(tool, "compile", os.path.join(HERE, "ray_tracer", "rays.bsgp"), "-o", made, "--header", os.path.join(folder, "rays.h"))
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
                    "-I", folder, "-I", os.path.join(HERE, "..", "..", "include"), *(os.path.join(HERE, source) for source in SOURCES),
                    made, os.path.join(build_folder, "lib", "libbsgp_runtime.a"), "-o", program, "-pthread", "-ldl", "-lembree3")
    return program, tool


def ratio(row, other):
    return statistics.median(a / b for a, b in zip(row[other], row["ours"]))


def tree_line(row):
    ours, embree = (statistics.median(row[form]) / 1e3 for form in ("ours", "embree"))
    return (f"| {row['scene']} | {row['triangles']:,} | {row['ours'][0] / 1e3:.2f} | {ours:.3f} | {embree:.3f} | {ratio(row, 'embree'):.2f} | "
            f"{row['bytes'] / 1e6:.1f} | {row['embree_bytes'] / 1e6:.1f} |")


def rays_line(row):
    rate = row["rays"] / statistics.median(row["ours"]) / 1e3
    ratios = " | ".join(f"{ratio(row, form):.2f}" for form in FORMS)
    hits = "; ".join(", ".join(map(str, row["hits_" + form])) for form in ("single", "robust"))
    return f"| {row['scene']}, {row['kind']} | {row['rays']:,} | {rate:.1f} | {ratios} | {hits} |"


def tables(rows):
    print("| tree | triangles | first, s | s | Embree, s | | MB | Embree, MB |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "triangles" in row:
            print(tree_line(row))
    print("\n| rays | | ours, M/s | Embree, single | packets | robust | robust packets | hits: ties, elsewhere, ours missing, theirs missing; robust |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "kind" in row:
            print(rays_line(row))
    for row in rows:
        if "inside" in row:
            print(f"\n{row['inside']:,} rays from inside of a closed mesh: {row['escaped']} meet nothing")


def own_rates(tool, quick, only):
    """What the program itself tells: with making rays, surfaces, shading."""
    print("\n| the whole program | eye, M/s | bounced | shadow | frames a second |\n|---|---|---|---|---|")
    frames, size = (2, 256) if quick else (4, 1024)
    for scene in [name for name in ("forest", "robots", "kitchen") if not only or name in only]:
        text = programs.output(tool, "run", EXAMPLE, "--", "--scene", scene, "--size", str(size), "--frames", str(frames))
        found = {kind: (float(s), rate) for kind, s, rate in re.findall(r"^(\w+) +\d+ rays, +([\d.]+) s, +([\d.]+) Mrays/s", text, re.M)}
        rates = " | ".join(found[kind][1] if kind in found else "" for kind in ("eye", "bounced", "shadow"))
        print(f"| {scene} | {rates} | {frames / sum(s for s, _ in found.values()):.1f} |", flush=True)


def run(build_folder, quick=False, only=()):
    programs.install(PACKAGES)
    if not programs.installed(PACKAGES[0]):
        print("ray_tracer: left out, there is no Embree")
        return
    program, tool = build(os.path.abspath(build_folder))
    load, threads = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"\nray_tracer: load before {load:.1f}, {threads} {'threads' if threads > 1 else 'thread, CPU time'}; medians. "
          "How many times as long Embree takes, within rounds\n", flush=True)
    result = subprocess.run([program] + ["--quick"] * quick + list(only), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    tables([json.loads(line) for line in result.stdout.splitlines()])
    own_rates(tool, quick, only)
    if result.returncode:
        raise SystemExit(f"{program}: rays escaped, or it failed")
