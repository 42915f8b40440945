"""Programs as functions of arrays: `simulate`, `emit`, `compile`, `run`, `blocks`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._convert import asarray
from .._core import Array, KernelFunction
from .._dtypes import as_dtype
from .._names import TYPES
from ..kernels import compile_as
from ._programs import Program, as_program
from ._text import MOST_THREADS, text_of


def simulate(program: Program, values: Iterable[Any]) -> list[Any]:
    """Runs the program on a list of numbers, by its definition: nothing is compiled.

        >>> combine.simulate(combine.bfly(3, combine.cmp), [1, 3, 5, 7, 8, 6, 4, 2])
        [1, 2, 3, 4, 5, 6, 7, 8]

    The numbers may be of any type that the program's functions take. Raises ValueError where the length does not fit.
    """
    given = list(values)
    _length(program, len(given))
    return program.apply(given)


def _length(program: Program, length: Any) -> int:
    if not isinstance(length, (int, np.integer)) or length < 1:
        raise ValueError(f"combine: {length!r} is no length of an array\n  help: it is 1 or more")
    return as_program("combine", program).length(int(length))


def kind_of(dtype: Any) -> tuple[str, int]:
    """The language's type, and its bytes."""
    made = as_dtype(dtype)
    if made.name not in TYPES or made.name == "bool":
        raise TypeError(f"combine: arrays of {made.name} are not for programs of combinators\n  help: integers and floats are"
                        + ", as a.astype(numpy.uint8)" * (made.name == "bool"))
    return TYPES[made.name], np.dtype(made.name).itemsize


def emit(program: Program, length: int, dtype: Any, *, block: int | None = None, in_place: bool | None = None, group: int | None = None,
         warp_sync: bool = False) -> str:
    """The program for arrays of so many elements, in the language: a function of one spawn, with a block of threads for each array.

    block: threads of a block, 1 to 1024; a thread does several parts of a phase where they are more.
    in_place: True: results go to the memory that their thread has read, where no other one reads it, and elements change their places by
      being looked for elsewhere; False: to a second array, each in its place; None: in place where elements stay in order.
    group: how many elements a thread makes between two syncs: 1, 2, 4, 8 or 16. With 1, each thread makes one element of all that stands
      between two syncs. With 2, a thread makes both results of a call of the function of a pair; with more, those of several calls.
      None: 8, or 1 where that costs less: where the elements that a thread reads are near.
    warp_sync: the threads of a warp wait for each other alone, by warp.sync(), where that is enough.

    Where the program has no sync, there are those that it needs. Raises ValueError where the length does not fit, or the program has more
    than 100,000 steps.
    """
    _length(program, length)
    kind, size = kind_of(dtype)
    if block is not None and (not isinstance(block, int) or not 1 <= block <= MOST_THREADS):
        raise ValueError(f"emit: block={block!r}\n  help: a block has 1 to {MOST_THREADS} threads")
    if group not in (None, 1, 2, 4, 8, 16):
        raise ValueError(f"emit: group={group!r}\n  help: a thread makes 1, 2, 4, 8 or 16 elements")
    return text_of(program, int(length), kind, size, block, in_place, group, bool(warp_sync))


@functools.lru_cache(256)
def _function(text: str, target: str | None) -> KernelFunction:
    return compile_as(text, "combine", target=target)["combined"]


_may_overlap = getattr(np.may_share_memory, "_implementation", np.may_share_memory)  # compares addresses


def _refuse_overlap(x: Any, y: Any) -> None:
    first, second = np.asarray(x), np.asarray(y)
    if first.ctypes.data != second.ctypes.data or first.nbytes != second.nbytes:
        raise ValueError("combine: x and y overlap\n  help: f(x.copy(), y), or f(x), which works in place where the length stays")


class Compiled:
    """A program for arrays of `length` elements, compiled. f(x) replaces each `length` elements of x by what the program makes of them;
    f(x, y) writes them to y, each `result_length` behind each other. `text` is the program in the language."""

    def __init__(self, text: str, length: int, result_length: int, target: str | None) -> None:
        self.text, self.length, self.result_length = text, length, result_length
        self._call = _function(text, target)

    def __call__(self, x: Any, y: Any = None) -> Any:
        """x, y: arrays of the program's type, of NumPy or of BSGP. Returns that which was written to. Raises ValueError where x is no whole
        number of arrays, y too short, or where x and y overlap: y is x, or has memory of its own."""
        count, rest = divmod(x.size, self.length)
        if rest or (y is None and self.length != self.result_length) or (y is not None and y.size != count * self.result_length):
            self._refuse(x.size, None if y is None else y.size)
        if y is None:
            y = x
        elif y is not x and (type(x) is np.ndarray or type(y) is np.ndarray) and _may_overlap(x, y):
            _refuse_overlap(x, y)
        if count:
            self._call(x, y, count)
        return y

    def _refuse(self, size: int, result_size: int | None) -> None:
        if size % self.length:
            raise ValueError(f"combine: {size} elements are no whole number of arrays of {self.length}: {size % self.length} are left over\n"
                             "  help: fill the array up, or take another length")
        needed = size // self.length * self.result_length
        if result_size is None:
            raise ValueError(f"combine: the program makes {self.result_length} elements of {self.length}, which do not fit into the array\n"
                             f"  help: f(x, y) with a y of {needed} elements")
        raise ValueError(f"combine: the result has {needed} elements, and y has {result_size}")


def compile(program: Program, length: int, dtype: Any, *, target: str | None = None, **options: Any) -> Compiled:
    """A function that does the program in place, on each `length` elements of an array; a call of it costs what a call of a kernel does.

        >>> sort = combine.compile(combine.sorters.vsort(9), 512, "int32")
        >>> sort(x)                        # each 512 elements of x are sorted

    target: "cpu" (None), "reference" or "cuda". Other options are those of `emit`. A text is compiled once.
    """
    return Compiled(emit(program, length, dtype, **options), int(length), _length(program, length), target)


class _Applied:
    """A program on arrays, compiled for each type that comes."""

    def __init__(self, program: Program, length: int, target: str | None, options: dict[str, Any]) -> None:
        self._arguments = program, length
        self._options = {**options, "target": target}
        self._compiled: dict[Any, Compiled] = {}

    def __call__(self, array: Any) -> Any:
        if not isinstance(array, (Array, np.ndarray)):
            raise TypeError(f"combine: {type(array).__name__} is no array\n  help: numpy.asarray(a) or bp.asarray(a); combine.simulate takes "
                            "lists")
        if array.ndim != 1:
            raise ValueError(f"combine: the array has {array.ndim} axes, and programs take one\n  help: a.reshape(-1), and combine.blocks")
        given = np.ascontiguousarray(np.asarray(array))
        function = self._compiled.get(given.dtype)
        if function is None:
            function = self._compiled[given.dtype] = compile(*self._arguments, given.dtype, **self._options)
        made = np.empty(given.size // function.length * function.result_length, given.dtype)
        function(given, made)
        return asarray(made) if isinstance(array, Array) else made


@functools.lru_cache(256)
def _applied(program: Program, length: int, target: str | None, options: tuple[tuple[str, Any], ...]) -> _Applied:
    return _Applied(program, length, target, dict(options))


def run(program: Program, array: Any, *, target: str | None = None, **options: Any) -> Any:
    """Runs the program on an array of NumPy or of BSGP with one axis; returns an array of the same kind. It is compiled in the first call
    for a length and a type. The options are those of `emit`."""
    size = array.size if isinstance(array, (Array, np.ndarray)) and array.ndim == 1 else 1
    _length(program, size)
    return _applied(program, size, target, tuple(sorted(options.items())))(array)


def blocks(program: Program, length: int, *, target: str | None = None, **options: Any) -> Callable[[Any], Any]:
    """A function that makes of an array what the program makes of each `length` elements of it: one spawn, a block for each of them.

    Raises ValueError, in a call, where elements are left over.
    """
    _length(program, length)
    return _Applied(program, int(length), target, options)
