"""Calls: conversions, functions of Python and NumPy that the language has, and functions of the user."""

from __future__ import annotations

import ast
import builtins
from types import FunctionType
from typing import Any

from .._dtypes import DType, as_dtype, float64
from . import nodes
from .assign import mark_written, trees_of
from .body import Body, expression_rule
from .numbers import converted, of_python, once, scalar, truth_of
from .places import extents_of, of_object
from .types import NONE, OF_PYTHON, TRUTH, UNKNOWN, Memory, Pointer, Static, Tuple, Value
from .words import CALLS, Word


@expression_rule(ast.Call)
def _call(body: Body, node: ast.Call) -> Value:
    callee = body.known(body.expression(node.func))
    if not isinstance(callee.type, Static):
        body.refuse(node.func, f"a {callee.type} cannot be called", "", "python_type")
    if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        body.refuse(node, "* and ** of arguments", "write the arguments one by one", "python_construct")
    called = callee.type.of
    rule = _rule_of(called)
    if rule is not None:
        return rule(body, node, called)
    function = getattr(called, "function_of_kernel", called)
    if isinstance(function, FunctionType) and not (function.__module__ or "").startswith("bsgp."):
        return _of_user(body, node, function)
    name = getattr(called, "__name__", None) or getattr(called, "name", type(called).__name__)
    body.refuse(node.func, f"{name} cannot be called in a kernel", _help_for(called), "python_call")


def _rule_of(called: Any) -> Any:
    try:
        if called in CALLS:
            return CALLS[called]
    except TypeError:  # it cannot be hashed
        return None
    if called in OF_PYTHON:
        return _python_conversion
    if isinstance(called, DType) or isinstance(called, type):
        return _conversion
    return None


def _help_for(called: Any) -> str:
    if called is builtins.print:
        return "store what you want to see in an array"
    if called in (builtins.sum, builtins.all, builtins.any) or getattr(called, "__module__", "") == "bsgp._reductions":
        return "a loop, or over all threads bp.reduce(op, x)"
    if isinstance(called, Word):
        return ""
    return "functions of math, numpy and bsgp on numbers, and functions of Python that a kernel could be"


# ---- conversions


def _one_argument(body: Body, node: ast.Call, name: str) -> Value:
    if len(node.args) != 1 or node.keywords:
        body.refuse(node, f"{name} takes one number", "", "python_type")
    return scalar(body, node.args[0], name)


def _python_conversion(body: Body, node: ast.Call, called: Any) -> Value:
    """int(x), float(x), bool(x): numbers of Python."""
    if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
        body.refuse(node, "a text as a number", "math.inf, math.nan, or the number itself", "python_type")
    value, to = _one_argument(body, node, called.__name__), OF_PYTHON[called]
    if value.const is not None:
        try:
            return of_python(body, node, called(value.const))
        except (ValueError, OverflowError) as error:
            body.refuse(node, str(error), "", "python_number")
    if to is TRUTH:
        return Value(TRUTH, truth_of(body, node, value).tree, has_effects=value.has_effects)
    return Value(to, converted(body, node, value, to), has_effects=value.has_effects)


def _conversion(body: Body, node: ast.Call, called: Any) -> Value:
    try:
        dtype = as_dtype(called)
        converts = dtype.kind != "complex floating"
    except TypeError:
        converts = False
    if not converts:
        body.refuse(
            node.func,
            f"a {getattr(called, '__name__', called)} cannot stand in a kernel",
            "numbers are bools, integers and floats",
            "python_call",
        )
    value = _one_argument(body, node, dtype.name)
    return Value(dtype, converted(body, node, value, dtype), has_effects=value.has_effects)


# ---- functions of the user


def _of_user(body: Body, node: ast.Call, function: FunctionType) -> Value:
    arguments = [body.known(each) for each in _bound(body, node, function)]
    if any(each.is_zeros for each in arguments):
        body.refuse(node, "new memory as an argument", "assign it to a variable first", "python_place")
    instance = body.program.instance(body, node, function, [each.type for each in arguments])
    body.used.append(instance)
    body.is_collective |= instance.body.is_collective
    _mark_written(body, arguments, instance)
    trees = [tree for each in arguments for tree in trees_of(each)]
    call = nodes.call(body.at(node), instance.name, trees)
    result = instance.result
    if result is NONE or result is UNKNOWN:
        return Value(result, call)
    if not isinstance(result, Tuple):
        return Value(result, call, has_effects=bool(instance.body.written) or instance.body.is_collective)
    name, at = body.temporary("result"), body.at(node)
    body.emit_ahead(node, nodes.declare(at, ["auto", *at], name, call), "a call that gives a tuple")
    return _tuple_of(body, node, result, nodes.name(at, name))


def _tuple_of(body: Body, node: ast.AST, type: Tuple, tree: nodes.Node) -> Value:
    at = body.at(node)
    parts = [Value(each, nodes.member(at, tree, f"f{i}")) for i, each in enumerate(type.parts)]
    return Value(type, parts=parts)


def _bound(body: Body, node: ast.Call, function: FunctionType) -> list[Value]:
    """The arguments in the order of the parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & 0x0C:
        body.refuse(node.func, f"{function.__name__} takes *args or **kwargs", "name its parameters", "python_construct")
    given = dict(zip(names, node.args))
    for each in node.keywords:
        if each.arg not in names or each.arg in given:
            body.refuse(node, f"{function.__name__} has no parameter '{each.arg}' that is not given yet", "", "python_type")
        given[each.arg or ""] = each.value
    for member in ("__defaults__", "__kwdefaults__"):
        body.program.captures(function, member, getattr(function, member, None))
    defaults = dict(zip(names[code.co_argcount - len(function.__defaults__ or ()) : code.co_argcount], function.__defaults__ or ()))
    defaults.update(function.__kwdefaults__ or {})
    missing = [name for name in names if name not in given and name not in defaults]
    if missing or len(node.args) > code.co_argcount:
        words = f"misses the argument '{missing[0]}'" if missing else f"takes {code.co_argcount} arguments, and {len(node.args)} are given"
        body.refuse(node, f"{function.__name__} {words}", "", "python_type")
    evaluated = dict(zip(given, body.in_order(list(given.values()), Body.expression)))  # in the order of the text
    if list(given) != [name for name in names if name in given] and sum(each.has_effects for each in evaluated.values()) > 1:
        evaluated = {name: once(body, node, each) for name, each in evaluated.items()}
    return [evaluated[name] if name in evaluated else of_object(body, node, defaults[name]) for name in names]


def _mark_written(body: Body, arguments: list[Value], instance: Any) -> None:
    for each, parameter in zip(arguments, instance.parameters):
        if each.parts:
            mark_written(body, each)
        elif each.origin is not None and parameter in instance.body.written:
            body.written.add(each.origin)


# ---- len and memory


def length(body: Body, node: ast.Call, _: Any) -> Value:
    if len(node.args) != 1 or node.keywords:
        body.refuse(node, "len takes one array", "", "python_type")
    of = body.known(body.expression(node.args[0]))
    if isinstance(of.type, Tuple):
        return of_python(body, node, len(of.parts))
    if not isinstance(of.type, Memory) or isinstance(of.type, Pointer):
        body.refuse(
            node.args[0],
            f"a {of.type} has no length that is known",
            "bp.float32[:] is an array with its extents" if isinstance(of.type, Pointer) else "",
            "python_type",
        )
    return extents_of(body, node, of)[0]


CALLS[builtins.len] = length


def element_type(body: Body, node: ast.expr | None) -> DType:
    """The type of elements that an argument names; none: float64."""
    if node is None:
        return float64
    given = body.expression(node)
    try:
        return as_dtype(given.type.of if isinstance(given.type, Static) else None)
    except TypeError:
        body.refuse(node, "this is no type of elements", "bp.float32", "python_type")
