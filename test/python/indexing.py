"""a[key] and a[key] = value with keys of all kinds, against NumPy, whose rules the package has, and array_api_strict."""

import itertools

import array_api_strict as xp
import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, checked, raises, same

SHAPES = [(), (0,), (1,), (6,), (3, 4), (0, 3), (2, 3, 4), (2, 1, 3), (3, 2, 2, 2)]
number = st.integers(0, 2**31)


def a_slice(rng, extent):
    ends = [None if rng.random() < 0.3 else int(rng.integers(-extent - 3, extent + 4)) for _ in range(2)]
    step = None if rng.random() < 0.4 else int(rng.choice([-3, -2, -1, 1, 2, 3]))
    return slice(*ends, step)


def an_index_array(rng, extent, shapes):
    shape = shapes[rng.integers(len(shapes))]
    dtype = rng.choice(["int64", "int32", "uint8", "int8"])
    low = -extent if dtype[0] == "i" else 0
    made = rng.integers(low, extent, shape).astype(dtype) if extent else np.zeros([0 if each == 3 else each for each in shape], dtype)
    return made


def a_key(rng, shape, arrays):
    """A key of integers, slices, None, ..., and, where arrays is set, arrays of integers and masks."""
    entries, axis = [], 0
    has_dots = rng.random() < 0.3
    together = [(3,), (2, 3), (1,), (), (2, 1)][: 5] if rng.random() < 0.5 else [(3,)]
    while axis < len(shape) and rng.random() < 0.85:
        extent, how = shape[axis], rng.random()
        if has_dots and rng.random() < 0.3:
            entries.append(Ellipsis)
            axis += int(rng.integers(0, len(shape) - axis + 1))
            has_dots = False
        elif how < 0.1:
            entries.append(None)
        elif arrays and how < 0.4 and extent:
            entries.append(an_index_array(rng, extent, together))
            axis += 1
        elif arrays and how < 0.5:
            rank = int(rng.integers(1, len(shape) - axis + 1))
            entries.append(rng.integers(0, 2, shape[axis : axis + rank]).astype(bool))
            axis += rank
        elif how < 0.75 or not extent:
            entries.append(a_slice(rng, extent))
            axis += 1
        else:
            entries.append(int(rng.integers(-extent, extent)))
            axis += 1
    if len(entries) == 1 and rng.random() < 0.5:
        return entries[0]
    return tuple(entries)


def converted(key, rng):
    """The key with arrays of the package, of NumPy, or lists."""
    if isinstance(key, tuple):
        return tuple(converted(each, rng) for each in key)
    if not isinstance(key, np.ndarray):
        return key
    how = rng.integers(0, 4)
    return bp.asarray(key) if how < 2 else key if how == 2 or key.ndim == 0 or 0 in key.shape else key.tolist()


def require_getitem(x, key, rng):
    want = checks.attempt(lambda: x[key])
    given = converted(key, rng)
    if isinstance(want, Exception):
        raises((IndexError, ValueError), lambda: bp.eval(bp.asarray(x)[given]))
        return
    same(bp.asarray(x)[given], np.asarray(want))


@checked(400, dtype=st.sampled_from(ALL), shape=st.sampled_from(SHAPES), seed=number)
def check_getitem(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    require_getitem(checks.random(dtype, shape, seed % 1000), a_key(rng, shape, False), rng)


@checked(600, dtype=st.sampled_from(["int32", "float64", "bool", "complex64"]), shape=st.sampled_from(SHAPES), seed=number)
def check_getitem_with_arrays(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    require_getitem(checks.random(dtype, shape, seed % 1000), a_key(rng, shape, True), rng)


def require_setitem(x, key, value, given, rng):
    want = x.copy()
    failed = checks.attempt(want.__setitem__, key, value)
    array = before = bp.asarray(x)
    view = array[...]
    key = converted(key, rng)
    if isinstance(failed, Exception):
        if "0 or 1-dimensional" in str(failed):  # values at a mask: here they are broadcast
            return
        done = checks.attempt(lambda: (array.__setitem__(key, given), bp.eval(array)))
        assert isinstance(done, (IndexError, ValueError)), f"{done} of {x.shape}[{key}] = {value!r}, not {failed!r}"
        same(array, x)
        return
    array[key] = given
    same(array, want)
    assert array is before
    same(view, x)


def a_value(rng, x, key):
    """A number, or an array that goes with the elements at the key, or does not."""
    region = checks.attempt(lambda: x[key])
    if isinstance(region, Exception) or rng.random() < 0.3:
        number = checks.random(x.dtype.name, (), int(rng.integers(1000)))
        return number.item() if rng.random() < 0.7 else number
    if np.ndim(region) == 0:  # NumPy takes no array with axes for a single element, the package one with extents of 1
        return checks.random(x.dtype.name, (), int(rng.integers(1000)))
    shape = tuple(1 if rng.random() < 0.2 else extent for extent in np.shape(region)[int(rng.integers(0, np.ndim(region) + 1)) :])
    if rng.random() < 0.1:
        shape = (*shape[:-1], 5)
    if rng.random() < 0.2:
        shape = (1, *shape)
    return checks.random(x.dtype.name, shape, int(rng.integers(1000)))


def one_setitem(dtype, shape, seed, arrays):
    rng = np.random.default_rng(seed)
    x = checks.random(dtype, shape, seed % 1000)
    key = a_key(rng, shape, arrays)
    value = a_value(rng, x, key)
    given = bp.asarray(value) if isinstance(value, np.ndarray) and rng.random() < 0.7 else value
    require_setitem(x, key, value, given, rng)


@checked(500, dtype=st.sampled_from(ALL), shape=st.sampled_from(SHAPES), seed=number)
def check_setitem(dtype, shape, seed):
    one_setitem(dtype, shape, seed, False)


@checked(600, dtype=st.sampled_from(["int32", "float64", "bool", "complex64"]), shape=st.sampled_from(SHAPES), seed=number)
def check_setitem_with_arrays(dtype, shape, seed):
    one_setitem(dtype, shape, seed, True)


def check_setitem_converts():
    """The value takes the array's type, as in NumPy."""
    failures = checks.Failures()
    for to, of in itertools.product(ALL, ALL):
        if np.dtype(of).kind == "c" and np.dtype(to).kind != "c":
            continue
        value = np.array([1, 0, 1]).astype(of)
        for each in (value, value[0]):
            x, want = bp.zeros((2, 3), dtype=to), np.zeros((2, 3), to)
            want[1] = each
            x[1] = bp.asarray(each)
            failures.run(f"{of} to {to}", same, x, want)
    for to, number in (("int8", 300), ("uint8", -1), ("int64", 2**63), ("int32", 2**31)):
        failures.run(f"{number} to {to}", raises, OverflowError, bp.zeros(3, dtype=to).__setitem__, 0, number)
    failures.report()


def check_masks():
    """A mask of rank 0 is a new axis that has the array, or nothing; an axis of a mask may have extent 0."""
    for dtype, shape in itertools.product(("int64", "float32"), SHAPES):
        x = checks.random(dtype, shape, 1)
        for flag in (True, False, np.True_, np.False_, np.asarray(True), np.asarray(False)):
            given = bp.asarray(flag) if isinstance(flag, np.ndarray) else flag
            same(bp.asarray(x)[given], x[flag])
            for value in (7, np.asarray(7, dtype)):
                want, made = x.copy(), bp.asarray(x)
                want[flag] = value
                made[given] = value
                same(made, want)
            if len(shape):
                same(bp.asarray(x)[given, ...], x[flag, ...])
                same(bp.asarray(x)[None, given], x[None, flag])
        for drop in range(1, len(shape) + 1):
            mask = np.zeros(shape[: drop - 1] + (0,), bool)
            want = checks.attempt(lambda: x[mask])
            if not isinstance(want, Exception):
                same(bp.asarray(x)[bp.asarray(mask)], want)
        if len(shape):
            raises(IndexError, lambda: bp.asarray(x)[bp.ones((shape[0] + 1,), dtype="bool")])
        raises(IndexError, lambda: bp.asarray(x)[bp.ones((*shape, 2), dtype="bool")])


def check_mistakes():
    x = bp.ones((2, 3))
    for key in (2, -3, (0, 3), (0, 0, 0), "a", 1.0, (0, "a"), (..., ...), slice(None, None, 0), bp.asarray(1.5), [0.5], {1: 2}, bp.asarray([5]), [[0, 5]], 1j):
        raises((IndexError, ValueError, TypeError), lambda: bp.eval(x[key]))
        raises((IndexError, ValueError, TypeError), lambda: (x.__setitem__(key, 1), bp.eval(x)))
    raises(IndexError, lambda: x[2]), raises(IndexError, lambda: x["a"]), raises(IndexError, lambda: x[1.5])
    raises(TypeError, lambda: x.__delitem__(0)) if hasattr(x, "__delitem__") else None
    raises(ValueError, x.__setitem__, 0, [1, 2])
    raises((TypeError, ValueError), x.__setitem__, 0, "a")
    raises((TypeError, ValueError), x.__setitem__, 0, None)
    raises(TypeError, x.__setitem__, 0, 1j)
    same(x, np.ones((2, 3)))


def check_indices_of_arrays_of_rank_0():
    for dtype in checks.INTEGERS:
        x = np.arange(12).reshape(3, 4)
        at = bp.asarray(2, dtype=dtype)
        same(bp.asarray(x)[at], x[2]), same(bp.asarray(x)[at, at], np.asarray(x[2, 2])), same(bp.asarray(x)[:, at], x[:, 2])
        same(bp.asarray(x)[: at], x[:2])
        same(bp.asarray(x)[at, 1], xp.asarray(x)[xp.asarray(2, dtype=getattr(xp, dtype)), 1])
        changed, want = bp.asarray(x), x.copy()
        changed[at], want[2] = 9, 9
        same(changed, want)


def check_results_are_not_their_arguments():
    """An assignment to elements of a result does not change the argument, also where the function has nothing to do."""
    x = np.arange(6.0).reshape(2, 3)
    functions = [
        lambda a: a[...], lambda a: a[:], lambda a: a[:, :], lambda a: a[()], lambda a: bp.reshape(a, (2, 3)), lambda a: bp.permute_dims(a, (0, 1)),
        lambda a: bp.flip(a, axis=()), lambda a: bp.expand_dims(a, axis=()), lambda a: bp.squeeze(a, axis=()), lambda a: bp.roll(a, 0), bp.positive,
        lambda a: bp.broadcast_to(a, (2, 3)), lambda a: bp.broadcast_arrays(a, a)[0], lambda a: bp.concat((a,)), lambda a: bp.tile(a, ()),
        lambda a: bp.repeat(a, 1, axis=0), lambda a: bp.astype(a, bp.float64), bp.clip, bp.real, bp.conj, lambda a: bp.diff(a, n=0), bp.nan_to_num,
        lambda a: bp.sum(a, axis=()), lambda a: bp.moveaxis(a, 0, 0), lambda a: bp.rot90(a, 0), bp.trunc, bp.tril, lambda a: a.copy(), lambda a: +a,
        lambda a: a.reshape(2, 3), lambda a: a.transpose(0, 1), lambda a: bp.array(a), lambda a: bp.where(True, a, 0), lambda a: bp.pad(a, 0),
        lambda a: bp.shift(a, (0, 0)), lambda a: bp.section(a, (0, 2), (0, 3)), lambda a: bp.stretch(a, (1, 1)), lambda a: bp.replicate(a, (2, 3)),
    ]  # fmt: skip
    for i, function in enumerate(functions):
        a = bp.asarray(x)
        made = function(a)
        assert made is not a, i
        made[0, 0] = 9
        same(a, x)
        made = function(a)
        before = np.array(made)
        a[1, 1] = -7
        same(made, before)


def check_iteration_and_membership():
    x = np.arange(6).reshape(3, 2)
    assert [each.shape for each in bp.asarray(x)] == [(2,)] * 3 and len(list(bp.asarray(x))) == 3
    for mine, want in zip(bp.asarray(x), x):
        same(mine, want)
    assert 5 in bp.asarray(x) and 7 not in bp.asarray(x)
    first, second, third = bp.asarray(x)
    same(third, x[2])
    raises(TypeError, iter, bp.asarray(1))


@checked(60, shape=st.sampled_from([(5,), (3, 4), (2, 3, 2)]), seed=number)
def check_assignments_in_turn(shape, seed):
    """Many assignments, of which later ones read what earlier ones wrote; names of the object see them, views and results do not."""
    rng = np.random.default_rng(seed)
    want, made = checks.random("float64", shape, 1), bp.asarray(checks.random("float64", shape, 1))
    other_name, kept = made, []
    for _ in range(12):
        key, source = a_key(rng, shape, False), a_key(rng, shape, False)
        part = checks.attempt(lambda: np.array(want[source]))
        if isinstance(part, Exception):
            continue
        if np.ndim(checks.attempt(lambda: want[key])) == 0 and part.ndim:
            continue
        failed = checks.attempt(want.__setitem__, key, part)
        kept.append((made[source], part))
        result = checks.attempt(made.__setitem__, key, made[source])
        assert isinstance(failed, Exception) == isinstance(result, Exception), (key, source, failed, result)
        kept.append((made * 2, want * 2))
    same(made, want)
    assert other_name is made
    for mine, each in kept:
        same(mine, each)


if __name__ == "__main__":
    checks.main(__name__)
