"""Functions under NumPy's names, for programs that change their import."""

from __future__ import annotations

from typing import Any, Callable

from . import _core, _manipulation, _reductions, _searching, linalg
from ._convert import Array, asarray, given
from ._creation import extent_of
from ._manipulation import axes_of

absolute = _core.abs
arccos, arccosh, arcsin, arcsinh, arctan, arctanh, arctan2 = (
    _core.acos, _core.acosh, _core.asin, _core.asinh, _core.atan, _core.atanh, _core.atan2,
)  # fmt: skip
conjugate, invert, left_shift, right_shift, mod, power, true_divide = (
    _core.conj, _core.bitwise_invert, _core.bitwise_left_shift, _core.bitwise_right_shift, _core.remainder, _core.pow, _core.divide,
)  # fmt: skip
amax, amin, bitwise_not = _reductions.max, _reductions.min, _core.bitwise_invert
outer, trace, unique = linalg.outer, linalg.trace, _searching.unique_values


def array(object: Any, dtype: Any = None, *, copy: bool = True) -> Array:
    """A new array of an object, as asarray, which takes an array itself."""
    return asarray(object, dtype=dtype, copy=True if copy and not _core.is_number(object) else None)


def concatenate(arrays: Any, axis: int | None = 0) -> Array:
    """concat: the arrays one behind the other along an axis."""
    return _manipulation.concat(arrays, axis=axis)


def transpose(x: Any, axes: Any = None) -> Array:
    """permute_dims; without axes: in reverse order."""
    return given(x).transpose(*(() if axes is None else (axes,)))


def swapaxes(x: Any, first: int, second: int) -> Array:
    """Two axes exchanged."""
    return given(x).swapaxes(first, second)


def ravel(x: Any) -> Array:
    """All elements in their order, with one axis."""
    return _manipulation.reshape(x, (-1,))


def dot(a: Any, b: Any) -> Array:
    """Products of matrices and vectors; of more axes sums of products over the last axis of a and the last but one of b."""
    a, b = given(a), given(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim <= 2:
        return linalg.tensordot(a, b, axes=((a.ndim - 1,), (max(b.ndim - 2, 0),)))
    return linalg.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 2,)))


def cumsum(x: Any, axis: int | None = None) -> Array:
    """cumulative_sum; axis None: of all elements in their order."""
    return given(x).cumsum(axis)


def cumprod(x: Any, axis: int | None = None) -> Array:
    """cumulative_prod; axis None: of all elements in their order."""
    return given(x).cumprod(axis)


def hstack(arrays: Any) -> Array:
    """The arrays behind one another along axis 1, of one axis along axis 0."""
    made = [_manipulation.reshape(each, (1,)) if given(each).ndim == 0 else given(each) for each in arrays]
    return _manipulation.concat(made, axis=0 if made and made[0].ndim == 1 else 1)


def vstack(arrays: Any) -> Array:
    """The arrays below one another along axis 0; those with one axis are rows."""
    return _manipulation.concat([_at_least_2d(each) for each in arrays], axis=0)


def _at_least_2d(x: Any) -> Array:
    x = given(x)
    while x.ndim < 2:
        x = _core.add_dimension(x, 0, 1)
    return x


_MODES = {"constant": None, "edge": False, "wrap": True}


def pad(x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """More elements in front of each axis and behind it.

    pad_width: a number, (before, after) for all axes, or such a pair for each. mode: "constant", "edge": the nearest element, or "wrap":
    as if the array were repeated.
    """
    x = given(x)
    if mode not in _MODES:
        raise ValueError(f"pad: mode is {mode!r}; it may be {', '.join(map(repr, _MODES))}")
    import numpy

    widths = numpy.broadcast_to(numpy.asarray(pad_width), (x.ndim, 2)).tolist()
    before, after = [pair[0] for pair in widths], [pair[1] for pair in widths]
    wrap = _MODES[mode]
    value = asarray(constant_values, dtype=x.dtype) if wrap is None else None
    return _core.extend(x, before, after, value, bool(wrap))


def average(x: Any, axis: Any = None, *, weights: Any = None) -> Array:
    """The mean; with weights the sum of x * weights, divided by that of the weights."""
    if weights is None:
        return _reductions.mean(x, axis)
    x, weights = _manipulation.broadcast_arrays(x, weights)
    return _reductions.sum(x * weights, axis) / _reductions.sum(weights, axis)


def median(x: Any, axis: int | None = None) -> Array:
    """The middle element in ascending order along an axis, of an even number of them the mean of two; NaN if there is one."""
    return _ordered(x, 0.5, axis, lambda first, second, part: (first + second) * 0.5)


def quantile(x: Any, q: Any, axis: int | None = None) -> Array:
    """The element below which a part q, from 0 to 1, of the elements lies, between two elements in proportion; NaN if there is one.

    q: a number. Raises ValueError where there are no elements.
    """
    return _ordered(x, q, axis, _between)


def _between(first: Array, second: Array, part: float) -> Array:
    """Counted from the nearer one, so that an infinite one stays."""
    distance = second - first
    made = first + distance * part if part < 0.5 else second - distance * (1 - part)
    return _core.cond(_core.equal(first, second), first, made)


def _ordered(x: Any, q: float, axis: int | None, mean: Callable[[Array, Array, float], Array]) -> Array:
    """The element at a part q of those along an axis in their order, or the mean of two."""
    x = given(x)
    if not 0 <= q <= 1:
        raise ValueError(f"quantile: q is {q}; it is from 0 to 1")
    if not x.dtype.kind.endswith("floating"):
        x = asarray(x, dtype="float64")
    if axis is None:
        x, axis = _manipulation.reshape(x, (-1,)), 0
    at = _manipulation.axis_of("quantile", axis, x.ndim)
    count = extent_of("quantile", x, at)
    if count == 0:
        raise ValueError(f"quantile: axis {at} of an array of shape {x.shape} has no elements")
    ordered = _searching.sort(x, axis=at)
    place = q * (count - 1)
    low = int(place)
    made = _core.component(ordered, at, low)
    if place != low:
        made = mean(made, _core.component(ordered, at, low + 1), place - low)
    return _core.cond(_reductions.any(_core.isnan(x), at), float("nan"), made)


def bincount(x: Any, *, weights: Any = None, minlength: int = 0) -> Array:
    """How often each whole number from 0 on is there, or the sum of its weights; the greatest one is computed now."""
    from ._accelerator import scatter
    from ._creation import zeros

    x = given(x)
    if "integer" not in x.dtype.kind:
        raise TypeError(f"bincount: numbers of type {x.dtype}\n  help: they are integers, from 0 on")
    if x.ndim != 1:
        raise ValueError(f"bincount: an array of shape {x.shape}\n  help: ravel(a) has one axis")
    if 0 not in x.shape and (least := int(_reductions.min(x))) < 0:
        raise ValueError(f"bincount: the number {least}; they are from 0 on")
    length = max(minlength, int(_reductions.max(x)) + 1 if 0 not in x.shape else 0)
    if weights is None:
        return scatter(zeros(length, dtype="int64"), x, 1, combine="add")
    return scatter(zeros(length), x, weights, combine="add")


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
    """NaN becomes 0, and infinities the greatest and the least numbers of the type, or what is given."""
    from ._dtypes import finfo

    x = given(x)
    if x.dtype.kind == "complex floating":
        raise TypeError("nan_to_num: complex numbers\n  help: of real(a) and of imag(a)")
    if x.dtype.kind != "real floating":
        return +x
    limits = finfo(x.dtype)
    made = _core.cond(_core.isnan(x), float(nan), x)
    made = _core.cond(_core.equal(x, float("inf")), limits.max if posinf is None else float(posinf), made)
    return _core.cond(_core.equal(x, float("-inf")), limits.min if neginf is None else float(neginf), made)


def rot90(x: Any, k: int = 1) -> Array:
    """The first two axes turned by k quarters, from the first to the second."""
    x = given(x)
    axes_of("rot90", (0, 1), x.ndim)
    for _ in range(k % 4):
        x = _manipulation.flip(x.swapaxes(0, 1), axis=0)
    return x if k % 4 else +x


def identity(n: int, dtype: Any = None) -> Array:
    """Ones on the diagonal of a square matrix. dtype: None: float64."""
    from ._creation import eye

    return eye(n, dtype=dtype)


def diag(v: Any, k: int = 0) -> Array:
    """Of a matrix its diagonal, k columns to the right of the main one; of an array with one axis a matrix with that diagonal."""
    from ._creation import eye, zeros

    v = given(v)
    if v.ndim == 2:
        return linalg.diagonal(v, offset=k)
    if v.ndim != 1:
        raise ValueError(f"diag: an array of shape {v.shape}\n  help: it has one or two axes; linalg.diagonal takes more")
    row = _manipulation.concat((zeros(max(k, 0), dtype=v.dtype), v, zeros(max(-k, 0), dtype=v.dtype)))
    column = _core.add_dimension(_manipulation.concat((zeros(max(-k, 0), dtype=v.dtype), v, zeros(max(k, 0), dtype=v.dtype))), 1, 1)
    size = v.size + abs(k)
    return _core.cond(eye(size, k=k, dtype="bool"), row if k >= 0 else column, asarray(0, dtype=v.dtype))


def percentile(x: Any, q: Any, axis: int | None = None) -> Array:
    """quantile of q / 100."""
    return quantile(x, q / 100, axis)


def argwhere(x: Any) -> Array:
    """The indices of the elements that are not 0, a row for each. Computed now."""
    return _manipulation.stack(_searching.nonzero(x), axis=1)


def column_stack(arrays: Any) -> Array:
    """Arrays with one axis as the columns of a matrix, and matrices, beside each other."""
    made = [given(each) for each in arrays]
    return _manipulation.concat([_core.add_dimension(each, 1, 1) if each.ndim == 1 else each for each in made], axis=1)
