"""The Python package beside its peers: used by bench/run.py, in the environment of bench/arrays."""
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "arrays"))

IMPORT = "import time; t = time.perf_counter(); import {}; print((time.perf_counter() - t) * 1e3)"


def imports(python, variables, rounds):
    """Milliseconds until a package can be used, in turns, each in a fresh process."""
    times = {name: [] for name in ("bsgp", "numpy", "drjit", "numba", "jax.numpy")}
    for _ in range(rounds):
        for name in list(times):
            made = subprocess.run([python, "-c", IMPORT.format(name)], env=variables, capture_output=True, text=True)
            if made.returncode:
                del times[name]
            else:
                times[name].append(float(made.stdout))
    print("\nimport, in a fresh process, median of %d, ms" % rounds)
    print("  ".join(f"{name} {statistics.median(all):.0f}" for name, all in times.items()))


def run(build_folder, quick=False):
    import arrays_bench

    build_folder = os.path.abspath(build_folder)
    variables = dict(os.environ, PYTHONPATH=os.path.join(build_folder, "python"), PYTHONDONTWRITEBYTECODE="1")
    python = arrays_bench.environment(build_folder)
    imports(python, variables, 5 if quick else 11)
    sys.stdout.flush()
    subprocess.run([python, os.path.join(HERE, "combine.py")] + ["--quick"] * quick, env=variables, check=True)
    with tempfile.TemporaryDirectory() as cache:
        for state in ("an empty cache", "what that has left in the cache"):
            print(f"\nwith {state}")
            sys.stdout.flush()
            subprocess.run([python, os.path.join(HERE, "calls.py")] + ["--quick"] * quick, env=dict(variables, BSGP_CACHE="1", BSGP_CACHE_DIR=cache), check=True)
    print("\nkernels that are written in Python")
    sys.stdout.flush()
    subprocess.run([python, os.path.join(HERE, "kernels.py")] + ["--quick"] * quick, env=dict(variables, BSGP_CACHE="0"), check=True)
