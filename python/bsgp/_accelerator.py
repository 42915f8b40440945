"""The transformations and products of Accelerator (Tarditi, Puri, Oglesby 2006) under their names."""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._convert import Array, asarray, given
from ._manipulation import axis_of, broadcast_arrays, same_type, stack
from ._places import placed

_COMBINES = {"set": 0, "add": 1, "multiply": 2, "min": 3, "max": 4}


def _border(border: Any, x: Array) -> tuple[Array | None, bool]:
    """The value beyond the border, or whether the array is repeated there."""
    if isinstance(border, str):
        if border not in ("clamp", "wrap"):
            raise ValueError(f"there is no border {border!r}\n  help: it is 'clamp' (the nearest element), 'wrap' (as if repeated), or a number")
        return None, border == "wrap"
    return asarray(border, dtype=x.dtype), False


def section(x: Any, /, *ranges: Sequence[int]) -> Array:
    """Of each axis a range (begin, count) or (begin, count, stride): element i is that at begin + i * stride."""
    x = given(x)
    parts = [tuple(each) + (1,) if len(each) == 2 else tuple(each) for each in ranges]
    return _core.section(x, [p[0] for p in parts], [p[1] for p in parts], [p[2] for p in parts])


def shift(x: Any, by: Sequence[int], /, border: Any = "clamp") -> Array:
    """Element i is that at i - by, a number for each axis. border: "clamp": the nearest element; "wrap": as if repeated; or a number."""
    x = given(x)
    value, wrap = _border(border, x)
    return _core.shift(x, list(by), value, wrap)


def rotate(x: Any, by: Sequence[int], /) -> Array:
    """Element i is that at i - by, a number for each axis, as if the array were repeated."""
    return _core.shift(given(x), list(by), None, True)


def replicate(x: Any, shape: Sequence[int], /) -> Array:
    """The array, repeated until it has the shape."""
    return _core.replicate(given(x), list(shape))


def expand(x: Any, before: Sequence[int], after: Sequence[int], /, border: Any = "wrap") -> Array:
    """More elements in front of each axis and behind it. border: "wrap": as if the array were repeated; "clamp"; or a number."""
    x = given(x)
    value, wrap = _border(border, x)
    return _core.extend(x, list(before), list(after), value, wrap)


def stretch(x: Any, times: Sequence[int], /) -> Array:
    """Each element is repeated so many times along each axis."""
    return _core.stretch(given(x), list(times))


def drop_dimension(x: Any, /, axis: int) -> Array:
    """Leaves out an axis: its first element stays."""
    x = given(x)
    return _core.drop_dimension(x, axis_of("drop_dimension", axis, x.ndim))


def add_dimension(x: Any, /, axis: int, extent: int = 1) -> Array:
    """A new axis in front of axis `axis`, of `extent` equal elements."""
    return _core.add_dimension(given(x), axis, extent)


def index(shape: Sequence[int], axis: int) -> Array:
    """Each element is its own index along the axis: int64."""
    return _core.index(list(shape), axis)


@placed
def gather(x: Any, indices: Any, /, axis: int = 0) -> Array:
    """The elements at `indices` along an axis, integers, whose axes take the place of that one. One outside fails when it is computed."""
    x = given(x)
    return _core.gather(x, given(indices), axis_of("gather", axis, x.ndim))


@placed
def scatter(x: Any, indices: Any, updates: Any, /, combine: str = "set") -> Array:
    """A copy in which row indices[i] is combined with updates[i], one after the other: "set", "add", "multiply", "min" or "max".

    Updates are broadcast, and converted to the type of x. An index outside fails when it is computed.
    """
    if combine not in _COMBINES:
        raise ValueError(f"scatter: combine is {combine!r}; it may be {', '.join(map(repr, _COMBINES))}")
    x = given(x)
    return _core.scatter(x, given(indices), asarray(updates, dtype=x.dtype), _COMBINES[combine])


@placed
def inner_product(x1: Any, x2: Any, /) -> Array:
    """Sums of products over the last axis of x1 and the first of x2; of matrices their product."""
    return _core.inner_product(given(x1), given(x2))


def outer_product(x1: Any, x2: Any, /) -> Array:
    """Each element of x1 times each one of x2; the axes of x1 come first."""
    return _core.outer_product(given(x1), given(x2))


def vector(*components: Any) -> Array:
    """Vectors of two to four components: an array whose last axis has them. A component of it costs nothing."""
    return stack(broadcast_arrays(*same_type(components)), axis=-1)


def component(x: Any, i: int, /) -> Array:
    """Component i of vectors, the elements at index i of the last axis."""
    x = given(x)
    return _core.component(x, x.ndim - 1, i)
