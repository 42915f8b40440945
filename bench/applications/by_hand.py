"""The ray tracer split into kernels by hand: how long its text is beside the example's, and how both run."""
import os
import re
import statistics
import subprocess

import code_size
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
HAND = os.path.join(HERE, "ray_tracer", "by_hand")
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "ray_tracer")
SCENES = ("forest", "robots", "kitchen")
FORMS = ("one", "hand")
RUN = re.compile(r"(one|hand): tree ([\d.]+) s, frame ([\d.]+) s")
# A row of a profile, of a kernel: ms, %, calls, ..., function:line #superstep.
KERNEL = re.compile(r"^ +[\d.]+ +[\d.]+ +(\d+) .*?  (\w+):\d+ #\d+ ", re.MULTILINE)


def sources():
    """For code_size.table."""
    ours, hand = (lambda *names, folder=folder: [os.path.join(folder, name + ".bsgp") for name in names] for folder in (EXAMPLE, HAND))
    shared = ours("scene", "triangle", "split", "tree", "trace", "packet", "surface")
    return [("tree", ours("kd_tree"), hand("parts", "kd_tree")), ("picture", ours("render"), hand("render")), ("the same in both", shared, shared)]


def build(build_folder):
    folder = os.path.join(build_folder, "bench-applications")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "by_hand")
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    programs.output(tool, "build", "--gpu", "none", os.path.join(HAND, "compare.bsgp"), "-o", program)
    return program


def times(command, rounds):
    """Seconds of trees and of frames of both forms, in turns; a first turn of each finds no memory ready and is left out."""
    text = programs.output(*command, "--rounds", str(rounds + 1))
    runs = [(form, float(tree), float(frame)) for form, tree, frame in RUN.findall(text)][2:]
    return text.splitlines()[-1], [[run[k] for run in runs if run[0] == form] for k in (1, 2) for form in FORMS]


def memory(command):
    """Of the whole process, at most: MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss / 1024


def kernels(command):
    """Kernels of tree and frame, and how often one was launched."""
    profile = subprocess.run(command, env=dict(os.environ, BSGP_PROFILE="1"), capture_output=True, text=True, check=True).stderr
    calls = [int(calls) for calls, function in KERNEL.findall(profile) if function != "makeParts"]
    return len(calls), sum(calls)


def pair(ours, theirs, digits):
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    return f"{statistics.median(ours):.{digits}f} | {statistics.median(theirs):.{digits}f} | {ratio:.2f}"


def row(scene, program, size, rounds):
    command = [program, "--scene", scene, "--size", str(size)]
    same, (tree, tree_by_hand, frame, frame_by_hand) = times(command, rounds)
    alone = [[*command, "--form", form] for form in FORMS]
    used, launched = [memory(a) for a in alone], [kernels(a) for a in alone]
    print(f"| {scene} | {pair(tree, tree_by_hand, 3)} | {pair(frame, frame_by_hand, 3)} | {used[0]:.0f} | {used[1]:.0f} | "
          f"{launched[0][0]} | {launched[1][0]} | {launched[0][1]} | {launched[1][1]} |", flush=True)
    return f"{scene}: {same}"


def run(build_folder, quick=False, only=()):
    program, size, rounds = build(os.path.abspath(build_folder)), 256 if quick else 1024, 3 if quick else 9
    print(f"\n`./dev bench applications --only by_hand{' --quick' if quick else ''}`: load before {os.getloadavg()[0]:.1f}, "
          f"{len(os.sched_getaffinity(0))} threads, {size} x {size} pixels, medians of {rounds} turns\n")
    code_size.table(sources())
    print("\n| | tree, s | by hand | | frame, s | by hand | | MB | by hand | kernels | by hand | launches | by hand |\n" + "|---" * 13 + "|", flush=True)
    print("\n" + "\n".join([row(scene, program, size, rounds) for scene in SCENES if scene in only or not set(SCENES) & set(only)]))
