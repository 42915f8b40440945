"""Helpers of the checks of the package bsgp against NumPy and array_api_strict.

A file of checks defines functions named check_*, and ends with `checks.main(__name__)`. CHECK_EXTENT is lit's extent: how many examples
are drawn, always the same ones; CHECK_EXAMPLES multiplies their number. CHECK_TIMES prints the seconds of each check.
"""

import os
import sys
import time
import traceback
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bsgp as bp

MORE = {"sample": 0.6, "rest": 4, "all": 4}[os.environ.get("CHECK_EXTENT", "sample")] * float(os.environ.get("CHECK_EXAMPLES", "1"))

BOOL = ["bool"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTEGERS + FLOATS
NUMERIC = REAL + COMPLEX
FLOATING = FLOATS + COMPLEX
ALL = BOOL + NUMERIC
SHAPES = [(), (0,), (1,), (3,), (7,), (2, 3), (0, 3), (3, 0), (4, 1), (2, 3, 5), (1, 1, 1), (2, 1, 3, 2)]


def examples(count):
    """Draws the arguments of a check: keywords are strategies."""

    def decorate(check):
        def with_strategies(**strategies):
            made = given(**strategies)(check)
            return settings(
                max_examples=int(count * MORE), derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
            )(made)

        return with_strategies

    return decorate


def checked(count, **strategies):
    return lambda check: examples(count)(check)(**strategies)


def fixed(dtype):
    """Special and ordinary values of a type."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        limits = np.iinfo(dtype)
        near = [0, 1, 2, 3, 5, 7, 10, 63, 100, limits.max, limits.max - 1, limits.max // 2]
        near += [-1, -2, -3, -7, -64, -100, limits.min, limits.min + 1] if kind == "i" else [limits.max // 3]
        return np.array(near, dtype=dtype)
    if kind == "f":
        limits = np.finfo(dtype)
        positive = [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 20.0, 1e-3, 1e4, float(limits.max), float(limits.tiny), np.inf]
        positive += [float(limits.smallest_subnormal), float(limits.eps), np.pi, 4.0 * np.pi]
        return np.array(positive + [-each for each in positive] + [np.nan], dtype=dtype)
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan])
    made = np.empty((parts.size, parts.size), dtype)
    made.real, made.imag = parts[:, None], parts[None, :]
    return made.ravel()


def random(dtype, shape, seed):
    """Values of a type: small ones, all of its range, and special ones."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        limits = np.iinfo(dtype)
        low = 0 if kind == "u" else -9
        if seed % 3:
            return rng.integers(low, 10, shape).astype(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    if kind == "f":
        made = rng.normal(0, 3, shape)
        if seed % 3 == 0:
            made = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), made)
        return np.asarray(np.rint(made) if seed % 3 == 1 else made).astype(dtype)
    part = "float32" if dtype == "complex64" else "float64"
    return np.asarray(random(part, shape, seed) + 1j * random(part, shape, seed + 3)).astype(dtype)


def arrays(dtypes=ALL, shapes=SHAPES):
    """A strategy: NumPy arrays."""
    return st.builds(random, st.sampled_from(dtypes), st.sampled_from(shapes), st.integers(0, 10_000))


def broadcastable(count=2):
    """A strategy: shapes that go together."""

    def make(base, cuts):
        made = []
        for drop, ones in cuts:
            shape = [1 if ones >> i & 1 else extent for i, extent in enumerate(base)]
            made.append(tuple(shape[min(drop, len(shape)) :]))
        return made

    cut = st.tuples(st.integers(0, 3), st.integers(0, 7))
    return st.builds(make, st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=3).map(tuple), st.lists(cut, min_size=count, max_size=count))


def plain(x):
    """The elements as a NumPy array."""
    if isinstance(x, bp.Array):
        return np.asarray(x)
    if type(x).__module__.startswith("array_api_strict"):
        return x._array
    return np.asarray(x)


def distance(got, want):
    """Of each element the distance in steps of the type, of complex numbers in steps of the magnitude; special values have to be the same."""
    if got.dtype.kind == "f":
        return np.where(is_equal(got, want), 0, steps(np.abs(got.astype("longdouble") - want), want))
    finite = np.isfinite(got) & np.isfinite(want)
    parts = np.maximum(distance(got.real, want.real), distance(got.imag, want.imag))
    return np.where(finite, steps(np.abs(got - want.astype("clongdouble")), np.abs(want)), parts)


def is_equal(a, b):
    return (a == b) | (np.isnan(a) & np.isnan(b))


def steps(apart, want):
    made = apart / np.spacing(np.abs(want))
    return np.where(apart == 0, 0, np.where(np.isnan(made), np.inf, made))


def same(got, want, ulps=0, zeros=True, near=0.0):
    """Requires equal shapes, types and elements. ulps: how far floats may be apart, or by how much of the greatest (near)."""
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want), f"{len(got)} results, not {len(want)}"
        for one, other in zip(got, want):
            same(one, other, ulps, zeros, near)
        return
    assert isinstance(got, bp.Array), f"a {type(got).__name__}, not an array"
    want = plain(want)
    assert got.shape == want.shape, f"shape {got.shape}, not {want.shape}"
    assert str(got.dtype) == str(want.dtype), f"type {got.dtype}, not {want.dtype}"
    values = plain(got)
    assert values.shape == want.shape and values.dtype == want.dtype
    equal_values(np.atleast_1d(values), np.atleast_1d(want), ulps, zeros, near)


def equal_values(got, want, ulps, zeros, near):
    if got.dtype.kind not in "fc":
        wrong = got != want
        assert not wrong.any(), f"{got[wrong][:5]}, not {want[wrong][:5]} at {np.argwhere(wrong)[:3].tolist()}"
        return
    if near and got.size:
        scale = np.max(np.abs(want), initial=0, where=np.isfinite(want))
        close = np.abs(got - want) <= near * max(scale, 1)
        got, want = np.where(close, want, got), want
    apart = distance(got, want)
    wrong = apart > ulps
    if wrong.any():
        text = f"up to {apart.max():.4g} steps apart: {got[wrong][:4]}, not {want[wrong][:4]} at {np.argwhere(wrong)[:4].tolist()}"
        raise AssertionError(text)
    if zeros and got.dtype.kind == "f":
        wrong = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        assert not wrong.any(), f"zeros of the other sign at {np.argwhere(wrong)[:4].tolist()}"


def raises(kinds, function, *arguments, **keywords):
    """Requires that a call raises one of the exceptions, with a text."""
    try:
        made = function(*arguments, **keywords)
    except kinds as error:
        assert str(error), "an exception without text"
        return str(error)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}, not {kinds}") from error
    raise AssertionError(f"{made!r}, not an exception")


def attempt(function, *arguments, **keywords):
    """The result, or the exception."""
    try:
        return function(*arguments, **keywords)
    except Exception as error:
        return error


def agree(call, *given, ulps=0, zeros=True, near=0.0):
    """Requires of a call, given a module and its arrays, the results of array_api_strict, if the standard defines them."""
    import array_api_strict

    want = attempt(call, array_api_strict, *[array_api_strict.asarray(each) for each in given])
    if not isinstance(want, Exception):
        same(call(bp, *[bp.asarray(each) for each in given]), want, ulps, zeros, near)


class Failures:
    """Collects failures of a loop over cases, so that one does not hide another."""

    def __init__(self):
        self.texts = []

    def run(self, name, function, *arguments):
        try:
            function(*arguments)
        except Exception as error:
            self.texts.append(f"{name}: {type(error).__name__}: {str(error)[:300]}")

    def report(self):
        assert not self.texts, f"{len(self.texts)} cases:\n    " + "\n    ".join(self.texts[:60])


def main(name):
    """Runs the checks of a file, or those whose name contains an argument of the command; exits with 1 after a failure."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    module = sys.modules[name]
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    failed = 0
    for each, check in list(vars(module).items()):
        if not each.startswith("check_") or wanted not in each:
            continue
        began = time.perf_counter()
        try:
            check()
        except BaseException:
            failed += 1
            print(f"FAILED {each}")
            traceback.print_exc()
        if "CHECK_TIMES" in os.environ:
            print(f"{time.perf_counter() - began:6.2f} s {each}")
    print(f"{failed} failed" if failed else "all passed", flush=True)
    if failed:
        sys.exit(1)
