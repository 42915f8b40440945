"""Types of values in kernels, and how they are combined: those of NumPy 2, where numbers of Python are weak."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

from .. import _dtypes
from .._dtypes import BY_NAME, DType, bool_, float64, int64, uint64

__all__ = [
    "Array",
    "DType",
    "FLOAT",
    "INT",
    "Local",
    "Memory",
    "NONE",
    "OF_PYTHON",
    "Pointer",
    "Scalar",
    "Static",
    "TRUTH",
    "Tuple",
    "Type",
    "UNKNOWN",
    "Value",
    "Weak",
]


@dataclass(frozen=True)
class Weak:
    """The type of a number of Python, which takes the type of what it meets. `machine`: how it is computed until then."""

    name: str
    order: int
    machine: DType

    def __str__(self) -> str:
        return self.name


TRUTH, INT, FLOAT = Weak("bool", 0, bool_), Weak("int", 1, int64), Weak("float", 2, float64)
OF_PYTHON: dict[Any, Weak] = {bool: TRUTH, int: INT, float: FLOAT}
Scalar = Union[DType, Weak]


class Memory:
    """Elements of one type: `element`, `rank`."""

    element: DType
    rank: int


@dataclass(frozen=True)
class Pointer(Memory):
    """Memory of the device whose extents are not known: bsgp.ptr(bsgp.float32)."""

    element: DType
    rank: int = 1

    def __str__(self) -> str:
        return f"ptr({self.element})"


@dataclass(frozen=True)
class Array(Memory):
    """An array with its extents, row by row: bsgp.float32[:, :]."""

    element: DType
    rank: int

    def __str__(self) -> str:
        return f"{self.element}[{', '.join(':' * self.rank)}]"


@dataclass(frozen=True)
class Local(Memory):
    """An array of a block (shared) or of a thread, of constant extents."""

    element: DType
    shape: tuple[int, ...]
    is_shared: bool

    @property
    def rank(self) -> int:  # type: ignore[override]
        return len(self.shape)

    def __str__(self) -> str:
        return f"{'shared' if self.is_shared else 'private'} {self.element}{list(self.shape)}"


@dataclass(frozen=True)
class Tuple:
    parts: tuple["Type", ...]

    def __str__(self) -> str:
        return f"tuple({', '.join(map(str, self.parts))})"


class Static:
    """An object of Python that is known when the kernel is compiled: a function, a module, a type."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)

    def __str__(self) -> str:
        return f"{type(self.of).__name__} {getattr(self.of, '__name__', self.of)!s}"


class _Marker:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


UNKNOWN = _Marker("unknown")  # a mistake was reported, or the type is not found yet
NONE = _Marker("None")
Type = Union[DType, Weak, Pointer, Array, Local, Tuple, Static, _Marker]


@dataclass
class Value:
    """The value of an expression: its type, and the tree that computes it."""

    type: Type
    tree: Any = None
    const: Any = None  # the number of Python that it is, where that is known
    extents: list["Value"] = field(default_factory=list)  # of an Array
    parts: list["Value"] = field(default_factory=list)  # of a Tuple
    has_effects: bool = False  # it may not be computed twice
    origin: Any = None  # of memory: the variable that has it
    is_nonneg: bool = False  # a whole number that is never below 0
    is_zeros: bool = False  # of new memory: it is filled when it has a name

    @property
    def is_scalar(self) -> bool:
        return isinstance(self.type, (DType, Weak))


def is_number(type: Type) -> bool:
    return isinstance(type, (DType, Weak))


def machine(type: Any) -> DType:
    return type.machine if isinstance(type, Weak) else type


def is_bool(type: Any) -> bool:
    return machine(type) is bool_


def is_float(type: Any) -> bool:
    return machine(type).kind == "real floating"


def is_whole(type: Any) -> bool:
    """An integer, no bool."""
    return "integer" in machine(type).kind


def is_signed(type: Any) -> bool:
    return machine(type).kind == "signed integer"


def order(type: Any) -> int:
    """0 of bools, 1 of integers, 2 of floats: a weak number of a lower order fits."""
    return 0 if is_bool(type) else 2 if is_float(type) else 1


def combined(a: Scalar, b: Scalar) -> Scalar:
    """The type of an operation on both: NumPy's."""
    if isinstance(a, Weak) and isinstance(b, Weak):
        return a if a.order >= b.order else b
    if isinstance(a, Weak) or isinstance(b, Weak):
        weak, strong = (a, b) if isinstance(a, Weak) else (b, a)
        return weak.machine if weak.order > order(strong) else strong  # type: ignore[union-attr]
    return a if a is b else _dtypes._common(a, b)


_TREE_NAMES = {name: name for name in ("bool",)} | {
    dtype.name: {"signed integer": "i", "unsigned integer": "u", "real floating": "f"}[dtype.kind] + str(8 * dtype.itemsize)
    for dtype in BY_NAME.values()
    if dtype.kind in ("signed integer", "unsigned integer", "real floating")
}


def tree_name(type: Any) -> str:
    return _TREE_NAMES[machine(type).name]


def limits(type: DType) -> tuple[int, int]:
    bits = 8 * type.itemsize
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed(type) else (0, 2**bits - 1)


def mixes_64(a: Any, b: Any) -> bool:
    """int64 and uint64, which no type has all values of."""
    return {machine(a), machine(b)} == {int64, uint64}
