"""What --check costs: used by bench/run.py. Kernels and examples beside themselves without checks, and C++ beside itself with the
sanitizers of the compiler. Tables in markdown: time, peak memory, and both as ratios."""
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WAYS = (("no checks", []), ("bounds", ["--check=bounds"]), ("race", ["--check=race"]), ("init", ["--check=init"]), ("all", ["--check"]))
KERNELS = ("saxpy", "stencil", "gather", "bytes", "doubles", "counts", "tree", "rod")
PRIMITIVES = ("reduce", "scan", "compact", "histogram", "kill_fork", "sort", "sort_by_key")
SANITIZERS = (("no sanitizer", []), ("ASan", ["-fsanitize=address"]), ("TSan", ["-fsanitize=thread"]))
EXAMPLES = (
    ("conjugate gradients", "examples/conjugate_gradients/poisson.bsgp", ["--largest", "128"]),
    ("fluid", "examples/fluid/fluid.bsgp", ["--particles", "3000", "--steps", "50", "--frames", "1"]),
    ("graph, bfs", "examples/graph/bfs.bsgp", ["--vertices", "100000", "--degree", "8", "--from", "7"]),
    ("nearest", "examples/nearest/nearest.bsgp", ["30000"]),
    ("point cloud", "examples/point_cloud/point_cloud.bsgp", ["200000"]),
    ("histogram equalization", "examples/histogram_equalization/histogram_equalization.bsgp", []),
)


class Run:
    """One run of a program: its last line as a number or its time, and its peak memory in MB."""

    def __init__(self, command):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, cwd=ROOT)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.text = output.read().decode(errors="replace")
        self.status = process.returncode
        self.memory = used.ru_maxrss / 1024
        self.seconds = used.ru_utime + used.ru_stime


def build(tool, source, options, path):
    done = subprocess.run([tool, "build", "--gpu", "none", "-O3", source, "-o", path, *options], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr)
    return path


def table(title, unit, ways, names, runs, command, measure):
    print(f"\n{title}: {unit}, median of {runs}; in parentheses the ratio to {ways[0][0]}, peak memory in MB behind it\n")
    print("| |" + "".join(f" {name} |" for name, _ in ways) + "\n|---|" + "---:|" * len(ways), flush=True)
    ratios = {name: [] for name, _ in ways}
    for name in names:
        cells, first = [], None
        for way, _ in ways:
            done = [Run(command(way, name)) for _ in range(runs)]
            if any(run.status for run in done):
                cells.append(f" exit status {done[0].status} |")
                continue
            time, memory = statistics.median(map(measure, done)), statistics.median(run.memory for run in done)
            first = first or time
            ratios[way].append(time / first)
            cells.append(f" {time:.3g} ({time / first:.1f}), {memory:.0f} |")
        print(f"| {name} |" + "".join(cells), flush=True)
    print("| geometric mean |" + "".join(f" {statistics.geometric_mean(ratios[way] or [1]):.1f} |" for way, _ in ways), flush=True)


def run(build_folder, quick=False, only=()):
    tool = os.path.join(os.path.abspath(build_folder), "bin", "bsgpc")
    size, rounds, runs = (1 << 17, 3, 1) if quick else (1 << 22, 5, 3)
    with tempfile.TemporaryDirectory() as folder:
        for title, source, all_names in (("Kernels", "check.bsgp", KERNELS), ("Primitives", "primitives.bsgp", PRIMITIVES)):
            names = [name for name in all_names if not only or name in only]
            if not names:
                continue
            paths = {way: build(tool, os.path.join(HERE, source), options, os.path.join(folder, way)) for way, options in WAYS}
            table(f"{title} of {size} threads", "nanoseconds a thread", WAYS, names, runs,
                  lambda way, name: [paths[way], name, str(size), str(rounds)], lambda run: float(run.text.split()[-1]))
        peers = [name for name in ("saxpy", "stencil", "gather") if not only or name in only]
        if peers:
            for way, options in SANITIZERS:
                subprocess.run(["g++", "-std=c++20", "-O3", "-pthread", "-fno-tree-vectorize", *options, os.path.join(HERE, "peers.cpp"), "-o",
                                os.path.join(folder, way)], check=True)
            table(f"C++ on {size} elements, without vectors", "nanoseconds an element", SANITIZERS, peers, runs,
                  lambda way, name: [os.path.join(folder, way), name, str(size), str(rounds)], lambda run: float(run.text.split()[-1]))
        examples = {name: (source, arguments) for name, source, arguments in EXAMPLES if not only or name in only}
        if examples:
            paths = {(way, name): build(tool, source, options, os.path.join(folder, f"{way} {name}"))
                     for name, (source, _) in examples.items() for way, options in WAYS}
            table("Examples", "seconds of CPU time", WAYS, list(examples), runs,
                  lambda way, name: [paths[way, name], *examples[name][1]], lambda run: run.seconds)
