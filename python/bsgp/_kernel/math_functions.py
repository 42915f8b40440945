"""Functions of numbers that math, NumPy and this package have, under their names."""

from __future__ import annotations

import ast
import builtins
import math
from typing import Any, Callable

import numpy as np

from .. import _core
from .._dtypes import bool_, float16, float32, float64
from . import nodes
from .body import Body
from .conditions import chosen, condition
from .numbers import by_function, cast_tree, converted, of_python, once, scalar
from .operators import operation
from .types import FLOAT, INT, TRUTH, Scalar, Tuple, Value, Weak, combined, is_bool, is_float, is_signed, is_whole, machine
from .words import CALLS

# By the name in the language: the names elsewhere.
_OF_FLOATS: dict[str, str] = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin arcsin", "acos": "acos arccos", "atan": "atan arctan",
    "atan2": "atan2 arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh arcsinh", "acosh": "acosh arccosh",
    "atanh": "atanh arctanh", "erf": "erf", "erfc": "erfc", "hypot": "hypot", "copysign": "copysign", "fmod": "fmod", "fma": "fma",
    "fabs": "fabs",
}  # fmt: skip
_OPERANDS = {"atan2": 2, "hypot": 2, "copysign": 2, "fmod": 2, "fma": 3}
_ROUNDING = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint round"}


def float_type(type: Scalar) -> Scalar:
    """The type in which a function of floats takes numbers: NumPy's."""
    if is_float(type):
        return type
    if isinstance(type, Weak):
        return FLOAT
    return {1: float16, 2: float32}.get(type.itemsize, float64)


def _scalars(body: Body, node: ast.Call, name: str, count: int) -> list[Value]:
    if len(node.args) != count or node.keywords:
        body.refuse(node, f"{name} takes {count} number{'s' if count > 1 else ''}", "", "python_type")
    return body.in_order(node.args, lambda body, each: scalar(body, each, name))


def _effects(values: list[Value]) -> bool:
    return any(each.has_effects for each in values)


def _type_of(values: list[Value]) -> Scalar:
    made = values[0].type
    for each in values[1:]:
        made = combined(made, each.type)  # type: ignore[arg-type]
    return made  # type: ignore[return-value]


def _floats(name: str) -> Callable[[Body, ast.Call, Any], Value]:
    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        values = _scalars(body, node, name, _OPERANDS.get(name, 1))
        if called is np.fmod and not is_float(_type_of(values)):
            body.refuse(node, "np.fmod of whole numbers", "a % b has the sign of b; np.fmod(float(a), b) that of a", "python_type")
        type = float_type(_type_of(values))
        return Value(type, by_function(body, node, name, values, type), has_effects=_effects(values))

    return rule


def _rounds(name: str) -> Callable[[Body, ast.Call, Any], Value]:
    """floor(x) and its kin: of Python a whole number, of others a float."""

    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        (value,) = _scalars(body, node, getattr(called, "__name__", name), 1)
        of_python_itself = called in (math.floor, math.ceil, math.trunc, builtins.round)
        if not is_float(value.type):
            return Value(INT, converted(body, node, value, INT), value.const) if of_python_itself else value
        made = Value(value.type, by_function(body, node, name, [value], value.type), has_effects=value.has_effects)  # type: ignore[arg-type]
        return Value(INT, converted(body, node, made, INT), has_effects=made.has_effects) if of_python_itself else made

    return rule


# ---- of any numbers


def _absolute(body: Body, node: ast.Call, called: Any) -> Value:
    (value,) = _scalars(body, node, "abs", 1)
    if value.const is not None and isinstance(value.type, Weak):
        return of_python(body, node, abs(value.const))
    if is_float(value.type):
        return Value(value.type, by_function(body, node, "fabs", [value], value.type), has_effects=value.has_effects)  # type: ignore[arg-type]
    if is_bool(value.type) or not is_signed(value.type):
        return value
    return Value(value.type, by_function(body, node, "abs", [value], value.type), has_effects=value.has_effects)  # type: ignore[arg-type]


def _extreme(op: str, name: str) -> Callable[[Body, ast.Call, Any], Value]:
    """min(a, b ...) and max of Python: b if b < a else a."""

    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        if len(node.args) < 2 or node.keywords:
            body.refuse(node, f"{name} takes two numbers or more", f"over all threads: bp.reduce({name}, x)", "python_type")
        values = body.in_order(node.args, lambda body, each: scalar(body, each, name))
        made = values[0]
        for each, written in zip(values[1:], node.args[1:]):
            if made.const is not None and each.const is not None and isinstance(made.type, Weak) and isinstance(each.type, Weak):
                made = of_python(body, node, (min if op == "<" else max)(made.const, each.const))
                continue
            made = _better(body, node, op, made, each)
        return made

    return rule


def _better(body: Body, node: ast.AST, op: str, a: Value, b: Value) -> Value:
    """Through a function of the library, which computes each operand once."""
    return _through(body, node, "__first_least" if op == "<" else "__first_greatest", a, b)


def _through(body: Body, node: ast.AST, function: str, a: Value, b: Value) -> Value:
    """One of both, by a function of the library. A whole number of Python that is not known here is not cut before it is compared."""
    type = combined(a.type, b.type)  # type: ignore[arg-type]
    body.program.needs("__numbers.bsgp")
    wide = float32 if machine(type) is float16 else INT if _is_wider(a, b, type) or _is_wider(b, a, type) else type
    at, first = body.at(node), wide if wide is INT else type
    arguments = [cast_tree(at, converted(body, node, each, first), machine(first), machine(wide)) for each in (a, b)]
    return Value(type, nodes.cast(at, type, nodes.call(at, function, arguments)), has_effects=_effects([a, b]))


def _is_wider(a: Value, b: Value, type: Scalar) -> bool:
    return a.type is INT and a.const is None and b.type is not INT and is_whole(type) and machine(type).itemsize < 8


def _with_nan(function: str, name: str) -> Callable[[Body, ast.Call, Any], Value]:
    """minimum and maximum of NumPy, which give a NaN if there is one."""

    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        a, b = _scalars(body, node, name, 2)
        return _through(body, node, function, a, b)

    return rule


def _where(body: Body, node: ast.Call, called: Any) -> Value:
    if len(node.args) != 3 or node.keywords:
        body.refuse(node, "where takes a condition and two numbers", "", "python_type")
    values = [body.known(body.rarely(each, Body.expression)) for each in node.args[1:]]
    _refuse_effects(body, node, values)
    return chosen(body, node, condition(body, node.args[0]), *values)


def _refuse_effects(body: Body, node: ast.AST, values: list[Value]) -> None:
    if _effects(values):
        body.refuse(node, "an operand that changes memory is not always computed here", "assign it to a variable first", "python_place")


def _clip(body: Body, node: ast.Call, called: Any) -> Value:
    values = _scalars(body, node, "clip", 3)
    return _better(body, node, "<", _better(body, node, ">", values[0], values[1]), values[2])


def _operator(op: ast.operator, name: str) -> Callable[[Body, ast.Call, Any], Value]:
    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        a, b = _scalars(body, node, name, 2)
        return operation(body, node, op, a, b)

    return rule


def _power_of_floats(body: Body, node: ast.Call, called: Any) -> Value:
    a, b = _scalars(body, node, "pow", 2)
    type = float_type(_type_of([a, b]))
    return operation(body, node, ast.Pow(), Value(type, converted(body, node, a, type), has_effects=a.has_effects), b)


def _divmod(body: Body, node: ast.Call, called: Any) -> Value:
    a, b = _scalars(body, node, "divmod", 2)
    a, b = once(body, node, a), once(body, node, b)
    parts = [operation(body, node, op, a, b) for op in (ast.FloorDiv(), ast.Mod())]
    return Value(Tuple(tuple(each.type for each in parts)), parts=parts)


def _is(name: str) -> Callable[[Body, ast.Call, Any], Value]:
    """isnan, isinf, isfinite."""

    def rule(body: Body, node: ast.Call, called: Any) -> Value:
        (value,) = _scalars(body, node, name, 1)
        type = TRUTH if isinstance(value.type, Weak) else bool_
        if not is_float(value.type):
            _refuse_effects(body, node, [value])
            return Value(type, nodes.truth(body.at(node), name == "isfinite"))
        at = body.at(node)
        tree = cast_tree(at, value.tree, machine(value.type), float32) if machine(value.type) is float16 else value.tree
        return Value(type, nodes.call(at, name, [tree]), has_effects=value.has_effects)

    return rule


def _sign(body: Body, node: ast.Call, called: Any) -> Value:
    (value,) = _scalars(body, node, "sign", 1)
    if not (is_float(value.type) or is_whole(value.type)):
        body.refuse(node, "the sign of a bool", "bp.int32(c) is 1 or 0", "python_type")
    body.program.needs("__numbers.bsgp")
    made = by_function(body, node, "__array_sign", [value], value.type)  # type: ignore[arg-type]
    return Value(value.type, nodes.cast(body.at(node), value.type, made), has_effects=value.has_effects)


def _square(body: Body, node: ast.Call, called: Any) -> Value:
    (value,) = _scalars(body, node, "square", 1)
    return operation(body, node, ast.Pow(), value, of_python(body, node, 2))


# ---- the tables

_OWN: dict[str, Callable[[Body, ast.Call, Any], Value]] = {
    "abs absolute": _absolute, "minimum": _with_nan("__array_minimum", "minimum"), "maximum": _with_nan("__array_maximum", "maximum"),
    "where select": _where, "clip": _clip, "isnan": _is("isnan"), "isinf": _is("isinf"), "isfinite": _is("isfinite"), "sign": _sign,
    "square": _square, "floor_divide": _operator(ast.FloorDiv(), "floor_divide"), "remainder mod": _operator(ast.Mod(), "remainder"),
    "power": _operator(ast.Pow(), "power"), "add": _operator(ast.Add(), "add"), "subtract": _operator(ast.Sub(), "subtract"),
    "multiply": _operator(ast.Mult(), "multiply"), "divide true_divide": _operator(ast.Div(), "divide"),
}  # fmt: skip


def _as_of_numpy(rule: Callable[[Body, ast.Call, Any], Value]) -> Callable[[Body, ast.Call, Any], Value]:
    """NumPy's functions give its own numbers, also of numbers of Python: np.sqrt(2) is a float64."""

    def made(body: Body, node: ast.Call, called: Any) -> Value:
        value = rule(body, node, called)
        return Value(value.type.machine, value.tree, has_effects=value.has_effects) if isinstance(value.type, Weak) else value

    return made


def _register() -> None:
    import bsgp

    spaces: tuple[Any, ...] = (math, np, bsgp)
    tables = [(names, _floats(name)) for name, names in _OF_FLOATS.items()] + [(names, _rounds(name)) for name, names in _ROUNDING.items()]
    for names, rule in tables + list(_OWN.items()):
        for name in names.split():
            for space in spaces:
                found = space.__dict__.get(name)
                if found is not None:
                    CALLS[found] = rule if space is math else _as_of_numpy(rule)
    CALLS[math.pow] = _power_of_floats
    CALLS[builtins.pow] = _operator(ast.Pow(), "pow")
    CALLS[_core.pow] = _as_of_numpy(CALLS[builtins.pow])
    CALLS[builtins.abs] = _absolute
    CALLS[builtins.min], CALLS[builtins.max] = _extreme("<", "min"), _extreme(">", "max")
    CALLS[builtins.divmod], CALLS[builtins.round] = _divmod, _rounds("rint")
    del CALLS[math.remainder]


_register()
