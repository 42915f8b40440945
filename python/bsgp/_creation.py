"""Functions that make arrays."""

from __future__ import annotations

import math
import operator
from typing import Any

from . import _core
from ._convert import Array, asarray, check_device, given, of_number
from ._dtypes import DType, as_dtype, float64, int64, result_type


def shape_of(shape: Any) -> list[int]:
    """A shape as a list: a number is the extent of the only axis."""
    if isinstance(shape, (tuple, list)):
        return [int_of(extent) for extent in shape]
    return [int_of(shape)]


def int_of(number: Any) -> int:
    """A whole number; also of NumPy's types, and arrays of rank 0. Raises TypeError for others."""
    return number if type(number) is int else operator.index(number)


def extent_of(what: str, x: Array, axis: int) -> int:
    """An extent. Raises ValueError for one that is unknown until a call."""
    extent = x.shape[axis]
    if extent is None:
        raise ValueError(f"{what}: the extent of axis {axis} is unknown until a call\n  help: give the parameter its extent")
    return extent


def extents_of(what: str, x: Array) -> list[int]:
    """All extents. Raises ValueError if one is unknown until a call."""
    return [extent_of(what, x, axis) for axis in range(x.ndim)]


def _filled(shape: Any, value: Any, dtype: DType) -> Array:
    extents = shape_of(shape)
    for extent in extents:
        if extent < 0:
            raise ValueError(f"a shape with a negative extent, {tuple(extents)}")
    return _core.broadcast(of_number(value, dtype), extents)


def zeros(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Zeros. shape: a tuple, or the extent of the only axis. dtype: None: float64."""
    check_device(device)
    return _filled(shape, 0, float64 if dtype is None else as_dtype(dtype))


def ones(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Ones. shape: a tuple, or the extent of the only axis. dtype: None: float64."""
    check_device(device)
    return _filled(shape, 1, float64 if dtype is None else as_dtype(dtype))


def empty(shape: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """As zeros: an array's elements never are undefined."""
    return zeros(shape, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None) -> Array:
    """Every element is `fill_value`, a number or an array of rank 0. dtype: None: that of the value."""
    check_device(device)
    wanted = None if dtype is None else as_dtype(dtype)
    if _core.is_number(fill_value):
        value = of_number(fill_value, wanted)
    else:
        value = asarray(fill_value, dtype=wanted)
    return _core.broadcast(value, shape_of(shape))


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Zeros of the shape of x. dtype: None: that of x."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Ones of the shape of x. dtype: None: that of x."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    """As zeros_like."""
    return full_like(x, 0, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Every element is `fill_value`, in the shape of x. dtype: None: that of x."""
    x = given(x)
    if None in x.shape:  # the extents are those of a parameter
        return _core.cond(_core.equal(_core.cast(x, 0), True), asarray(fill_value, dtype=dtype or x.dtype), asarray(fill_value, dtype=dtype or x.dtype))
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Array:
    """start, start + step, ... up to stop, which is left out; arange(stop) begins at 0.

    dtype: None: int64 of whole numbers, else float64. Raises ValueError for a step of 0.
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    numbers = [each if _core.is_number(each) else each.item() if hasattr(each, "item") else each for each in (start, stop, step)]
    start, stop, step = numbers
    if step == 0:
        raise ValueError("arange: the step is 0")
    wanted = as_dtype(dtype) if dtype is not None else int64 if all(isinstance(each, int) for each in numbers) else float64
    count = max(0, -((start - stop) // step) if all(isinstance(each, int) for each in numbers) else math.ceil((stop - start) / step))
    places = _core.index([count], 0)
    if all(isinstance(each, int) for each in numbers) and "integer" in wanted.kind:
        if count:
            of_number(start, wanted), of_number(start + (count - 1) * step, wanted)
        return _core.cast(_core.cast(places, wanted.code) * of_number(step, wanted) + of_number(start, wanted), wanted.code) \
            if -(2**63) <= step < 2**63 and _fits(step, wanted) else _core.cast(places * step + start, wanted.code)
    return _core.cast(_core.cast(places, float64.code) * float(step) + float(start), wanted.code)


def _fits(number: int, dtype: DType) -> bool:
    try:
        of_number(number, dtype)
    except OverflowError:
        return False
    return True


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True) -> Array:
    """`num` numbers at equal distances from start to stop. endpoint: whether the last one is `stop`.

    dtype: None: float64, or complex128 of complex numbers. Raises ValueError for a negative number of them.
    """
    check_device(device)
    num = int_of(num)
    if num < 0:
        raise ValueError(f"linspace: {num} numbers")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    if dtype is not None and "integer" in as_dtype(dtype).kind and _are_large(start, stop):
        return _whole_steps(start, stop, num, as_dtype(dtype), num - 1 if endpoint else num)
    wanted = as_dtype(dtype) if dtype is not None else as_dtype("complex128" if is_complex else "float64")
    kind = complex if is_complex else float
    start, stop = kind(start), kind(stop)
    parts = num - 1 if endpoint else num
    places = _core.cast(_core.index([num], 0), float64.code)
    made = places * ((stop - start) / parts) + start if parts > 0 else places * kind(0) + start
    if endpoint and num > 1:
        made = _core.cond(_core.equal(_core.index([num], 0), num - 1), of_number(stop), made)
    if wanted.kind not in ("real floating", "complex floating"):
        made = _core.floor(made)
    return _core.cast(made, wanted.code)


def _are_large(start: Any, stop: Any) -> bool:
    """Whether these are whole numbers that float64 may not have."""
    return isinstance(start, int) and isinstance(stop, int) and max(abs(start), abs(stop)) > 2**53


def _whole_steps(start: int, stop: int, num: int, dtype: DType, parts: int) -> Array:
    """linspace in whole numbers, each rounded down."""
    each, left = divmod(stop - start, max(parts, 1))
    places = _core.index([num], 0)
    made = _core.cast(places * left // max(parts, 1), dtype.code)
    if num:
        made = made + _core.cast(places, dtype.code) * _wrapped(each, dtype)
    return made + of_number(start, dtype)


def _wrapped(number: int, dtype: DType) -> Array:
    """A whole number modulo the type's range."""
    bits = 8 * dtype.itemsize
    number %= 2**bits
    return of_number(number - 2**bits if dtype.kind == "signed integer" and number >= 2 ** (bits - 1) else number, dtype)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    """Ones on a diagonal, k columns to the right of the main one, of a matrix. dtype: None: float64."""
    check_device(device)
    shape = [int_of(n_rows), int_of(n_rows if n_cols is None else n_cols)]
    wanted = float64 if dtype is None else as_dtype(dtype)
    return _core.cast(_core.equal(_core.index(shape, 1) - _core.index(shape, 0), int(k)), wanted.code)


def _triangle(name: str, x: Any, k: int) -> tuple[Array, Array]:
    x = given(x)
    if x.ndim < 2:
        raise ValueError(f"{name}: an array of shape {x.shape} is no matrix\n  help: a matrix has two axes, a batch of them more")
    shape = extents_of(name, x)
    return x, _core.index(shape, x.ndim - 1) - _core.index(shape, x.ndim - 2)


def tril(x: Any, /, *, k: int = 0) -> Array:
    """The elements on and below a diagonal of the last two axes; others are 0. k: columns to the right of the main diagonal."""
    x, offset = _triangle("tril", x, k)
    return _core.cond(_core.less_equal(offset, int(k)), x, of_number(0, x.dtype))


def triu(x: Any, /, *, k: int = 0) -> Array:
    """The elements on and above a diagonal of the last two axes; others are 0. k: columns to the right of the main diagonal."""
    x, offset = _triangle("triu", x, k)
    return _core.cond(_core.greater_equal(offset, int(k)), x, of_number(0, x.dtype))


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinates of a grid of arrays with one axis each.

    indexing: "xy": the first two axes of the results are exchanged, as for pictures; "ij": axis i is that of array i. Raises ValueError
    for others.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is {indexing!r}; it may be 'xy' or 'ij'")
    lines = [given(array) for array in arrays]
    if len({line.dtype.name for line in lines}) > 1:
        common = result_type(*lines)
        lines = [line if line.dtype is common else _core.cast(line, common.code) for line in lines]
    order = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        order[0], order[1] = 1, 0
    shape = [0] * len(lines)
    for line, axis in zip(lines, order):
        if line.ndim > 1:
            raise ValueError(f"meshgrid: an array of shape {line.shape}\n  help: coordinates have one axis each")
        shape[axis] = math.prod(extents_of("meshgrid", line))
    made = []
    for line, axis in zip(lines, order):
        line = _core.reshape(line, [line.size])
        for i in range(len(lines)):
            if i != axis:
                line = _core.add_dimension(line, i, 1)
        made.append(_core.broadcast(line, shape))
    return tuple(made)
