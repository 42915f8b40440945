"""Functions of arrays that are made of an expression: `elementwise`, `reduction`, `scan`. Each is a small program around the expression;
errors show the expression as it was written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from ._convert import asarray
from ._core import Array, KernelFunction
from ._names import DTYPES
from .kernels import CompileError, compile_as

_OPERATORS = ("+", "*", "&", "|", "^", "min", "max", "rop_add", "rop_mul", "rop_min", "rop_max", "rop_and", "rop_or", "rop_xor")
_LARGEST = 2**31 - 1


class _Parameter:
    """`float a`: an element of an array, or one number for all. `const float* a`: an array that the expression indexes."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", text, re.S)
        if not found:
            raise CompileError(f"parameters: '{text.strip()}' is no parameter\n  help: a type and a name, such as 'float a'")
        self.type, self.name = found[1].strip(), found[2]
        self.is_whole = self.type.endswith("*")

    def declared(self, is_array: bool) -> str:
        return f"const {self.type}* p_{self.name}" if is_array and not self.is_whole else f"{self.type} {self.name}"


class _Text:
    """Lines of a program; each knows what the user calls it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: list[str] = []

    def add(self, text: str, name: str = "", first: int = 1) -> None:
        lines = text.split("\n")
        self.lines += lines
        self.names += [f"{name}:{first + i}" if name else "" for i in range(len(lines))]

    def compile(self, what: str, options: dict[str, Any]) -> KernelFunction:
        try:
            module = compile_as("\n".join(self.lines), what, **options)
        except CompileError as error:
            raise CompileError(self._renamed(error.text, what)) from None
        return module["made"]

    def _renamed(self, text: str, what: str) -> str:
        def name(match: re.Match[str]) -> str:
            line = min(int(match[1]), len(self.names))
            while line > 1 and not self.names[line - 1]:
                line -= 1
            return f"{what}: {self.names[line - 1] or 'program'}:"

        return re.sub(rf"^{what}:(\d+):", name, text, flags=re.M)


def _parameters(text: str) -> tuple[_Parameter, ...]:
    return tuple(_Parameter(part) for part in text.split(","))


class _Made:
    """What the three kinds have in common: programs for each choice of which arguments are arrays."""

    kind = ""

    def __init__(self, parameters: str, expression: str, operator: str, neutral: str | None, preamble: str, options: dict[str, Any]) -> None:
        self.parameters, self.expression = _parameters(parameters), expression
        self._parameters_text, self._operator, self._preamble, self._options = parameters, operator, preamble, options
        self._combine = operator.strip() if operator.strip() in _OPERATORS else "combine_"
        self._neutral = neutral
        if self._combine == "combine_" and neutral is None:
            raise TypeError(f"{self.kind}: an operator of one's own, {operator!r}, needs neutral=, the value that changes nothing\n  help: "
                            f"operators that have one are {', '.join(_OPERATORS[:7])}")
        self._functions: dict[Any, KernelFunction] = {}
        self.result = self._type()

    def _begin(self) -> _Text:
        text = _Text()
        if self._preamble:
            text.add(self._preamble, "preamble")
        if self._combine == "combine_":
            text.add(f"inline auto combine_(x, y) identity({self._neutral}) {{ return")
            text.add(self._operator, "operator")
            text.add("; }")
        return text

    def _head(self, text: _Text, arrays: tuple[bool, ...], large: bool, result: str, out: str, local: str = "") -> None:
        declared = [each.declared(array) for each, array in zip(self.parameters, arrays)]
        text.add(f"export {result} made(")
        text.add(", ".join(declared), "parameters")
        text.add(f", {out}{'long' if large else 'int'} n_) {{ {local} spawn (n_) {{")
        for each, array in zip(self.parameters, arrays):
            if array and not each.is_whole:
                text.add(f"{each.type} {each.name} = p_{each.name}[thread.rank];", "parameters")

    def _type(self) -> str:
        """The type of the values. A function of the host that is never called has it; sums and products of bools are numbers."""
        text = self._begin()
        text.add("export auto made(")
        text.add(self._parameters_text, "parameters")
        text.add(") { return")
        text.add(self.expression.replace("thread.rank", "int(0)     "), "expression")
        text.add("; }")
        result = text.compile(self.kind, self._options).result
        return "int" if result == "bool" and self._combine in ("+", "*", "rop_add", "rop_mul") else result

    def _reduced(self, arrays: tuple[bool, ...], large: bool) -> KernelFunction:
        text = self._begin()
        self._head(text, arrays, large, self.result, "", f"{self.result} all_;")
        text.add(f"{self.result} value_ =")
        text.add(self.expression, "expression")
        text.add(f"; all_ = reduce({self._combine}, value_); }} return all_; }}")
        return text.compile(self.kind, self._options)

    def _stored(self, arrays: tuple[bool, ...], large: bool, behind: str) -> KernelFunction:
        text = self._begin()
        self._head(text, arrays, large, "void", f"{self.result}* out_, ")
        text.add(f"{self.result} value_ =")
        text.add(self.expression, "expression")
        text.add(f"; {behind} out_[thread.rank] = value_; }} }}")
        return text.compile(self.kind, self._options)

    def _program(self, arrays: tuple[bool, ...], large: bool) -> KernelFunction:
        raise NotImplementedError

    def _bound(self, given: tuple[Any, ...]) -> tuple[KernelFunction, list[Any], tuple[int, ...]]:
        """The program for these arguments, the arguments, and the shape of the arrays."""
        if len(given) != len(self.parameters):
            raise TypeError(f"{self.kind}: {len(given)} arguments were given, it takes {len(self.parameters)}: {self._parameters_text}")
        arguments: list[Any] = [each if isinstance(each, (bool, int, float, np.generic, np.ndarray, Array)) else asarray(each) for each in given]
        arrays = tuple(np.ndim(each) > 0 if isinstance(each, np.ndarray) else getattr(each, "ndim", 0) > 0 for each in arguments)
        shapes = {tuple(each.shape) for each, array, param in zip(arguments, arrays, self.parameters) if array and not param.is_whole}
        if len(shapes) != 1:
            raise ValueError(f"{self.kind}: " + (f"the arrays have shapes {sorted(shapes)}\n  help: they must have one shape; bp.broadcast_to"
                                                 if shapes else "no argument is an array"))
        shape = shapes.pop()
        size = int(np.prod(shape, dtype=np.int64))
        key = (arrays, size > _LARGEST)
        if key not in self._functions:
            self._functions[key] = self._program(*key)
        arguments = [np.ascontiguousarray(each) if isinstance(each, np.ndarray) and array else each for each, array in zip(arguments, arrays)]
        return self._functions[key], arguments, shape

    def _called(self, function: KernelFunction, arguments: list[Any]) -> Any:
        """Errors have the names that the user knows."""
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError) as error:
            text = re.sub(r"^made:", self.kind + ":", str(error))
            for param in self.parameters:
                text = re.sub(rf"\bp_{param.name}\b", param.name, text)
            raise type(error)(text.replace("the parameter is const ", "the parameter is ")) from None

    def _stores(self, given: tuple[Any, ...]) -> Array:
        function, arguments, shape = self._bound(given)
        out = np.empty(shape, DTYPES[self.result])
        self._called(function, [*arguments, out, out.size])
        return asarray(out, copy=False)

    def __repr__(self) -> str:
        return f"<bsgp.{self.kind} {self.result}({self._parameters_text}): {self.expression}>"


class _Elementwise(_Made):
    kind = "elementwise"

    def _program(self, arrays: tuple[bool, ...], large: bool) -> KernelFunction:
        return self._stored(arrays, large, "")

    def __call__(self, *given: Any) -> Array:
        return self._stores(given)


class _Reduction(_Made):
    kind = "reduction"

    def _program(self, arrays: tuple[bool, ...], large: bool) -> KernelFunction:
        return self._reduced(arrays, large)

    def __call__(self, *given: Any) -> Array:
        function, arguments, shape = self._bound(given)
        made = self._called(function, [*arguments, int(np.prod(shape, dtype=np.int64))])
        return asarray(np.asarray(made, DTYPES[self.result]))


class _Scan(_Made):
    kind = "scan"

    def _program(self, arrays: tuple[bool, ...], large: bool) -> KernelFunction:
        return self._stored(arrays, large, f"scan_inclusive({self._combine}, value_);")

    def __call__(self, *given: Any) -> Array:
        return self._stores(given)


@lru_cache(maxsize=1024)
def _made(kind: type[_Made], parameters: str, expression: str, operator: str, neutral: str | None, preamble: str,
          options: tuple[tuple[str, Any], ...]) -> _Made:
    made = kind(parameters, expression, operator, neutral, preamble, dict(options))
    if made.result not in DTYPES:
        raise CompileError(f"{kind.kind}: expression: it is a {made.result}; an array has numbers\n  help: take one of its parts")
    return made


def elementwise(parameters: str, expression: str, *, preamble: str = "", target: str | None = None, fp: str = "contract") -> _Elementwise:
    """A function that computes an expression for each element.

        f = bp.elementwise("float a, float b", "a * b + 1")
        f(x, y), f(x, 2.5)

    parameters: types and names. An argument is an array, all of one shape, or a number for all elements; `const float* t` is an array that
      the expression indexes. thread.rank is the number of the element.
    preamble: functions that the expression uses.
    Returns arrays of the type of the expression. Made once for equal texts. Raises CompileError, which shows the expression.
    """
    return _made(_Elementwise, parameters, expression, "rop_min", None, preamble, (("target", target), ("fp", fp)))  # type: ignore[return-value]


def reduction(parameters: str, expression: str, operator: str = "+", *, neutral: Any = None, preamble: str = "", target: str | None = None,
              fp: str = "contract") -> _Reduction:
    """A function that combines the values of an expression for all elements: `bp.reduction("float a, float b", "a * b", "+")`.

    operator: + * & | ^ min max, or an expression of x and y, such as "x * y % 7", with neutral=, the value that changes nothing.
    Returns an array of rank 0 of the type of the expression. Of no elements it is the neutral value.
    """
    return _made(_Reduction, parameters, expression, operator, None if neutral is None else str(neutral), preamble,
                 (("target", target), ("fp", fp)))  # type: ignore[return-value]


def scan(parameters: str, operator: str = "+", *, expression: str | None = None, neutral: Any = None, preamble: str = "",
         target: str | None = None, fp: str = "contract") -> _Scan:
    """A function that gives for each element the combination of the values up to it, in the order of memory: `bp.scan("float a", "+")`.

    expression: of the parameters; without it the value of the only one. operator and neutral: as in `reduction`.
    """
    if expression is None:
        all_parameters = _parameters(parameters)
        if len(all_parameters) != 1:
            raise TypeError("scan: several parameters need expression=, the value that is combined")
        expression = all_parameters[0].name
    return _made(_Scan, parameters, expression, operator, None if neutral is None else str(neutral), preamble,
                 (("target", target), ("fp", fp)))  # type: ignore[return-value]
