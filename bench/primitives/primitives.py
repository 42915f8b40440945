"""Builds and runs bench/primitives and prints its tables: used by bench/run.py."""
import json
import os
import statistics
import subprocess

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
# Peers of Debian; what cannot be installed drops out.
PACKAGES = ("libtbb-dev", "libthrust-dev", "libips4o-dev", "libhwy-dev")


def build(build_folder):
    """The program's path."""
    return os.path.join(programs.build(HERE, build_folder, "bench-primitives"), "primitives")


def median_ratio(over, under):
    """The median over the rounds in which both ran."""
    ratios = [a / b for a, b in zip(over, under) if a is not None and b is not None]
    return statistics.median(ratios) if ratios else None


def cells(row, limit, base):
    """Time, bandwidth, share of the limit, times the base."""
    time = statistics.median(t for t in row["ms"] if t is not None)
    limit_bytes = row["n"] * (4 if row["limit"] == "read" else 8)
    row_bytes = limit_bytes if row is limit else row["bytes"]
    share = median_ratio(limit["ms"], row["ms"]) * row_bytes / limit_bytes
    ratio = median_ratio(row["ms"], base["ms"]) if base else None
    shown = f"{time * 1e3:.1f} us" if time < 1 else f"{time:.1f} ms"
    return f"{shown:>10}{row_bytes / time / 1e6:>8.1f}{share * 100:>6.0f}%" + (f"{ratio:>10.2f}" if ratio else f"{'':>10}")


def base_of(rows):
    """What ratios are against, and its name: BSGP, or the best by hand while it is not there."""
    for start, name in (("BSGP", "/ BSGP"), ("by hand", "/ hand"), ("", "/ first")):
        for row in rows:
            if row["peer"].startswith(start) and not row["peer"].startswith("limit"):
                return row["peer"], name


def table(problem, results):
    sizes = sorted({row["n"] for row in results})
    at = {(row["peer"], row["n"]): row for row in results}
    peers = list(dict.fromkeys(row["peer"] for row in results))
    limit = next(peer for peer in peers if peer.startswith("limit"))
    base, against = base_of(results)
    print(f"\n{problem:<48}" + "".join(f"{f'{n:,}':>35}" for n in sizes))
    print(f"{'':<48}" + f"{'time':>10}{'GB/s':>8}{'limit':>7}{against:>10}" * len(sizes))
    for peer in peers:
        line = f"{peer:<48}"
        for n in sizes:
            row = at.get((peer, n))
            line += cells(row, at[limit, n], at.get((base, n))) if row else f"{'':>35}"
        print(line.rstrip())
    for row in results:
        if row["wrong"]:
            print(f"WRONG: {row['peer']}, {row['n']:,}: {row['wrong']}")


def run(build_folder, quick=False, json_file=None, problems=()):
    programs.install(PACKAGES)
    program = build(os.path.abspath(build_folder))
    load = os.getloadavg()[0]
    output = subprocess.run([program] + ["--quick"] * quick + list(problems), stdout=subprocess.PIPE, text=True)
    if not output.stdout.rstrip().endswith("}"):
        raise SystemExit(f"{program} failed")
    data = json.loads(output.stdout)
    data["load"] = load
    print(f"\nPrimitives and their peers, {data['threads']} threads, load before {load:.1f}; medians; "
          f"threads were preempted in {data['disturbed']} of {data['samples']} samples")
    print("limit: share of the bandwidth of reading (reduce, histogram) or copying (all others); last column: how many times as long; both within rounds")
    for problem in dict.fromkeys(row["problem"] for row in data["results"]):
        table(problem, [row for row in data["results"] if row["problem"] == problem])
    if json_file:
        with open(json_file, "w") as to:
            json.dump(data, to, indent=1)
    if output.returncode:
        raise SystemExit("a result was wrong")
