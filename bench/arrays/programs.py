"""Times the ten programs of examples/arrays beside their NumPy twins, the twins in JAX where these compile there, and loops in Numba.

Usage: programs.py FOLDER TIMES; FOLDER has the compiled programs. Run by arrays_bench.py in the environment of the peers.
"""
import importlib.util
import os
import re
import subprocess
import sys
import time

import numpy as np

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "arrays")
FOLDER, TIMES = sys.argv[1], int(sys.argv[2])


def optional(name):
    try:
        return __import__(name)
    except Exception:
        return None


jax, numba = optional("jax"), optional("numba")
if jax:
    import jax.numpy


def module(text, name):
    spec = importlib.util.spec_from_loader(name, loader=None)
    made = importlib.util.module_from_spec(spec)
    exec(compile(text, name, "exec"), made.__dict__)
    return made


TEXT = open(os.path.join(EXAMPLES, "twins.py")).read()
twins = module(TEXT, "twins")


def median(call):
    for _ in range(2):
        call()
    times = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[TIMES // 2] * 1e3


def ours(name):
    out = subprocess.run([os.path.join(FOLDER, name), "--times", str(2 * TIMES + 1)], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) ms", out)[1])


def in_jax(name, given):
    """The twin, with jax.numpy in place of NumPy: arrays that it changes in place have no JAX."""
    if not jax:
        return None
    translated = module(TEXT.replace("import numpy as np", "import jax.numpy as np"), "twins_in_jax")
    program = jax.jit(translated.PROGRAMS[name][1])
    device = [jax.numpy.asarray(array) for array in given]
    try:
        return median(lambda: jax.block_until_ready(program(*device)))
    except Exception:
        return None


def loops():
    """Numba: the programs as loops over pixels."""
    if not numba:
        return {}
    njit, prange = numba.njit(parallel=True), numba.prange

    @njit
    def sum_of(a):
        total = np.float32(0)
        for i in prange(a.shape[0]):
            row = np.float32(0)
            for j in range(a.shape[1]):
                row += abs(a[i, j])
            total += row
        return total

    @njit
    def life(cells):
        height, width = cells.shape
        out = np.empty_like(cells)
        for y in prange(height):
            for x in range(width):
                count = np.float32(0)
                for i in range(-1, 2):
                    for j in range(-1, 2):
                        count += cells[(y + i) % height, (x + j) % width]
                count -= cells[y, x]
                out[y, x] = np.float32(count == 3 or (count == 2 and cells[y, x] == 1))
        return out

    offsets = np.arange(-2, 3)
    weights = np.exp(-2 * offsets**2 / 4)
    weights = (weights / weights.sum()).astype(np.float32)

    @njit
    def convolve(picture):
        height, width = picture.shape
        rows, out = np.empty_like(picture), np.empty_like(picture)
        for y in prange(height):
            for x in range(width):
                total = np.float32(0)
                for k in range(5):
                    total += weights[k] * picture[y, min(max(x + k - 2, 0), width - 1)]
                rows[y, x] = total
        for y in prange(height):
            for x in range(width):
                total = np.float32(0)
                for k in range(5):
                    total += weights[k] * rows[min(max(y + k - 2, 0), height - 1), x]
                out[y, x] = total
        return out

    cosine, sine = np.cos(np.radians(10)), np.sin(np.radians(10))

    @njit
    def rotate(picture):
        channels, height, width = picture.shape
        out = np.zeros_like(picture)
        for v in prange(height):
            for u in range(width):
                y = cosine * (v - (height - 1) / 2) - sine * (u - (width - 1) / 2) + (height - 1) / 2
                x = sine * (v - (height - 1) / 2) + cosine * (u - (width - 1) / 2) + (width - 1) / 2
                y0, x0 = int(np.floor(y)), int(np.floor(x))
                dy, dx = np.float32(y - y0), np.float32(x - x0)
                for c in range(channels):
                    total = np.float32(0)
                    for i in range(2):
                        for j in range(2):
                            if 0 <= y0 + i < height and 0 <= x0 + j < width:
                                total += (dy if i else 1 - dy) * (dx if j else 1 - dx) * picture[c, y0 + i, x0 + j]
                    out[c, v, u] = total
        return out

    @njit
    def stereo(left, right):
        height, width = right.shape
        least, distances = np.full((height, width), np.inf, np.float32), np.zeros((height, width), np.float32)
        for distance in range(32):
            columns = np.empty((height, width), np.float32)
            for y in prange(height):
                for x in range(width):
                    total = np.float32(0)
                    for k in range(-3, 4):
                        at = min(max(x + k, 0), width - 1)
                        d = right[y, at] - left[y, min(at + distance, width - 1)]
                        total += d * d
                    columns[y, x] = total
            for y in prange(height):
                for x in range(width):
                    total = np.float32(0)
                    for k in range(-3, 4):
                        total += columns[min(max(y + k, 0), height - 1), x]
                    if total < least[y, x]:
                        least[y, x], distances[y, x] = total, distance
        return distances

    return {"sum": sum_of, "life": life, "convolve": convolve, "rotate": rotate, "stereo": stereo, "matrix_vector": lambda a, x: a @ x, "matrix_matrix": lambda a, b: a @ b}


def cell(mine, theirs):
    return "" if theirs is None else f"{theirs:.2f} ({theirs / mine:.2f})"


by_loops = loops()
print("\n| program, at the paper's size | arrays | NumPy | JAX | Numba |\n|---|---|---|---|---|")
for name, (data, program, size) in twins.PROGRAMS.items():
    given = data(size)
    mine = ours(name)
    numba_time = None
    if name in by_loops and not name.startswith("matrix"):
        numba_time = median(lambda: by_loops[name](*given))
        want, got = np.asarray(program(*given)[0]), np.asarray(by_loops[name](*given))
        if not np.allclose(got, want, rtol=1e-3, atol=1e-3 * abs(want).max()):
            print(f"note: {name} in Numba differs from NumPy's in {np.mean(~np.isclose(got, want, rtol=1e-3)):.4f} of its elements")
    print(f"| {name} | {mine:.2f} | {cell(mine, median(lambda: program(*given)))} | {cell(mine, in_jax(name, given))} | {cell(mine, numba_time)} |", flush=True)
