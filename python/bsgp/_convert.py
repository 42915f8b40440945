"""Arrays of other objects: numbers, lists, NumPy arrays, buffers, DLPack."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from . import _core, _dlpack
from ._dtypes import DTYPES, DType, as_dtype, iinfo

Array = _core.Array


class Device:
    """A place where arrays lie: "cpu", the memory of the machine. The option `target` says where they are computed."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"bsgp.Device({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return self.name == (other.name if isinstance(other, Device) else other)

    def __hash__(self) -> int:
        return hash(self.name)


CPU = Device("cpu")


def check_device(device: Any) -> None:
    """Raises ValueError for a device that is not there."""
    if device is not None and device != CPU:
        raise ValueError(
            f"there is no device {str(device)!r}: arrays are in the machine's memory, device 'cpu'\n"
            "  help: bsgp.options(target='cuda') computes them on a GPU"
        )


def _checked_number(value: Any, dtype: DType) -> None:
    if isinstance(value, int) and "integer" in dtype.kind and not iinfo(dtype).min <= value <= iinfo(dtype).max:
        raise OverflowError(f"the number {value} is none of type {dtype.name}")


def of_number(value: Any, dtype: DType | None = None) -> Array:
    """An array of rank 0 of a number of Python. Raises OverflowError for a whole number that the type does not have."""
    if dtype is None:
        return _core.number(value)
    _checked_number(value, dtype)
    if type(value) is int and dtype.kind.endswith("floating"):
        value = float(value)
    return _core.cast(_core.number(value), dtype.code)


def _refused(array: Any) -> TypeError:
    kind, name = array.dtype.kind, array.dtype.name
    if not array.dtype.isnative:
        return TypeError(
            f"an array of type {array.dtype.str}, whose bytes are in another order than this machine's\n"
            "  help: a.astype(a.dtype.newbyteorder('=')) converts them"
        )
    reason = {
        "O": "elements that are Python's objects: lists of different lengths make such arrays",
        "U": "elements that are texts",
        "S": "elements that are texts",
        "T": "elements that are texts",
        "M": "dates: a.astype('int64') gives their numbers",
        "m": "differences of dates: a.astype('int64') gives their numbers",
        "V": "records: a['field'] is an array of one field",
    }.get(kind, "elements of a type that is not known here")
    return TypeError(f"an array of type {name}: {reason}\n  help: elements are bool, integers, and floating-point and complex numbers")


def _of_numpy(array: Any, copy: bool | None) -> Array:
    flags = array.flags
    shares = copy is False or (copy is None and not flags.writeable)
    try:
        if flags.c_contiguous and flags.aligned:
            return _core.from_buffer(array, shares)
        if copy is False:
            raise ValueError("asarray: copy=False of an array whose elements are not in row order, one behind the other, and aligned")
        return _core.from_buffer(array.copy(order="C"), True)
    except (TypeError, ValueError):
        if array.dtype.name not in _NAMES or not array.dtype.isnative:
            raise _refused(array) from None
        raise


_NAMES = frozenset(dtype.name for dtype in DTYPES)


def _of_object(value: Any, dtype: DType | None, copy: bool | None) -> Array:
    if type(value).__module__ == "numpy" or "numpy" in sys.modules:
        import numpy

        if isinstance(value, numpy.ndarray):
            return _of_numpy(value, copy)
        if isinstance(value, numpy.generic):
            return _of_numpy(numpy.asarray(value), copy)
    if isinstance(value, (list, tuple)):
        if copy is False:
            raise ValueError("asarray: copy=False of a list, whose elements have to be copied")
        return _of_list(value, dtype)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"asarray: a text, {value!r}\n  help: elements are numbers and bools")
    if hasattr(value, "__dlpack__"):
        return _dlpack.from_dlpack(value, copy=copy)
    try:
        view = memoryview(value)
    except TypeError:
        view = None
    if view is not None:
        return _core.from_buffer(value, copy is False or (copy is None and view.readonly and view.c_contiguous))
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        import numpy

        return _of_numpy(numpy.asarray(value), copy)
    if isinstance(value, Sequence):
        return _of_list(value, dtype)
    if isinstance(value, (int, float, complex)):
        return _core.number(int(value) if isinstance(value, int) else float(value) if isinstance(value, float) else complex(value))
    raise TypeError(
        f"asarray: an object of type {type(value).__name__} has no elements\n"
        "  help: it takes numbers, lists, NumPy arrays, and objects with the buffer protocol or __dlpack__"
    )


def _of_list(value: Any, dtype: DType | None) -> Array:
    import numpy

    try:
        made = numpy.asarray(value, dtype=None if dtype is None else dtype.name)
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise ValueError(f"asarray: lists of different lengths: {error}") from None
        raise
    return _of_numpy(made, False) if made.size and made.flags.owndata else _of_numpy(made, True)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of `obj`.

    obj: an array, which is returned itself; a number; lists and other sequences, nested to the depth of the rank; a NumPy array; an object with the buffer
        protocol, `__dlpack__` or `__array_interface__`.
    dtype: converts the elements. None: as they are; of Python's numbers bool, int64, float64 and complex128.
    copy: None: copies memory that can be written to, and reads other memory in place; True: always a new array; False: reads it in place,
        or raises ValueError. Memory that is read in place must not be written to as long as an array of it waits for being computed.

    Raises TypeError for elements that are objects, texts or in another byte order.
    """
    check_device(device)
    wanted = None if dtype is None else as_dtype(dtype)
    if type(obj) is Array:
        made = +obj if copy else obj
    elif _core.is_number(obj):
        if copy is False:
            raise ValueError("asarray: copy=False of a number")
        return of_number(obj, wanted)
    else:
        made = _of_object(obj, wanted, copy)
    if wanted is None or made.dtype is wanted:
        return made
    if copy is False:
        raise ValueError(f"asarray: copy=False, and elements of {made.dtype} are not of type {wanted}")
    return _core.cast(made, wanted.code)


def as_operand(obj: Any) -> Any:
    """An array for an operator beside an array, or NotImplemented."""
    if obj is None or isinstance(obj, (str, bytes, dict, set)):
        return NotImplemented
    try:
        return asarray(obj)
    except TypeError:
        if isinstance(obj, (list, tuple)) or type(obj).__module__ == "numpy":
            raise
        return NotImplemented


def given(x: Any) -> Array:
    """The array that a function is given."""
    return x if type(x) is Array else asarray(x)


_core.set_hooks(DTYPES, as_operand)
