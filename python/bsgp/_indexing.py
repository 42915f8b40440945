"""`a[key]` and `a[key] = value`."""

from __future__ import annotations

import math
from typing import Any

from . import _core
from ._convert import Array, asarray, given, of_number
from ._creation import extents_of, int_of
from ._manipulation import axis_of, broadcast_to, expand_dims, reshape, section_of
from ._places import caller, placed

_NONE = slice(None)


def _is_index(each: Any) -> bool:
    return isinstance(each, int) or (hasattr(each, "__index__") and getattr(each, "ndim", 0) == 0 and not _is_bool(each))


def _is_bool(each: Any) -> bool:
    dtype = getattr(each, "dtype", None)
    return isinstance(each, bool) or (dtype is not None and str(dtype) == "bool")


def _is_open_index(each: Any) -> bool:
    """An integer that has its value when a function is called."""
    return isinstance(each, Array) and each.ndim == 0 and "integer" in each.dtype.kind and bool(_core.is_open(each))


def _check_bounds(of: slice) -> None:
    if any(_is_open_index(each) for each in (of.start, of.stop, of.step)):
        raise ValueError(
            f"{caller()}: a slice whose bounds have no values while a function is traced\n"
            "  help: bsgp.take(x, n + bsgp.arange(count), axis=...) takes as many elements, from n on"
        )


def _wrong(each: Any) -> IndexError:
    return IndexError(
        f"an index of type {type(each).__name__}\n"
        "  help: indices are integers, slices, ..., None, and arrays of integers or bools; a[:, 0] takes a column"
    )


class _NewAxis:
    """A single bool as an index: a new axis that has the array once, or not at all."""

    def __init__(self, is_there: bool) -> None:
        self.places = _core.index([int(is_there)], 0)


def _is_new(each: Any) -> bool:
    return each is None or isinstance(each, _NewAxis)


class _Key:
    """A key, one entry for each axis of the array: slices, integers and arrays of integers; and where new axes stand."""

    def __init__(self, array: Array, key: Any) -> None:
        entries = list(key) if isinstance(key, tuple) else [key]
        self.has_arrays = False
        entries = [self._entry(each) for each in entries]
        used = sum(self._axes(each) for each in entries)
        if used > array.ndim:
            raise IndexError(f"{used} indices for an array with {array.ndim} axes, of shape {array.shape}")
        dots = [i for i, each in enumerate(entries) if each is Ellipsis]
        if len(dots) > 1:
            raise IndexError("an index has ... twice")
        at = dots[0] if dots else len(entries)
        entries[at : at + len(dots)] = [_NONE] * (array.ndim - used)
        self.entries: list[Any] = []  # slices, integers, arrays, None for a new axis, and _NewAxis
        self.gap = None  # where ... stands for no axis: it parts arrays all the same
        for i, each in enumerate(entries):
            if dots and i == at and used == array.ndim:
                self.gap = len(self.entries)
            if isinstance(each, Array) and each.dtype.name == "bool" and each.ndim == 0:
                self.entries.append(_NewAxis(bool(each)))
            elif isinstance(each, Array) and each.dtype.name == "bool":
                self._check_mask(array, each)
                self.entries.extend(_nonzero(each))
            else:
                self.entries.append(each)

    def _entry(self, each: Any) -> Any:
        if each is None or each is Ellipsis:
            return each
        if isinstance(each, slice):
            _check_bounds(each)
            return each
        if _is_bool(each):
            self.has_arrays = True
            return asarray(each)
        if _is_open_index(each):
            self.has_arrays = True
            return each
        if _is_index(each):
            return each.__index__()
        if isinstance(each, (list, tuple)) or hasattr(each, "dtype") or hasattr(each, "__array_interface__"):
            made = asarray(each, dtype="int64") if isinstance(each, list) and not each else asarray(each)
            if "integer" not in made.dtype.kind and made.dtype.name != "bool":
                raise IndexError(f"indices of type {made.dtype}\n  help: indices are integers or bools: convert them by astype")
            self.has_arrays = True
            return made
        raise _wrong(each)

    @staticmethod
    def _axes(each: Any) -> int:
        if each is None or each is Ellipsis:
            return 0
        return each.ndim if isinstance(each, Array) and each.dtype.name == "bool" else 1

    def _check_mask(self, array: Array, mask: Array) -> None:
        at = sum(1 for each in self.entries if not _is_new(each))
        extents = array.shape[at : at + mask.ndim]
        if any(flags not in (0, extent) for flags, extent in zip(mask.shape, extents)):
            raise IndexError(f"a mask of shape {mask.shape} for axes {at} to {at + mask.ndim - 1} of an array of shape {array.shape}")


def _nonzero(mask: Array) -> list[Array]:
    """The indices of the elements that are set, one array for each axis."""
    flat = reshape(mask, (-1,))
    places = _core.compress(_core.index([mask.size], 0), flat)
    made = []
    for axis, extent in enumerate(mask.shape):
        step = math.prod(mask.shape[axis + 1 :])
        made.append(places // step % extent if mask.ndim > 1 else places)
    return made


def _check_index(index: int, axis: int, shape: tuple[int | None, ...]) -> None:
    extent = shape[axis]
    if extent is not None and not -extent <= index < extent:
        raise IndexError(f"index {index} of axis {axis}, which has {extent} elements: the shape is {shape}")


class _Region:
    """The elements that slices and integers name: begin, count and stride along each axis, and which axes go."""

    def __init__(self, array: Array, entries: list[Any]) -> None:
        self.begin, self.count, self.stride, self.dropped, self.whole = [], [], [], [], True
        shape = array.shape
        for axis, each in enumerate(entries):
            extent = shape[axis]
            if isinstance(each, slice):
                if extent is None and each != _NONE:
                    raise ValueError("a slice of an axis whose extent is unknown until a call\n  help: give the parameter its extent")
                start, stop, step = each.indices(extent) if extent is not None else (0, 0, 1)
                count = len(range(start, stop, step)) if extent is not None else None
                self.whole &= each == _NONE or (start, count, step) == (0, extent, 1)
                start = start if count != 0 else 0
            else:
                _check_index(each, axis, shape)
                start, count, step = each + extent if each < 0 and extent is not None else each, 1, 1
                self.dropped.append(axis)
                self.whole = False
            self.begin.append(start)
            self.count.append(count)
            self.stride.append(step)

    def of(self, array: Array) -> Array:
        if self.whole:
            return +array  # another object, which keeps its value after an assignment
        if None in array.shape:
            count = [None if axis in self.dropped else each for axis, each in enumerate(self.count)]
            array = section_of(array, self.begin, [*count, None], self.stride)
            for axis in reversed(self.dropped):
                array = _core.component(array, axis, self.begin[axis])
            return array
        array = _core.section(array, self.begin, self.count, self.stride)
        for axis in reversed(self.dropped):
            array = _core.drop_dimension(array, axis)
        return array


def _new_axes(array: Array, entries: list[Any]) -> Array:
    at = 0
    for each in entries:
        if each is None:
            array = _core.add_dimension(array, at, 1)
        if each is None or isinstance(each, slice) or isinstance(each, Array):
            at += 1
    return array


def getitem(array: Array, key: Any) -> Array:
    """The elements at a key: integers, slices, ..., None for a new axis, arrays of integers, and bools (which are computed now).

    The rules are NumPy's. Raises IndexError for an index that is outside.
    """
    if isinstance(key, Array) and key.dtype.name == "bool" and key.ndim and key.shape == array.shape:
        return _core.compress(array, key)
    parsed = _Key(array, key)
    if None in array.shape:
        array = _sliced(array, parsed.entries)
    if all(_is_open_index(each) for each in parsed.entries if isinstance(each, (Array, _NewAxis))):
        array, parsed.has_arrays = _at_numbers(array, parsed.entries), False
    if not parsed.has_arrays:
        region = _Region(array, [each for each in parsed.entries if each is not None])
        return _new_axes(region.of(array), parsed.entries)
    return _at_arrays(array, parsed.entries, parsed.gap)


def _sliced(array: Array, entries: list[Any]) -> Array:
    """Takes slices of axes whose extents are unknown until a call. The entries name all of it then."""
    own = [at for at, each in enumerate(entries) if not _is_new(each)]
    for axis, at in enumerate(own):
        each = entries[at]
        if array.shape[axis] is not None:
            continue
        if isinstance(each, slice) and each != _NONE:
            array, entries[at] = _core.slice(array, axis, *_bounds(each)), _NONE
    return array


_LARGEST = 2**63 - 1


def _bounds(of: slice) -> tuple[int, int, int]:
    """Begin, end and step of a slice; an end that is not there is beyond all."""
    step = 1 if of.step is None else int_of(of.step)
    if step == 0:
        raise ValueError("a slice with a step of 0")
    begin, end = (0, _LARGEST) if step > 0 else (_LARGEST, -_LARGEST - 1)
    numbers = (begin if of.start is None else int_of(of.start), end if of.stop is None else int_of(of.stop), step)
    begin, end, step = (min(max(each, -_LARGEST - 1), _LARGEST) for each in numbers)
    return begin, end, max(step, -_LARGEST)


@placed
def _at_numbers(array: Array, entries: list[Any]) -> Array:
    """Takes the elements at integers that have no value yet; they and their axes go."""
    own = [at for at, each in enumerate(entries) if not _is_new(each)]
    for axis, at in reversed(list(enumerate(own))):
        if isinstance(entries[at], Array):
            array = _core.gather(array, entries.pop(at), axis)
    return array


@placed
def _at_arrays(array: Array, entries: list[Any], gap: int | None) -> Array:
    own = [axis for axis, each in enumerate(entries) if not _is_new(each)]
    for axis, at in enumerate(own):
        if type(entries[at]) is int:  # beside arrays, integers are arrays
            _check_index(entries[at], axis, array.shape)
            entries[at] = asarray(entries[at])
    array = _Region(array, [each if isinstance(each, slice) else _NONE for each in entries if not _is_new(each)]).of(array)
    for axis, each in enumerate(entries):
        if _is_new(each):
            array = _core.add_dimension(array, axis, 1)
    entries = [each.places if isinstance(each, _NewAxis) else each for each in entries]
    axes = [axis for axis, each in enumerate(entries) if isinstance(each, Array)]
    is_parted = axes[-1] - axes[0] != len(axes) - 1 or (gap is not None and axes[0] < gap <= axes[-1])
    at = 0 if is_parted else axes[0]
    if len(axes) == 1:
        return _take(array, _checked(entries[axes[0]], array.shape[axes[0]], axes[0]), axes[0])
    order = [axis for axis in range(array.ndim) if axis not in axes]
    order[at:at] = axes
    extents = [array.shape[axis] for axis in axes]
    if None in array.shape:
        raise ValueError(
            "arrays as indices of several axes, of an array whose extents are unknown until a call\n"
            "  help: bsgp.take(x, n, axis=...) for each axis; or bsgp.jit, which knows the extents"
        )
    merged = reshape(
        array if order == list(range(array.ndim)) else _core.transpose(array, order),
        [array.shape[axis] for axis in order[:at]] + [math.prod(extents)] + [array.shape[axis] for axis in order[at + len(axes) :]],
    )
    return _take(merged, _flat([entries[axis] for axis in axes], extents), at)


def _take(array: Array, places: Array, axis: int) -> Array:
    if places.size == 0:
        shape = array.shape[:axis] + places.shape + array.shape[axis + 1 :]
        return _core.broadcast(_core.cast(_core.number(0), array.dtype.code), list(shape))
    return _core.gather(array, places, axis)


def _checked(places: Array, extent: int | None, axis: int) -> Array:
    """Indices that have their values are compared now; others when they are used."""
    if extent is not None and places.size and _core.is_computed(places):
        import numpy

        numbers = numpy.asarray(places)
        for number in (int(numbers.min()), int(numbers.max())):
            if not -extent <= number < extent:
                raise IndexError(f"index {number} of axis {axis}, which has {extent} elements")
    return places


def _flat(places: list[Array], extents: list[int]) -> Array:
    """Indices along several axes as one of the axis that they make together; one outside is outside of it, too."""
    flat = inside = None
    for axis, (each, extent) in enumerate(zip(places, extents)):
        each = _core.cast(_checked(each, extent, axis), 4)
        fits = (each >= -extent) & (each < extent)
        each = _core.cond(each < 0, each + extent, each)
        flat = each if flat is None else flat * extent + each
        inside = fits if inside is None else inside & fits
    return _core.cond(inside, flat, 2**62)


def setitem(array: Array, key: Any, value: Any) -> None:
    """Gives the object a new value: the elements at a key are `value`, broadcast and converted; other arrays keep theirs.

    The rules are NumPy's. Raises IndexError for an index that is outside, ValueError for a shape that does not go with the elements.
    """
    value = of_number(value, array.dtype) if _core.is_number(value) and not _is_cut(value, array) else asarray(value)
    if value.dtype is not array.dtype:
        value = _core.cast(value, array.dtype.code)
    if isinstance(key, Array) and key.dtype.name == "bool" and key.shape == array.shape[: key.ndim] and value.ndim == 0:
        mask = expand_dims(key, tuple(range(key.ndim, array.ndim))) if key.ndim < array.ndim else key
        _core.replace(array, _core.cond(mask, value, array))
        return
    extents_of("a[key] = value", array)
    parsed = _Key(array, key)
    _core.replace(array, _scattered(array, parsed, value) if parsed.has_arrays else _assigned(array, parsed.entries, value))


def _is_cut(value: Any, array: Array) -> bool:
    return isinstance(value, float) and "integer" in array.dtype.kind  # 1.5 becomes 1


def _fitted(value: Array, shape: tuple[int, ...]) -> Array:
    """The value in the shape of the elements; leading axes of extent 1 may be more."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = _core.drop_dimension(value, 0)
    if value.shape == shape:
        return value
    try:
        return broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"a value of shape {value.shape} for elements of shape {shape}") from None


@placed
def _scattered(array: Array, parsed: _Key, value: Array) -> Array:
    positions = reshape(_core.index([array.size], 0), array.shape)
    places = _at_arrays(positions, parsed.entries, parsed.gap)
    value = _fitted(value, places.shape)
    if places.size == 0:
        return array
    flat = _core.scatter(reshape(array, (-1,)), reshape(places, (-1,)), reshape(value, (-1,)))
    return reshape(flat, array.shape)


def _assigned(array: Array, entries: list[Any], value: Array) -> Array:
    region = _Region(array, [each for each in entries if each is not None])
    shape = tuple(
        1 if each is None else count
        for each, count in _with_counts(entries, region.count)
        if each is None or isinstance(each, slice)
    )
    value = _fitted(value, shape)
    at = 0
    for each in entries:  # as the region has axes
        if each is None:
            value = _core.drop_dimension(value, at)
        elif isinstance(each, slice):
            at += 1
        else:
            value, at = _core.add_dimension(value, at, 1), at + 1
    if 0 in region.count:
        return array
    begin, stride = list(region.begin), list(region.stride)
    if any(step < 0 for step in stride):
        back = [step < 0 for step in stride]
        value = _core.section(value, [c - 1 if b else 0 for c, b in zip(region.count, back)], region.count, [-1 if b else 1 for b in back])
        begin = [b + (c - 1) * s if s < 0 else b for b, c, s in zip(begin, region.count, stride)]
        stride = [abs(step) for step in stride]
    return _put(array, begin, region.count, stride, value)


def _with_counts(entries: list[Any], counts: list[int]) -> list[tuple[Any, int]]:
    left = iter(counts)
    return [(each, 1 if each is None else next(left)) for each in entries]


def _put(array: Array, begin: list[int], count: list[int], stride: list[int], value: Array) -> Array:
    """The array with a region of it replaced. Nothing is stored in between."""
    shape = array.shape
    if tuple(count) == shape:
        return value
    times = [step if n > 1 else 1 for n, step in zip(count, stride)]
    inside = None
    if any(step > 1 for step in times):
        value = _core.stretch(value, times)
    for axis, (first, n, step) in enumerate(zip(begin, count, times)):
        if n == shape[axis]:
            continue
        place = _core.index(list(shape), axis)
        fits = (place >= first) & (place <= first + (n - 1) * step)
        if step > 1:
            fits = fits & _core.equal((place - first) % step, 0)
        inside = fits if inside is None else inside & fits
    kept = [min(n * step, extent - first) for n, step, extent, first in zip(count, times, shape, begin)]
    value = _core.section(value, [0] * array.ndim, kept, [1] * array.ndim)
    behind = [extent - first - n for extent, first, n in zip(shape, begin, kept)]
    wide = _core.extend(value, begin, behind)
    return wide if inside is None else _core.cond(inside, wide, array)


@placed
def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Array:
    """The elements at indices along an axis, integers, whose axes take the place of that one. axis may be left out for one axis."""
    x, places = given(x), given(indices)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take: an array of shape {x.shape} needs an axis")
    at = axis_of("take", 0 if axis is None else axis, x.ndim)
    if "integer" not in places.dtype.kind:
        raise TypeError(f"take: indices of type {places.dtype}\n  help: indices are integers")
    return _take(x, _checked(places, x.shape[at], at), at)


@placed
def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Array:
    """Element i of the result is that at indices[i] along an axis; all other coordinates are those of i, and are broadcast."""
    x, places = given(x), given(indices)
    if x.ndim != places.ndim:
        raise ValueError(f"take_along_axis: indices with {places.ndim} axes for an array with {x.ndim}")
    if "integer" not in places.dtype.kind:
        raise TypeError(f"take_along_axis: indices of type {places.dtype}\n  help: indices are integers")
    at = axis_of("take_along_axis", axis, x.ndim)
    shape = [places.shape[i] if i == at else max(x.shape[i], places.shape[i]) if 0 not in (x.shape[i], places.shape[i]) else 0 for i in range(x.ndim)]
    places = broadcast_to(_checked(places, x.shape[at], at), shape)
    if 0 in shape:
        return _take(reshape(x, (-1,)), places, 0)
    x = broadcast_to(x, [x.shape[i] if i == at else shape[i] for i in range(x.ndim)])
    coordinates = [places if i == at else _core.index(shape, i) for i in range(x.ndim)]
    return _core.gather(reshape(x, (-1,)), _flat(coordinates, list(x.shape)), 0)


_core.set_indexing(getitem, setitem)
