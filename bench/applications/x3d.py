"""The X3D parser beside pugixml and fast_float: cities of 7 and 200 MB, from the file to the arrays."""
import filecmp
import os
import re
import statistics
import subprocess
import sys

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("libpugixml-dev", "libfast-float-dev")
ROUNDS = 3  # processes of each kind, which take turns; in each the file is read twice


def build(build_folder):
    """Paths of our program and the peer."""
    folder = os.path.join(build_folder, "bench-applications", "x3d")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    ours, peer = os.path.join(folder, "x3d"), os.path.join(folder, "peer")
    programs.output(tool, "build", "--gpu", "none", "--cpu", "native", os.path.join(HERE, "..", "..", "examples", "x3d", "x3d.bsgp"), "-o", ours)
    programs.output("g++", "-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", os.path.join(HERE, "x3d", "peer.cpp"), "-o", peer,
                    "-lpugixml", "-pthread")
    return ours, peer


def city(folder, megabytes, *options):
    path = os.path.join(folder, f"city{megabytes}{''.join(options)}.x3d")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            subprocess.run([sys.executable, os.path.join(HERE, "x3d", "city.py"), str(megabytes), *options], stdout=file, check=True)
    return path


def times(*command):
    """Milliseconds of each time that the file is read."""
    return [float(x) for x in re.findall(r"read in ([\d.]+) ms", programs.output(*command))]


def same(ours, peer, path, folder):
    a, b = os.path.join(folder, "ours.txt"), os.path.join(folder, "peer.txt")
    programs.output(ours, path, "--dump", a)
    programs.output(peer, path, "1", "--dump", b)
    return filecmp.cmp(a, b, shallow=False)


def sums(*command):
    """Of all bits of the arrays: where a text would be too long."""
    return re.findall(r"sum of .*", programs.output(*command))


def row(ours, peer, path, repeat, threads):
    found = {"ours": [], "serial": [], "parallel": []}
    for _ in range(ROUNDS):
        found["ours"].append(times(ours, path, "--repeat", repeat))
        found["serial"].append(times(peer, path, "1", "--repeat", repeat))
        found["parallel"].append(times(peer, path, str(threads), "--repeat", repeat))
    first = {kind: statistics.median(t[0] for t in runs) for kind, runs in found.items()}
    later = {kind: statistics.median(x for t in runs for x in t[1:]) for kind, runs in found.items()}
    name, size = os.path.basename(path), os.path.getsize(path) / 1e6
    for what, t in (("first", first), ("later", later)):
        print(f"| {name}, {what} | {size:.0f} | {t['ours']:.0f} | {t['serial']:.0f} | {t['parallel']:.0f} | {t['serial'] / t['ours']:.2f} | "
              f"{t['parallel'] / t['ours']:.2f} |", flush=True)


def run(build_folder, quick=False, only=()):
    programs.install(PACKAGES)
    if not all(programs.installed(package) for package in PACKAGES):
        print("x3d: left out, there is no pugixml or fast_float")
        return
    build_folder = os.path.abspath(build_folder)
    folder = os.path.join(build_folder, "bench-applications", "x3d")
    ours, peer = build(build_folder)
    small, images = city(folder, 7), city(folder, 7, "--images")
    threads = len(os.sched_getaffinity(0))
    print(f"\nx3d: load before {os.getloadavg()[0]:.1f}, {threads} threads; medians of {ROUNDS} processes. Arrays are "
          f"{'the same' if all(same(ours, peer, path, folder) for path in (small, images)) else 'NOT THE SAME'}\n")
    print("| city | MB | ours, ms | serial peer, ms | parallel peer, ms | serial / ours | parallel / ours |\n|---|---|---|---|---|---|---|", flush=True)
    row(ours, peer, small, "6", threads)
    if not quick:
        large = city(folder, 200)
        row(ours, peer, large, "3", threads)
        told = sums(ours, large, "--sums")
        print(f"\nOf {os.path.basename(large)} they are {'the same' if told and told == sums(peer, large, str(threads), '--sums') else 'NOT THE SAME'}")
