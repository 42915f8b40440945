"""Programs of the language, compiled while a program in Python runs: `compile`. Operations on elements, reductions and scans by
expressions: `elementwise`, `reduction`, `scan`. Which of several is the fastest: `tune`; where the time goes: `profile`."""

from __future__ import annotations

import importlib
import inspect
import keyword
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from . import _core
from ._core import Error, KernelFunction
from ._names import apply_names, place_of

__all__ = ["CompileError", "CompileWarning", "Module", "compile", "elementwise", "profile", "reduction", "scan", "tune"]


class CompileError(Error):
    """A text has errors. `message` is the first one, at `filename`, `line` and `column`; str(error) is all of them with their places."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        at = re.search(r"^(.*?):(\d+):(\d+): error: (.*)$", text, re.M)
        self.text = text
        self.filename: str | None = at[1] if at else None
        self.line: int | None = int(at[2]) if at else None
        self.column: int | None = int(at[3]) if at else None
        self.message: str = at[4] if at else text


class CompileWarning(UserWarning):
    """The compiler has found what may be a mistake."""


class Module:
    """The exported functions of a program, as attributes and by their names: m.saxpy(y, x, 2.0, n) or m["saxpy"]."""

    def __init__(self, functions: dict[str, KernelFunction], compiler_warnings: str, header: str) -> None:
        self._functions = functions
        self.compiler_warnings = self._warnings = compiler_warnings
        self.header = header
        self.__dict__.update(functions)

    def __getitem__(self, name: str) -> KernelFunction:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __getattr__(self, name: str) -> Any:
        names = ", ".join(self.__dict__.get("_functions", {})) or "none"
        raise AttributeError(f"the program exports no function {name!r}; it exports {names}")

    def __repr__(self) -> str:
        return "\n".join(["bsgp.Module:"] + ["  " + repr(function)[len("<function ") : -1] for function in self._functions.values()])


_places: dict[tuple[str, str], int] = {}


def _place(target: str | None, check: str) -> int:
    key = (target or "cpu", check)
    if key not in _places:
        if key[0] not in ("cpu", "reference", "cuda"):
            raise ValueError(f"compile: there is no target {target!r}; there are 'cpu', 'reference' and 'cuda'")
        _places[key] = _core.place(*key)
    return _places[key]


def _checks(check: bool | str | Sequence[str]) -> str:
    if isinstance(check, (bool, str)):
        return check if isinstance(check, str) else "all" if check else ""
    return ",".join(check)


def place_for(target: str | None, check: bool | str | Sequence[str]) -> tuple[str, int]:
    """The list of checks, and the number of the place in which functions for the target run."""
    checks = _checks(check)
    return checks, _place(target, checks)


def compile_as(text: str, name: str, *, target: str | None = None, check: bool | str | Sequence[str] = False, fp: str = "contract",
               opt_level: int = 0, include_dirs: Sequence[str] = (), debug: bool = False) -> Module:
    """`compile` of a text that has this name in messages."""
    checks, place = place_for(target, check)
    made = _core.compile(text, name, place, fp, opt_level, list(include_dirs), checks, debug)
    if isinstance(made, str):
        raise CompileError(made)
    return Module(*made)


def compile(text: str, *, target: str | None = None, check: bool | str | Sequence[str] = False, fp: str = "contract", opt_level: int = 0,
            include_dirs: Sequence[str] = (), debug: bool = False, **names: Any) -> Module:
    """Compiles a program of the language; its exported functions are attributes of the result.

    target: "cpu" (None), "reference": one thread at a time, or "cuda".
    check: True: the program finds races, accesses out of bounds, values that were never set and the like, and a call in which it finds one
      raises bsgp.Error; or a list of what it looks for.
    fp: "contract", "strict" or "fast". opt_level: 0 full, 1 little and quick, -1 none. include_dirs: folders for #include "file".
    names: words of the text. A number is a constant, a type (bsgp.float32, numpy.int8, "float3") a type; another text takes the word's place.

        m = bp.compile("export scale(T* x, int n) { spawn (n) { x[thread.rank] *= K; } }", T="float", K=4)
        m.scale(x, x.size)

    Raises CompileError, which names the line in Python where the text stands.
    """
    if not isinstance(text, str) or "\0" in text:
        raise TypeError("compile: the text has a NUL character" if isinstance(text, str) else f"compile: {type(text).__name__} is no text")
    caller = sys._getframe(1)
    name, lines, column = place_of(text, caller.f_code.co_filename, caller.f_lineno)
    declarations, text = apply_names(text, names)
    if lines:
        text = declarations + "\n" * lines + " " * column + text
    elif declarations:
        text = declarations + " " + text
    module = compile_as(text, name, target=target, check=check, fp=fp, opt_level=opt_level, include_dirs=include_dirs, debug=debug)
    if module._warnings:
        warnings.warn(module._warnings, CompileWarning, stacklevel=2)
    return module


def _signature(function: KernelFunction) -> inspect.Signature:
    """Of a function of a program, for the module inspect."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name + "_" if keyword.iskeyword(name) else name, kind, annotation=of) for name, of in function.parameters]
    result = None if function.result == "void" else function.result
    return inspect.Signature(parameters, return_annotation=result)


def __getattr__(name: str) -> Any:
    home = {"elementwise": "_expressions", "reduction": "_expressions", "scan": "_expressions", "tune": "_measuring", "profile": "_measuring"}
    if name not in home:
        raise AttributeError(f"module 'bsgp.kernels' has no attribute {name!r}")
    return getattr(importlib.import_module("." + home[name], __package__), name)
