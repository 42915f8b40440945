"""Reductions: of all elements, or along axes."""

from __future__ import annotations

import math
from typing import Any

from . import _core
from ._convert import Array, given, of_number
from ._dtypes import DType, as_dtype
from ._manipulation import axes_of, axis_of, concat

_SUM, _PROD, _MIN, _MAX, _ALL, _ANY = range(6)
_CUMULATIVE_SUM, _CUMULATIVE_PROD, _ARGMIN, _ARGMAX, _CUMULATIVE_MIN, _CUMULATIVE_MAX = 2, 3, 4, 5, 6, 7


def _axes(what: str, axis: Any, rank: int) -> list[int] | None:
    return None if axis is None else axes_of(what, axis, rank)


def _cast(x: Array, dtype: Any) -> Array:
    """Converted to the type that is asked for; None: as it is."""
    return x if dtype is None else _core.cast(x, as_dtype(dtype).code)


def sum(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """The sum of all elements, or along axes.

    axis: a number or a tuple of them. dtype: None: of bools and integers one of 64 bits, else that of x. keepdims: reduced axes stay with
    extent 1. The order of additions depends on the shape alone.
    """
    x = given(x)
    return _cast(_core.reduce(_SUM, _cast(x, dtype), _axes("sum", axis, x.ndim), keepdims), dtype)


def prod(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """The product of all elements, or along axes; arguments as in sum."""
    x = given(x)
    return _cast(_core.reduce(_PROD, _cast(x, dtype), _axes("prod", axis, x.ndim), keepdims), dtype)


def min(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The least element of all, or along axes; NaN if there is one. Of real numbers. Raises ValueError where there are no elements."""
    x = given(x)
    return _core.reduce(_MIN, x, _axes("min", axis, x.ndim), keepdims)


def max(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The greatest element of all, or along axes; NaN if there is one. Of real numbers. Raises ValueError where there are no elements."""
    x = given(x)
    return _core.reduce(_MAX, x, _axes("max", axis, x.ndim), keepdims)


def all(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Whether all elements, or all along axes, are true, or not 0. A bool; of no elements True."""
    x = given(x)
    return _core.reduce(_ALL, x, _axes("all", axis, x.ndim), keepdims)


def any(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Whether one element, or one along axes, is true, or not 0. A bool; of no elements False."""
    x = given(x)
    return _core.reduce(_ANY, x, _axes("any", axis, x.ndim), keepdims)


def count_nonzero(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """How many elements are not 0: int64."""
    x = given(x)
    return _core.reduce(_SUM, x if x.dtype.name == "bool" else _core.not_equal(x, 0), _axes("count_nonzero", axis, x.ndim), keepdims)


def mean(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """The mean of all elements, or along axes; of no elements NaN. dtype: None: of integers and bools float64, else that of x."""
    x = given(x)
    return _core.mean(_cast(x, dtype), _axes("mean", axis, x.ndim), keepdims)


def var(x: Any, /, axis: Any = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The variance: the sum of squared distances from the mean, divided by the number of elements less `correction`.

    Of integers float64. Of complex numbers a real number.
    """
    x = given(x)
    axes = _axes("var", axis, x.ndim)
    if not x.dtype.kind.endswith("floating"):
        x = _core.cast(x, as_dtype("float64").code)
    own = x.dtype
    if own.name == "float16":
        x = _core.cast(x, as_dtype("float32").code)
    distance = x - _core.mean(x, axes, True)
    squares = _core.square(_core.abs(distance)) if own.kind == "complex floating" else _core.square(distance)
    total = _core.reduce(_SUM, squares, axes, keepdims)
    extents = [x.shape[i] for i in (range(x.ndim) if axes is None else axes)]
    if None in extents:
        ones = _core.reduce(_SUM, _core.cast(_core.equal(squares, squares) | True, total.dtype.code), axes, keepdims)
        return _core.cast(total / _core.maximum(ones - float(correction), 0), (squares.dtype if own.name != "float16" else own).code)
    count = math.prod(extents)
    made = total * (1 / (count - correction)) if _is_exact(count - correction) else total / of_number(_positive(count - correction), total.dtype)
    return _core.cast(made, own.code) if own.name == "float16" else made


def _positive(count: float) -> float:
    return count if count > 0 else 0.0


def _is_exact(count: float) -> bool:
    return count > 0 and math.frexp(count)[0] == 0.5  # its reciprocal is


def std(x: Any, /, axis: Any = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
    """The standard deviation, the root of var."""
    return _core.sqrt(var(x, axis, correction=correction, keepdims=keepdims))


def _cumulative(what: str, kind: int, start: int, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    x = given(x)
    if axis is None:
        if x.ndim == 0:
            x = _core.reshape(x, [1])
        if x.ndim != 1:
            raise ValueError(f"{what}: an array of shape {x.shape} needs an axis")
        axis = 0
    at = axis_of(what, axis, x.ndim)
    made = _cast(_core.rows(kind, _cast(x, dtype), at), dtype)
    if not include_initial:
        return made
    first = _core.broadcast(of_number(start, made.dtype), [1 if i == at else extent for i, extent in enumerate(x.shape)])
    return concat((first, made), axis=at)


def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Each element and the sum of all in front of it along an axis, which may be left out for one axis.

    dtype: as in sum. include_initial: a 0 stands in front.
    """
    return _cumulative("cumulative_sum", _CUMULATIVE_SUM, 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Each element and the product of all in front of it along an axis. include_initial: a 1 stands in front."""
    return _cumulative("cumulative_prod", _CUMULATIVE_PROD, 1, x, axis, dtype, include_initial)


def cumulative_min(x: Any, /, *, axis: int | None = None) -> Array:
    """Each element, or the least of all in front of it along an axis; NaN from the first NaN on. Of real numbers."""
    return _cumulative("cumulative_min", _CUMULATIVE_MIN, 0, x, axis, None, False)


def cumulative_max(x: Any, /, *, axis: int | None = None) -> Array:
    """Each element, or the greatest of all in front of it along an axis; NaN from the first NaN on. Of real numbers."""
    return _cumulative("cumulative_max", _CUMULATIVE_MAX, 0, x, axis, None, False)


def argmin(x: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the least element stands, the first of equal ones: int64. axis None: among all elements in their order. Of real numbers."""
    return _arg("argmin", _ARGMIN, x, axis, keepdims)


def argmax(x: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Where the greatest element stands, the first of equal ones: int64. axis None: among all elements in their order. Of real numbers."""
    return _arg("argmax", _ARGMAX, x, axis, keepdims)


def _arg(what: str, kind: int, x: Any, axis: int | None, keepdims: bool) -> Array:
    x = given(x)
    if axis is not None:
        return _core.rows(kind, x, axis_of(what, axis, x.ndim), keepdims)
    made = _core.rows(kind, _core.reshape(x, [-1]) if x.ndim != 1 else x, 0, False)
    return _core.broadcast(made, [1] * x.ndim) if keepdims and x.ndim else made


def histogram(x: Any, bins: int = 10, range: tuple[float, float] | None = None) -> tuple[Array, Array]:
    """Counts, int64, of the elements in each of `bins` equal parts of `range`, and the edges of the parts.

    range: None: from the least element to the greatest, which are computed now. Others are left out, and NaN. The last part has its end.
    """
    from ._creation import linspace

    x = given(x)
    if range is None:
        low, high = (float(min(x)), float(max(x))) if 0 not in x.shape else (0.0, 1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
    else:
        low, high = float(range[0]), float(range[1])
    return _core.histogram(x, int(bins), low, high), linspace(low, high, bins + 1)


_FOLDS = {"sum": _SUM, "prod": _PROD, "min": _MIN, "max": _MAX, "all": _ALL, "any": _ANY}
_SCANS = {"sum": _CUMULATIVE_SUM, "prod": _CUMULATIVE_PROD, "min": _CUMULATIVE_MIN, "max": _CUMULATIVE_MAX}


def _named(what: str, name: str, known: dict[str, int]) -> int:
    if name not in known:
        raise ValueError(f"{what}: there is no {name!r}; there are {', '.join(known)}")
    return known[name]


def segment_reduce(fold: str, x: Any, offsets: Any) -> Array:
    """Element i is the reduction "sum", "prod", "min", "max", "all" or "any" of elements offsets[i] up to offsets[i + 1] of x, with one axis.

    offsets: integers with one axis, one more than segments, which do not descend.
    """
    from ._places import placed

    return placed(_core.segment_reduce)(_named("segment_reduce", fold, _FOLDS), given(x), given(offsets))


def segment_scan(scan: str, x: Any, heads: Any) -> Array:
    """A cumulative "sum", "prod", "min" or "max" of x, with one axis, that begins anew where the bool of heads is set."""
    return _core.segment_scan(_named("segment_scan", scan, _SCANS), given(x), given(heads))
