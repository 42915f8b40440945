"""Behaviours that programs of users rely on, each with the program that once failed."""

import os
import signal
import threading
import time

import checks
import numpy as np

import bsgp as bp


def raises(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(f"no {kind.__name__}")


def check_printing_reports_a_failure():
    failing = bp.linalg.solve(bp.zeros((2, 2)), bp.ones(2))
    raises(bp.linalg.LinAlgError, lambda: str(failing), "behaviours.py", "singular")
    raises(bp.linalg.LinAlgError, lambda: repr(failing))


def check_a_later_failure_has_its_own_kind():
    raises(OverflowError, lambda: bp.zeros(2, dtype="uint8") + 300)
    def on_a_gpu():
        with bp.options(target="cuda"):
            bp.ones(3).eval()
    try:
        on_a_gpu()
    except bp.Error:
        pass # there is no GPU


def check_random_numbers_take_the_shape_first():
    raises(TypeError, lambda: bp.random.normal(10, 2, 5, key=1))
    for key in (-1, 2**64, 1.5, None):
        raises(ValueError, lambda: bp.random.uniform((3,), key=key), "key")
    raises(ValueError, lambda: bp.random.normal((3,), deviation=-1, key=1))
    raises(ValueError, lambda: bp.random.uniform((3,), low=1, high=0, key=1))
    assert abs(float(bp.mean(bp.random.normal((100000,), mean=3, deviation=0.1, key=2))) - 3) < 0.01


def check_clip_has_the_type_of_maximum():
    made = bp.clip(bp.asarray([0, 1, 2]), 0, 0.5)
    assert made.dtype == bp.float64 and made.tolist() == [0, 0.5, 0.5]
    assert bp.clip(bp.asarray([0, 200], dtype="uint8"), -5, 1000).tolist() == [0, 200]


def check_integers_have_no_powers_below_0():
    raises(ValueError, lambda: bp.asarray([3, 2]) ** -1, "pow")
    assert (bp.asarray([4.0, 2.0]) ** -1).tolist() == [0.25, 0.5]


def check_squares_are_products():
    for dtype in ("int8", "uint32", "float32", "float64", "complex64"):
        x = np.asarray([-3, 0, 2, 5]).astype(dtype)
        for exponent in (2, 2.0):
            got, want = np.asarray(bp.asarray(x) ** exponent), x**exponent
            assert got.dtype == want.dtype and np.array_equal(got, want), (dtype, exponent)


def check_shifts_by_more_than_an_extent():
    x = np.arange(6.0)
    for by in (-(2**63), -(2**63) + 1, -7, 7, 2**63 - 1):
        assert np.array_equal(bp.roll(bp.asarray(x), by), np.roll(x, by)), by
        assert np.asarray(bp.shift(bp.asarray(x), (by,))).tolist() == [5.0 if by < 0 else 0.0] * 6
        assert np.asarray(bp.shift(bp.asarray(x), (by,), 9)).tolist() == [9.0] * 6


def check_logaddexp_of_integers():
    for dtype in ("uint8", "uint32", "int32"):
        assert abs(float(bp.logaddexp(bp.asarray([3], dtype=dtype), bp.asarray([2], dtype=dtype))[0]) - 3.3132616875182228) < 1e-15


def check_comparisons_with_numbers_beyond_all_integers():
    for dtype in ("int8", "uint8", "int64", "uint64"):
        x = bp.ones(2, dtype=dtype)
        for number in (2**64, 2**70, -(2**63) - 1):
            assert (x == number).tolist() == [False] * 2 and (x < number).tolist() == [number > 0] * 2
    assert (bp.asarray([2**63 + 1]) == 2**63 + 1).tolist() == [True]


def check_exported_names_are_the_programs():
    assert bp.compile("export int compiler_warnings() { return 6; }").compiler_warnings() == 6
    raises(TypeError, lambda: bp.compile("export int f() { return 1; } \0"), "NUL")


def check_expressions_name_the_users_parameters():
    raises(TypeError, lambda: bp.elementwise("float x", "x")(np.arange(3)), "elementwise: argument 'x'", "x.astype")


def check_two_chains_that_read_each_other():
    """Their time does not grow with the square of the steps."""
    def seconds(steps):
        angle, speed = bp.linspace(0.1, 3, 4), bp.zeros(4)
        began = time.perf_counter()
        for _ in range(steps):
            speed = speed - bp.sin(angle) * 0.01
            angle = angle + speed * 0.01
        angle.eval()
        return time.perf_counter() - began
    short = min(seconds(5000) for _ in range(2))
    assert seconds(20000) < 12 * short + 0.2


def check_names_that_are_only_numpys():
    raises(AttributeError, lambda: bp.einsum, "numpy.einsum")
    assert np.array_equal(bp.diag(bp.asarray([1, 2]), -1), np.diag([1, 2], -1)) and np.array_equal(bp.diag(bp.ones((2, 3)), 1), np.diag(np.ones((2, 3)), 1))
    assert bp.zeros(3, bp.int8).dtype == bp.int8


def check_a_wrong_number_of_threads():
    def wrong():
        with bp.options(threads=-1):
            pass
    raises(ValueError, wrong, "threads")


def check_interrupts_on_each_target():
    """The exception of a handler ends an evaluation, whatever computes it."""
    class Ended(Exception):
        pass

    def end(*_):
        raise Ended

    def ended(target):
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        try:
            with bp.options(target=target):
                bp.sum(bp.sin(bp.arange(1e9))).eval()
        finally:
            timer.join()

    before = signal.signal(signal.SIGUSR1, end)
    try:
        for target in ("cpu", "reference"):
            raises(Ended, lambda: ended(target))
    finally:
        signal.signal(signal.SIGUSR1, before)
    with bp.options(target="reference"):
        assert float(bp.sum(bp.arange(10.0))) == 45


checks.main(__name__)
