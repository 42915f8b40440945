"""Functions under NumPy's names, and others that NumPy has, against NumPy."""

import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, COMPLEX, FLOATS, INTEGERS, NUMERIC, REAL, arrays, checked, raises, same

number = st.integers(0, 10_000)


def near_of(dtype):
    return 1e-5 if str(dtype) in ("float32", "complex64") else 1e-12


def as_numpy(call, *given, **how):
    """Requires NumPy's result, or one of its exceptions."""
    want = checks.attempt(call, np, *given)
    if isinstance(want, Exception):
        raises((ValueError, IndexError, TypeError), lambda: evaluated(call(bp, *[bp.asarray(each) for each in given])))
        return
    want = [np.asarray(each) for each in want] if isinstance(want, (tuple, list)) else np.asarray(want)
    same(call(bp, *[bp.asarray(each) for each in given]), want, **how)


def evaluated(made):
    bp.eval(*made) if isinstance(made, (tuple, list)) else bp.eval(made)


def check_other_names():
    pairs = {"absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
             "arctan2": "atan2", "conjugate": "conj", "invert": "bitwise_invert", "bitwise_not": "bitwise_invert", "left_shift": "bitwise_left_shift",
             "right_shift": "bitwise_right_shift", "mod": "remainder", "power": "pow", "true_divide": "divide", "amax": "max", "amin": "min"}  # fmt: skip
    for name, of in pairs.items():
        assert getattr(bp, name) is getattr(bp, of), name
    for name in ("cbrt", "exp2"):
        x = np.asarray([0.0, -0.0, 1.0, -8.0, 27.5, np.inf, -np.inf, np.nan, 1e-300])
        for dtype in FLOATS:
            as_numpy(lambda m, x: getattr(m, name)(x), x.astype(dtype), ulps=4)
    for dtype in ALL:
        x = checks.fixed(dtype)
        if dtype in FLOATS + COMPLEX:
            as_numpy(lambda m, x: m.angle(x), x, ulps=4, near=1e-6, zeros=False)


@checked(100, x=arrays(), seed=number)
def check_places(x, seed):
    rng = np.random.default_rng(seed)
    as_numpy(lambda m, x: m.transpose(x), x), as_numpy(lambda m, x: m.ravel(x), x)
    order = tuple(int(each) for each in rng.permutation(x.ndim))
    as_numpy(lambda m, x: m.transpose(x, order), x)
    as_numpy(lambda m, x: m.swapaxes(x, 0, -1), x)
    as_numpy(lambda m, x: m.concatenate((x, x)), x), as_numpy(lambda m, x: m.concatenate((x, x), axis=None), x), as_numpy(lambda m, x: m.concatenate([x, x], -1), x)
    as_numpy(lambda m, x: m.hstack((x, x)), x), as_numpy(lambda m, x: m.vstack((x, x)), x)
    as_numpy(lambda m, x: m.rot90(x, seed % 7 - 3), x)
    as_numpy(lambda m, x: m.array(x, copy=True), x)


@checked(150, x=arrays(NUMERIC), mode=st.sampled_from(["constant", "edge", "wrap"]), seed=number)
def check_pad(x, mode, seed):
    rng = np.random.default_rng(seed)
    if 0 in x.shape and mode != "constant":
        return
    how = rng.integers(0, 3)
    widths = int(rng.integers(0, 3)) if how == 0 else (1, 2) if how == 1 else [tuple(int(each) for each in rng.integers(0, 4, 2)) for _ in range(x.ndim)]
    if x.ndim == 0:
        widths = 0
    as_numpy(lambda m, x: m.pad(x, widths, mode), x)
    if mode == "constant":
        as_numpy(lambda m, x: m.pad(x, widths, constant_values=3), x)
        as_numpy(lambda m, x: m.pad(x, 1, "constant"), x) if x.ndim else None


@checked(150, types=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)), shapes=st.sampled_from([((), (3,)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3,)), ((2, 3), (2, 3, 2)), ((0,), (0,))]), seed=number)  # fmt: skip
def check_dot(types, shapes, seed):
    a, b = (checks.random(dtype, shape, 3 * seed + 1) for dtype, shape in zip(types, shapes))
    near = max(near_of(each) for each in types)
    as_numpy(lambda m, a, b: m.dot(a, b), a, b, near=near, ulps=8, zeros=False)
    as_numpy(lambda m, a, b: a.dot(b), a, b, near=near, ulps=8, zeros=False)
    as_numpy(lambda m, a, b: m.outer(a, b) if a.ndim == b.ndim == 1 else a, a, b, near=near, ulps=8, zeros=False)


@checked(150, x=arrays(REAL), seed=number)
def check_statistics(x, seed):
    rng = np.random.default_rng(seed)
    near = near_of(x.dtype)
    axis = None if x.ndim == 0 or seed % 3 == 0 else int(rng.integers(-x.ndim, x.ndim))
    finite = np.where(np.isfinite(x), x, 1)
    as_numpy(lambda m, x: m.cumsum(x, axis), finite, near=near, zeros=False), as_numpy(lambda m, x: m.cumprod(x, axis), finite, near=near, zeros=False)
    if x.size:
        as_numpy(lambda m, x: m.average(x, axis), finite, near=near)
        as_numpy(lambda m, x: m.median(x, axis), x, near=near, zeros=False)
        q = float(rng.choice([0.0, 0.1, 0.25, 0.5, 1.0]))
        wide = finite.astype("float64") if x.dtype.kind in "iu" else finite  # NumPy's differences of small integers overflow
        same(bp.quantile(bp.asarray(finite), q, axis), np.quantile(wide, q, axis), near=near, zeros=False)
        weights = np.abs(checks.random("float64", x.shape, 3 * seed + 2)) + 1
        as_numpy(lambda m, x, w: m.average(x, axis, weights=w), finite, weights, near=near)
    if x.dtype.kind == "f":
        as_numpy(lambda m, x: m.nan_to_num(x), x), as_numpy(lambda m, x: m.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-2.0), x)
    raises(ValueError, bp.quantile, bp.ones(3), 1.5)


def check_quantiles_of_infinite_numbers():
    inf = np.inf
    for pair in ([-inf, -inf], [inf, inf], [-inf, 1.0], [1.0, inf], [-inf, inf], [1e300, 1e300]):
        as_numpy(lambda m, x: m.median(x), np.asarray(pair), ulps=1)
        for q in (0.0, 0.25, 0.75, 1.0):
            want = pair[0] if pair[0] == pair[1] or q == 0 else pair[1] if q == 1 else np.quantile(pair, q)
            same(bp.quantile(bp.asarray(pair), q), np.asarray(want), ulps=1)


@checked(100, x=arrays(INTEGERS, [(0,), (1,), (9,), (30,)]), seed=number)
def check_bincount_and_unique(x, seed):
    x = np.abs(x) % np.asarray(9, x.dtype)
    for least in (0, 4, 20):
        as_numpy(lambda m, x: m.bincount(x, minlength=least), x.astype("int64") if x.dtype == "uint64" else x)
    if not x.size:
        return
    weights = checks.random("float64", x.shape, 3 * seed + 1)
    same(bp.bincount(bp.asarray(x), weights=bp.asarray(weights)), np.bincount(x.astype("int64"), weights=weights), near=1e-12)
    as_numpy(lambda m, x: m.unique(x), x)
    raises(ValueError, bp.bincount, bp.asarray([-1, 3]))
    raises(TypeError, bp.bincount, bp.asarray([1.0, 3.0]))
    raises(ValueError, bp.bincount, bp.ones((2, 2), dtype="int64"))


@checked(150, x=arrays(REAL), bins=st.integers(1, 8), has_range=st.booleans())
def check_histogram(x, bins, has_range):
    x = np.where(np.isfinite(x), x, 1)
    if x.dtype.kind in "iu":
        x = x % np.asarray(50, x.dtype)
    limits = (-2.0, 3.0) if has_range else None
    made, want = bp.histogram(bp.asarray(x), bins, limits), np.histogram(x, bins, limits)
    assert int(bp.sum(made[0])) == want[0].sum()
    if x.dtype != "float32":
        same(made[0], want[0])
        same(made[1], want[1].astype("float64"), ulps=8, near=1e-14)


@checked(150, shapes=checks.broadcastable(), dtypes=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)), nan=st.booleans(), seed=number)
def check_closeness(shapes, dtypes, nan, seed):
    a = checks.random(dtypes[0], shapes[0], seed)
    b = checks.random(dtypes[1], shapes[1], seed)
    c = a * (1 + np.asarray(checks.random("float64", a.shape, 2) * 1e-5))
    as_numpy(lambda m, a, b: m.isclose(a, b, equal_nan=nan), a, b), as_numpy(lambda m, a, b: m.isclose(a, b, rtol=1e-4, atol=0.0), a, c)
    x, y = bp.asarray(a), bp.asarray(b)
    assert bp.allclose(x, y, equal_nan=nan) == np.allclose(a, b, equal_nan=nan) and bp.allclose(x, x, equal_nan=True)
    assert bp.array_equal(x, y) == np.array_equal(a, b) and bp.array_equal(x, x[None]) is False
    assert type(bp.allclose(x, y)) is bool and type(bp.array_equal(x, y)) is bool


@checked(100, x=arrays(FLOATS + COMPLEX), seed=number, correction=st.sampled_from([0, 1]))
def check_var_of_complex(x, seed, correction):
    x = np.where(np.isfinite(x), x, 1)
    as_numpy(lambda m, x: m.var(x, correction=correction), x, near=near_of(x.dtype), ulps=64)
    as_numpy(lambda m, x: m.std(x, correction=correction), x, near=near_of(x.dtype), ulps=64)


@checked(80, x=arrays(REAL, [(), (3,), (2, 3), (0,)]), name=st.sampled_from(["cumulative_min", "cumulative_max"]), seed=number)
def check_running_extremes(x, name, seed):
    if x.ndim == 0:
        return
    axis = seed % x.ndim
    function = np.minimum if name.endswith("min") else np.maximum
    same(getattr(bp, name)(bp.asarray(x), axis=axis), function.accumulate(x, axis=axis), zeros=False)


def check_norm():
    x = np.arange(12.0).reshape(3, 4)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        same(bp.linalg.norm(bp.asarray(x), order), np.asarray(np.linalg.norm(x, order)), near=1e-12)
    for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
        same(bp.linalg.norm(bp.asarray(x[0]), order), np.asarray(np.linalg.norm(x[0], order)), near=1e-12)
        same(bp.linalg.norm(bp.asarray(x), order, 1), np.asarray(np.linalg.norm(x, order, 1)), near=1e-12)
        same(bp.linalg.norm(bp.asarray(x), order, axis=0, keepdims=True), np.asarray(np.linalg.norm(x, order, axis=0, keepdims=True)), near=1e-12)
    a, b = np.asarray([[1.0, 1], [1, 2], [1, 3]]), np.asarray([1.0, 2, 2])
    same(bp.linalg.lstsq(bp.asarray(a), bp.asarray(b)), np.linalg.lstsq(a, b)[0], near=1e-12)


def check_float16():
    x = np.asarray([0.5, -2.0, 60000.0, np.inf, np.nan, 6e-8], "float16")
    same(bp.asarray(x) + bp.asarray(x), x + x), same(bp.asarray(x) * 2, x * 2), same(bp.sqrt(bp.asarray(x)), np.sqrt(x))
    same(bp.asarray(x) + bp.ones(6, dtype="float32"), x + np.ones(6, "float32")), same(bp.asarray(x) < 1, x < 1)
    same(bp.sum(bp.asarray(x[:3])), np.sum(x[:3]), ulps=1), same(bp.mean(bp.asarray(x[:2])), np.mean(x[:2]))
    assert bp.result_type(bp.float16, bp.int8) == np.result_type("float16", "int8") and bp.result_type(bp.float16, bp.int16) == np.result_type("float16", "int16")
    for dtype in ALL:
        assert bp.result_type(bp.float16, getattr(bp, dtype)) == np.result_type("float16", dtype)
    for one in ALL:
        for other in ALL:
            assert bp.result_type(getattr(bp, one), getattr(bp, other)) == np.result_type(one, other), (one, other)


if __name__ == "__main__":
    checks.main(__name__)
