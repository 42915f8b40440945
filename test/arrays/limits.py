"""Many evaluations, long graphs, several threads, a forked child."""
import os
import sys
import threading
import time

import arrays as A
import numpy as np


def grows_with_evaluations():
    """Live bytes behind many evaluations."""
    x, one = A.from_numpy(np.ones(16, "f4")), A.scalar(1, "int64", 1)
    for _ in range(100):
        A.evaluate(A.apply("add", x, one))
    before = A.statistics().live_bytes
    for _ in range(20_000):
        A.evaluate(A.apply("add", A.apply("multiply", x, one), one))
    return A.statistics().live_bytes - before


def long_graph(count):
    """The result of `count` operations after each other, and how long it took."""
    x, one = A.from_numpy(np.zeros(4, "i4")), A.scalar(1, "int64", 1)
    begin, value = time.perf_counter(), x
    for _ in range(count):
        value = A.apply("add", value, one)
    result = value.numpy()
    return result, time.perf_counter() - begin


def never_read(count):
    """Frees a long graph that nobody has computed."""
    value = A.from_numpy(np.zeros(4, "i4"))
    for _ in range(count):
        value = A.apply("negative", value)


def evaluated_without_being_asked():
    """The evaluations of a chain that is never read, with a bound and without; of a reduction over products that nobody stores."""
    counts = []
    for bound in (0, 1 << 20):
        A.options(most_pending_bytes=bound)
        before = A.statistics().evaluations
        value = A.from_numpy(np.zeros(1024, "i8"))
        for _ in range(1000):
            value = A.apply("add", value, A.scalar(1, "int64", 1))
        counts.append(A.statistics().evaluations - before)
        if (value.numpy() != 1000).any():
            counts.append("a wrong sum")
    A.options()
    before = A.statistics().evaluations
    x = A.from_numpy(np.ones((3000, 3000), "f4"))
    x.inner(x)
    return counts + [A.statistics().evaluations - before]


def moved_again_and_again(count, border):
    """The seconds that an array takes that is shifted so many times."""
    value = A.from_numpy(np.ones(1000, "f4"))
    outside = A.scalar(2, "float32") if border == "value" else None
    began = time.perf_counter()
    for _ in range(count):
        value = value.shift([1], border, outside)
    value.numpy()
    return time.perf_counter() - began


def in_threads():
    shared = A.from_numpy(np.arange(50_000, dtype="f8"))
    both = A.apply("add", shared, shared)
    wrong = []

    def work(number):
        factor = A.scalar(number, "float64")
        for _ in range(50):
            if (A.apply("multiply", both, factor).numpy() != np.arange(50_000) * 2.0 * number).any():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def in_child():
    """The exit status of a child that evaluates what its parent made."""
    x = A.from_numpy(np.ones(300_000, "f4"))
    A.evaluate(A.apply("add", x, x))
    pending = A.apply("exp", x).fold("sum")
    child = os.fork()
    if child == 0:
        os._exit(0 if abs(pending.numpy() - 300_000 * np.e) < 1 else 1)
    return os.waitpid(child, 0)[1]


found = []
if grows_with_evaluations() != 0:
    found.append("live bytes grow with evaluations")
if (counts := evaluated_without_being_asked()) != [0, 7, 0]:
    found.append(f"chains that are never read are evaluated {counts} times in place of 0, 7, 0")
result, seconds = long_graph(200_000)
if (result != 200_000).any():
    found.append(f"200,000 operations give {result}")
never_read(200_000)
times = [min(long_graph(count)[1] for _ in range(3)) for count in (4000, 8000, 16000)]
if times[2] > 3 * times[1] and times[1] > 3 * times[0]:
    found.append(f"the time of a graph grows faster than the graph: {times}")
for border in ("value", "clamp", "wrap"):
    times = [min(moved_again_and_again(count, border) for _ in range(3)) for count in (200, 400, 800)]
    if times[2] > 3 * times[1] and times[1] > 3 * times[0]:
        found.append(f"the time of shifts after each other ({border}) grows faster than their number: {times}")
if in_threads():
    found.append("threads get values of others")
if in_child():
    found.append("a forked child fails")
print("\n".join(found))
sys.exit(bool(found))
