"""with spawn, require, par; barriers, and the places and numbers of threads and blocks."""

from __future__ import annotations

import ast
from typing import Any

from .._dtypes import int32
from . import nodes, words
from .body import Body, statement_rule
from .nodes import Node
from .numbers import constant, whole
from .places import none_value
from .types import INT, Static, Value
from .words import called, gives


def with_kind(lookup: Any, node: ast.With) -> str:
    """spawn, require or par, as the names are outside of the function; "": something else."""
    if len(node.items) != 1 or not isinstance(node.items[0].context_expr, ast.Call):
        return ""
    found = _object(lookup, node.items[0].context_expr.func)
    return found.name if found in (words.spawn, words.require, words.par) else ""


def _object(lookup: Any, node: ast.expr) -> Any:
    try:
        if isinstance(node, ast.Name):
            return lookup(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(_object(lookup, node.value), node.attr, None)
    except KeyError:
        pass
    return None


@statement_rule(ast.With)
def _with(body: Body, node: ast.With) -> None:
    kind = body.program.with_kind(node)
    rule = {"spawn": _spawn, "require": _require, "par": _par}.get(kind)
    if rule is None:
        body.refuse(
            node,
            "'with' is for bp.spawn, bp.require and bp.par",
            "files and the like belong to the caller of the kernel",
            "python_construct",
        )
    if node.items[0].optional_vars is not None:
        body.refuse(node.items[0].optional_vars, "a spawn has no name", "", "python_construct")
    call = node.items[0].context_expr
    assert isinstance(call, ast.Call)
    if kind != "spawn" and (call.args or call.keywords):
        body.refuse(call, f"bp.{kind}() takes nothing", "", "python_type")
    rule(body, node, call)


def _spawn(body: Body, node: ast.With, call: ast.Call) -> None:
    if body.region is not None:
        body.refuse(node, "a spawn in a spawn", "a barrier ends a superstep; another spawn stands behind this one", "python_place")
    given: list[ast.expr] = call.args
    if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)):
        given = given[0].elts
    if not 1 <= len(given) <= 3:
        body.refuse(call, "a spawn has one to three extents", "with bp.spawn(n): or bp.spawn((w, h)):", "python_type")
    at = body.at(node)
    sizes = [whole(body, each, "the number of threads").tree for each in given]
    options = _options(body, call)
    outer, body.region = body.region, node
    threads = body.statements(node.body, at)
    body.region = outer
    body.emit(["spawn", *at, sizes, threads, options.get("block"), options.get("width")])


def _options(body: Body, call: ast.Call) -> dict[str, Node]:
    options = {}
    for each in call.keywords:
        if each.arg not in ("block", "width"):
            body.refuse(each.value, f"a spawn has no option '{each.arg}'", "block=128 and width=1 are its options", "python_type")
        number = constant(body, each.value, f"{each.arg} of a spawn")
        if type(number) is not int or number < 1:
            body.refuse(each.value, f"{each.arg} of a spawn is a whole number from 1 on", "block=128", "python_type")
        options[each.arg] = nodes.cast(body.at(each.value), int32, nodes.integer(body.at(each.value), number))
    return options


def _require(body: Body, node: ast.With, call: ast.Call) -> None:
    outer, body.out, was, body.in_require = body.out, [], body.in_require, True
    body.is_collective = True
    for each in node.body:
        body.statement(each)
    made, body.out, body.in_require = body.out, outer, was
    body.emit(["require", *body.at(node), made])


def _par(body: Body, node: ast.With, call: ast.Call) -> None:
    body.is_collective = True
    outer, pending, arms = body.out, body.pending, []
    for each in node.body:
        body.out, body.pending = [], []
        body.statement(each)
        arms.append(body.out[0] if len(body.out) == 1 else nodes.braces(body.at(each), body.out))
    body.out, body.pending = outer, pending
    body.emit(["par", *body.at(node), arms])


@called(words.barrier)
def _barrier(body: Body, node: ast.Call, word: Any) -> Value:
    reassigned = False
    if node.args:
        given = body.expression(node.args[0]).type
        reassigned = isinstance(given, Static) and given.of is words.RANK_REASSIGNED
        if not reassigned or len(node.args) > 1 or node.keywords:
            body.refuse(node, "a barrier takes nothing, or bp.RANK_REASSIGNED", "", "python_type")
    body.is_collective = True
    body.emit_ahead(node, ["barrier", *body.at(node), reassigned], "a barrier")
    return none_value()


# ---- numbers of threads

_THREAD = {words.rank: "rank", words.size: "size", words.x: "x", words.y: "y", words.z: "z"}
_BLOCK = {getattr(words.block, name): name for name in ("rank", "size", "limit", "id", "count")}


@gives(*_THREAD)
def _thread_number(body: Body, node: ast.AST, word: words.Word) -> Value:
    if body.on_host and not (body.in_require and word is words.size):
        body.refuse(node, f"bp.{word.name} is of threads", f"with bp.spawn(n): has bp.{word.name} in it", "python_place")
    at = body.at(node)
    return Value(INT, nodes.cast(at, INT, nodes.thread(at, _THREAD[word])), is_nonneg=True)


@gives(*_BLOCK)
def _block_number(body: Body, node: ast.AST, word: words.Word) -> Value:
    at = body.at(node)
    return Value(INT, nodes.cast(at, INT, nodes.block(at, _BLOCK[word])), is_nonneg=True)


@called(words.block.sync)
def _sync(body: Body, node: ast.Call, word: Any) -> Value:
    if node.args or node.keywords:
        body.refuse(node, "bp.block.sync() takes nothing", "", "python_type")
    at = body.at(node)
    return Value(none_value().type, nodes.call(at, nodes.block(at, "sync"), []))
