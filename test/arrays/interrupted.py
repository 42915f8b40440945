"""An evaluation ends when the program around asks for it, and its graph can be evaluated afterwards."""
import ctypes
import time

import arrays as A
import numpy as np

INTERRUPTED = 5
ASKED = ctypes.CFUNCTYPE(ctypes.c_int)
A.lib.bsgp_set_interrupt.argtypes = [ASKED]


def asking(function):
    """Sets it as the one that is asked; returns what has to live as long as it is set."""
    made = ASKED(function)
    A.lib.bsgp_set_interrupt(made)
    return made


def end_asking():
    A.lib.bsgp_set_interrupt(ASKED())


def status_of(array):
    return A.lib.bsgp_array_eval(1, A.handles([array]))


def long_chain(count, steps):
    value = A.apply("multiply", A.index([count], 0), A.scalar(1e-3, "float64"))
    for _ in range(steps):
        value = A.apply("sin", value)
    return value


def check(condition, *what):
    if not condition:
        raise SystemExit(f"wrong: {what}")


def ends_soon(threads, compiled, folded):
    A.options(threads=threads, compile=compiled)
    value = long_chain(20_000_000, 60)
    value = A.make("reduce", A.FOLDS["sum"], value, -1, None, 0) if folded else value
    end = time.perf_counter() + 0.1
    kept = asking(lambda: time.perf_counter() >= end)
    status = status_of(value)
    late = time.perf_counter() - end
    end_asking()
    check(status == INTERRUPTED, status, threads, compiled, folded, kept)
    check("interrupted: " in A.lib.bsgp_error_message().decode(), A.lib.bsgp_error_message())
    check(late < 1, late, threads, compiled, folded)


def can_be_evaluated_again(threads):
    A.options(threads=threads)
    value = long_chain(1_000_000, 30)
    end = time.perf_counter() + 0.03
    kept = asking(lambda: time.perf_counter() >= end)
    status = status_of(value)
    end_asking()
    expected = np.arange(1_000_000) * 1e-3
    for _ in range(30):
        expected = np.sin(expected)
    check(status in (0, INTERRUPTED), status, kept)
    check(np.allclose(value.numpy(), expected, rtol=1e-9, atol=0), threads)
    return status


for threads in (1, 2, 3):
    for compiled in (0, 1):
        for folded in (False, True):
            ends_soon(threads, compiled, folded)
check(INTERRUPTED in [can_be_evaluated_again(threads) for threads in (1, 2, 3)], "none was interrupted")
