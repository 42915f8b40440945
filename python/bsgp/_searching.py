"""Choosing, sorting, searching, and sets."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core
from ._convert import Array, given, of_number
from ._creation import extent_of, extents_of, full_like
from ._dtypes import as_dtype, bool_, int64, parts_of, result_type
from ._indexing import _nonzero
from ._manipulation import axis_of, broadcast_shapes, broadcast_to, concat, expand_dims, flip, reshape, same_type

_SORT, _ARGSORT, _CUMULATIVE_SUM = 0, 1, 2


def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """x1 where the condition is true, or not 0, else x2: arrays, or numbers. Without them: nonzero(condition)."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    condition = given(condition)
    if condition.dtype.name != "bool":
        condition = _core.not_equal(condition, 0)
    return _core.cond(condition, x1, x2)


def _order_of_complex(x: Array, axis: int) -> Array:
    """By the real parts; of equal ones by the imaginary ones."""
    first = _core.rows(_ARGSORT, _core.imag(x), axis)
    from ._indexing import take_along_axis

    second = _core.rows(_ARGSORT, take_along_axis(_core.real(x), first, axis=axis), axis)
    return take_along_axis(first, second, axis=axis)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices, int64, that sort the elements along an axis; equal ones stay in their order, NaN is last, of descending ones first."""
    x = given(x)
    at = axis_of("argsort", axis, x.ndim)
    if not descending:
        return _core.rows(_ARGSORT, x, at)
    places = flip(_core.rows(_ARGSORT, flip(x, axis=at), at), axis=at)
    return extent_of("argsort", x, at) - 1 - places


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements in ascending order along an axis; NaN is last, of descending ones first. Of real numbers and bools."""
    x = given(x)
    at = axis_of("sort", axis, x.ndim)
    made = _core.rows(_SORT, x, at)
    return flip(made, axis=at) if descending else made


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """The indices, int64, of the elements that are not 0, one array for each axis. Computed now."""
    x = given(x)
    if x.ndim == 0:
        raise ValueError("nonzero: an array of rank 0 has no indices\n  help: reshape(a, (1,))")
    extents_of("nonzero", x)
    return tuple(_nonzero(x if x.dtype.name == "bool" else _core.not_equal(x, 0)))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """Where each element of x2 would stand in x1, which is ascending and has one axis: int64, of the shape of x2.

    side: "left": in front of equal elements; "right": behind them. sorter: indices that sort x1. A binary search for each element.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is {side!r}; it may be 'left' or 'right'")
    x1, x2 = same_type((x1, x2))
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: an array of shape {x1.shape} is not one row of sorted elements")
    if sorter is not None:
        x1 = _core.gather(x1, given(sorter), 0)
    count = extent_of("searchsorted", x1, 0)
    low = full_like(x2, 0, dtype=int64)
    if count == 0:
        return low
    high = full_like(x2, count, dtype=int64)
    for _ in range(count.bit_length()):
        middle = (low + high) // 2
        found = _core.gather(x1, _core.minimum(middle, count - 1), 0)
        goes_on = _before(found, x2) if side == "left" else ~_before(x2, found)
        is_open = low < high
        low, high = _core.cond(goes_on & is_open, middle + 1, low), _core.cond(goes_on | ~is_open, high, middle)
    return low


def _before(a: Array, b: Array) -> Array:
    """a < b in the order of sort: NaN is last."""
    if a.dtype.kind != "real floating":
        return a < b
    return (a < b) | (_core.isnan(b) & ~_core.isnan(a))


class _UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class _UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class _UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def unique_all(x: Any, /) -> _UniqueAll:
    """The different elements in ascending order, where each first stands, their number for each element, and how often each is there.

    Each NaN is one of its own. Computed now: the shape depends on the elements.
    """
    x = given(x)
    flat = reshape(x, (-1,)) if x.ndim != 1 else x
    if flat.size == 0:
        none = _core.index([0], 0)
        return _UniqueAll(flat, none, _core.index(list(x.shape), 0) if x.ndim else none, none)
    order = _order_of_complex(flat, 0) if x.dtype.kind == "complex floating" else _core.rows(_ARGSORT, flat, 0)
    _core.eval([order])
    ordered = _core.gather(flat, order, 0)
    count = flat.size
    ones = [1]
    differs = _core.not_equal(_core.section(ordered, ones, [count - 1], ones), _core.section(ordered, [0], [count - 1], ones))
    first = concat((_core.broadcast(_core.number(True), [1]), differs))
    _core.eval([first, ordered])
    begins = _core.compress(_core.index([count], 0), first)
    ends = concat((_core.section(begins, ones, [begins.size - 1], ones), _core.broadcast(_core.number(count), [1])))
    numbers = _core.rows(_CUMULATIVE_SUM, _core.cast(first, as_dtype("int64").code), 0) - 1
    inverse = _core.scatter(_core.broadcast(_core.number(0), [count]), order, numbers)
    return _UniqueAll(_core.gather(ordered, begins, 0), _core.gather(order, begins, 0), reshape(inverse, x.shape), ends - begins)


def unique_counts(x: Any, /) -> _UniqueCounts:
    """The different elements in ascending order, and how often each is there. Computed now."""
    made = unique_all(x)
    return _UniqueCounts(made.values, made.counts)


def unique_inverse(x: Any, /) -> _UniqueInverse:
    """The different elements in ascending order, and for each element of x the index of its equal. Computed now."""
    made = unique_all(x)
    return _UniqueInverse(made.values, made.inverse_indices)


def unique_values(x: Any, /) -> Array:
    """The different elements in ascending order, with one axis. Computed now."""
    return unique_all(x).values


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether each element of x1 is among those of x2: bools. invert: whether it is not."""
    x1, x2 = same_type((x1, x2))
    extents_of("isin", x2)
    if x2.size == 0:
        return full_like(x1, bool(invert), dtype=bool_)
    if x1.dtype.kind == "complex floating":
        flat = reshape(x2, (-1,))
        found = _core.reduce(5, _core.equal(expand_dims(x1, -1), flat), [x1.ndim], False)
    else:
        ordered = _core.rows(_SORT, reshape(x2, (-1,)), 0)
        places = _core.minimum(searchsorted(ordered, x1), ordered.size - 1)
        found = _core.equal(_core.gather(ordered, places, 0), x1)
    return ~found if invert else found


def clip(x: Any, /, min: Any = None, max: Any = None) -> Array:
    """Each element, or the nearest of min to max: numbers or arrays, None: no bound. NaN stays.

    The type is that of maximum and minimum. A whole number that the type of x does not have is its nearest one.
    """
    made = x = given(x)
    for bound, operation in ((min, _core.maximum), (max, _core.minimum)):
        if bound is None:
            continue
        if type(bound) is int and "integer" in x.dtype.kind:
            bound = _nearest(bound, x.dtype)
        made = operation(made, bound)
    return +made if made is x else made


def _nearest(number: int, dtype: Any) -> int:
    from ._dtypes import iinfo

    limits = iinfo(dtype)
    return limits.min if number < limits.min else limits.max if number > limits.max else number


def logaddexp(x1: Any, x2: Any, /) -> Array:
    """log(exp(x1) + exp(x2)) without overflow. Of real numbers."""
    x1, x2 = same_type((x1, x2))
    if not x1.dtype.kind.endswith("floating"):
        x1, x2 = _core.cast(x1, as_dtype("float64").code), _core.cast(x2, as_dtype("float64").code)
    greater, distance = _core.maximum(x1, x2), -_core.abs(x1 - x2)
    return _core.cond(_core.equal(x1, x2), x1 + 0.6931471805599453, greater + _core.log1p(_core.exp(distance)))


def nextafter(x1: Any, x2: Any, /) -> Array:
    """The next number of the type from x1 in the direction of x2. Of floating-point numbers."""
    return _core.nextafter(*same_type((x1, x2)))


def positive(x: Any, /) -> Array:
    """x itself. Of numbers."""
    x = given(x)
    if x.dtype.name == "bool":
        raise TypeError("positive: an operand of type bool\n  help: convert by astype")
    return +x


def isclose(a: Any, b: Any, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """Whether abs(a - b) <= atol + rtol * abs(b), or both are the same infinity: bools. equal_nan: NaN is close to NaN."""
    a, b = same_type((a, b))
    if not a.dtype.kind.endswith("floating"):
        a, b = _core.cast(a, as_dtype("float64").code), _core.cast(b, as_dtype("float64").code)
    close = _core.equal(a, b) | (_core.isfinite(b) & (_core.abs(a - b) <= atol + rtol * _core.abs(b)))
    return close | (_core.isnan(a) & _core.isnan(b)) if equal_nan else close


def allclose(a: Any, b: Any, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close, as in isclose. Computed now."""
    from ._reductions import all

    return bool(all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def array_equal(a: Any, b: Any) -> bool:
    """Whether two arrays have one shape and equal elements. Computed now."""
    from ._reductions import all

    a, b = given(a), given(b)
    return a.shape == b.shape and bool(all(_core.equal(a, b)))
