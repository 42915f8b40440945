"""Assignments: to variables, elements, tuples of them, and to words."""

from __future__ import annotations

import ast
from typing import Any

from .._dtypes import as_dtype
from . import nodes
from .body import Body, declarations, parts_of, statement_rule, type_node
from .nodes import Node
from .numbers import cast_tree, converted, is_never_negative, number_of, scalar
from .operators import operation
from .places import element_count, element_of
from .scopes import Variable
from .types import NONE, UNKNOWN, DType, Local, Memory, Static, Tuple, Type, Value, Weak, combined, is_whole, machine, order
from .words import Word, oldrank, size

_WORDS = {oldrank: "oldrank", size: "size"}


@statement_rule(ast.Assign)
def _assign(body: Body, node: ast.Assign) -> None:
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        assign_name(body, node.targets[0], body.known(body.expression(node.value)))
        return
    value = body.known(body.expression(node.value))
    if len(node.targets) > 1 or isinstance(node.targets[0], (ast.Tuple, ast.List)):
        value = held(body, node, value)
    for target in node.targets:
        assign(body, target, value)


@statement_rule(ast.AnnAssign)
def _annotated(body: Body, node: ast.AnnAssign) -> None:
    """x: bp.float32 = 0 gives the variable its type."""
    if not isinstance(node.target, ast.Name):
        body.refuse(node, "a type is of a variable", "", "python_construct")
    type = body.expression(node.annotation).type
    try:
        dtype = as_dtype(type.of if isinstance(type, Static) else None)
    except TypeError as error:
        body.refuse(node.annotation, str(error).split("\n")[0], "x: bp.float32 = 0", "python_type")
    variable = body.variable(node.target.id)
    if variable is not None:
        variable.type = variable.found = dtype
    if node.value is not None:
        value = number_of(body, node.value, body.expression(node.value), "a variable with a type")
        assign_name(body, node.target, Value(dtype, converted(body, node.value, value, dtype), has_effects=value.has_effects))


@statement_rule(ast.AugAssign)
def _update(body: Body, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        old, value = body.in_order([read, node.value], scalar)
        assign_name(body, node.target, operation(body, node, node.op, old, value))
        if body.loops and isinstance(node.op, (ast.Add, ast.Mult)):
            _warn_of_narrow_sum(body, node, node.target)
        return
    if not isinstance(node.target, ast.Subscript):
        body.refuse(node.target, "this cannot be assigned to", "", "python_construct")
    memory = body.known(body.expression(node.target.value))
    element = element_of(body, node.target, memory)
    if element.has_effects:
        body.refuse(node.target, "the index is computed twice", "assign it to a variable first", "python_construct")
    mark = len(body.out)
    value = scalar(body, node.value)
    if len(body.out) > mark:
        body.refuse(node.value, "this needs a statement in front of it", "assign it to a variable first", "python_place")
    element.write(body, node, operation(body, node, node.op, element.read(body, node.target), value))


def _warn_of_narrow_sum(body: Body, node: ast.AugAssign, target: ast.Name) -> None:
    variable = body.variable(target.id)
    if variable is not None and isinstance(variable.type, DType) and is_whole(variable.type) and variable.type.itemsize < 4:
        text = f"'{target.id}' is {variable.type}, as its first typed value is: it wraps at {8 * variable.type.itemsize} bits"
        body.warn(node, text, f"{target.id}: bp.int64 = 0 in its first assignment", "python_narrow_sum")


def assign(body: Body, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        assign_name(body, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(body, target, value)
    elif isinstance(target, ast.Subscript):
        memory = body.known(body.expression(target.value))
        mark = len(body.out)
        element = element_of(body, target, memory)
        if value.has_effects and (element.has_effects or len(body.out) > mark):
            body.refuse(target, "the value is computed in front of the index", "assign it to a variable first", "python_place")
        element.write(body, target, number_of(body, target, value, "an element"))
    elif isinstance(target, ast.Attribute):
        _assign_word(body, target, value)
    else:
        body.refuse(target, "this cannot be assigned to", "", "python_construct")


def _unpack(body: Body, target: ast.Tuple | ast.List, value: Value) -> None:
    if not isinstance(value.type, Tuple) or len(value.parts) != len(target.elts):
        count = f"a tuple of {len(value.parts)}" if isinstance(value.type, Tuple) else f"a {value.type}"
        body.refuse(target, f"{len(target.elts)} names for {count}", "", "python_type")
    for each, part in zip(target.elts, value.parts):
        assign(body, each, part)


def _assign_word(body: Body, target: ast.Attribute, value: Value) -> None:
    of = body.expression(target.value)
    word = getattr(of.type.of, target.attr, None) if isinstance(of.type, Static) else None
    if not isinstance(word, Word) or word not in _WORDS:
        body.refuse(target, "attributes cannot be assigned to", "variables, and elements of arrays: x[i] = value", "python_construct")
    value = number_of(body, target, value, f"bp.{word.name}")
    at = body.at(target)
    body.emit(nodes.assign(at, nodes.thread(at, _WORDS[word]), value.tree))


def held(body: Body, node: ast.AST, value: Value) -> Value:
    """The value in variables of its own, so that assignments do not change it."""
    if isinstance(value.type, Tuple):
        parts = [held(body, node, each) for each in value.parts]
        return Value(value.type, parts=parts)
    if not (value.is_scalar or isinstance(value.type, Memory) and not isinstance(value.type, Local)) or value.const is not None:
        return value
    name, at = body.temporary("held"), body.at(node)
    trees = trees_of(value)
    names = parts_of(name, value.type)
    for (part, type), tree in zip(names, trees):
        made = nodes.declare(at, ["auto", *at] if isinstance(type, Memory) else nodes.of_type(at, type), part, tree)
        body.emit_ahead(node, made, "this expression")
    if value.is_zeros:
        fill(body, at, name, value)
    extents = [Value(each.type, nodes.name(at, part), is_nonneg=True) for each, (part, _) in zip(value.extents, names[1:])]
    return Value(value.type, nodes.name(at, name), extents=extents, origin=value.origin, is_nonneg=value.is_nonneg)


def trees_of(value: Value) -> list[Node]:
    if isinstance(value.type, Tuple):
        return [tree for part in value.parts for tree in trees_of(part)]
    if isinstance(value.type, Static) or value.type is NONE:
        return []
    return [value.tree] + [each.tree for each in value.extents]


# ---- variables


def assign_name(body: Body, target: ast.Name, value: Value) -> None:
    variable = body.variable(target.id)
    assert variable is not None
    if _has_local(value):
        body.refuse(target, "an array of the block or the thread in a tuple", "a name of its own", "python_type")
    if isinstance(value.type, (Static, Local)) or value.type is NONE:
        _name_object(body, target, variable, value)
        return
    declares = variable in body.pending and variable.is_declared_by_value
    if isinstance(value.type, Tuple) and not declares:
        value = held(body, target, value)  # its parts may be those of the variable
    find_type(body, target, variable, value.type)
    variable.is_nonneg &= is_never_negative(value)
    mark_written(body, value)
    if isinstance(value.type, Memory):
        body.written.add(variable)
    trees = fitted(body, target, value, variable.type)
    at = body.at(target)
    if declares:
        body.pending.remove(variable)
    elif variable in body.pending:
        body.pending.remove(variable)
        body.out.extend(declarations(body, variable, at))
    for (name, type), tree in zip(parts_of(variable.tree_name, variable.type), trees):
        body.emit(nodes.declare(at, type_node(at, type), name, tree) if declares else nodes.assign(at, nodes.name(at, name), tree))
    if value.is_zeros:
        fill(body, at, variable.tree_name, value)


def fill(body: Body, at: nodes.Place, name: str, made: Value) -> None:
    """New memory becomes 0."""
    assert isinstance(made.type, Memory)
    zero = nodes.cast(at, made.type.element, nodes.integer(at, 0))
    body.emit(nodes.do(at, nodes.call(at, "fill", [nodes.name(at, name), element_count(at, made.extents), zero])))


def find_type(body: Body, node: ast.AST, variable: Variable, type: Type) -> None:
    """A variable gets a value of a type. Uses see the type that an earlier pass has found."""
    variable.found = joined(body, node, variable.name, variable.found, type)
    if not variable.is_fixed or isinstance(variable.type, Tuple) != isinstance(variable.found, Tuple):
        variable.type = variable.found
    body.saw(variable, variable.type)


def mark_written(body: Body, value: Value) -> None:
    """Arrays that have two names, or are parts of a tuple, may be written through each."""
    if isinstance(value.type, Memory) and value.origin is not None:
        body.written.add(value.origin)
    for part in value.parts:
        mark_written(body, part)


def _has_local(value: Value) -> bool:
    return any(isinstance(part.type, Local) or _has_local(part) for part in value.parts)


def _name_object(body: Body, target: ast.Name, variable: Variable, value: Value) -> None:
    """The name of a function, a type, an array of the block: the same everywhere."""
    if variable.type not in (None, value.type) and variable.type is not UNKNOWN:
        body.refuse(target, f"'{target.id}' is {variable.type}, and now {value.type}", "another name", "python_type")
    if isinstance(value.type, Local) and not variable.is_declared_by_value:
        body.refuse(target, f"'{target.id}' is made in a part of the statements that use it", "make it in front of them", "python_place")
    if isinstance(value.type, Local) and variable.stores > 1:
        body.refuse(
            target,
            f"'{target.id}' is assigned twice, and stands for an array of the {'block' if value.type.is_shared else 'thread'}",
            "another name",
            "python_type",
        )
    variable.type, variable.found, variable.value = value.type, value.type, value
    body.saw(variable, value.type)
    if variable in body.pending:
        body.pending.remove(variable)


def fitted(body: Body, node: ast.AST, value: Value, type: Any) -> list[Node]:
    """The trees of a value as one of the type, part by part."""
    if isinstance(type, Tuple):
        return [tree for part, each in zip(value.parts, type.parts) for tree in fitted(body, node, part, each)]
    if isinstance(type, Memory):
        return trees_of(value)
    if type is UNKNOWN or type is NONE or isinstance(type, Static):
        return []
    if value.const is not None and isinstance(value.type, Weak):
        return [converted(body, node, value, type)]
    return [cast_tree(body.at(node), value.tree, machine(value.type), machine(type))]


def joined(body: Body, node: ast.AST, name: str, old: Type | None, new: Type) -> Type:
    """The type of a variable that gets another value."""
    if old is None or old is UNKNOWN or old == new:
        return new
    if isinstance(old, Tuple) and isinstance(new, Tuple) and len(old.parts) == len(new.parts):
        return Tuple(tuple(joined(body, node, name, a, b) for a, b in zip(old.parts, new.parts)))
    if isinstance(old, Weak) and isinstance(new, Weak) and (order(old) == 0) == (order(new) == 0):
        return combined(old, new)
    if isinstance(old, (Weak, DType)) and isinstance(new, (Weak, DType)) and (isinstance(old, Weak) or isinstance(new, Weak)):
        weak, strong = (old, new) if isinstance(old, Weak) else (new, old)
        if weak.order == order(strong) or weak.order == 1 and order(strong) == 2:  # type: ignore[union-attr]
            return strong
    help = (
        f"convert: bp.{machine(old).name}(...), or give it its type in the first assignment"
        if isinstance(old, (Weak, DType)) and isinstance(new, (Weak, DType))
        else "another name"
    )
    body.refuse(node, f"'{name}' is {old}, and now {new}: a variable keeps its type", help, "python_type")
