"""if, while, for, break, continue, return, pass, assert, and expressions that are statements."""

from __future__ import annotations

import ast

from . import nodes
from .assign import assign, find_type, fitted, held, joined
from .body import Body, declarations, statement_rule
from .nodes import Node
from .conditions import chosen, condition
from .numbers import converted, is_never_negative, whole
from .types import INT, NONE, TRUTH, Static, Tuple, Type, Value, Weak, combined, is_number, order


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
    body.loops += 1
    body.emit(["while", *at, tree, body.statements(node.body, at)])
    body.loops -= 1


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
        body.bare_return = body.bare_return or node if body.region is None else body.bare_return
        body.emit(["return", *at, None])
        return
    if body.region is not None:
        body.refuse(
            node,
            "a thread returns nothing",
            "return ends the thread; values go to arrays, or by bp.reduce to variables of the host",
            "python_construct",
        )
    value = body.known(body.expression(node.value))
    if body.declared_result is NONE:
        body.refuse(node, f"{body.source.tree.name} returns None, by its annotation", "-> int, or another type of a number", "python_type")
    if not (is_number(value.type) or isinstance(value.type, Tuple) and all(map(is_number, value.type.parts))):
        body.refuse(
            node,
            f"a {value.type} cannot be returned",
            "numbers and tuples of them; arrays are parameters that are written to",
            "python_type",
        )
    body.result = _declared(body, node, value) or joined(body, node, body.name, body.result, value.type)
    body.results_seen.append(body.result)
    trees = fitted(body, node, value, body.result)
    if isinstance(body.result, Tuple):
        made: Node = ["construct", *at, ["type", *at, body.program.struct_of(body.result)], trees]
    else:
        made = trees[0]
    body.emit(["return", *at, made])


def _declared(body: Body, node: ast.Return, value: Value) -> Type | None:
    """The type that the function says it returns; None: it says nothing."""
    type = body.declared_result
    if type is None:
        return None
    wanted, given = (list(each.parts) if isinstance(each, Tuple) else [each] for each in (type, value.type))
    fits = len(wanted) == len(given) and isinstance(type, Tuple) == isinstance(value.type, Tuple) and all(map(_fits, given, wanted))
    if not fits:
        body.refuse(
            node,
            f"{body.source.tree.name} returns {type}, and this is {value.type}",
            "convert it: int(x), float(x), bp.float32(x)",
            "python_type",
        )
    return type


def _fits(given: Type, wanted: Type) -> bool:
    """A number of Python may be of any type; a typed one goes with those that have its values."""
    if not is_number(given) or not is_number(wanted) or (order(given) == 0) != (order(wanted) == 0):
        return False
    if isinstance(given, Weak) or isinstance(wanted, Weak):
        return order(given) <= order(wanted)
    return combined(given, wanted) is wanted  # type: ignore[arg-type]


# ---- for


@statement_rule(ast.For)
def _for(body: Body, node: ast.For) -> None:
    if node.orelse:
        body.refuse(node, "'else' of a loop", "a variable that says how the loop ended", "python_construct")
    if not isinstance(node.iter, ast.Call) or not _calls_range(body, node.iter):
        _over_tuple(body, node)
        return
    if not isinstance(node.target, ast.Name):
        body.refuse(node.target, "a loop over a range has one variable", "", "python_construct")
    start, stop, step = _range(body, node, node.iter)
    variable = body.variable(node.target.id)
    assert variable is not None
    is_nonneg = is_never_negative(start) and step.const is not None and step.const > 0
    is_own = variable.home is body.plan.block_of(node.body) and variable.stores == 1
    find_type(body, node.target, variable, INT)
    variable.is_nonneg &= is_nonneg
    is_own = is_own and variable.type is INT
    counter = variable.tree_name if is_own else body.temporary(node.target.id)
    head = _head(body, node, counter, start, stop, step)
    body.emit([*head, _loop_body(body, node, None if is_own else Value(INT, nodes.name(body.at(node), counter), is_nonneg=is_nonneg))])


def _loop_body(body: Body, node: ast.For, value: Value | None) -> Node:
    """The statements; behind the assignment of the loop's variable, if there is a value for it."""
    at = body.at(node)
    outer, body.out = body.out, []
    if value is not None:
        pending, body.pending = body.pending, list(body.plan.declared.get((body.plan.block_of(node.body), 0), ()))
        assign(body, node.target, value)
        left, body.pending = body.pending, pending
        body.out[:0] = [made for each in left for made in declarations(body, each, at)]
    body.loops += 1
    body.inline_statements(node.body)
    body.loops -= 1
    made, body.out = body.out, outer
    return nodes.braces(at, made)


def _over_tuple(body: Body, node: ast.For) -> None:
    """for v in (-1, 0, 1): a loop whose variable is chosen by a counter."""
    over = body.known(body.expression(node.iter)) if not isinstance(node.iter, ast.Call) else Value(NONE)
    if not isinstance(over.type, Tuple):
        counts_down = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "reversed"
        help = "range(n - 1, -1, -1) counts down" if counts_down else "for i in range(len(x)): and x[i] in it"
        body.refuse(node.iter, "a loop goes over range(...), or over a tuple", help, "python_construct")
    at, counter = body.at(node), body.temporary("place")
    values = [held(body, node, each) for each in over.parts]
    if not values:
        return
    here = nodes.name(at, counter)
    chosen_value = values[-1]
    for i, each in reversed(list(enumerate(values[:-1]))):
        test = Value(TRUTH, nodes.binary(at, "==", here, nodes.integer(at, i)))
        chosen_value = chosen(body, node.iter, test, each, chosen_value)
    chosen_value.const = None
    init = nodes.declare(at, nodes.of_type(at, INT), counter, nodes.integer(at, 0))
    test_tree = nodes.binary(at, "<", here, nodes.integer(at, len(values)))
    body.emit(["for", *at, init, test_tree, ["update", *at, "+", here, nodes.integer(at, 1)], _loop_body(body, node, chosen_value)])


def _calls_range(body: Body, call: ast.Call) -> bool:
    called = body.expression(call.func).type
    return isinstance(called, Static) and called.of is range


def _range(body: Body, node: ast.For, call: ast.Call) -> tuple[Value, Value, Value]:
    if call.keywords or not 1 <= len(call.args) <= 3:
        body.refuse(
            call, "range takes one to three whole numbers", "range(stop), range(start, stop), range(start, stop, step)", "python_type"
        )
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
        return nodes.integer(at, int(value.const))
    name = body.temporary(f"{counter}.{what}")
    body.emit(nodes.declare(at, nodes.of_type(at, INT), name, converted(body, node, value, INT)))
    return nodes.name(at, name)
