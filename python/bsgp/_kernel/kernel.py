"""`bsgp.kernel`: functions of Python that run in threads."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
import threading
import warnings
from types import CellType, FunctionType
from typing import Any, Callable, Iterator, Sequence, overload

import numpy as np

from .. import _core
from .._core import KernelFunction
from ..kernels import CompileError, CompileWarning, place_for
from . import assign, calls, collectives, conditions, control_flow  # noqa: F401  their rules
from . import math_functions, memory, numbers, operators, places, spawns  # noqa: F401
from .program import Instance, Program, name_of_entry, type_of_annotation, type_of_result
from .report import Refused, Report
from .source import NoSource, Source
from .types import Array, Pointer, Type
from .._dtypes import as_dtype

_DEEPEST = 20_000  # calls of Python in each other


def ptr(dtype: Any) -> Pointer:
    """The type of a parameter of a kernel that is memory whose extents the kernel does not know, of elements of a type.

    dtype: as bsgp.float32, numpy.int8, "int32". Raises TypeError for what is no type of elements.
    """
    return Pointer(as_dtype(dtype))


class Kernel:
    """A function that `bsgp.kernel` made. It is compiled in its first call. `compile()` does that at once.

    A call raises TypeError, ValueError or OverflowError for arguments that do not fit, and where something outside of the kernel has
    changed that is a constant of it; CompileError, in the first call, for mistakes in the function; bsgp.Error for failures while it
    runs.
    """

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function_of_kernel, self._options = function, options
        self._compiled: KernelFunction | None = None
        self._captured: list[tuple[Any, str, Any]] = []
        code = function.__code__
        self._names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._by_place = code.co_argcount
        self._defaults = dict(zip(self._names[code.co_argcount - len(function.__defaults__ or ()) :], function.__defaults__ or ()))
        self._defaults.update(function.__kwdefaults__ or {})
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        function = self._compiled or self.compile()
        for holder, name, was in self._captured:
            kind = type(holder)
            now = holder.get(name) if kind is dict else holder.cell_contents if kind is CellType else getattr(holder, name, None)
            if now is not was and not _are_equal(was, now):
                self._refuse_change(name, was, now)
        if len(arguments) > self._by_place:
            raise TypeError(f"{function!r} takes {self._by_place} arguments by place, and {len(arguments)} are given")
        for name in self._names[len(arguments) :] if self._defaults else ():
            if name not in keywords and name in self._defaults:
                keywords[name] = self._defaults[name]
        return function(*arguments, **keywords)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"  # type: ignore[attr-defined]

    def compile(self) -> KernelFunction:
        """The compiled function. Raises CompileError, with places in the function's file."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._make()
        return self._compiled

    def _refuse_change(self, name: str, was: Any, now: Any) -> None:
        raise TypeError(
            f"{self.__name__}: '{name}' was {was!r} when the kernel was compiled, and now it is {now!r}\n"  # type: ignore[attr-defined]
            "  help: make it a parameter of the kernel, or make the kernel anew"
        )

    def _make(self) -> KernelFunction:
        with _deep_recursion(self.function_of_kernel):
            program, parameters = _translated(self.function_of_kernel)
            found = program.report()
            tree = program.tree()
        options = self._options
        checks, place = place_for(options["target"], options["check"])
        made = _core.compile_tree(tree, place, options["fp"], options["opt_level"], checks, options["debug"])
        if isinstance(made, str):
            raise CompileError(_in_words_of_python(made))
        functions, of_compiler, _ = made
        found = "\n".join(filter(None, (found, _in_words_of_python(of_compiler))))
        if found:
            warnings.warn(found, CompileWarning, stacklevel=4)
        self._captured = program.captured
        ranks = bytes(type.rank if isinstance(type, Array) else 255 for type in parameters.values())
        (function,) = functions.values()
        return _core.with_ranks(function, tuple(parameters), ranks)


def _are_equal(was: Any, now: Any) -> bool:
    """Numbers of one type that are equal, NaN too, and tuples of them; other objects have to be the same."""
    if type(was) is not type(now) or not isinstance(was, (bool, int, float, np.generic, tuple, str)):
        return False
    if isinstance(was, tuple):
        return len(was) == len(now) and all(a is b or _are_equal(a, b) for a, b in zip(was, now))
    return bool(was == now) or was != was and now != now


def _translated(function: FunctionType) -> tuple[Program, dict[str, Type]]:
    program = Program()
    program.entry = Instance(name_of_entry(function.__name__), function, [])
    program.entry.of_host = True
    try:
        source = program.source(function)
    except NoSource:
        raise CompileError(
            f"{function.__name__}: the text of the function is not there\n  help: write kernels in files or notebooks"
        ) from None
    parameters, program.entry.declared_result = _signature(function, source)
    program.translate(program.entry, parameters)
    return program, parameters


_deep_lock = threading.Lock()
_deep_users = 0
_usual_depth = 0


@contextlib.contextmanager
def _deep_recursion(function: FunctionType) -> Iterator[None]:
    """An operator in an operator takes a few calls in each other. The limit is one for all threads."""
    global _deep_users, _usual_depth
    with _deep_lock:
        if _deep_users == 0:
            _usual_depth = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_usual_depth, _DEEPEST))
        _deep_users += 1
    try:
        yield
    except RecursionError:
        code = function.__code__
        raise CompileError(
            f"{code.co_filename}:{code.co_firstlineno}:1: error: {function.__name__} is nested too deeply [python_nesting]\n"
            "  help: variables for parts of long expressions"
        ) from None
    finally:
        with _deep_lock:
            _deep_users -= 1
            if _deep_users == 0:
                sys.setrecursionlimit(_usual_depth)


def _signature(function: FunctionType, source: Source) -> tuple[dict[str, Type], Type | None]:
    """The types of the parameters and of the result, by their annotations."""
    report, found = Report(), {}
    try:
        given = inspect.get_annotations(function, eval_str=True)
    except Exception as error:
        report.add(source, source.tree, "python_type", f"the annotations: {error}", "names of annotations that are texts have to be global")
        report.raise_all()
    arguments = source.tree.args
    for star in (arguments.vararg, arguments.kwarg):
        if star is not None:
            report.add(source, star, "python_construct", "*args and **kwargs", "a kernel names its parameters")
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        type = type_of_annotation(given[each.arg]) if each.arg in given else None
        if type is None:
            words = f"'{each.arg}' has no type" if each.arg not in given else f"{given[each.arg]!r} is no type of a parameter"
            report.add(source, each, "python_type", words, _help_for(each.arg))
            continue
        found[each.arg] = type
    result = type_of_result(given["return"]) if "return" in given else None
    if "return" in given and result is None and source.tree.returns is not None:
        report.add(
            source,
            source.tree.returns,
            "python_type",
            f"{given['return']!r} is no type of a result",
            "-> int, -> bp.float32, -> tuple[int, float]",
        )
    report.raise_all()
    return found, result


def _help_for(parameter: str) -> str:
    if parameter == "self":
        return "a kernel is no method: @staticmethod above @bp.kernel, and no self"
    return f"{parameter}: bp.float32, {parameter}: bp.float32[:, :] for an array, or {parameter}: bp.ptr(bp.float32)"


def _in_words_of_python(text: str) -> str:
    """Messages of the compiler name threads as the kernel does; lines of the program, which begin with spaces, stay."""
    return "\n".join(
        line if line.startswith("    ") else _WORDS.sub(lambda word: _IN_PYTHON[word[0]], _INSTANCE.sub(r"'\1'", line))
        for line in text.split("\n")
    )


_IN_PYTHON = {
    "'thread.": "'bp.",
    "'block.": "'bp.block.",
    "uchar": "uint8",
    "ushort": "uint16",
    "ulong": "uint64",
    "thread.size": "bp.size",
    "thread.rank": "bp.rank",
}
_INSTANCE = re.compile(r"'(\w+)\.\d+'")  # a function for the types of its arguments
_WORDS = re.compile("|".join(map(re.escape, _IN_PYTHON)))


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *, target: str | None = None, check: bool | str | Sequence[str] = False, fp: str = "contract", opt_level: int = 0, debug: bool = False
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Any = None,
    /,
    *,
    target: str | None = None,
    check: bool | str | Sequence[str] = False,
    fp: str = "contract",
    opt_level: int = 0,
    debug: bool = False,
) -> Any:
    """A function of Python as a kernel: its `with bp.spawn(n):` runs the statements in n threads.

        >>> @bp.kernel
        ... def saxpy(y: bp.float32[:], x: bp.float32[:], a: bp.float32):
        ...     with bp.spawn(len(y)):
        ...         y[bp.rank] += a * x[bp.rank]
        >>> saxpy(y, x, 2.0)

    Parameters have types: numbers (bp.int32, int), arrays with their extents (bp.float32[:, :]), and memory without (bp.ptr(bp.float32)).
    Arrays are those of NumPy or of this package, row by row, and are not copied. The options are those of `bsgp.compile`. docs/python.md,
    "Kernels in Python", says what can stand in a kernel. The first call compiles, and raises CompileError for mistakes.
    """
    options = {"target": target, "check": check, "fp": fp, "opt_level": opt_level, "debug": debug}

    def make(given: Any) -> Kernel:
        given = getattr(given, "function_of_kernel", given)
        if not isinstance(given, FunctionType):
            raise TypeError(f"kernel: a {type(given).__name__} is no function of Python\n  help: @bp.kernel stands in front of def")
        return Kernel(given, options)

    return make if function is None else make(function)


__all__ = ["Kernel", "Refused", "kernel", "ptr"]
