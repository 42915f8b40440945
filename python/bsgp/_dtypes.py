"""Types of elements, and how they are combined."""

from __future__ import annotations

import functools
from typing import Any

from . import _core


class DType:
    """A type of elements. Equal to the type of the same name of other libraries; `numpy.dtype(bsgp.float32)` converts it.

    Attributes: `name`; `itemsize`, in bytes; `kind`, one of "bool", "signed integer", "unsigned integer", "real floating" and
    "complex floating".
    """

    __slots__ = ("name", "itemsize", "kind", "code")

    def __init__(self, code: int, name: str, itemsize: int, kind: str) -> None:
        self.code, self.name, self.itemsize, self.kind = code, name, itemsize, kind

    def __repr__(self) -> str:
        return f"bsgp.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if type(other) is DType:
            return self is other
        if other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)

    def __getitem__(self, axes: Any) -> Any:
        """float32[:, :]: the type of a parameter of bsgp.kernel that is an array with two axes."""
        from ._kernel.types import Array

        axes = axes if isinstance(axes, tuple) else (axes,)
        if any(each != slice(None) for each in axes) or not 1 <= len(axes) <= 8:
            raise TypeError(f"{self.name}[...]: an axis is written as a colon\n  help: bsgp.{self.name}[:, :] is an array with two axes")
        return Array(self, len(axes))

    @property
    def dtype(self) -> Any:
        """NumPy's type of the same name."""
        import numpy

        return numpy.dtype(self.name)


_KINDS = ("bool", "signed integer", "unsigned integer", "real floating", "complex floating")
_SIZES = {"bool": (1,), "signed integer": (1, 2, 4, 8), "unsigned integer": (1, 2, 4, 8), "real floating": (2, 4, 8), "complex floating": (8, 16)}
_PREFIXES = {"bool": "bool", "signed integer": "int", "unsigned integer": "uint", "real floating": "float", "complex floating": "complex"}

DTYPES: tuple[DType, ...] = tuple(
    DType(code, _PREFIXES[kind] + (str(8 * size) if kind != "bool" else ""), size, kind)
    for code, (kind, size) in enumerate((kind, size) for kind in _KINDS for size in _SIZES[kind])
)
BY_NAME = {dtype.name: dtype for dtype in DTYPES}
(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128) = DTYPES

_OF_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}


def as_dtype(given: Any) -> DType:
    """The type that is meant: one of these, its name, a type of NumPy, or Python's bool, int, float or complex."""
    if type(given) is DType:
        return given
    if isinstance(given, type) and given in _OF_PYTHON:
        return _OF_PYTHON[given]
    if isinstance(given, str) and given in BY_NAME:
        return BY_NAME[given]
    if given is not None:
        import numpy

        try:
            known = numpy.dtype(given)
        except TypeError:
            known = None
        if known is not None and known.name in BY_NAME and known.isnative:
            return BY_NAME[known.name]
    raise TypeError(
        f"{given!r} is no type of elements\n  help: they are bool, int8 to int64, uint8 to uint64, float16 to float64, "
        "complex64 and complex128, in this machine's byte order"
    )


def parts_of(dtype: DType) -> DType:
    """The type of the real part: of complex numbers a real one, else the type itself."""
    return {"complex64": float32, "complex128": float64}.get(dtype.name, dtype)


@functools.lru_cache(None)
def _common(a: DType, b: DType) -> DType:
    condition = _core.number(True)
    made = _core.cond(condition, _core.cast(_core.number(0), a.code), _core.cast(_core.number(0), b.code))
    return made.dtype


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type of an operation on arrays, types and numbers: that of NumPy 2. Numbers of Python take the type of what they meet."""
    strong: DType | None = None
    numbers = []
    for each in arrays_and_dtypes:
        if _core.is_number(each):
            numbers.append(each)
            continue
        own = each.dtype if isinstance(each, _core.Array) else as_dtype(getattr(each, "dtype", each))
        strong = own if strong is None else _common(strong, own)
    if strong is None:
        if not numbers:
            raise ValueError("result_type: no arrays and no types")
        return functools.reduce(_common, (_OF_PYTHON[type(number)] for number in numbers))
    for number in numbers:
        strong = (_core.cast(_core.number(0), strong.code) + type(number)(0)).dtype if not isinstance(number, bool) else strong
    return strong


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a type, or that of an array, converts to another one by the rules of operations: `result_type` of both is `to`."""
    to = as_dtype(to)
    return result_type(from_, to) is to


_GROUPS = {
    "bool": ("bool",),
    "signed integer": ("signed integer",),
    "unsigned integer": ("unsigned integer",),
    "integral": ("signed integer", "unsigned integer"),
    "real floating": ("real floating",),
    "complex floating": ("complex floating",),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind: another type, the name of a kind ("integral", "real floating", ...), or a tuple of these."""
    dtype = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str) and kind in _GROUPS:
        return dtype.kind in _GROUPS[kind]
    if isinstance(kind, str) and kind not in BY_NAME:
        raise ValueError(f"isdtype: there is no kind {kind!r}\n  help: kinds are {', '.join(_GROUPS)}")
    return dtype is as_dtype(kind)


class finfo:
    """Limits of a floating-point type, or of the parts of a complex one: `bits`, `eps`, `max`, `min`, `smallest_normal`, `dtype`."""

    _OF_BITS = {16: (10, 15), 32: (23, 127), 64: (52, 1023)}

    def __init__(self, type: Any, /) -> None:
        dtype = type.dtype if isinstance(type, _core.Array) else as_dtype(type)
        part = parts_of(dtype)
        if part.kind != "real floating":
            raise TypeError(f"finfo: {dtype.name} is no floating-point type\n  help: iinfo is for integers")
        self.dtype = part
        self.bits = 8 * part.itemsize
        mantissa, bias = self._OF_BITS[self.bits]
        self.eps = 2.0**-mantissa
        self.max = (2 - 2.0**-mantissa) * 2.0**bias
        self.min = -self.max
        self.smallest_normal = 2.0 ** (1 - bias)

    def __repr__(self) -> str:
        return f"finfo({self.dtype}: bits={self.bits}, eps={self.eps}, max={self.max}, smallest_normal={self.smallest_normal})"


class iinfo:
    """Limits of an integer type: `bits`, `max`, `min`, `dtype`."""

    def __init__(self, type: Any, /) -> None:
        dtype = type.dtype if isinstance(type, _core.Array) else as_dtype(type)
        if "integer" not in dtype.kind:
            raise TypeError(f"iinfo: {dtype.name} is no integer type\n  help: finfo is for floating-point numbers")
        self.dtype = dtype
        self.bits = 8 * dtype.itemsize
        signed = dtype.kind == "signed integer"
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self) -> str:
        return f"iinfo({self.dtype}: bits={self.bits}, min={self.min}, max={self.max})"
