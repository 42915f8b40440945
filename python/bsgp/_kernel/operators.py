"""Operators of numbers, with the types of NumPy."""

from __future__ import annotations

import ast
import operator
from typing import Any

from .._dtypes import bool_, float64, int32, uint16, uint32
from . import nodes
from .body import Body, expression_rule
from .conditions import negated
from .nodes import Node, Place
from .numbers import by_function, cast_tree, converted, dividing, is_never_negative, of_python, scalar
from .types import FLOAT, INT, TRUTH, Scalar, Value, Weak, combined, is_bool, is_float, is_signed, is_whole, machine

_FOLDS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_SPELLED = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_SHIFTS = (ast.LShift, ast.RShift)
_KEEPING_SIGN = (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.RShift)  # of numbers that are not below 0


@expression_rule(ast.BinOp)
def _binary(body: Body, node: ast.BinOp) -> Value:
    a, b = body.in_order([node.left, node.right], scalar)
    return operation(body, node, node.op, a, b)


def operation(body: Body, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
    """a op b of two numbers."""
    kind = type(op)
    if kind not in _SPELLED:
        body.refuse(
            node, "the operator @ is of matrices", "write the loop, or multiply outside of the kernel: bp.matmul", "python_construct"
        )
    both_weak = isinstance(a.type, Weak) and isinstance(b.type, Weak)
    if both_weak and a.const is not None and b.const is not None:
        return _folded(body, node, kind, a.const, b.const)
    made = _rule_of(kind)(body, node, kind, a, b, combined(a.type, b.type))  # type: ignore[arg-type]
    made.has_effects = a.has_effects or b.has_effects
    made.is_nonneg = (
        kind in _KEEPING_SIGN and is_whole(made.type) and machine(made.type).itemsize >= 4 and is_never_negative(a) and is_never_negative(b)
    )
    return made


def _rule_of(kind: type[ast.AST]) -> Any:
    if kind in _BITS:
        return _bits
    if kind in _SHIFTS:
        return _shift
    rules: dict[type[ast.AST], Any] = {ast.Div: _divided, ast.FloorDiv: _floor_divided, ast.Mod: _floor_divided, ast.Pow: _power}
    return rules.get(kind, _arithmetic)


def _folded(body: Body, node: ast.AST, kind: type[ast.AST], a: Any, b: Any) -> Value:
    if kind is ast.Pow and isinstance(b, int) and abs(b) > 10000 or kind is ast.LShift and b > 10000:
        body.refuse(node, f"{a} {_SPELLED[kind]} {b} is beyond 64 bits", "", "python_number")
    try:
        made = _FOLDS[kind](a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        body.refuse(node, f"{a} {_SPELLED[kind]} {b}: {error}", "", "python_number")  # type: ignore[index]
    if isinstance(made, complex):
        body.refuse(node, f"{a} ** {b} is complex", "", "python_number")
    return of_python(body, node, made)


def _no_bools(body: Body, node: ast.AST, kind: type[ast.AST], type: Scalar) -> Scalar:
    """The type of arithmetic on bools: Python's ones are whole numbers; those of NumPy are refused, as + of them is `or`."""
    if type is TRUTH:
        return INT
    if type is bool_:
        body.refuse(node, f"{_SPELLED[kind]} of two bools", "bp.int32(c) is 1 or 0; & | ^ join conditions", "python_type")  # type: ignore[index]
    return type


def _narrowed(at: Place, tree: Node, type: Scalar) -> Node:
    """Integers of 8 and 16 bits are computed as int."""
    return nodes.cast(at, type, tree) if is_whole(type) and machine(type).itemsize < 4 else tree


def _arithmetic(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    type, at = _no_bools(body, node, kind, type), body.at(node)
    operands = [converted(body, node, each, type) for each in (a, b)]
    if machine(type) is uint16:  # a product of two is beyond an int
        operands = [nodes.cast(at, uint32, each) for each in operands]
    return Value(type, _narrowed(at, nodes.binary(at, _SPELLED[kind], *operands), type))  # type: ignore[index]


def _divided(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    if not is_float(type):
        type = FLOAT if isinstance(type, Weak) else float64
    return Value(type, nodes.binary(body.at(node), "/", converted(body, node, a, type), converted(body, node, b, type)))


def _floor_divided(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    type, at = _no_bools(body, node, kind, type), body.at(node)
    wide = dividing(type)
    if b.const == 0 and isinstance(b.type, Weak) and not is_float(type):
        body.refuse(node, f"{_SPELLED[kind]} by 0", "", "python_number")  # type: ignore[index]
    if is_whole(type) and isinstance(b.const, int) and b.const > 0 and b.const & (b.const - 1) == 0:
        shift = b.const.bit_length() - 1
        operator, by = (">>", shift) if kind is ast.FloorDiv else ("&", b.const - 1)
        tree = nodes.binary(at, operator, converted(body, node, a, wide), nodes.cast(at, wide, nodes.integer(at, by)))
        return Value(type, cast_tree(at, tree, wide, machine(type)))
    if is_whole(type) and is_signed(type) and is_never_negative(a) and is_never_negative(b):
        tree = nodes.binary(at, "/" if kind is ast.FloorDiv else "%", converted(body, node, a, wide), converted(body, node, b, wide))
        return Value(type, cast_tree(at, tree, wide, machine(type)))
    body.program.needs("__numbers.bsgp")
    function = "__array_quotient" if kind is ast.FloorDiv else "__array_remainder"
    return Value(type, by_function(body, node, function, [a, b], type))


def _power(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    type = _no_bools(body, node, kind, type)
    if is_float(type) and b.const != 2:
        return Value(type, by_function(body, node, "pow", [a, b], type))
    body.program.needs("__numbers.bsgp")
    if is_float(type):
        return Value(type, by_function(body, node, "__square", [a], type))
    if b.const is not None and b.const < 0:
        body.refuse(node, "a whole number to a negative power", "float(x) ** n", "python_number")
    return Value(type, by_function(body, node, "__array_power", [a, b], type))


def _bits(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    if is_float(type):
        body.refuse(node, f"{_SPELLED[kind]} is of integers and bools, and this is {type}", "", "python_type")  # type: ignore[index]
    at = body.at(node)
    tree = nodes.binary(at, _SPELLED[kind], converted(body, node, a, type), converted(body, node, b, type))  # type: ignore[index]
    return Value(type, nodes.cast(at, bool_, tree) if is_bool(type) else _narrowed(at, tree, type))


def _shift(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    if is_float(type):
        body.refuse(node, f"{_SPELLED[kind]} is of integers, and this is {type}", "", "python_type")  # type: ignore[index]
    type, at = _no_bools(body, node, kind, type), body.at(node)
    wide, bits = dividing(type), 8 * machine(type).itemsize
    value = cast_tree(at, converted(body, node, a, type), machine(type), wide)
    if isinstance(b.const, int) and 0 <= b.const < bits:
        tree = nodes.binary(at, _SPELLED[kind], value, nodes.cast(at, int32, nodes.integer(at, b.const)))  # type: ignore[index]
        return Value(type, cast_tree(at, tree, wide, machine(type)))
    body.program.needs("__numbers.bsgp")
    function = "__array_shift_left" if kind is ast.LShift else "__array_shift_right"
    by = cast_tree(at, converted(body, node, b, type), machine(type), wide)
    return Value(
        type, cast_tree(at, nodes.call(at, function, [value, by, nodes.cast(at, int32, nodes.integer(at, bits))]), wide, machine(type))
    )


_SIGNS: dict[type[ast.AST], Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


@expression_rule(ast.UnaryOp)
def _unary(body: Body, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return negated(body, node)
    value, at = scalar(body, node.operand, "an operator"), body.at(node)
    if value.const is not None and isinstance(value.type, Weak):
        return of_python(body, node, _SIGNS[type(node.op)](value.const))
    if is_bool(value.type) and not isinstance(node.op, ast.Invert):
        if value.type is bool_:
            body.refuse(node, "the sign of a bool", "bp.int32(c) is 1 or 0, not c the opposite", "python_type")
        value = Value(INT, converted(body, node, value, INT), has_effects=value.has_effects)
    if isinstance(node.op, ast.UAdd):
        return value
    return Value(value.type, _one(body, node, value, at), has_effects=value.has_effects)


def _one(body: Body, node: ast.UnaryOp, value: Value, at: Place) -> Node:
    if isinstance(node.op, ast.USub):
        return _narrowed(at, nodes.unary(at, "-", value.tree), value.type)  # type: ignore[arg-type]
    if is_float(value.type):
        body.refuse(node, f"~ is of integers and bools, and this is {value.type}", "", "python_type")
    if is_bool(value.type):
        if value.type is TRUTH:
            body.refuse(node, "~ of a bool of Python is -1 or -2", "not c", "python_type")
        return nodes.unary(at, "!", value.tree)
    return _narrowed(at, nodes.unary(at, "~", value.tree), value.type)  # type: ignore[arg-type]
