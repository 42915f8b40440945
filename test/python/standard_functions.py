"""Manipulation, searching, sorting, sets, reductions and utility functions against array_api_strict."""

import itertools

import array_api_strict as xp
import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, BOOL, COMPLEX, FLOATING, FLOATS, INTEGERS, NUMERIC, REAL, SHAPES, agree, arrays, checked, raises, same

number = st.integers(0, 10_000)


def axis_from(rank, seed, tuples=False, none=True):
    """An axis of an array, or several, or None."""
    rng = np.random.default_rng(seed)
    how = rng.integers(0, 4)
    if rank == 0 or (none and how == 0):
        return () if tuples and rank == 0 and how == 1 else None
    if tuples and how == 1:
        axes = rng.permutation(rank)[: rng.integers(0, rank + 1)]
        return tuple(int(axis - rank * rng.integers(0, 2)) for axis in axes)
    return int(rng.integers(-rank, rank))


# ---- manipulation ----


@checked(150, dtypes=st.tuples(st.sampled_from(ALL), st.sampled_from(ALL)), shape=st.sampled_from(SHAPES), seed=number)
def check_concat_and_stack(dtypes, shape, seed):
    a, b = checks.random(dtypes[0], shape, seed), checks.random(dtypes[1], shape, seed + 1)
    axis = axis_from(len(shape), seed)
    agree(lambda m, a, b: m.concat((a, b, a), axis=axis), a, b)
    agree(lambda m, a, b: m.concat([a, b]), a, b)
    if dtypes[0] == dtypes[1]:
        axis = axis_from(len(shape) + 1, seed, none=False)
        agree(lambda m, a, b: m.stack((a, b), axis=axis), a, b)


@checked(80, dtype=st.sampled_from(NUMERIC), extents=st.lists(st.integers(0, 3), min_size=1, max_size=4), seed=number)
def check_concat_of_other_extents(dtype, extents, seed):
    axis = seed % 2
    parts = [checks.random(dtype, (extent, 2) if axis == 0 else (2, extent), seed + i) for i, extent in enumerate(extents)]
    agree(lambda m, *parts: m.concat(parts, axis=axis), *parts)


@checked(150, x=arrays(), seed=number)
def check_axes(x, seed):
    rng = np.random.default_rng(seed)
    order = tuple(int(each) for each in rng.permutation(x.ndim))
    agree(lambda m, x: m.permute_dims(x, order), x)
    at = int(rng.integers(-x.ndim - 1, x.ndim + 1))
    agree(lambda m, x: m.expand_dims(x, axis=at), x)
    raises((IndexError, ValueError), bp.expand_dims, bp.asarray(x), axis=x.ndim + 1)
    raises((IndexError, ValueError), bp.expand_dims, bp.asarray(x), axis=-x.ndim - 2)
    if x.ndim:
        first, second = int(rng.integers(-x.ndim, x.ndim)), int(rng.integers(-x.ndim, x.ndim))
        agree(lambda m, x: m.moveaxis(x, first, second), x)
        agree(lambda m, x: m.moveaxis(x, order, tuple(range(x.ndim))), x)
        agree(lambda m, x: m.flip(x, axis=first), x)
        agree(lambda m, x: m.unstack(x, axis=first), x)
    agree(lambda m, x: m.flip(x, axis=axis_from(x.ndim, seed, tuples=True)), x)
    for axis in range(-x.ndim, x.ndim):
        if x.shape[axis] == 1:
            agree(lambda m, x: m.squeeze(x, axis=axis), x)
        else:
            raises(ValueError, bp.squeeze, bp.asarray(x), axis=axis)
    ones = tuple(axis for axis in range(x.ndim) if x.shape[axis] == 1)
    agree(lambda m, x: m.squeeze(x, axis=ones), x)
    if x.ndim >= 2:
        agree(lambda m, x: m.matrix_transpose(x), x), agree(lambda m, x: x.mT, x)
        agree(lambda m, x: m.linalg.matrix_transpose(x), x)
    if x.ndim == 2:
        agree(lambda m, x: x.T, x)


@checked(150, x=arrays(), seed=number)
def check_roll_repeat_tile(x, seed):
    rng = np.random.default_rng(seed)
    by = int(rng.integers(-7, 8))
    agree(lambda m, x: m.roll(x, by), x)
    if x.ndim:
        axis = int(rng.integers(-x.ndim, x.ndim))
        agree(lambda m, x: m.roll(x, by, axis=axis), x)
        axes = tuple(range(x.ndim))
        shifts = tuple(int(each) for each in rng.integers(-7, 8, x.ndim))
        agree(lambda m, x: m.roll(x, shifts, axis=axes), x)
        agree(lambda m, x: m.roll(x, by, axis=axes), x)
        agree(lambda m, x: m.repeat(x, int(by % 4), axis=axis), x)
        counts = rng.integers(0, 4, x.shape[axis])
        agree(lambda m, x, counts: m.repeat(x, counts, axis=axis), x, counts)
    agree(lambda m, x: m.repeat(x, int(by % 3)), x)
    times = tuple(int(each) for each in rng.integers(0, 3, rng.integers(0, 4)))
    agree(lambda m, x: m.tile(x, times), x)


@checked(150, x=arrays(shapes=[(), (0,), (12,), (3, 4), (2, 3, 2), (0, 3), (1, 12, 1)]), seed=number)
def check_reshape(x, seed):
    whole = {1: [(), (1,), (1, 1), -1], 12: [(12,), (-1,), (3, 4), (4, -1), (2, 2, 3), (1, 12), (2, -1, 2)], 0: [(0,), (0, 5), (3, 0, 2), (-1,)]}[x.size]
    for shape in whole:
        for copy in (None, True):
            agree(lambda m, x: m.reshape(x, shape, copy=copy), x)
    raises(ValueError, bp.reshape, bp.asarray(x), (5, 7))
    raises(ValueError, bp.reshape, bp.asarray(x), (-1, -1))
    original = bp.asarray(x)
    if x.size == 12:
        copied = bp.reshape(original, (12,), copy=True)
        before = np.array(copied)
        original[...] = 0 if x.dtype.kind != "b" else False
        same(copied, before)


@checked(100, shapes=checks.broadcastable(3), dtype=st.sampled_from(ALL), seed=number)
def check_broadcasting(shapes, dtype, seed):
    made = [checks.random(dtype, shape, seed) for shape in shapes]
    agree(lambda m, *made: m.broadcast_arrays(*made), *made)
    want = np.broadcast_shapes(*shapes)
    assert bp.broadcast_shapes(*shapes) == want and bp.broadcast_shapes() == ()
    for each in made:
        agree(lambda m, x: m.broadcast_to(x, want), each)
    raises(ValueError, bp.broadcast_shapes, (2, 3), (4,))
    raises((IndexError, ValueError), bp.roll, bp.ones((0, 2)), 1, axis=2)
    raises(ValueError, bp.broadcast_to, bp.ones((2, 3)), (3, 2))
    raises(ValueError, bp.broadcast_to, bp.ones((2, 3)), (3,))
    raises(ValueError, bp.broadcast_arrays, bp.ones(2), bp.ones(3))


# ---- searching, sorting, sets ----


def distinct(dtype, shape, seed):
    """Values without NaN, of which some are equal."""
    made = checks.random(dtype, shape, 3 * seed + 1)
    return made


@checked(200, dtype=st.sampled_from(REAL), shape=st.sampled_from(SHAPES), seed=number, keep=st.booleans())
def check_where_greatest_and_least_stand(dtype, shape, seed, keep):
    x = checks.random(dtype, shape, seed)
    axis = axis_from(x.ndim, seed)
    for name in ("argmax", "argmin"):
        agree(lambda m, x: getattr(m, name)(x, axis=axis, keepdims=keep), x)
    if x.size == 0 and axis is None:
        raises(ValueError, bp.argmax, bp.asarray(x))


@checked(150, x=arrays(), seed=number, keep=st.booleans())
def check_nonzero(x, seed, keep):
    x = np.where(checks.random("bool", x.shape, seed), x, np.zeros((), x.dtype))
    agree(lambda m, x: m.nonzero(x), x)
    axis = axis_from(x.ndim, seed, tuples=True)
    agree(lambda m, x: m.count_nonzero(x, axis=axis, keepdims=keep), x)
    raises((ValueError, TypeError), bp.nonzero, bp.asarray(1))


@checked(150, dtypes=st.tuples(st.sampled_from(ALL), st.sampled_from(ALL)), shapes=checks.broadcastable(3), seed=number)
def check_where(dtypes, shapes, seed):
    condition = checks.random("bool", shapes[0], seed)
    a, b = checks.random(dtypes[0], shapes[1], seed), checks.random(dtypes[1], shapes[2], seed + 1)
    agree(lambda m, c, a, b: m.where(c, a, b), condition, a, b)
    small = True if dtypes[0] == "bool" else 3
    agree(lambda m, c, a: m.where(c, a, small), condition, a)
    agree(lambda m, c, a: m.where(c, small, a), condition, a)


@checked(150, dtype=st.sampled_from(REAL), n=st.integers(0, 9), shape=st.sampled_from(SHAPES), seed=number, side=st.sampled_from(["left", "right"]))
def check_searchsorted(dtype, n, shape, seed, side):
    rng = np.random.default_rng(seed)
    x1, x2 = np.sort(distinct(dtype, (n,), seed)), distinct(dtype, shape, seed + 1)
    agree(lambda m, a, b: m.searchsorted(a, b, side=side), x1, x2)
    order = rng.permutation(n)
    mixed = np.empty_like(x1)
    mixed[order] = x1
    agree(lambda m, a, b, s: m.searchsorted(a, b, side=side, sorter=s), mixed, x2, order)
    same(bp.searchsorted(bp.asarray(mixed), bp.asarray(x2), side=side, sorter=bp.asarray(order)), np.searchsorted(mixed, x2, side=side, sorter=order))
    nan = checks.random("float64", (5,), 0), np.array([np.nan, 1.0, np.inf])
    same(bp.searchsorted(bp.asarray(np.sort(nan[0])), bp.asarray(nan[1]), side=side), np.searchsorted(np.sort(nan[0]), nan[1], side=side))


@checked(200, dtype=st.sampled_from(REAL), shape=st.sampled_from([each for each in SHAPES if each]), seed=number, descending=st.booleans(), stable=st.booleans())
def check_sort(dtype, shape, seed, descending, stable):
    x = checks.random(dtype, shape, seed)
    axis = axis_from(x.ndim, seed, none=False)
    has_nan = x.dtype.kind == "f" and np.isnan(x).any()
    if not (has_nan and descending):
        agree(lambda m, x: m.sort(x, axis=axis, descending=descending, stable=stable), x, zeros=False)
    places = bp.argsort(bp.asarray(x), axis=axis, descending=descending, stable=True)
    want = np.argsort(x, axis=axis, stable=True)
    if descending and not has_nan:
        want = np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis=axis, stable=True), axis)
    if not (has_nan and descending):
        same(places, want)
    agree(lambda m, x: m.sort(x), x, zeros=False)
    agree(lambda m, x: m.argsort(x), np.sort(distinct(dtype, shape, seed)))


def check_sort_of_bools_and_nothing():
    same(bp.sort(bp.asarray([True, False, True])), np.array([False, True, True]))
    same(bp.argsort(bp.asarray([True, False, True])), np.array([1, 0, 2]))
    for function in (bp.sort, bp.argsort):
        raises(ValueError, function, bp.ones(3), axis=1)
        raises((ValueError, TypeError), function, bp.asarray(1))


@checked(200, x=arrays())
def check_unique(x):
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        want = checks.attempt(getattr(xp, name), xp.asarray(x))
        made = getattr(bp, name)(bp.asarray(x))
        assert made._fields == want._fields, name
        if x.dtype.kind in "fc" and np.isnan(x).any():  # NumPy has these in no order
            same(made.values, want.values, zeros=False)
            same(bp.take(made.values, bp.reshape(made.inverse_indices, (-1,))), x.ravel(), zeros=False) if "counts" not in name[-6:] and name != "unique_all" else None
        else:
            same(made, want, zeros=False)
    same(bp.unique_values(bp.asarray(x)), xp.unique_values(xp.asarray(x)) if x.dtype.kind != "c" else xp.unique_counts(xp.asarray(x)).values, zeros=False)


@checked(150, dtypes=st.tuples(st.sampled_from(ALL), st.sampled_from(ALL)), shape=st.sampled_from(SHAPES), n=st.integers(0, 6), seed=number, invert=st.booleans())
def check_isin(dtypes, shape, n, seed, invert):
    a, b = distinct(dtypes[0], shape, seed), distinct(dtypes[1], (n,), seed + 1)
    made = bp.isin(bp.asarray(a), bp.asarray(b), invert=invert)
    same(made, np.isin(a, b, invert=invert, kind="sort"))


# ---- reductions ----

ULPS = 16


def finite_products(x, name):
    """Products of infinite complex numbers depend on whether a 1 comes first."""
    return np.where(np.isfinite(x), x, 1) if x.dtype.kind == "c" and "prod" in name else x


@checked(300, x=arrays(), seed=number, keep=st.booleans(), name=st.sampled_from(["sum", "prod", "mean", "max", "min", "any", "all"]))
def check_reductions(x, seed, keep, name):
    axis = axis_from(x.ndim, seed, tuples=True)
    near = 1e-5 if x.dtype.name in ("float32", "complex64") else 1e-13
    x = finite_products(x, name)
    agree(lambda m, x: getattr(m, name)(x, axis=axis, keepdims=keep), x, ulps=ULPS, near=near, zeros=False)
    agree(lambda m, x: getattr(m, name)(x), x, ulps=ULPS, near=near, zeros=False)


@checked(150, x=arrays(NUMERIC), dtype=st.sampled_from(NUMERIC), seed=number, name=st.sampled_from(["sum", "prod", "cumulative_sum", "cumulative_prod"]))
def check_types_of_sums(x, dtype, seed, name):
    x = np.where(np.isfinite(x), x, 1)
    if x.dtype.kind in "fc" and np.dtype(dtype).kind in "iu" or x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        return
    axis = axis_from(x.ndim, seed, none=not name.startswith("cumulative") or x.ndim == 1)
    near = 1e-5 if "32" in dtype or "64" in x.dtype.name else 1e-12
    agree(lambda m, x: getattr(m, name)(x, axis=axis, dtype=getattr(m, dtype)), x, ulps=ULPS, near=near, zeros=False)


@checked(200, x=arrays(NUMERIC), seed=number, initial=st.booleans(), name=st.sampled_from(["cumulative_sum", "cumulative_prod"]))
def check_cumulative(x, seed, initial, name):
    axis = axis_from(x.ndim, seed, none=x.ndim == 1)
    near = 1e-5 if x.dtype.name in ("float32", "complex64") else 1e-12
    x = finite_products(x, name)
    agree(lambda m, x: getattr(m, name)(x, axis=axis, include_initial=initial), x, ulps=ULPS, near=near, zeros=False)


@checked(150, x=arrays(FLOATS), seed=number, keep=st.booleans(), correction=st.sampled_from([0, 1, 0.5, 2.0, 7]), name=st.sampled_from(["var", "std"]))
def check_var(x, seed, keep, correction, name):
    x = np.where(np.isfinite(x), x, 1)
    axis = axis_from(x.ndim, seed, tuples=True)
    near = 1e-5 if x.dtype == "float32" else 1e-13
    agree(lambda m, x: getattr(m, name)(x, axis=axis, correction=correction, keepdims=keep), x, ulps=64, near=near)


@checked(150, x=arrays(NUMERIC), seed=number, n=st.integers(0, 3), parts=st.integers(0, 3))
def check_diff(x, seed, n, parts):
    if x.ndim == 0:
        return
    axis = axis_from(x.ndim, seed, none=False)
    shape = [2 if i == axis % x.ndim else extent for i, extent in enumerate(x.shape)]
    more = [checks.random(x.dtype.name, tuple(shape), seed + i) for i in range(2)]

    def call(m, x, before, after):
        keywords = ({"prepend": before} if parts & 1 else {}) | ({"append": after} if parts & 2 else {})
        return m.diff(x, axis=axis, n=n, **keywords)

    agree(call, x, *more, zeros=False)


# ---- indexing functions ----


@checked(150, x=arrays(), seed=number, dtype=st.sampled_from(INTEGERS))
def check_take(x, seed, dtype):
    if x.ndim == 0:
        return
    rng = np.random.default_rng(seed)
    axis = axis_from(x.ndim, seed, none=x.ndim == 1)
    extent = x.shape[0 if axis is None else axis]
    places = rng.integers(-extent if dtype[0] == "i" else 0, extent, 5 if extent else 0).astype(dtype)
    agree(lambda m, x, i: m.take(x, i, axis=axis), x, places)
    if x.ndim > 1:
        raises(ValueError, bp.take, bp.asarray(x), bp.asarray([0]))
    axis = axis_from(x.ndim, seed, none=False)
    extent = x.shape[axis]
    shape = [4 if i == axis % x.ndim else each for i, each in enumerate(x.shape)]
    places = rng.integers(-extent, extent, shape) if extent else np.zeros([0 if each == 4 else each for each in shape], int)
    agree(lambda m, x, i: m.take_along_axis(x, i, axis=axis), x, places)
    agree(lambda m, x, i: m.take_along_axis(x, i), x, np.zeros(x.shape, int))
    raises((ValueError, TypeError, IndexError), bp.take, bp.asarray(x), bp.asarray([0.5]), axis=0)


def check_axis_errors():
    x = bp.ones((2, 3))
    functions = [bp.sum, bp.prod, bp.max, bp.all, bp.mean, bp.var, bp.argmax, bp.cumulative_sum, bp.sort, bp.flip, bp.unstack, bp.count_nonzero, bp.diff]
    for function, axis in itertools.product(functions, (2, -3, 100)):
        raises((IndexError, ValueError), function, x, axis=axis)
    for function in (bp.sum, bp.max, bp.any, bp.mean):
        raises(ValueError, function, x, axis=(0, 0))
        raises(ValueError, function, x, axis=(0, -2))
        raises(TypeError, function, x, axis=0.5)
        raises(TypeError, function, x, axis="a")
    for function in (bp.max, bp.min, bp.argmax, bp.argmin):
        raises(ValueError, function, bp.ones(0))
        raises(ValueError, function, bp.ones((3, 0)), axis=1)


if __name__ == "__main__":
    checks.main(__name__)
