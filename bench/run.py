#!/usr/bin/env python3
"""The benchmarks: ./dev bench [NAME...] prints tables. Names: latency, lines, supersteps, launch,
primitives, kernels, irregular, loops (default: all of these, the last four at smaller sizes); wavefronts, applications, check, arrays, python."""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--build", default="build")
parser.add_argument("--runs", type=int, default=7)
parser.add_argument("--quick", action="store_true", help="primitives, kernels, irregular, loops, wavefronts, applications: smaller sizes, fewer rounds")
parser.add_argument("--tiny", action="store_true", help="loops, wavefronts: no times; all forms once, compared, at sizes around 0 and 1")
parser.add_argument("--json", metavar="FILE", help="primitives, kernels: all samples")
parser.add_argument("--only", action="append", default=[], metavar="NAME", help="primitives: reduce, scan, ...; kernels: mandelbrot, sgemm, ...; irregular: atomic_min, forest, ...; loops: stencil, gradients, ...; wavefronts: Collatz, ...; applications: their names")
parser.add_argument("--check", action="store_true", help="kernels: no times; run small ones on every target and compare")
parser.add_argument("--cpu", default="native", help="kernels, wavefronts: the machine both compilers make code for (x86-64-v3, ...)")
parser.add_argument("names", nargs="*")
options = parser.parse_args()
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
tool = os.path.join(os.path.abspath(options.build), "bin", "bsgpc")
os.environ["BSGP_CACHE"] = "0"  # everything is compiled each time


def cpu_ms(command):
    """User and system time of one run of a command, in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def median_ms(command):
    cpu_ms(command)
    return statistics.median(cpu_ms(command) for _ in range(options.runs))


def latency():
    """Source to main: everything compiled, then taken from the cache; no work done (find_faces ends at once without a mesh)."""
    print("\nCPU time from the start of the process to main, compiled and taken from the cache, median of %d, ms" % options.runs)
    start = median_ms([tool, "--version"])
    print(f"{'process start (loading libLLVM)':<50}{start:>8.1f}")
    for name in ("find_faces/find_faces", "stencil/heat", "even_first/even_first", "par/two_sums"):
        path = os.path.join(root, "examples", name + ".bsgp")
        command = [tool, "run", path] if "find" in name else [tool, "run", "--threads", "1", path]
        full = median_ms(command)
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(BSGP_CACHE="1", BSGP_CACHE_DIR=folder)
            again = median_ms(command)
            os.environ["BSGP_CACHE"] = "0"
        print(f"{'bsgpc run examples/' + name + '.bsgp':<50}{full:>8.1f}{again:>8.1f}")


    compiled_again()


def compiled_again():
    """bsgp_compile of a small kernel at -O1, again and again in one process; nothing is cached."""
    subprocess.run(["ninja", "-C", options.build, "compile_again"], stdout=subprocess.DEVNULL, check=True)
    program = os.path.join(options.build, "bin", "compile_again")
    print("\nOne kernel of a process that compiles many, opt_level 1, median of %d, ms" % options.runs)
    print(f"{'threads':>10}{'CPU':>10}{'wall':>10}")
    for threads in (1, 2):
        samples = [[float(x) for x in subprocess.run([program, "200", str(threads)], capture_output=True, text=True, check=True).stdout.split()]
                   for _ in range(options.runs)]
        print(f"{threads:>10}{statistics.median(s[0] for s in samples):>10.2f}{statistics.median(s[1] for s in samples):>10.2f}")


def lines_program(count):
    out = []
    for i in range(count // 20):
        out.append(f"""
float step{i}(float* a, float* b, int n, float k) {{
  float total = 0;
  spawn (n) {{
    rk = thread.rank;
    x = a[rk];
    y = b[rk] * k;
    if (x > y) {{
      x = x - y * {i}.5f;
    }} else {{
      y = y + x;
    }}
    barrier;
    for (int j = 0; j < 3; j++)
      x = x * y + a[(rk + j) % n];
    b[rk] = x + thread.get((rk + 1) % n, y);
  }}
  total = total + k;
  return total;
}}""")
    calls = "\n".join(f"  k = k + step{i}(a, b, 100, k);" for i in range(count // 20))
    return "\n".join(out) + f"\nint main() {{\n  float k = 1;\n  float* a = dnew[100]float;\n  float* b = dnew[100]float;\n{calls}\n  return 0;\n}}\n"


def supersteps_program(count):
    body = "\n".join(f"    barrier;\n    x = x * 3 + a[(rk + {i}) % n];\n    y = y + thread.get((rk + {i}) % n, x) % 7;" for i in range(count))
    return ("export void f(int* a, int n) {\n  spawn (n) {\n    rk = thread.rank;\n    x = a[rk];\n    y = 0;\n" + body +
            "\n    a[rk] = x + y;\n  }\n}\nint main() { int* a = dnew[64]int; f(a, 64); return 0; }\n")


def repeated_program(line):
    """A spawn of as many such lines; % stands for the line's number."""
    return lambda count: ("export void f(int* a, int n) {\n  spawn (n) {\n    x = a[thread.rank];\n" +
                          "\n".join("    " + line.replace("%", str(i)) for i in range(count)) +
                          "\n    a[thread.rank] = x;\n  }\n}\nint main() { int* a = dnew[64]int; f(a, 64); return 0; }\n")


COLLECTIVES = {"scans": "scan(+, x);", "sorts": "{ k% = x * %; thread.sortby(k%); }", "forks": "thread.fork(x & 1);"}


def table(title, label, sizes, program):
    print(f"\n{title}: CPU time, median of {options.runs}, ms")
    print(f"{label:>10}{'source lines':>14}{'check':>10}{'compile':>10}{'compile/' + label[:-1]:>20}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.bsgp")
            text = program(size)
            open(path, "w").write(text)
            check = median_ms([tool, "check", path])
            full = median_ms([tool, "build", path, "-o", os.path.join(folder, "program")])
            print(f"{size:>10}{text.count(chr(10)):>14}{check:>10.1f}{full:>10.1f}{full / size:>20.3f}", flush=True)


def lines():
    table("Compile time by lines", "lines", (1000, 2000, 5000), lines_program)


def supersteps():
    table("Compile time by supersteps of one spawn", "barriers", (100, 200, 400), supersteps_program)
    for name, line in COLLECTIVES.items():
        table(f"Compile time by {name} of one spawn", name, (25, 50, 100), repeated_program(line))


def launch():
    print("\nOne spawn, microseconds (median of 301)")
    print(f"{'threads':>10}{'idle before, us':>18}{'us':>10}")
    text = subprocess.run([tool, "run", os.path.join(root, "bench", "launch.bsgp")], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        threads, idle, us = line.split()
        print(f"{threads:>10}{idle:>18}{us:>10}")


def primitives():
    sys.path.insert(0, os.path.join(root, "bench", "primitives"))
    import primitives as bench
    bench.run(options.build, options.quick or not options.names, options.json, options.only)


def kernels():
    sys.path.insert(0, os.path.join(root, "bench", "kernels"))
    import kernels as bench
    if options.check:
        bench.check(os.path.abspath(options.build))
        return
    bench.run(options.build, options.quick or not options.names, options.json, options.only, options.cpu)


def irregular():
    sys.path.insert(0, os.path.join(root, "bench", "irregular"))
    import irregular as bench
    bench.run(options.build, options.quick or not options.names, options.only)


def loops():
    sys.path.insert(0, os.path.join(root, "bench", "loops"))
    import loops as bench
    bench.run(options.build, options.quick or not options.names, options.only, options.tiny)


def wavefronts():
    sys.path.insert(0, os.path.join(root, "bench", "wavefronts"))
    import wavefronts as bench
    bench.run(options.build, options.quick, options.only, options.tiny, options.cpu)


def applications():
    sys.path.insert(0, os.path.join(root, "bench", "applications"))
    import applications as bench
    bench.run(options.build, options.quick, options.only)


def check():
    sys.path.insert(0, os.path.join(root, "bench", "check"))
    import check as bench
    bench.run(options.build, options.quick, options.only or ())


def arrays():
    sys.path.insert(0, os.path.join(root, "bench", "arrays"))
    import arrays_bench as bench
    bench.run(options.build, options.quick)


def python():
    sys.path.insert(0, os.path.join(root, "bench", "python"))
    import python_bench as bench
    bench.run(options.build, options.quick)


ALL = {"latency": latency, "lines": lines, "supersteps": supersteps, "launch": launch, "primitives": primitives, "kernels": kernels,
       "irregular": irregular, "loops": loops}
LONG = {"wavefronts": wavefronts, "applications": applications, "check": check, "arrays": arrays, "python": python}
commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
print(f"{cpu}, {os.cpu_count()} processors, commit {commit}")
for name in options.names or ALL:
    (ALL | LONG)[name]()
