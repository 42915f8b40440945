"""Numbers: literals, conversions, operators, comparisons and conditions."""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

from .._dtypes import DType, bool_, float16, float32, float64, int32, int64, uint32, uint64
from . import nodes
from .body import Body, expression_rule
from .nodes import Node, Place
from .types import FLOAT, INT, TRUTH, Scalar, Value, Weak, combined, is_bool, is_float, is_signed, is_whole, limits, machine, mixes_64, order

# ---- literals and conversions


def of_python(body: Body, node: ast.AST, number: Any) -> Value:
    """A number of Python, which is known when the kernel is compiled."""
    at = body.at(node)
    if isinstance(number, bool):
        return Value(TRUTH, nodes.truth(at, number), number)
    if isinstance(number, int):
        if not -(2**63) <= number < 2**64:
            body.refuse(node, f"{number} is beyond 64 bits", "a float: float(n)", "python_number")
        tree = nodes.integer(at, number) if number < 2**63 else nodes.cast(at, int64, ["cast", *at, nodes.of_type(at, uint64), ["int", *at, number, 64]])
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
        body.refuse(node, f"{number} is no value of {type.name}, which has {low} to {high}", "convert the other operand: bp.int64(...)", "python_number")
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


def number_of(body: Body, node: ast.AST, value: Value, what: str) -> Value:
    """The value, which has to be a number."""
    body.known(value)
    if not value.is_scalar:
        body.refuse(node, f"{what}: this is a {value.type}, and a number is needed", "x[i] is an element of an array" if hasattr(value.type, "element") else "", "python_type")
    return value


def scalar(body: Body, node: ast.expr, what: str = "an operation") -> Value:
    return number_of(body, node, body.expression(node), what)


def condition(body: Body, node: ast.expr) -> Value:
    """The truth of an expression: a bool."""
    if isinstance(node, ast.BoolOp):
        first, *others = node.values
        return _joined(body, node, [condition(body, first)] + [body.rarely(each, condition) for each in others])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _negated(body, node)
    return truth_of(body, node, scalar(body, node, "a condition"))


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
    return Value(type, nodes.truth(body.at(node), const) if const is not None else converted(body, node, value, bool_), const, has_effects=value.has_effects)


def whole(body: Body, node: ast.expr, what: str) -> Value:
    """An integer: an index, an extent, a rank."""
    value = scalar(body, node, what)
    if is_float(value.type):
        body.refuse(node, f"{what} is a whole number, and this is {value.type}", "// divides whole numbers, int(x) cuts the fraction", "python_type")
    return Value(INT, nodes.cast(body.at(node), int32, value.tree), value.const) if is_bool(value.type) else value


def constant(body: Body, node: ast.expr, what: str) -> Any:
    value = scalar(body, node, what)
    if value.const is None:
        body.refuse(node, f"{what} has to be known when the kernel is compiled", "a literal, or a number from outside of the function", "python_constant")
    return value.const


@expression_rule(ast.Constant)
def _constant(body: Body, node: ast.Constant) -> Value:
    if isinstance(node.value, (bool, int, float)):
        return of_python(body, node, node.value)
    if isinstance(node.value, str) or node.value is None or node.value is Ellipsis:
        from .types import Static

        return Value(Static(node.value))
    body.refuse(node, f"a {type(node.value).__name__} cannot stand in a kernel", "numbers are bools, integers and floats", "python_construct")


def is_never_negative(value: Value) -> bool:
    """A whole number that is 0 or more, as far as is known here."""
    if isinstance(value.const, int):
        return value.const >= 0
    return value.is_nonneg or isinstance(value.type, DType) and value.type.kind in ("unsigned integer", "bool")


# ---- operators

_FOLDS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_SPELLED = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
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
        body.refuse(node, "the operator @ is of matrices", "write the loop, or multiply outside of the kernel: bp.matmul", "python_construct")
    both_weak = isinstance(a.type, Weak) and isinstance(b.type, Weak)
    if both_weak and a.const is not None and b.const is not None:
        return _folded(body, node, kind, a.const, b.const)
    made = _rule_of(kind)(body, node, kind, a, b, combined(a.type, b.type))  # type: ignore[arg-type]
    made.has_effects = a.has_effects or b.has_effects
    made.is_nonneg = kind in _KEEPING_SIGN and is_whole(made.type) and machine(made.type).itemsize >= 4 and is_never_negative(a) and is_never_negative(b)
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
    tree = nodes.binary(at, _SPELLED[kind], converted(body, node, a, type), converted(body, node, b, type))  # type: ignore[index]
    return Value(type, _narrowed(at, tree, type))


def _divided(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    if not is_float(type):
        type = FLOAT if isinstance(type, Weak) else float64
    return Value(type, nodes.binary(body.at(node), "/", converted(body, node, a, type), converted(body, node, b, type)))


def dividing(type: Scalar) -> DType:
    """The integer in which a type is divided; floats are their own, halves by float."""
    own = machine(type)
    if is_float(own):
        return float32 if own is float16 else own
    return (int64 if own.itemsize == 8 else int32) if is_signed(own) else (uint64 if own.itemsize == 8 else uint32)


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
    arguments = [cast_tree(at, converted(body, node, each, type), machine(type), wide) for each in (a, b)]
    return Value(type, cast_tree(at, nodes.call(at, function, arguments), wide, machine(type)))


def _power(body: Body, node: ast.AST, kind: type[ast.AST], a: Value, b: Value, type: Scalar) -> Value:
    type, at = _no_bools(body, node, kind, type), body.at(node)
    if is_float(type):
        if b.const == 2:
            body.program.needs("__numbers.bsgp")
            return Value(type, _by_float(at, "__square", [converted(body, node, a, type)], type))
        return Value(type, _by_float(at, "pow", [converted(body, node, a, type), converted(body, node, b, type)], type))
    if b.const is not None and b.const < 0:
        body.refuse(node, "a whole number to a negative power", "float(x) ** n", "python_number")
    wide = dividing(type)
    body.program.needs("__numbers.bsgp")
    arguments = [cast_tree(at, converted(body, node, each, type), machine(type), wide) for each in (a, b)]
    return Value(type, cast_tree(at, nodes.call(at, "__array_power", arguments), wide, machine(type)))


def _by_float(at: Place, function: str, arguments: list[Node], type: Scalar) -> Node:
    """A function of floats; of halves by float."""
    if machine(type) is not float16:
        return nodes.call(at, function, arguments)
    return nodes.cast(at, float16, nodes.call(at, function, [nodes.cast(at, float32, each) for each in arguments]))


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
    return Value(type, cast_tree(at, nodes.call(at, function, [value, by, nodes.cast(at, int32, nodes.integer(at, bits))]), wide, machine(type)))


_SIGNS: dict[type[ast.AST], Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


@expression_rule(ast.UnaryOp)
def _unary(body: Body, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return _negated(body, node)
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


# ---- comparisons and conditions

_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_COMPARES: dict[str, Any] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


@expression_rule(ast.Compare)
def _compare(body: Body, node: ast.Compare) -> Value:
    for op in node.ops:
        if type(op) not in _COMPARED:
            word = {ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}[type(op)]
            body.refuse(node, f"'{word}' cannot stand in a kernel", "== compares numbers", "python_construct")
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
            body.refuse(each, f"'{word}' gives one of its operands, and this one is {value.type}", "b if a else c chooses; a != 0 is a condition", "python_type")
    return _joined(body, node, values)


def _joined(body: Body, node: ast.AST, values: list[Value]) -> Value:
    joins = "&&" if not isinstance(node, ast.BoolOp) or isinstance(node.op, ast.And) else "||"
    decisive = joins == "||"
    made = values[0]
    for each in values[1:]:
        type = combined(made.type, each.type)  # type: ignore[arg-type]
        const = made.const if made.const is decisive else each.const if made.const is not None else None
        made = Value(type, nodes.binary(body.at(node), joins, made.tree, each.tree), const, has_effects=made.has_effects or each.has_effects)
    return made


def _negated(body: Body, node: ast.UnaryOp) -> Value:
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
    from .types import Tuple

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
