"""Functions that move elements."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence, cast

from . import _core
from ._convert import Array, asarray, given
from ._creation import extent_of, extents_of, int_of, shape_of
from ._dtypes import as_dtype, result_type


def axis_of(what: str, axis: Any, rank: int) -> int:
    """An axis, counted from the first. Raises AxisError."""
    number = int_of(axis)
    if not -rank <= number < rank:
        raise _core.AxisError(
            f"{what}: axis {number} of an array with {rank} axes" + (f"\n  help: they are 0 to {rank - 1}, or -{rank} to -1" if rank else "")
        )
    return number + rank if number < 0 else number


def axes_of(what: str, axes: Any, rank: int) -> list[int]:
    """An axis or a tuple of them, counted from the first. Raises AxisError, and ValueError for one that is named twice."""
    numbers = [axis_of(what, axis, rank) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,))]
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"{what}: an axis is named twice in {axes}")
    return numbers


def same_type(arrays: Iterable[Any]) -> list[Array]:
    """Arrays, converted to their common type."""
    made = list(arrays)
    if any(_core.is_number(each) for each in made) and not all(_core.is_number(each) for each in made):
        common = result_type(*[each if _core.is_number(each) else given(each) for each in made])
    else:
        made = [given(each) for each in made]
        if len({each.dtype.name for each in made}) <= 1:
            return made
        common = result_type(*made)
    return [asarray(each, dtype=common) for each in made]


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """Converts elements. Floats to integers: towards zero; NaN gives 0. Complex numbers to real ones are an error: take real(x) or abs(x)."""
    x = given(x)
    wanted = as_dtype(dtype)
    return (+x if copy else x) if x.dtype is wanted else _core.cast(x, wanted.code)


def broadcast_to(x: Any, /, shape: Any) -> Array:
    """The array, repeated along axes of extent 1 and new leading ones. Raises ValueError for a shape that does not go with it."""
    return _core.broadcast(given(x), shape_of(shape))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape of an operation on arrays of these shapes. Raises ValueError where they do not go together."""
    result: list[int] = []
    for shape in ([shape] if isinstance(shape, int) else list(shape) for shape in shapes):
        longer, shorter = (list(result), shape) if len(result) >= len(shape) else (list(shape), result)
        for i in range(1, len(shorter) + 1):
            if longer[-i] == 1:
                longer[-i] = shorter[-i]
            elif shorter[-i] not in (1, longer[-i]):
                raise ValueError(f"broadcast: shapes {', '.join(str(tuple(each)) for each in shapes)} do not go together")
        result = longer
    return tuple(result)


def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """The arrays, broadcast to their common shape."""
    made = [given(array) for array in arrays]
    for array in made:
        extents_of("broadcast_arrays", array)
    shape = list(broadcast_shapes(*[array.shape for array in made]))
    return tuple(+array if list(array.shape) == shape else _core.broadcast(array, shape) for array in made)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Array:
    """The elements in the same order, rows first, in another shape; one extent may be -1: what is left."""
    x = given(x)
    wanted = shape_of(shape)
    if wanted.count(-1) == 1 and x.size and (others := -math.prod(wanted)) > 0 and x.size % others == 0:
        wanted[wanted.index(-1)] = x.size // others  # the extent is known, also of an array that depends on parameters
    return +x if tuple(wanted) == x.shape else _core.reshape(x, wanted)


def permute_dims(x: Any, /, axes: Sequence[int]) -> Array:
    """Axis i of the result is axis axes[i] of x."""
    x = given(x)
    order = axes_of("permute_dims", tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"permute_dims: {len(order)} axes of an array with {x.ndim}")
    return +x if order == list(range(x.ndim)) else _core.transpose(x, order)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """Axes `source` stand at `destination`; the others stay in their order. Each a number or a tuple."""
    x = given(x)
    source, destination = axes_of("moveaxis", source, x.ndim), axes_of("moveaxis", destination, x.ndim)
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: {len(source)} axes to {len(destination)} places")
    order = [axis for axis in range(x.ndim) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return permute_dims(x, order)


def expand_dims(x: Any, /, axis: Any = 0) -> Array:
    """A new axis of extent 1 at `axis` of the result; a tuple of axes makes several."""
    x = given(x)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for at in sorted(axes_of("expand_dims", tuple(axes), x.ndim + len(axes))):
        x = _core.add_dimension(x, at, 1)
    return x if axes else +x


def squeeze(x: Any, /, axis: Any = None) -> Array:
    """Leaves out axes of extent 1. axis: a number or a tuple; None: all of them. Raises ValueError for another extent."""
    x = given(x)
    axes = [i for i, extent in enumerate(x.shape) if extent == 1] if axis is None else axes_of("squeeze", axis, x.ndim)
    for each in axes:
        if x.shape[each] != 1:
            raise ValueError(f"squeeze: axis {each} of an array of shape {x.shape} has not extent 1")
    for each in sorted(axes, reverse=True):
        x = _core.drop_dimension(x, each)
    return x if axes else +x


def section_of(x: Array, begin: list[int], count: list[int | None], stride: list[int]) -> Array:
    """Of each axis a range; count None: all of an axis whose extent is unknown until a call."""
    if None not in count:
        return _core.section(x, begin, cast(list[int], count), stride)
    for axis, (first, n, step) in enumerate(zip(begin, count, stride)):
        if n is not None and (first, n, step) != (0, x.shape[axis], 1):
            x = _core.gather(x, _core.index([n], 0) * step + first, axis)
    return x


def flip(x: Any, /, *, axis: Any = None) -> Array:
    """The elements in reverse order along axes. axis: a number or a tuple; None: all."""
    x = given(x)
    axes = list(range(x.ndim)) if axis is None else axes_of("flip", axis, x.ndim)
    if 0 in x.shape:
        return +x
    if None in x.shape:
        for each in axes:
            x = _core.slice(x, each, 2**63 - 1, -(2**63), -1)
        return +x
    begin = [extent_of("flip", x, i) - 1 if i in axes else 0 for i in range(x.ndim)]
    return section_of(x, begin, list(x.shape), [-1 if i in axes else 1 for i in range(x.ndim)]) if axes else +x


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Array:
    """Element i is that at i - shift, as if the array were repeated.

    shift, axis: numbers, or tuples of them; axis None: of all elements in their order.
    """
    x = given(x)
    if axis is None and 0 not in x.shape:
        total = sum(int_of(each) for each in shift) if isinstance(shift, (tuple, list)) else int_of(shift)
        rolled = _core.shift(reshape(x, (-1,)), [total], wrap=True)
        return reshape(rolled, [-1 if extent is None else extent for extent in x.shape])
    if axis is None:
        return +x
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift] * len(axes)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts along {len(axes)} axes")
    by = [0] * x.ndim
    for each, number in zip(axes, shifts):
        by[axis_of("roll", each, x.ndim)] += int_of(number)
    return _core.shift(x, by, wrap=True) if 0 not in x.shape else +x


def concat(arrays: Any, /, *, axis: int | None = 0) -> Array:
    """The arrays one behind the other along an axis, converted to their common type; axis None: of all elements in their order."""
    made = same_type(arrays)
    if not made:
        raise ValueError("concat: no arrays")
    if axis is None:
        made, axis = [reshape(array, (-1,)) for array in made], 0
    return _core.concatenate(made, axis_of("concat", axis, made[0].ndim))


def stack(arrays: Any, /, *, axis: int = 0) -> Array:
    """Arrays of one shape side by side along a new axis."""
    made = same_type(arrays)
    if not made:
        raise ValueError("stack: no arrays")
    for array in made:
        if array.shape != made[0].shape:
            raise ValueError(f"stack: shapes {made[0].shape} and {array.shape}\n  help: all have to be equal")
    at = axis_of("stack", axis, made[0].ndim + 1)
    return _core.concatenate([_core.add_dimension(array, at, 1) for array in made], at)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The array at each index along an axis, without it."""
    x = given(x)
    at = axis_of("unstack", axis, x.ndim)
    return tuple(_core.component(x, at, i) for i in range(extent_of("unstack", x, at)))


def tile(x: Any, repetitions: Any, /) -> Array:
    """The array, repeated as a whole along each axis; repetitions: a tuple of numbers, the last one for the last axis."""
    x = given(x)
    times = shape_of(repetitions)
    rank = max(x.ndim, len(times))
    times = [1] * (rank - len(times)) + times
    shape = (1,) * (rank - x.ndim) + tuple(extents_of("tile", x))
    if any(each < 0 for each in times):
        raise ValueError(f"tile: {tuple(times)} repetitions")
    wanted = [extent * each for extent, each in zip(shape, times)]
    if math.prod(wanted) == 0:
        return _core.broadcast(_core.cast(_core.number(0), x.dtype.code), wanted)
    return _core.replicate(reshape(x, shape), wanted) if wanted else +x


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Each element so many times along an axis; axis None: of all elements in their order.

    repeats: a number, or an array with a number for each element along the axis, which is computed now: the shape depends on it.
    """
    x = given(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    at = axis_of("repeat", axis, x.ndim)
    if not isinstance(repeats, int):
        counts = given(repeats)
        if "integer" not in counts.dtype.kind:
            raise TypeError(f"repeat: numbers of type {counts.dtype}\n  help: repeats are integers")
        if counts.size != 1:
            return _repeat_each(x, counts, at)
        repeats = int(reshape(counts, ()))
    if repeats < 0:
        raise ValueError(f"repeat: {repeats} times")
    if repeats == 0 or 0 in x.shape:
        return _core.broadcast(
            _core.cast(_core.number(0), x.dtype.code), [extent * repeats if i == at else extent for i, extent in enumerate(x.shape)]
        )
    return _core.stretch(x, [repeats if i == at else 1 for i in range(x.ndim)])


def _repeat_each(x: Array, counts: Array, axis: int) -> Array:
    import numpy

    times = numpy.asarray(counts)
    if times.ndim != 1 or times.size != x.shape[axis]:
        raise ValueError(f"repeat: repeats of shape {counts.shape} along an axis of {x.shape[axis]} elements")
    if (times < 0).any():
        raise ValueError("repeat: a negative number of times")
    places = asarray(numpy.repeat(numpy.arange(times.size), times))
    if places.size == 0:
        return _core.broadcast(_core.cast(_core.number(0), x.dtype.code), [0 if i == axis else extent for i, extent in enumerate(x.shape)])
    return _core.gather(x, places, axis)


def matrix_transpose(x: Any, /) -> Array:
    """The last two axes exchanged. Raises ValueError for an array with fewer axes."""
    return _core.matrix_transpose(given(x))


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis, `n` times. prepend, append: arrays in front of it and behind it."""
    x = given(x)
    at = axis_of("diff", axis, x.ndim)
    if n < 0:
        raise ValueError(f"diff: {n} times")
    if n == 0:
        return +x
    parts = [each for each in (prepend, x, append) if each is not None]
    x = concat(parts, axis=at) if len(parts) > 1 else x
    for _ in range(n):
        first, second = _core.slice(x, at, 0, -1, 1), _core.slice(x, at, 1, 2**63 - 1, 1)
        x = _core.not_equal(second, first) if x.dtype.name == "bool" else second - first
    return x
