"""Builds and runs bench/kernels and prints its table, in markdown: used by bench/run.py."""
import json
import os
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))


def build(build_folder, cpu):
    """The program's path."""
    name = "bench-kernels" + (f"-{cpu}" if cpu != "native" else "")
    folder = programs.build(HERE, build_folder, name, f"-DMACHINE={cpu}", f"-DBSGPC={os.environ.get('BSGPC', '')}")
    return os.path.join(folder, "kernels")


def median_ratio(over, under):
    """The median over the rounds."""
    return statistics.median(a / b for a, b in zip(over, under))


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def rows(kernel):
    """One for each form in BSGP: what it takes on one core stands before what it takes on all."""
    serial = next(form["ms"] for form in kernel["forms"] if form["kind"] == "serial")
    return [row(kernel, form["how"], form["ms"], everywhere["ms"], serial)
            for form, everywhere in zip(kernel["forms"], kernel["forms"][1:]) if form["kind"] == "bsgp"]


def row(kernel, how, ours, everywhere, serial):
    simd = ", ".join(f"{number(median_ratio(form['ms'], ours))} ({form['how']})"
                     for form in kernel["forms"] if form["kind"] == "simd")
    parallel = "".join(number(median_ratio(form["ms"], everywhere)) for form in kernel["forms"] if form["kind"] == "parallel")
    rate = f"{kernel['work'] / statistics.median(ours) / 1e6:.1f}" if kernel["work"] else ""
    name = f"{kernel['kernel']}, {how}" if how else kernel["kernel"]
    return (f"| {name} | {kernel['size']} | {number(statistics.median(ours))} | "
            f"{number(median_ratio(serial, ours))} | {simd} | {number(statistics.median(everywhere))} | {parallel} | "
            f"{number(median_ratio(ours, everywhere))} | {rate} | {agreement(kernel)} |")


def agreement(kernel):
    """How far the forms differ from the serial one."""
    wrong = [f"{form['kind']} {form['how']}".strip() for form in kernel["forms"] if form["wrong"]]
    if wrong:
        return "**WRONG**: " + ", ".join(wrong)
    if all(form["most"] == 0 for form in kernel["forms"]):
        return "same bits"
    beyond = max(form["beyond"] for form in kernel["forms"])
    if beyond:
        return f"{100 * beyond:.2g} % differ" + (f" by more than {kernel['tolerance']:.0e}" if kernel["tolerance"] else "")
    return f"{max(form['most'] for form in kernel['forms']):.0e} at most"


def check(build_folder):
    """The programs of check/ print the same on every target."""
    tool = os.environ.get("BSGPC") or os.path.join(build_folder, "bin", "bsgpc")
    wrong = 0
    for name in sorted(os.listdir(os.path.join(HERE, "check"))):
        if name == "check.bsgp":
            continue
        outputs = [subprocess.run([tool, "run", *options, os.path.join(HERE, "check", name)], capture_output=True, text=True)
                   for options in (["--target", "reference"], ["--target", "cpu"], ["--cpu", "x86-64-v3"], ["--threads", "1"])]
        same = all(output.stdout == outputs[0].stdout and output.returncode == 0 for output in outputs)
        wrong += not same
        print(f"{name:<24}{'same' if same else 'WRONG: ' + ' | '.join((o.stdout + o.stderr).strip() for o in outputs)}")
    if wrong:
        raise SystemExit(f"{wrong} programs differ between targets")


def run(build_folder, quick=False, json_file=None, only=(), cpu="native"):
    program = build(os.path.abspath(build_folder), cpu)
    load = os.getloadavg()[0]
    output = subprocess.run([program] + ["--quick"] * quick + list(only), stdout=subprocess.PIPE, text=True)
    if not output.stdout.rstrip().endswith("}"):
        raise SystemExit(f"{program} failed")
    data = json.loads(output.stdout)
    command = "./dev bench kernels" + " --quick" * quick + "".join(f" --only {name}" for name in only)
    command += f" --cpu {cpu}" * (cpu != "native")
    print(f"\n`{command}`: code for {cpu}, load before {load:.1f}; medians. Serial, SIMD: how many times as long C++ takes on one core, "
          f"within rounds; parallel: C++ on all cores, beside ours there. All: {data['threads']} threads\n")
    print("| kernel | size | BSGP, 1 core, ms | serial C++ | SIMD C++ | BSGP, all, ms | parallel C++ | scaling | GFLOP/s, 1 core | outputs |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kernel in data["results"]:
        print("\n".join(rows(kernel)))
    if json_file:
        with open(json_file, "w") as to:
            json.dump(data, to, indent=1)
    if output.returncode:
        raise SystemExit("an output was wrong")
