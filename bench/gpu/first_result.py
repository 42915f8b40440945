"""The time from the start of a process to its end with a first result, and no kernel compiled before, or all of them."""
import os
import statistics
import subprocess
import tempfile
import time

EXPECTED = "2999997\n"
# name, program, caches matter
PROGRAMS = [("driver's context alone", "first_nothing", False), ("BSGP", "first_result", True),
            ("CUDA, machine code in the program", "first_result_cuda", False),
            ("CUDA, PTX in the program", "first_result_ptx", True)]


def start(program, caches):
    """Seconds of one process. Runtime and driver find their caches of compiled kernels in the folder."""
    environment = {**os.environ, "BSGP_TARGET": "cuda", "BSGP_CACHE_DIR": os.path.join(caches, "bsgp"),
                   "CUDA_CACHE_PATH": os.path.join(caches, "cuda")}
    begin = time.perf_counter()
    done = subprocess.run([program], capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - begin
    if done.returncode or (done.stdout not in ("", EXPECTED)):
        raise SystemExit(f"{program}: {done.stdout}{done.stderr}")
    return seconds


def measure(folder, times):
    """Rows of milliseconds; all programs take turns."""
    present = [row for row in PROGRAMS if os.path.exists(os.path.join(folder, row[1]))]
    rows = {name: {"name": name, "cold_ms": [], "warm_ms": []} for name, _, _ in present}
    for turn in range(times):
        for name, program, caching in present:
            path = os.path.join(folder, program)
            with tempfile.TemporaryDirectory() as caches:
                if caching or turn == 0:
                    cold = start(path, caches)
                    if caching:
                        rows[name]["cold_ms"].append(cold * 1e3)
                rows[name]["warm_ms"].append(start(path, caches) * 1e3)
    return list(rows.values())


def table(rows):
    print("\nFrom the start of a process to its end, after a sum of 1,000,000 numbers; ms, medians\n")
    print("| | no kernel compiled before | kernels in the cache |")
    print("|---|---|---|")
    for row in rows:
        cold, warm = (f"{statistics.median(row[kind]):.1f}" if row[kind] else "" for kind in ("cold_ms", "warm_ms"))
        print(f"| {row['name']} | {cold} | {warm} |")
