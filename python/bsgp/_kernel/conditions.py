"""Comparisons, conditions and choices."""

from __future__ import annotations

import ast
import operator
from typing import Any

from .._dtypes import bool_, int32, int64, uint64
from . import nodes
from .body import Body, expression_rule
from .nodes import Node, Place
from .numbers import cast_tree, converted, of_python, once, scalar, truth_of
from .types import TRUTH, Tuple, Value, Weak, combined, is_bool, is_signed, is_whole, limits, machine, mixes_64, order


def condition(body: Body, node: ast.expr) -> Value:
    """The truth of an expression: a bool."""
    if isinstance(node, ast.BoolOp):
        first, *others = node.values
        return _joined(body, node, [condition(body, first)] + [body.rarely(each, condition) for each in others])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return negated(body, node)
    return truth_of(body, node, scalar(body, node, "a condition"))


_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_COMPARES: dict[str, Any] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


@expression_rule(ast.Compare)
def _compare(body: Body, node: ast.Compare) -> Value:
    for op in node.ops:
        if type(op) not in _COMPARED:
            word = {ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}[type(op)]
            body.refuse(node, f"'{word}' cannot stand in a kernel", "== compares numbers: a == 1 or a == 2", "python_construct")
    parts = body.in_order([node.left, node.comparators[0]], scalar) + [body.rarely(each, scalar) for each in node.comparators[1:]]
    made = [compared(body, node, _COMPARED[type(op)], *parts[i : i + 2]) for i, op in enumerate(node.ops)]
    for value, each in zip(parts[1:-1], node.comparators):
        if value.has_effects:
            body.refuse(each, "the middle of a comparison of three is computed twice", "assign it to a variable first", "python_construct")
    return _joined(body, node, made) if len(made) > 1 else made[0]


def compared(body: Body, node: ast.AST, op: str, a: Value, b: Value) -> Value:
    at, both_weak = body.at(node), isinstance(a.type, Weak) and isinstance(b.type, Weak)
    if both_weak and a.const is not None and b.const is not None:
        return of_python(body, node, _COMPARES[op](a.const, b.const))
    effects = a.has_effects or b.has_effects
    if effects and is_whole(a.type) and is_whole(b.type) and is_signed(a.type) != is_signed(b.type):
        a, b = once(body, node, a), once(body, node, b)
    tree = _exactly(body, node, op, a, b)
    if tree is None:
        type = combined(a.type, b.type)  # type: ignore[arg-type]
        tree = nodes.binary(at, op, converted(body, node, a, type), converted(body, node, b, type))
        if is_bool(type):
            tree = nodes.binary(at, op, nodes.cast(at, int32, tree[4]), nodes.cast(at, int32, tree[5]))
    return Value(TRUTH if both_weak else bool_, tree, has_effects=effects)


def _exactly(body: Body, node: ast.AST, op: str, a: Value, b: Value) -> Node | None:
    """Integers that the common type would change; None: there are none."""
    at = body.at(node)
    if not (is_whole(a.type) and is_whole(b.type)):
        return None
    for x, y, swapped in ((a, b, False), (b, a, True)):
        if isinstance(x.type, Weak) and not isinstance(y.type, Weak):
            low, high = limits(machine(y.type))
            if x.const is not None:
                if low <= x.const <= high:
                    return None
                holds = _COMPARES[op](x.const, low) if not swapped else _COMPARES[op](low, x.const)
                return nodes.truth(at, holds)
            if machine(y.type) is not uint64:
                both = [cast_tree(at, each.tree, machine(each.type), int64) for each in (a, b)]
                return nodes.binary(at, op, *both)
            return _signed_with_unsigned(at, op, x, y, swapped)
    if mixes_64(a.type, b.type):
        return _signed_with_unsigned(at, op, *((a, b, False) if is_signed(a.type) else (b, a, True)))
    return None


def _signed_with_unsigned(at: Place, op: str, signed: Value, unsigned: Value, swapped: bool) -> Node:
    positive = nodes.cast(at, uint64, signed.tree)
    pair = (unsigned.tree, positive) if swapped else (positive, unsigned.tree)
    below = nodes.binary(at, "<", signed.tree, nodes.integer(at, 0))
    holds = _COMPARES[op](0, -1) if swapped else _COMPARES[op](-1, 0)
    return nodes.choose(at, below, nodes.truth(at, holds), nodes.binary(at, op, *pair))


@expression_rule(ast.BoolOp)
def _bool_op(body: Body, node: ast.BoolOp) -> Value:
    values = [scalar(body, node.values[0], "and, or")] + [body.rarely(each, scalar) for each in node.values[1:]]
    for value, each in zip(values, node.values):
        if not is_bool(value.type):
            word = "and" if isinstance(node.op, ast.And) else "or"
            body.refuse(
                each,
                f"'{word}' gives one of its operands, and this one is {value.type}",
                "b if a else c chooses; a != 0 is a condition",
                "python_type",
            )
    return _joined(body, node, values)


def _joined(body: Body, node: ast.AST, values: list[Value]) -> Value:
    joins = "&&" if not isinstance(node, ast.BoolOp) or isinstance(node.op, ast.And) else "||"
    decisive = joins == "||"
    made = values[0]
    for each in values[1:]:
        type = combined(made.type, each.type)  # type: ignore[arg-type]
        const = made.const if made.const is decisive else each.const if made.const is not None else None
        made = Value(
            type, nodes.binary(body.at(node), joins, made.tree, each.tree), const, has_effects=made.has_effects or each.has_effects
        )
    return made


def negated(body: Body, node: ast.UnaryOp) -> Value:
    value = condition(body, node.operand)
    const = None if value.const is None else not value.const
    return Value(value.type, nodes.unary(body.at(node), "!", value.tree), const, has_effects=value.has_effects)


@expression_rule(ast.IfExp)
def _choice(body: Body, node: ast.IfExp) -> Value:
    test = condition(body, node.test)
    if test.const is not None:
        return body.expression(node.body if test.const else node.orelse)
    yes, no = (body.known(body.rarely(each, Body.expression)) for each in (node.body, node.orelse))
    return chosen(body, node, test, yes, no)


def chosen(body: Body, node: ast.AST, test: Value, yes: Value, no: Value) -> Value:
    """yes if test else no, of numbers or tuples of them."""
    if isinstance(yes.type, Tuple):
        test = once(body, node, test)
    if isinstance(yes.type, Tuple) and isinstance(no.type, Tuple) and len(yes.parts) == len(no.parts):
        parts = [chosen(body, node, test, a, b) for a, b in zip(yes.parts, no.parts)]
        return Value(Tuple(tuple(each.type for each in parts)), parts=parts, has_effects=test.has_effects)
    if not (yes.is_scalar and no.is_scalar):
        body.refuse(node, f"a choice of {yes.type} and {no.type}", "choose between numbers", "python_type")
    if order(yes.type) == 0 != order(no.type) or order(no.type) == 0 != order(yes.type):
        body.refuse(node, f"a choice of {yes.type} and {no.type}", "bp.int32(c) is 1 or 0", "python_type")
    type = combined(yes.type, no.type)  # type: ignore[arg-type]
    tree = nodes.choose(body.at(node), test.tree, converted(body, node, yes, type), converted(body, node, no, type))
    return Value(type, tree, has_effects=test.has_effects or yes.has_effects or no.has_effects)
