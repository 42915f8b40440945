"""Calls that all threads make together, values of other threads, and atomics."""

from __future__ import annotations

import ast
import builtins
import operator
from types import FunctionType
from typing import Any

import numpy as np

from .. import _core
from .._dtypes import bool_
from .._expressions import scan as scan_of_arrays
from . import nodes, words
from .body import Body
from .nodes import Node
from .numbers import constant, converted, is_never_negative, literal, scalar, truth_of, whole
from .places import element_of, none_value
from .types import INT, DType, Local, Memory, Static, Tuple, Type, Value, is_bool, is_number, machine
from .words import called

_NAMES = {
    "+": "rop_add",
    "*": "rop_mul",
    "min": "rop_min",
    "max": "rop_max",
    "&": "rop_and",
    "|": "rop_or",
    "^": "rop_xor",
    "any": "rop_or",
    "all": "rop_and",
}
_FUNCTIONS: dict[Any, str] = {
    builtins.sum: "+", operator.add: "+", np.add: "+", _core.add: "+", operator.mul: "*", np.multiply: "*", _core.multiply: "*",
    builtins.min: "min", np.minimum: "min", _core.minimum: "min", builtins.max: "max", np.maximum: "max", _core.maximum: "max",
    operator.and_: "&", np.bitwise_and: "&", _core.bitwise_and: "&", operator.or_: "|", np.bitwise_or: "|", _core.bitwise_or: "|",
    operator.xor: "^", np.bitwise_xor: "^", _core.bitwise_xor: "^", builtins.any: "any", builtins.all: "all",
}  # fmt: skip


def arguments_of(body: Body, node: ast.Call, name: str, *wanted: str, options: tuple[str, ...] = ()) -> list[ast.expr]:
    """The arguments by these names; options may be left out, and stand in `keywords`."""
    given = dict(zip(wanted, node.args))
    for each in node.keywords:
        if each.arg not in (*wanted, *options) or each.arg in given:
            body.refuse(
                each.value,
                f"bp.{name} has no '{each.arg}'",
                f"bp.{name}({', '.join((*wanted, *(o + '=' for o in options)))})",
                "python_type",
            )
        if each.arg in wanted:
            given[each.arg or ""] = each.value
    if len(node.args) > len(wanted) or len(given) < len(wanted):
        body.refuse(node, f"bp.{name} takes {', '.join(wanted)}", "", "python_type")
    return [given[each] for each in wanted]


def _option(node: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in node.keywords if each.arg == name), None)


def _flag(body: Body, node: ast.Call, name: str) -> bool:
    given = _option(node, name)
    return given is not None and bool(constant(body, given, name))


# ---- operators


def _operator(body: Body, node: ast.Call, given: ast.expr, x: Value) -> tuple[Node, Value]:
    """The operator in the tree, and x as it takes it."""
    named = body.known(body.expression(given)).type
    of = named.of if isinstance(named, Static) else None
    at, word = body.at(given), of if isinstance(of, str) else None
    if word is None and of is not None:
        try:
            word = _FUNCTIONS.get(of)
        except TypeError:
            pass
    if word in _NAMES:
        return nodes.name(at, _NAMES[word]), _operand(body, node, word, x)
    function = getattr(of, "function_of_kernel", of)
    if isinstance(function, FunctionType):
        return _own_operator(body, node, given, function, x), x
    body.refuse(
        given,
        "this is no operator",
        f"one of {', '.join(map(repr, _NAMES))}, or a function with bp.reduce(f, x, identity=0)",
        "python_type",
    )


def _operand(body: Body, node: ast.Call, word: str, x: Value) -> Value:
    if word in ("any", "all"):
        return Value(bool_, truth_of(body, node, x).tree)
    if is_bool(x.type) and word in ("+", "*", "min", "max"):
        return Value(INT, converted(body, node, x, INT))
    if word in ("&", "|", "^") and "float" in machine(x.type).name:
        body.refuse(node, f"{word} is of integers and bools, and this is {x.type}", "", "python_type")
    return x


def _own_operator(body: Body, node: ast.Call, given: ast.expr, function: FunctionType, x: Value) -> Node:
    identity = _option(node, "identity")
    if identity is None:
        body.refuse(given, f"{function.__name__} has no identity here", "identity=e, where f(e, x) is x", "python_type")
    neutral = literal(body, identity, constant(body, identity, "the identity"), machine(x.type))
    commutes = _flag(body, node, "commutative")
    instance = body.program.instance(body, node, function, [x.type, x.type], identity=neutral, commutes=commutes)
    body.used.append(instance)
    if instance.result != x.type:
        body.refuse(
            given,
            f"{function.__name__} gives {instance.result} of two {x.type}",
            f"convert its result: bp.{machine(x.type).name}(...)",
            "python_type",
        )
    return nodes.name(body.at(given), instance.name)


def _collective(body: Body, node: ast.Call, made: Node, type: Type) -> Value:
    body.is_collective = True
    return Value(type, made, has_effects=True)


# ---- reduce, scan, compact


@called(words.reduce)
def _reduce(body: Body, node: ast.Call, word: Any) -> Value:
    given, of = arguments_of(body, node, "reduce", "op", "x", options=("identity", "commutative"))
    op, x = _operator(body, node, given, scalar(body, of, "bp.reduce"))
    return _collective(body, node, nodes.call(body.at(node), "reduce", [op, x.tree]), x.type)


@called(scan_of_arrays)
def _scan(body: Body, node: ast.Call, word: Any) -> Value:
    """The scan of the language changes a variable, and gives the total."""
    given, of = arguments_of(body, node, "scan", "op", "x", options=("identity", "commutative", "inclusive", "total"))
    op, x = _operator(body, node, given, scalar(body, of, "bp.scan"))
    function = "scan_inclusive" if _flag(body, node, "inclusive") else "scan"
    return _scanned(body, node, function, op, x, _flag(body, node, "total"))


def _scanned(body: Body, node: ast.Call, function: str | Node, op: Node, x: Value, with_total: bool) -> Value:
    at, name = body.at(node), body.temporary("scanned")
    body.is_collective = True
    body.emit_ahead(node, nodes.declare(at, nodes.of_type(at, x.type), name, x.tree), "a scan")
    made = nodes.call(at, function, [op, nodes.name(at, name)])
    prefix = Value(x.type, nodes.name(at, name))
    if not with_total:
        body.emit(nodes.do(at, made))
        return prefix
    total = body.temporary("total")
    body.emit(nodes.declare(at, nodes.of_type(at, x.type), total, made))
    return Value(Tuple((x.type, x.type)), parts=[prefix, Value(x.type, nodes.name(at, total))])


@called(words.compact)
def _compact(body: Body, node: ast.Call, word: Any) -> Value:
    """A scan counts the threads in front that keep their x: so many are stored before it. The array keeps its length."""
    to, of, keep = arguments_of(body, node, "compact", "out", "x", "keep")
    out = body.known(body.expression(to))
    if not isinstance(out.type, Memory) or isinstance(out.type, Local) or out.type.rank != 1:
        body.refuse(to, f"bp.compact stores to an array with one axis, and this is {out.type}", "out: bp.float32[:]", "python_type")
    if out.origin is not None:
        body.written.add(out.origin)
    x, at = scalar(body, of, "bp.compact"), body.at(node)
    kept = body.temporary("kept")
    value = body.temporary("value")
    body.emit_ahead(
        node, nodes.declare(at, nodes.of_type(at, bool_), kept, truth_of(body, keep, scalar(body, keep, "bp.compact")).tree), "bp.compact"
    )
    body.emit(nodes.declare(at, nodes.of_type(at, out.type.element), value, converted(body, of, x, out.type.element)))
    flag = Value(INT, nodes.cast(at, INT, nodes.name(at, kept)))
    result = _scanned(body, node, "scan", nodes.name(at, "rop_add"), flag, True)
    place = result.parts[0].tree
    store = nodes.assign(at, nodes.index(at, out.tree, place), nodes.name(at, value))
    fits = [
        nodes.do(
            at, nodes.call(at, "assert", [nodes.binary(at, "<", place, each.tree), ["string", *at, "bp.compact: the array is too short"]])
        )
        for each in out.extents
    ]
    body.emit(["if", *at, nodes.name(at, kept), nodes.braces(at, [*fits, store]), None])
    return result.parts[1]


# ---- threads


@called(words.sortby)
def _sortby(body: Body, node: ast.Call, word: Any) -> Value:
    (of,) = arguments_of(body, node, "sortby", "key")
    key = scalar(body, of, "bp.sortby")
    return _collective(body, node, nodes.call(body.at(node), nodes.thread(body.at(node), "sortby"), [key.tree]), none_value().type)


@called(words.kill)
def _kill(body: Body, node: ast.Call, word: Any) -> Value:
    (of,) = arguments_of(body, node, "kill", "flag")
    flag = truth_of(body, of, scalar(body, of, "bp.kill"))
    return _collective(body, node, nodes.call(body.at(node), nodes.thread(body.at(node), "kill"), [flag.tree]), none_value().type)


@called(words.fork)
def _fork(body: Body, node: ast.Call, word: Any) -> Value:
    (of,) = arguments_of(body, node, "fork", "n")
    count, at = whole(body, of, "bp.fork"), body.at(node)
    return _collective(body, node, nodes.cast(at, INT, nodes.call(at, nodes.thread(at, "fork"), [count.tree])), INT)


def _variable(body: Body, node: ast.expr, name: str) -> Value:
    value = body.known(body.expression(node))
    is_variable = isinstance(node, ast.Name) and body.variable(node.id) is not None and is_number(value.type)
    is_part = isinstance(node, ast.Subscript) and isinstance(body.expression(node.value).type, (Tuple, Local)) and is_number(value.type)
    if not (is_variable or is_part):
        body.refuse(
            node, f"bp.{name} is of a variable of the threads", "assign the value to a variable in front of the barrier", "python_type"
        )
    return value


@called(words.get)
def _get(body: Body, node: ast.Call, word: Any) -> Value:
    at_rank, of = arguments_of(body, node, "get", "r", "v")
    rank, value, at = whole(body, at_rank, "a rank"), _variable(body, of, "get"), body.at(node)
    body.is_collective = True
    return Value(value.type, nodes.call(at, nodes.thread(at, "get"), [rank.tree, value.tree]))


@called(words.put)
def _put(body: Body, node: ast.Call, word: Any) -> Value:
    at_rank, of, given = arguments_of(body, node, "put", "r", "v", "value")
    rank, place, at = whole(body, at_rank, "a rank"), _variable(body, of, "put"), body.at(node)
    number = scalar(body, given, "bp.put")
    value = converted(body, given, number, place.type)  # type: ignore[arg-type]
    if place.origin is not None:
        place.origin.is_nonneg &= is_never_negative(number)
        body.saw(place.origin, place.type)
    body.is_collective = True
    return Value(none_value().type, nodes.call(at, nodes.thread(at, "put"), [rank.tree, place.tree, value]))


# ---- blocks


@called(words.block.reduce)
def _block_reduce(body: Body, node: ast.Call, word: Any) -> Value:
    given, of = arguments_of(body, node, "block.reduce", "op", "x", options=("identity", "commutative"))
    op, x = _operator(body, node, given, scalar(body, of, "bp.block.reduce"))
    at = body.at(node)
    return Value(x.type, nodes.call(at, nodes.block(at, "reduce"), [op, x.tree]), has_effects=True)


@called(words.block.scan)
def _block_scan(body: Body, node: ast.Call, word: Any) -> Value:
    given, of = arguments_of(body, node, "block.scan", "op", "x", options=("identity", "commutative", "inclusive", "total"))
    op, x = _operator(body, node, given, scalar(body, of, "bp.block.scan"))
    function = "scan_inclusive" if _flag(body, node, "inclusive") else "scan"
    was = body.is_collective
    made = _scanned(body, node, nodes.block(body.at(node), function), op, x, _flag(body, node, "total"))
    body.is_collective = was
    return made


@called(words.block.any, words.block.all, words.block.count_if)
def _block_vote(body: Body, node: ast.Call, word: words.Word) -> Value:
    name = word.name.split(".")[1]
    (of,) = arguments_of(body, node, word.name, "c")
    at = body.at(node)
    tree = nodes.call(at, nodes.block(at, name), [truth_of(body, of, scalar(body, of, "bp." + word.name)).tree])
    return Value(INT, nodes.cast(at, INT, tree), has_effects=True) if name == "count_if" else Value(bool_, tree, has_effects=True)


# ---- arrays of blocks and threads


@called(words.shared, words.private)
def _local(body: Body, node: ast.Call, word: words.Word) -> Value:
    from .calls import element_type

    is_shared = word is words.shared
    extents, of = arguments_of(body, node, word.name, "shape", "dtype")
    parts = extents.elts if isinstance(extents, ast.Tuple) else [extents]
    shape = tuple(constant(body, each, f"the shape of bp.{word.name}") for each in parts)
    if not shape or any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in shape):
        body.refuse(extents, f"bp.{word.name} has extents of 1 and more", "bp.shared(256, bp.float32)", "python_type")
    type = Local(element_type(body, of), shape, is_shared)
    at, name = body.at(node), body.temporary(word.name)
    tree = nodes.array(at, type.element, shape)
    body.emit_ahead(node, ["shared", *at, tree, name] if is_shared else nodes.declare(at, tree, name), f"bp.{word.name}")
    return Value(type, nodes.name(at, name))


# ---- atomics

_ATOMICS = {
    getattr(words, name): name
    for name in ("atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor", "atomic_exchange")
}


def _address(body: Body, node: ast.Call, memory: ast.expr, place: ast.expr, of_integers: bool) -> tuple[Node, DType]:
    subscript = ast.copy_location(ast.Subscript(memory, place, ast.Load()), node)
    of = body.known(body.expression(memory))
    element = element_of(body, subscript, of)
    if of.origin is not None:
        body.written.add(of.origin)
    if machine(element.type).itemsize < 4:
        body.refuse(
            memory,
            f"atomics are of integers and floats of 32 and 64 bits, and this is {element.type}",
            "an array of bp.int32",
            "python_type",
        )
    if of_integers and "float" in machine(element.type).name:
        body.refuse(memory, f"this atomic is of integers, and the array of {element.type}", "an array of bp.int32", "python_type")
    return nodes.unary(body.at(node), "&", element.place), element.type


@called(*_ATOMICS)
def _atomic(body: Body, node: ast.Call, word: words.Word) -> Value:
    memory, place, given = arguments_of(body, node, word.name, "x", "i", "v")
    address, element = _address(body, node, memory, place, word in (words.atomic_and, words.atomic_or, words.atomic_xor))
    value = converted(body, given, scalar(body, given, "bp." + word.name), element)
    return Value(element, nodes.call(body.at(node), word.name, [address, value]), has_effects=True)


@called(words.atomic_cas)
def _cas(body: Body, node: ast.Call, word: words.Word) -> Value:
    memory, place, *pair = arguments_of(body, node, word.name, "x", "i", "expected", "v")
    address, element = _address(body, node, memory, place, True)
    values = [converted(body, each, scalar(body, each, "bp.atomic_cas"), element) for each in pair]
    return Value(element, nodes.call(body.at(node), "atomic_cas", [address, *values]), has_effects=True)
