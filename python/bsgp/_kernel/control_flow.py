"""if, while, for, break, continue, return, pass, assert, and expressions that are statements."""

from __future__ import annotations

import ast

from . import nodes
from .assign import fitted, joined
from .body import Body, statement_rule
from .nodes import Node, Place
from .numbers import condition, converted, whole
from .scopes import Block, Variable
from .types import INT, Static, Tuple, Value, is_number, machine


@statement_rule(ast.Pass)
def _pass(body: Body, node: ast.Pass) -> None:
    pass


@statement_rule(ast.If)
def _if(body: Body, node: ast.If) -> None:
    test, at = condition(body, node.test), body.at(node)
    if test.const is not None:
        taken = node.body if test.const else node.orelse
        if taken:
            body.emit(body.statements(taken, at))
        return
    yes = body.statements(node.body, at)
    body.emit(["if", *at, test.tree, yes, body.statements(node.orelse, at) if node.orelse else None])


@statement_rule(ast.While)
def _while(body: Body, node: ast.While) -> None:
    if node.orelse:
        body.refuse(node, "'else' of a loop", "a variable that says how the loop ended", "python_construct")
    test, at = body.rarely(node.test, condition), body.at(node)
    tree = test.tree if test.const is None else nodes.truth(at, test.const)
    body.emit(["while", *at, tree, body.statements(node.body, at)])


@statement_rule(ast.Break)
def _break(body: Body, node: ast.Break) -> None:
    body.emit(["break", *body.at(node)])


@statement_rule(ast.Continue)
def _continue(body: Body, node: ast.Continue) -> None:
    body.emit(["continue", *body.at(node)])


@statement_rule(ast.Assert)
def _assert(body: Body, node: ast.Assert) -> None:
    at, arguments = body.at(node), [condition(body, node.test).tree]
    if node.msg is not None:
        message = body.expression(node.msg)
        if not isinstance(message.type, Static) or not isinstance(message.type.of, str):
            body.refuse(node.msg, "the message of an assert is a text", 'assert n > 0, "too few"', "python_construct")
        arguments.append(["string", *at, message.type.of])
    body.emit(nodes.do(at, nodes.call(at, "assert", arguments)))


@statement_rule(ast.Expr)
def _expression(body: Body, node: ast.Expr) -> None:
    value = body.expression(node.value)
    if isinstance(node.value, ast.Call):
        if value.tree is not None:
            body.emit(nodes.do(body.at(node), value.tree))
        return
    body.refuse(node, "this does nothing with its value", "", "python_construct")


@statement_rule(ast.Return)
def _return(body: Body, node: ast.Return) -> None:
    at = body.at(node)
    if node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None:
        body.emit(["return", *at, None])
        return
    if body.region is not None:
        body.refuse(node, "a thread returns nothing", "return ends the thread; values go to arrays, or by bp.reduce to variables of the host", "python_construct")
    value = body.known(body.expression(node.value))
    if not (is_number(value.type) or isinstance(value.type, Tuple) and all(map(is_number, value.type.parts))):
        body.refuse(node, f"a {value.type} cannot be returned", "numbers and tuples of them; arrays are parameters that are written to", "python_type")
    body.result = joined(body, node, body.name, body.result, value.type)
    body.results_seen.append(body.result)
    trees = fitted(body, node, value, body.result)
    if isinstance(body.result, Tuple):
        made: Node = ["construct", *at, ["type", *at, body.program.struct_of(body.result)], trees]
    else:
        made = trees[0]
    body.emit(["return", *at, made])


# ---- for


@statement_rule(ast.For)
def _for(body: Body, node: ast.For) -> None:
    if node.orelse:
        body.refuse(node, "'else' of a loop", "a variable that says how the loop ended", "python_construct")
    if not isinstance(node.target, ast.Name):
        body.refuse(node.target, "a loop has one variable", "", "python_construct")
    start, stop, step = _range(body, node)
    at, block = body.at(node), body.plan.block_of(node.body)
    variable = body.variable(node.target.id)
    assert variable is not None
    is_own = variable.home is block and variable.stores == 1
    variable.type = joined(body, node.target, node.target.id, variable.type, INT)
    body.saw(variable, variable.type)
    is_own = is_own and variable.type is INT
    counter = variable.tree_name if is_own else body.temporary(node.target.id)
    head = _head(body, node, counter, start, stop, step)
    body.emit([*head, _loop_body(body, node, at, block, variable, None if is_own else counter)])


def _loop_body(body: Body, node: ast.For, at: Place, block: Block, variable: Variable, counter: str | None) -> Node:
    made = body.statements(node.body, at)
    if counter is None:
        return made
    tree = fitted(body, node.target, Value(INT, nodes.name(at, counter)), variable.type)[0]
    if variable.home is block:
        first = nodes.declare(at, nodes.of_type(at, machine(variable.type)), variable.tree_name, tree)
    else:
        first = nodes.assign(at, nodes.name(at, variable.tree_name), tree)
    return nodes.braces(at, [first, *made[3]])


def _range(body: Body, node: ast.For) -> tuple[Value, Value, Value]:
    call = node.iter
    called = body.expression(call.func).type if isinstance(call, ast.Call) else None
    if not (isinstance(call, ast.Call) and isinstance(called, Static) and called.of is range) or call.keywords or not 1 <= len(call.args) <= 3:
        body.refuse(node.iter, "a loop goes over range(...)", "for i in range(n): and x[i] in it", "python_construct")
    parts = [whole(body, each, "range") for each in call.args]
    zero, one = (Value(INT, nodes.integer(body.at(call), n), n) for n in (0, 1))
    start, stop, step = (zero, parts[0], one) if len(parts) == 1 else (parts[0], parts[1], parts[2] if len(parts) == 3 else one)
    if step.const == 0:
        body.refuse(call.args[2], "a step of 0", "", "python_number")
    return start, stop, step


def _head(body: Body, node: ast.For, counter: str, start: Value, stop: Value, step: Value) -> Node:
    """for (long counter = start; counter < stop; counter += step), where stop and step are computed once."""
    at = body.at(node)
    end, by = (_fixed(body, node, counter, what, value) for what, value in (("stop", stop), ("step", step)))
    here = nodes.name(at, counter)
    up, down = nodes.binary(at, "<", here, end), nodes.binary(at, ">", here, end)
    if step.const is not None:
        test = up if step.const > 0 else down
    else:
        test = nodes.choose(at, nodes.binary(at, ">", by, nodes.integer(at, 0)), up, down)
    init = nodes.declare(at, nodes.of_type(at, INT), counter, converted(body, node, start, INT))
    return ["for", *at, init, test, ["update", *at, "+", here, by]]


def _fixed(body: Body, node: ast.For, counter: str, what: str, value: Value) -> Node:
    at = body.at(node)
    if value.const is not None:
        return nodes.integer(at, value.const)
    name = body.temporary(f"{counter}.{what}")
    body.emit(nodes.declare(at, nodes.of_type(at, INT), name, converted(body, node, value, INT)))
    return nodes.name(at, name)
