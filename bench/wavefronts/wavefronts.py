"""Builds and runs bench/wavefronts and prints its tables, in markdown: used by bench/run.py."""
import concurrent.futures
import json
import os
import re
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("main.cpp", "marches.cpp", "counts.cpp", "rays.cpp", "../kernels/mesh.cpp", "../primitives/team.cpp")
WARNINGS = ("-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-ignored-attributes", "-Wno-psabi")
# The BSGP program is compiled once for each: the end of its functions' names, whether loops have the word, options.
FORMS = (("", True, "marked"), ("_plain", False, "marked"), ("_off", True, "off"), ("_all", True, "all"), ("_auto", False, "auto"))
OTHERS = ("cpp", "hand", "off", "marked", "all", "auto")
HEADINGS = ("plain C++", "by hand", "`off`", "marked", "`all`", "`auto`")
GOALS = {"path with a march inside": "3", "sphere tracing": "2", "random walk": "1.5", "Collatz": "1.3",
         "10000 steps": "1.5", "256 steps": "0.9"}
AVX2_GOALS = GOALS | {"sphere tracing": "1.7"}


def without_word(text):
    return re.sub(r"\bwavefront (?=(while|for|do)\b)", "", text)


def compile_bsgp(tool, folder, cpu, form):
    """The object file. One program has all: what is exported ends with the suffix."""
    suffix, marked, which = form
    source, made, header = (os.path.join(folder, f"wavefronts{suffix}.{end}") for end in ("bsgp", "o", "h"))
    text = open(os.path.join(HERE, "wavefronts.bsgp")).read()
    open(source, "w").write(text if marked else without_word(text))
    programs.output(tool, "compile", source, "-I", HERE, "-o", made, "--header", header, "--cpu", cpu, "--wavefronts", which)
    if suffix:
        exported = re.findall(r"^bsgp_status (\w+)\(", open(header).read(), re.M)
        programs.output("objcopy", *(f"--redefine-sym={name}={name}{suffix}" for name in exported), made)
    return made


def compile_cpp(folder, cpu, source, level="-O3"):
    made = os.path.join(folder, os.path.basename(source) + ".o")
    programs.output("g++", "-std=c++20", level, f"-march={cpu}", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", *WARNINGS,
                    "-I", folder, "-I", os.path.join(HERE, "..", "..", "include"), "-c", os.path.join(HERE, source), "-o", made)
    return made


def build(build_folder, cpu, level="-O3"):
    """The program's path. level: of g++."""
    folder = os.path.join(build_folder, f"bench-wavefronts-{cpu}")
    os.makedirs(folder, exist_ok=True)
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    with open(os.path.join(folder, "tracer.h"), "w") as header: # the mesh of bench/kernels: its nodes are the same
        header.write('#include "wavefronts.h"\n')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda form: compile_bsgp(tool, folder, cpu, form), FORMS))
        made += pool.map(lambda source: compile_cpp(folder, cpu, source, level), SOURCES)
    program = os.path.join(folder, "wavefronts")
    programs.output("g++", *made, os.path.join(build_folder, "lib", "libbsgp_runtime.a"), "-o", program, "-pthread", "-ldl")
    return program


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(forms, other):
    """How many times faster than the plain loop: the median within turns."""
    if not forms.get(other):
        return ""
    return f"{statistics.median(a / b for a, b in zip(forms['plain'], forms[other])):.2f}"


def row(work, goals=GOALS):
    if not work["right"]:
        return f"| {work['name']} | **results differ** |" + " |" * (len(OTHERS) + 1)
    goal = next((goal for name, goal in goals.items() if name in work["name"]), "")
    plain = work["ms"]["plain"]
    ms = number(statistics.median(plain)) if plain else "not timed"
    return f"| {work['name']} | {ms} | " + " | ".join(ratio(work["ms"], other) for other in OTHERS) + f" | {goal} |"


def table(program, arguments, heading, cpus, goals):
    """False if results differ."""
    how = f"{len(cpus)} threads" if len(cpus) > 1 else "1 thread, CPU time"
    print(f"\n{heading}, {how}, load before {os.getloadavg()[0]:.1f}. How many times faster than the plain loop, medians within turns\n")
    print("| | plain loop, ms | " + " | ".join(HEADINGS) + " | goal |\n|" + "---|" * (len(HEADINGS) + 3), flush=True)
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, cpus)) as process:
        for line in process.stdout:
            print(row(json.loads(line), goals), flush=True)
    return process.returncode == 0


def machines(cpu, tiny):
    """Names for both compilers, with the goals on them."""
    if cpu != "native":
        return [(cpu, AVX2_GOALS)]
    wide = " avx512f " in open("/proc/cpuinfo").read()
    return [("native", GOALS if wide else AVX2_GOALS)] + [("x86-64-v3", AVX2_GOALS)] * (wide and not tiny)


def run(build_folder, quick=False, only=(), tiny=False, cpu="native"):
    mode = ["--tiny"] if tiny else ["--quick"] if quick else []
    print("\n`" + " ".join(["./dev bench wavefronts", *mode, *(f"--only '{name}'" for name in only)]) + "`")
    everywhere, right = os.sched_getaffinity(0), True
    few = [] if tiny or len(everywhere) == 1 else [{max(everywhere)}]
    for name, goals in machines(cpu, tiny):
        program = build(os.path.abspath(build_folder), name, "-O1" if tiny else "-O3")
        for cpus in [*few, everywhere]:
            right &= table(program, [*mode, *only], f"`--cpu {name}`", cpus, goals)
    if not right:
        raise SystemExit("results differ, or a program failed")
