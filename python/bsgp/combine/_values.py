"""Functions of a few elements, written down by calling them with symbols: what `pair`, `map`, `fan` and `fold_tree` take.

An operation has the type of the array: its result wraps, or is rounded, before the next one uses it. Comparisons are for `where`."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def _divide(a: Any, b: Any) -> Any:
    """Whole numbers are divided towards zero, as the language does."""
    if not isinstance(a, int) and getattr(getattr(a, "dtype", None), "kind", "f") not in "iu":
        return a / b
    quotient = builtins.abs(int(a)) // builtins.abs(int(b))
    return type(a)(quotient if (a < 0) == (b < 0) else -quotient)


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _divide,
    "min": lambda a, b: b if b < a else a, "max": lambda a, b: b if a < b else a,
}  # fmt: skip


class Value:
    """An element, a constant, or an operation on others. `of_bool` holds for comparisons, which only `where`, & and | take."""

    __slots__ = ("arguments", "of_bool", "operation")
    __hash__ = object.__hash__

    def __init__(self, operation: str, arguments: tuple[Any, ...], of_bool: bool = False) -> None:
        self.operation, self.arguments, self.of_bool = operation, arguments, of_bool

    def __add__(self, other: Any) -> Value:
        return _arithmetic("+", self, other)

    def __radd__(self, other: Any) -> Value:
        return _arithmetic("+", other, self)

    def __sub__(self, other: Any) -> Value:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Value:
        return _arithmetic("-", other, self)

    def __mul__(self, other: Any) -> Value:
        return _arithmetic("*", self, other)

    def __rmul__(self, other: Any) -> Value:
        return _arithmetic("*", other, self)

    def __truediv__(self, other: Any) -> Value:
        return _arithmetic("/", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return _arithmetic("/", other, self)

    def __neg__(self) -> Value:
        return _arithmetic("-", 0, self)

    def __lt__(self, other: Any) -> Value:
        return _comparison("<", self, other)

    def __le__(self, other: Any) -> Value:
        return _comparison("<=", self, other)

    def __gt__(self, other: Any) -> Value:
        return _comparison(">", self, other)

    def __ge__(self, other: Any) -> Value:
        return _comparison(">=", self, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return _comparison("==", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return _comparison("!=", self, other)

    def __and__(self, other: Any) -> Value:
        return Value("&&", (_condition(self), _condition(other)), True)

    def __or__(self, other: Any) -> Value:
        return Value("||", (_condition(self), _condition(other)), True)

    def __invert__(self) -> Value:
        return Value("!", (_condition(self),), True)

    def __bool__(self) -> bool:
        raise TypeError("combine: an element has no value yet: its truth is not known\n  help: combine.where(c, a, b) in place of if, and, or "
                        "?:; combine.min and combine.max; conditions go together by & | ~")


def _as_value(value: Any) -> Value:
    if isinstance(value, Value):
        return value
    if isinstance(value, (bool, int, float)) or hasattr(value, "item"):
        return Value("constant", (value.item() if hasattr(value, "item") else value,))
    raise TypeError(f"combine: {type(value).__name__} is neither an element nor a number")


def _number(value: Any) -> Value:
    made = _as_value(value)
    if made.of_bool:
        raise TypeError("combine: a comparison is no number\n  help: combine.where(a < b, 1, 0)")
    return made


def _condition(value: Any) -> Value:
    if not isinstance(value, Value) or not value.of_bool:
        raise TypeError("combine: a condition is a comparison of elements, such as a < b")
    return value


def _arithmetic(operation: str, a: Any, b: Any) -> Value:
    return Value(operation, (_number(a), _number(b)))


def _comparison(operation: str, a: Any, b: Any) -> Value:
    return Value(operation, (_number(a), _number(b)), True)


def min(a: Any, b: Any) -> Any:
    """The lesser of two elements or numbers: b where b < a, else a."""
    return _arithmetic("min", a, b) if isinstance(a, Value) or isinstance(b, Value) else _ARITHMETIC["min"](a, b)


def max(a: Any, b: Any) -> Any:
    """The greater of two elements or numbers: b where a < b, else a."""
    return _arithmetic("max", a, b) if isinstance(a, Value) or isinstance(b, Value) else _ARITHMETIC["max"](a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition, a comparison of elements, holds; else b."""
    if isinstance(condition, (bool, int)):
        return a if condition else b
    return Value("where", (_condition(condition), _number(a), _number(b)))


class Function:
    """A function of `arity` elements with some results, as it was traced. is_symmetric: the order of the elements does not matter."""

    def __init__(self, arity: int, results: tuple[Value, ...], is_symmetric: bool = False) -> None:
        self.arity, self.results, self.is_symmetric = arity, results, is_symmetric
        self.order = _ordered(results)

    def __call__(self, *elements: Any) -> list[Any]:
        """The results for these values."""
        known: dict[int, Any] = {}
        for value in self.order:
            known[id(value)] = _evaluated(value, known, elements)
        return [known[id(value)] for value in self.results]


    def behind_one(self) -> Function:
        """The function with one more element, which is another result as it is."""
        return Function(self.arity + 1, (*self.results, Value("element", (self.arity,))))

    @functools.cached_property
    def exchanged(self) -> Function:
        """The function with its two results in the other order."""
        return Function(self.arity, self.results[::-1], self.is_symmetric)

    def elements_of(self, results: Sequence[Value]) -> list[int]:
        """Which elements these results depend on."""
        return sorted(each.arguments[0] for each in _ordered(results) if each.operation == "element")


def _ordered(results: Sequence[Value]) -> list[Value]:
    """Each value once, behind those that it is made of."""
    order: list[Value] = []
    seen: set[int] = set()
    waiting = [(value, False) for value in reversed(results)]
    while waiting:
        value, ready = waiting.pop()
        if ready:
            order.append(value)
        elif id(value) not in seen:
            seen.add(id(value))
            waiting.append((value, True))
            waiting += [(each, False) for each in reversed(value.arguments) if isinstance(each, Value)]
    return order


def _evaluated(value: Value, known: dict[int, Any], elements: Sequence[Any]) -> Any:
    if value.operation == "element":
        return elements[value.arguments[0]]
    if value.operation == "constant":
        kind = type(elements[0])
        return kind(value.arguments[0]) if hasattr(elements[0], "dtype") else value.arguments[0]
    parts = [known[id(each)] for each in value.arguments]
    if value.operation == "where":
        return parts[1] if parts[0] else parts[2]
    if value.operation in _COMPARISONS:
        return _COMPARISONS[value.operation](*parts)
    if value.operation in _ARITHMETIC:
        return _ARITHMETIC[value.operation](*parts)
    return not parts[0] if value.operation == "!" else parts[0] and parts[1] if value.operation == "&&" else parts[0] or parts[1]


def traced(what: str, function: Any, arity: int, results: int) -> Function:
    """The function, or the operator of a name, as a Function. Raises TypeError where it has another number of results."""
    if isinstance(function, Function):
        if (function.arity, len(function.results)) != (arity, results):
            raise TypeError(f"{what}: the function is of {function.arity} elements and has {len(function.results)} results; it takes {arity} "
                            f"and {results}")
        return function
    if isinstance(function, str):
        return _of_operator(what, function)
    if not callable(function):
        raise TypeError(f"{what}: {type(function).__name__} is no function of elements\n  help: combine.cmp, or a lambda such as "
                        "lambda a, b: (combine.min(a, b), combine.max(a, b))")
    made = function(*[Value("element", (i,)) for i in range(arity)])
    given = tuple(made) if isinstance(made, (tuple, list)) else (made,)
    if len(given) != results:
        raise TypeError(f"{what}: the function has {len(given)} results, and needs {results}\n  help: it returns "
                        + ("two elements: lambda a, b: (b, a)" if results == 2 else "one element: lambda a, b: a + b"))
    return Function(arity, tuple(_number(each) for each in given))


def _of_operator(what: str, name: str) -> Function:
    if name not in _ARITHMETIC or name in "-/":
        raise ValueError(f"{what}: there is no operator {name!r}; there are '+', '*', 'min' and 'max'\n  help: a function does others: "
                         "lambda a, b: a + b")
    elements = Value("element", (0,)), Value("element", (1,))
    return Function(2, (_arithmetic(name, *elements),))


def pair(function: Any, symmetric: bool = False) -> Function:
    """A function of two elements with two results, for `evens`, `odds`, `vee`, `bfly` and `shex`. symmetric: it gives the same for (b, a) as
    for (a, b), as far as that matters; kernels may call it in either order.

        >>> swap = combine.pair(lambda a, b: (b, a))
    """
    made = traced("pair", function, 2, 2)
    return Function(made.arity, made.results, True) if symmetric else made


def _sorted(a: Value, b: Value) -> tuple[Value, Value]:
    falls = b < a
    return where(falls, b, a), where(falls, a, b)


cmp = pair(_sorted, symmetric=True)
