"""Sorters and scans of combinators over 2^20 elements, beside programs that are written by hand. Usage: combine.py [--quick]

All are measured in turns; the ratio is the median of those of the rounds."""
import statistics
import sys
import time

import numpy as np

import bsgp as bp
from bsgp import combine
from bsgp.combine import scans, sorters

ROUNDS = 7 if "--quick" in sys.argv else 21
x = np.random.default_rng(1).integers(0, 1 << 30, 1 << 20).astype(np.int32)
y = np.empty_like(x)


def rounds(calls):
    """name → the times of its rounds, in ms; each is the lesser one of two calls."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            both = []
            for _ in range(2):
                began = time.perf_counter()
                call()
                both.append((time.perf_counter() - began) * 1e3)
            times[name].append(min(both))
    return times


def table(title, calls, base):
    times = rounds(calls)
    print(f"\n{title}, ms, and times the time of {base}")
    for name, all in times.items():
        ratio = statistics.median(a / b for a, b in zip(all, times[base]))
        print(f"{name:<24}{statistics.median(all):8.3f}{ratio:8.2f}", flush=True)


def on(function):
    return lambda: function(x, y)


for levels in (9, 10):
    length = 1 << levels
    calls = {"by hand": on(sorters.vsortHO(levels, x.dtype))}
    for name in ("bitonicUpDown", "bitonic", "vsort", "vsortShex", "vsortIt", "vsortIt2"):
        calls[name] = on(combine.compile(getattr(sorters, name)(levels), length, x.dtype))
    for group in (1, 2, 8):
        calls[f"vsort, group={group}"] = on(combine.compile(sorters.vsort(levels), length, x.dtype, group=group))
    table(f"each {length} elements sorted", calls, "by hand")

scan_of_block = bp.compile("""
export f(const int* x, int* y, long n) {
  spawn (n) block(512) {
    int v = x[thread.rank];
    block.scan_inclusive(+, v);
    y[thread.rank] = v;
  }
}""").f
calls = {"block.scan_inclusive": lambda: scan_of_block(x, y, x.size), "by hand": on(scans.sklanskyHO(9, x.dtype))}
for name in scans.KERNELS:
    calls[name] = on(scans.kernel(name, 9, x.dtype))
calls["sklansky, no options"] = on(combine.compile(scans.sklansky(9), 512, x.dtype))
calls["rows, no options"] = on(combine.compile(scans.rows(9), 512, x.dtype))
table("the prefix sums of each 512 elements", calls, "block.scan_inclusive")


def recursive(kernel):
    """The scan of all elements: parts, their ends in the same way, and these distributed."""
    distribute = bp.compile("""
export f(int* x, const int* ends, long n) {
  spawn (n - 512) { x[thread.rank + 512] += ends[thread.rank / 512]; }
}""").f

    def scan(given, made):
        count = given.size // 512
        kernel(given, made)
        if count > 1:
            ends = np.zeros(-(-count // 512) * 512, np.int32)
            ends[:count] = made[511::512]
            scan(ends, ends) if ends.size > 512 else kernel(ends)
            distribute(made, ends, made.size)

    return lambda: scan(x, y)


calls = {"by hand": recursive(scans.sklanskyHO(9, x.dtype))}
for name in scans.KERNELS:
    calls[name] = recursive(scans.kernel(name, 9, x.dtype))
calls["scans.scan"] = lambda: scans.scan(x)
calls["numpy.cumsum"] = lambda: np.cumsum(x, out=y)
table("the prefix sums of all elements, by parts of 512", calls, "by hand")
assert (y == np.cumsum(x, dtype=np.int32)).all() and (scans.scan(x) == y).all()
