"""Functions of a few elements, written down by calling them with symbols: what `pair`, `map`, `fan` and `fold_tree` take.

An operation has the type of the array: its result wraps, or is rounded, before the next one uses it. Comparisons are for `where`."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ._operations import ALL, ARITHMETIC, COMPARISONS, DIVISIONS

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

    def __floordiv__(self, other: Any) -> Value:
        return _arithmetic("//", self, other)

    def __rfloordiv__(self, other: Any) -> Value:
        return _arithmetic("//", other, self)

    def __mod__(self, other: Any) -> Value:
        return _arithmetic("%", self, other)

    def __rmod__(self, other: Any) -> Value:
        return _arithmetic("%", other, self)

    def __neg__(self) -> Value:
        return Value("negative", (_number(self),))

    def __abs__(self) -> Value:
        return Value("abs", (_number(self),))

    def __pos__(self) -> Value:
        return _number(self)

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

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Functions of NumPy that elements have: np.minimum(a, b), and numpy.int32(3) + a."""
        if method != "__call__" or options or ufunc not in _UFUNCS:
            raise TypeError(f"combine: an element has no numpy.{ufunc.__name__}\n  help: {ALL}")
        return _UFUNCS[ufunc](*[_as_value(each) for each in inputs])


def _lacks(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any) -> NoReturn:
        raise TypeError(f"combine: an element has no {name}\n  help: {ALL}")

    return refuse


for _names, _spelled in {
    "pow rpow": "**", "lshift rlshift": "<<", "rshift rrshift": ">>", "xor rxor": "^", "matmul rmatmul": "@", "divmod rdivmod": "divmod",
    "round": "round", "trunc floor ceil": "rounding", "int index float complex": "value yet", "len iter getitem": "parts",
}.items():  # fmt: skip
    for _each in _names.split():
        setattr(Value, f"__{_each}__", _lacks(_spelled))


def _as_value(value: Any) -> Value:
    if isinstance(value, Value):
        return value
    if isinstance(value, (bool, int, float)) or hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, (bool, int, float)):
            return Value("constant", (number,))
    raise TypeError(f"combine: {type(value).__name__} is neither an element nor a number\n  help: constants are numbers of Python, such as "
                    "1 or 0.5; tables of places are for combine.tblLook")


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
    x, y = _number(a), _number(b)
    if operation in DIVISIONS and y.operation == "constant" and y.arguments[0] == 0:
        raise ZeroDivisionError(f"combine: {operation} by 0\n  help: another divisor; combine.where(c, a, b) chooses among elements")
    return Value(operation, (x, y))


def _comparison(operation: str, a: Any, b: Any) -> Value:
    return Value(operation, (_number(a), _number(b)), True)


def min(a: Any, b: Any) -> Any:
    """The lesser of two elements or numbers, and the first of equal ones. It is NaN where one of them is, as in NumPy."""
    return _arithmetic("min", a, b) if isinstance(a, Value) or isinstance(b, Value) else ARITHMETIC["min"](a, b)


def max(a: Any, b: Any) -> Any:
    """The greater of two elements or numbers, and the first of equal ones. It is NaN where one of them is, as in NumPy."""
    return _arithmetic("max", a, b) if isinstance(a, Value) or isinstance(b, Value) else ARITHMETIC["max"](a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition, a comparison of elements, holds; else b."""
    if isinstance(condition, (bool, int)):
        return a if condition else b
    return Value("where", (_condition(condition), _number(a), _number(b)))


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv, np.negative: operator.neg,
    np.floor_divide: operator.floordiv, np.remainder: operator.mod, np.absolute: operator.abs, np.minimum: min, np.maximum: max,
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge, np.equal: operator.eq,
    np.not_equal: operator.ne,
}  # fmt: skip


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

    @functools.cached_property
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
    if value.operation in COMPARISONS:
        return COMPARISONS[value.operation](*parts)
    if value.operation in ARITHMETIC:
        return ARITHMETIC[value.operation](*parts)
    return not parts[0] if value.operation == "!" else parts[0] and parts[1] if value.operation == "&&" else parts[0] or parts[1]


def traced(what: str, function: Any, arity: int, results: int) -> Function:
    """The function, or the operator of a name, as a Function. Raises TypeError where it has another number of results."""
    if isinstance(function, Function):
        if (function.arity, len(function.results)) != (arity, results):
            raise TypeError(f"{what}: the function is of {function.arity} elements and has {len(function.results)} results; it takes {arity} "
                            f"and {results}")
        return function
    if isinstance(function, str):
        return _of_operator(what, function, arity, results)
    if not callable(function):
        raise TypeError(f"{what}: {type(function).__name__} is no function of elements\n  help: combine.cmp, or a lambda such as "
                        "lambda a, b: (combine.min(a, b), combine.max(a, b))")
    _takes(what, function, arity)
    made = function(*[Value("element", (i,)) for i in range(arity)])
    given = tuple(made) if isinstance(made, (tuple, list)) else (made,)
    if len(given) != results:
        raise TypeError(f"{what}: the function has {len(given)} results, and needs {results}\n  help: it returns "
                        + ("two elements: lambda a, b: (b, a)" if results == 2 else "one element: lambda a, b: a + b"))
    return Function(arity, tuple(_number(each) for each in given))


def _takes(what: str, function: Callable[..., Any], arity: int) -> None:
    """Raises TypeError where the function is not for so many elements."""
    try:
        inspect.signature(function).bind(*range(arity))
    except TypeError:
        few = "one element" if arity == 1 else "two elements"
        raise TypeError(f"{what}: the function is called with {few}, and does not take {'it' if arity == 1 else 'them'}\n  help: "
                        + ("lambda a: a + 1" if arity == 1 else "lambda a, b: (b, a), or lambda a, b: a + b")) from None
    except ValueError:  # functions in C may not say what they take
        return


@functools.lru_cache(4)
def _operator(name: str) -> Function:
    elements = Value("element", (0,)), Value("element", (1,))
    return Function(2, (_arithmetic(name, *elements),))


def _of_operator(what: str, name: str, arity: int, results: int) -> Function:
    if name not in ("+", "*", "min", "max") or (arity, results) != (2, 1):
        raise ValueError(f"{what}: there is no operator {name!r}; there are '+', '*', 'min' and 'max'\n  help: a function does others: "
                         "lambda a, b: a + b")
    return _operator(name)


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
