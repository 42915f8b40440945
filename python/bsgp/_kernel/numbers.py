"""Numbers: literals, conversions, and expressions that have to be numbers."""

from __future__ import annotations

import ast
import math
from typing import Any

from .._dtypes import DType, bool_, float16, float32, float64, int32, int64, uint32, uint64
from . import nodes
from .body import Body, expression_rule
from .nodes import Node, Place
from .types import FLOAT, INT, TRUTH, Scalar, Value, Weak, Static, is_bool, is_float, is_signed, is_whole, limits, machine

# ---- literals and conversions


def of_python(body: Body, node: ast.AST, number: Any) -> Value:
    """A number of Python, which is known when the kernel is compiled."""
    at = body.at(node)
    if isinstance(number, bool):
        return Value(TRUTH, nodes.truth(at, number), number)
    if isinstance(number, int):
        if not -(2**63) <= number < 2**64:
            body.refuse(node, f"{number} is beyond 64 bits", "a float: float(n)", "python_number")
        tree = (
            nodes.integer(at, number)
            if number < 2**63
            else nodes.cast(at, int64, ["cast", *at, nodes.of_type(at, uint64), ["int", *at, number, 64]])
        )
        return Value(INT, tree, number)
    return Value(FLOAT, nodes.real(at, number), number)


def literal(body: Body, node: ast.AST, number: Any, type: DType) -> Node:
    """A known number as a value of the type. Python's rules: one that the type does not have is a mistake."""
    at = body.at(node)
    if type is bool_:
        return nodes.truth(at, bool(number))
    if is_float(type):
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        made = nodes.real(at, value)
        return made if type is float64 else nodes.cast(at, type, made)
    low, high = limits(type)
    if not low <= number <= high:
        body.refuse(
            node,
            f"{number} is no value of {type.name}, which has {low} to {high}",
            "convert the other operand: bp.int64(...)",
            "python_number",
        )
    if type is int64:
        return nodes.integer(at, int(number))
    return nodes.cast(at, type, ["int", *at, int(number), 64] if number >= 0 else nodes.integer(at, int(number)))


def converted(body: Body, node: ast.AST, value: Value, to: Scalar) -> Node:
    """The tree of a value as one of another type, as NumPy converts."""
    target = machine(to)
    if value.const is not None and isinstance(value.type, Weak):
        number = value.const
        if isinstance(number, float) and is_whole(target):
            number = 0 if number != number else int(max(min(number, 2.0**63), -(2.0**63)))
            number = max(min(number, limits(target)[1]), limits(target)[0])
        return literal(body, node, number, target)
    return cast_tree(body.at(node), value.tree, machine(value.type), target)


def cast_tree(at: Place, tree: Node, source: DType, target: DType) -> Node:
    """Halves go by float, or by double where a number may not be exact as a float."""
    if source is target:
        return tree
    if source is float16 and target is not float32:
        tree, source = nodes.cast(at, float32, tree), float32
    if target is bool_:
        return nodes.binary(at, "!=", tree, nodes.cast(at, source, nodes.integer(at, 0)))
    if target is float16 and not is_float(source):
        tree = nodes.cast(at, float64, tree)
    return nodes.cast(at, target, tree)


def dividing(type: Scalar) -> DType:
    """The integer in which a type is divided; floats are their own, halves by float."""
    own = machine(type)
    if is_float(own):
        return float32 if own is float16 else own
    return (int64 if own.itemsize == 8 else int32) if is_signed(own) else (uint64 if own.itemsize == 8 else uint32)


def by_function(body: Body, node: ast.AST, function: str, values: list[Value], type: Scalar) -> Node:
    """A call of a function of the library by numbers of one type. Short integers go by int, and halves by float."""
    at, own, wide = body.at(node), machine(type), dividing(type)
    arguments = [cast_tree(at, converted(body, node, each, type), own, wide) for each in values]
    return cast_tree(at, nodes.call(at, function, arguments), wide, own)


def number_of(body: Body, node: ast.AST, value: Value, what: str) -> Value:
    """The value, which has to be a number."""
    body.known(value)
    if not value.is_scalar:
        body.refuse(
            node,
            f"{what}: this is a {value.type}, and a number is needed",
            "x[i] is an element of an array" if hasattr(value.type, "element") else "",
            "python_type",
        )
    return value


def scalar(body: Body, node: ast.expr, what: str = "an operation") -> Value:
    return number_of(body, node, body.expression(node), what)


def once(body: Body, node: ast.AST, value: Value) -> Value:
    """The value, which may be used several times: in a variable of its own if computing it has effects."""
    if not value.has_effects:
        return value
    name, at = body.temporary("once"), body.at(node)
    body.emit_ahead(node, nodes.declare(at, nodes.of_type(at, value.type), name, value.tree), "something that changes memory")
    return Value(value.type, nodes.name(at, name), is_nonneg=value.is_nonneg)


def truth_of(body: Body, node: ast.AST, value: Value) -> Value:
    const = None if value.const is None else bool(value.const)
    type = TRUTH if isinstance(value.type, Weak) else bool_
    if is_bool(value.type):
        return value
    return Value(
        type,
        nodes.truth(body.at(node), const) if const is not None else converted(body, node, value, bool_),
        const,
        has_effects=value.has_effects,
    )


def whole(body: Body, node: ast.expr, what: str) -> Value:
    """An integer: an index, an extent, a rank."""
    value = scalar(body, node, what)
    if not is_whole(value.type):
        help = "int(c) is 1 or 0; an 'if' chooses" if is_bool(value.type) else "// divides whole numbers, int(x) cuts the fraction"
        body.refuse(node, f"{what} is a whole number, and this is {value.type}", help, "python_type")
    return value


def constant(body: Body, node: ast.expr, what: str) -> Any:
    value = scalar(body, node, what)
    if value.const is None:
        body.refuse(
            node,
            f"{what} has to be known when the kernel is compiled",
            "a literal, or a number from outside of the function",
            "python_constant",
        )
    return value.const


@expression_rule(ast.Constant)
def _constant(body: Body, node: ast.Constant) -> Value:
    if isinstance(node.value, (bool, int, float)):
        return of_python(body, node, node.value)
    if isinstance(node.value, str) or node.value is None or node.value is Ellipsis:
        return Value(Static(node.value))
    body.refuse(
        node, f"a {type(node.value).__name__} cannot stand in a kernel", "numbers are bools, integers and floats", "python_construct"
    )


def is_never_negative(value: Value) -> bool:
    """A whole number that is 0 or more, as far as is known here."""
    if isinstance(value.const, int):
        return value.const >= 0
    return value.is_nonneg or isinstance(value.type, DType) and value.type.kind in ("unsigned integer", "bool")
