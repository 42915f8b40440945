"""The operations of elements: their meaning for `simulate`, and their text in the language."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .._names import DTYPES

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
DIVISIONS = ("/", "//", "%")
FLOATS = ("half", "float", "double")
ALL = "elements have + - * / // %, -a, abs and comparisons, and combine.min, max and where(c, a, b)"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "f") in "iu"


def _towards_zero(a: Any, b: Any) -> Any:
    quotient = builtins.abs(int(a)) // builtins.abs(int(b))
    return type(a)(quotient if (a < 0) == (b < 0) else -quotient)


def _by_zero(of_floats: Callable[[Any, Any], Any], of_whole: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A division, of which whole numbers by 0 give 0, as in the language."""

    def divided(a: Any, b: Any) -> Any:
        if not (_is_whole(a) and _is_whole(b)):
            return of_floats(a, b)
        return of_whole(a, b) if b else type(a)(0)

    return divided


def _least(a: Any, b: Any) -> Any:
    return b if b < a or b != b else a


def _greatest(a: Any, b: Any) -> Any:
    return b if a < b or b != b else a


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _by_zero(operator.truediv, _towards_zero),
    "//": _by_zero(operator.floordiv, operator.floordiv), "%": _by_zero(operator.mod, operator.mod), "min": _least, "max": _greatest,
    "abs": builtins.abs, "negative": operator.neg,
}  # fmt: skip


def text_of_operation(operation: str, parts: list[str], kind: str, of_bool: bool) -> str:
    """An expression of the language for the operation on these names, in the type `kind`."""
    if operation == "where":
        return f"{parts[0]} ? {parts[1]} : {parts[2]}"
    if operation == "!":
        return f"!{parts[0]}"
    if operation in ("min", "max"):
        return _extreme(operation, parts[0], parts[1], kind)
    if operation == "abs":
        return parts[0] if kind[0] == "u" else f"{kind}(abs({parts[0]}))"
    if operation == "negative":
        return f"{kind}(-{parts[0]})"
    if operation in ("//", "%"):
        return _rounded_down(operation, parts[0], parts[1], kind)
    text = f"{parts[0]} {operation} {parts[1]}"
    return text if of_bool else f"{kind}({text})"


def _extreme(operation: str, a: str, b: str, kind: str) -> str:
    """Of equal ones the first. NaN, which the function of two NaNs or of one is, goes through: so the operation is associative."""
    before = f"{b} < {a}" if operation == "min" else f"{a} < {b}"
    return f"{b} != {b} ? {b} : {before} ? {b} : {a}" if kind in FLOATS else f"{before} ? {b} : {a}"


def _rounded_down(operation: str, a: str, b: str, kind: str) -> str:
    """The functions of __numbers.bsgp are for int, uint, long, ulong, float and double."""
    wide = {"char": "int", "short": "int", "uchar": "uint", "ushort": "uint", "half": "float"}.get(kind, kind)
    name = "__array_quotient" if operation == "//" else "__array_remainder"
    return f"{kind}({name}({wide}({a}), {wide}({b})))"


def with_includes(text: str) -> str:
    """The text with what its functions need."""
    return f"#include <__numbers.bsgp>\n{text}" if "__array_" in text else text


def constant(value: Any, kind: str) -> str:
    """A number in a type of the language. Raises TypeError and OverflowError where the type does not have it."""
    if kind in FLOATS:
        return _float(value, kind)
    if isinstance(value, float):
        raise TypeError(f"combine: the function has the constant {value!r}, and the array is of {DTYPES[kind]}\n  help: a whole number, or an "
                        "array of floats")
    holds = np.iinfo(DTYPES[kind])
    if not holds.min <= value <= holds.max:
        raise _too_large(value, kind, f"{holds.min} to {holds.max}")
    suffix = "ul" if kind == "ulong" else "l" if kind == "long" else ""
    return f"{kind}({'(-9223372036854775807l - 1l)' if value == -1 << 63 else f'{int(value)}{suffix}'})"


def _float(value: Any, kind: str) -> str:
    most = float(np.finfo(DTYPES[kind]).max)
    try:
        number = float(value)
        with np.errstate(over="ignore"):
            fits = np.isfinite(np.dtype(DTYPES[kind]).type(number)) or not np.isfinite(number)
    except OverflowError:
        fits = False
    if not fits:
        raise _too_large(value, kind, f"-{most:.7g} to {most:.7g}")
    if not np.isfinite(number):
        return f"{kind}({'NAN' if number != number else 'INFINITY' if number > 0 else '-INFINITY'})"
    return f"{kind}({number.hex()})"


def _too_large(value: Any, kind: str, holds: str) -> OverflowError:
    return OverflowError(f"combine: the function has the constant {value}, which {DTYPES[kind]} does not hold\n  help: {DTYPES[kind]} holds "
                         f"{holds}; an array of another type, or another constant")
