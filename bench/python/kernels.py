"""Kernels that are written in Python: the time to the first result, and their speed beside the same kernels as texts. Usage: kernels.py [--quick]"""
import linecache
import math
import statistics
import sys
import time
import warnings

import bsgp as bp
import numpy as np

try:
    import numba
except Exception:
    numba = None
QUICK = "--quick" in sys.argv
warnings.filterwarnings("ignore")


# ---- to the first result

SAXPY = """
def saxpy{n}(y: bp.float32[:], x: bp.float32[:], a: bp.float32):
    with bp.spawn(len(y)):
        y[bp.rank] += a * x[bp.rank] + {n}
"""
NUMBA = """
def saxpy{n}(y, x, a):
    for i in numba.prange(len(y)):
        y[i] += a * x[i] + np.float32({n})
"""
TEXT = "export saxpy(float* y, const float* x, long n, float a) {{ spawn (n) {{ y[thread.rank] += a * x[thread.rank] + {n}; }} }}"


def function_of(text, n):
    text, file = text.format(n=n), f"<kernel {n}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"bp": bp, "np": np, "numba": numba}
    exec(compile(text, file, "exec"), space)
    return space[f"saxpy{n}"]


def first_results():
    y, x = np.zeros(1000, np.float32), np.ones(1000, np.float32)
    ways = {
        "@bp.kernel": lambda n: bp.kernel(function_of(SAXPY, n))(y, x, 2.0),
        "bp.compile": lambda n: bp.compile(TEXT.format(n=n)).saxpy(y, x, 1000, 2.0),
    }
    if numba:
        ways["numba.njit(parallel=True)"] = lambda n: numba.njit(parallel=True)(function_of(NUMBA, n))(y, x, np.float32(2))
    print("ms until the first result of a kernel: the first of the process, then the median of others")
    for name, way in ways.items():
        times = []
        for n in range(4 if QUICK else 12):
            began = time.perf_counter()
            way(n)
            times.append((time.perf_counter() - began) * 1e3)
        print(f"  {name:<28}{times[0]:8.1f}  {statistics.median(times[1:]):8.1f}", flush=True)


# ---- beside the same text


@bp.kernel
def heat(to: bp.float32[:, :], of: bp.float32[:, :]):
    with bp.spawn((of.shape[1], of.shape[0])):
        x, y = bp.x, bp.y
        inside = x > 0 and x < of.shape[1] - 1 and y > 0 and y < of.shape[0] - 1
        to[y, x] = (of[y, x - 1] + of[y, x + 1] + of[y - 1, x] + of[y + 1, x]) * 0.25 if inside else of[y, x]


@bp.kernel
def axpy(y: bp.float32[:], x: bp.float32[:], a: bp.float32):
    with bp.spawn(len(y)):
        y[bp.rank] += a * x[bp.rank]


@bp.kernel
def mandelbrot(out: bp.int32[:], w: bp.int64, h: bp.int64, most: int):
    with bp.spawn((w, h)):
        cx = bp.float32(bp.x) / bp.float32(w) * 3.0 - 2.0
        cy = bp.float32(bp.y) / bp.float32(h) * 2.0 - 1.0
        zx, zy, k = bp.float32(0), bp.float32(0), 0
        while k < most and zx * zx + zy * zy < 4.0:
            zx, zy = zx * zx - zy * zy + cx, 2.0 * zx * zy + cy
            k += 1
        out[bp.rank] = k


@bp.kernel
def search(out: bp.int64[:], x: bp.float32[:], keys: bp.float32[:]):
    with bp.spawn(len(keys)):
        low, high, key = 0, len(x), keys[bp.rank]
        while low < high:
            middle = (low + high) // 2
            if x[middle] < key:
                low = middle + 1
            else:
                high = middle
        out[bp.rank] = low


@bp.kernel
def norms(out: bp.float32[:], p: bp.float32[:, :]):
    with bp.spawn(p.shape[0]):
        s = 0
        for k in range(p.shape[1]):
            s += p[bp.rank, k] * p[bp.rank, k]
        out[bp.rank] = math.sqrt(s)


TEXTS = """
export heat(float* to, const float* of, long w, long h) {
  spawn (w, h) {
    x = thread.x; y = thread.y;
    bool inside = x > 0 && x < w - 1 && y > 0 && y < h - 1;
    to[y * w + x] = inside ? (of[y * w + x - 1] + of[y * w + x + 1] + of[(y - 1) * w + x] + of[(y + 1) * w + x]) * 0.25f : of[y * w + x];
  }
}
export axpy(float* y, const float* x, long n, float a) { spawn (n) { y[thread.rank] += a * x[thread.rank]; } }
export mandelbrot(int* out, long w, long h, long most) {
  spawn (w, h) {
    float cx = (float)thread.x / (float)w * 3.0f - 2.0f, cy = (float)thread.y / (float)h * 2.0f - 1.0f;
    float zx = 0, zy = 0; long k = 0;
    while (k < most && zx * zx + zy * zy < 4.0f) { float t = zx * zx - zy * zy + cx; zy = 2.0f * zx * zy + cy; zx = t; k++; }
    out[thread.rank] = (int)k;
  }
}
export search(long* out, const float* x, const float* keys, long n, long m) {
  spawn (m) {
    long low = 0, high = n;
    float key = keys[thread.rank];
    while (low < high) { long middle = (low + high) / 2; if (x[middle] < key) low = middle + 1; else high = middle; }
    out[thread.rank] = low;
  }
}
export norms(float* out, const float* p, long n, long m) {
  spawn (n) { float s = 0; for (long k = 0; k < m; k++) s += p[thread.rank * m + k] * p[thread.rank * m + k]; out[thread.rank] = sqrt(s); }
}
"""


def pair(name, ours, text, result):
    ours()
    kept = result.copy()
    text()
    assert np.array_equal(kept, result), name
    times = []
    for _ in range(15 if QUICK else 61):
        a = time.perf_counter()
        ours()
        b = time.perf_counter()
        text()
        times.append((b - a, time.perf_counter() - b))
    ratio = statistics.median(ours / theirs for ours, theirs in times)
    print(f"  {name:<28}{statistics.median(a for a, _ in times) * 1e3:8.3f} ms   {ratio:.3f} of the text's", flush=True)


def beside_texts():
    module = bp.compile(TEXTS)
    print("a kernel beside the same one as a text, medians of pairs")
    of = np.random.default_rng(1).random((1000, 1500), np.float32)
    to = np.zeros_like(of)
    pair("heat, 1500 x 1000", lambda: heat(to, of), lambda: module.heat(to, of, 1500, 1000), to)
    y, x = np.zeros(2_000_000, np.float32), np.ones(2_000_000, np.float32)
    pair("axpy, 2 M", lambda: axpy(y, x, 0.0), lambda: module.axpy(y, x, y.size, 0.0), y)
    counts = np.zeros(600 * 400, np.int32)
    pair("Mandelbrot, 600 x 400", lambda: mandelbrot(counts, 600, 400, 256), lambda: module.mandelbrot(counts, 600, 400, 256), counts)
    ordered, keys, found = np.sort(of.ravel()[:65536]), of.ravel()[:200_000], np.zeros(200_000, np.int64)
    pair("binary search, 200,000", lambda: search(found, ordered, keys), lambda: module.search(found, ordered, keys, ordered.size, keys.size), found)
    rows, lengths = of.ravel()[:1_440_000].reshape(-1, 16), np.zeros(90_000, np.float32)
    pair("norms of 90,000 x 16", lambda: norms(lengths, rows), lambda: module.norms(lengths, rows, 90_000, 16), lengths)


def calls():
    y, x = np.zeros(16, np.float32), np.ones(16, np.float32)
    axpy(y, x, 0.0)
    least = min(timed(lambda: axpy(y, x, 0.0)) for _ in range(5 if QUICK else 25))
    print(f"a call with two arrays of 16 elements: {least:.2f} us")


def timed(call, count=5000):
    began = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - began) / count * 1e6


if __name__ == "__main__":
    first_results()
    beside_texts()
    calls()
