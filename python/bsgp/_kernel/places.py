"""Names, attributes, tuples, and elements of arrays."""

from __future__ import annotations

import ast
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._dtypes import DType, as_dtype, bool_
from . import nodes
from .body import Body, expression_rule, value_of
from .nodes import Node
from .numbers import converted, of_python, whole
from .types import INT, NONE, UNKNOWN, Array, Local, Memory, Pointer, Static, Tuple, Value, is_whole, machine, tree_name
from .words import Word, value_rule

_NUMBERS = (bool, int, float)
_NEVER_CHANGE = (math, np, sys.modules["bsgp"])


def of_object(body: Body, node: ast.AST, given: Any) -> Value:
    """An object of Python that the function names: a number is a constant, all else is known by what it is."""
    if isinstance(given, np.generic):  # NumPy's float64 is one of Python's, too
        dtype = _scalar_type(body, node, given)
        number = of_python(body, node, given.item())
        return Value(
            dtype,
            nodes.truth(body.at(node), bool(given)) if dtype is bool_ else nodes.cast(body.at(node), dtype, number.tree),
            given.item(),
        )
    if isinstance(given, _NUMBERS):
        return of_python(body, node, given)
    if isinstance(given, tuple):
        parts = [of_object(body, node, each) for each in given]
        return Value(Tuple(tuple(each.type for each in parts)), parts=parts)
    if isinstance(given, Word):
        rule = value_rule(given)
        return rule(body, node, given) if rule else Value(Static(given))
    if not isinstance(given, type) and (hasattr(given, "__array__") or hasattr(given, "__dlpack__")):
        body.refuse(node, f"a {type(given).__name__} from outside of the kernel", "make it a parameter", "python_name")
    return Value(Static(given))


def _scalar_type(body: Body, node: ast.AST, given: Any) -> DType:
    try:
        dtype = as_dtype(given.dtype)
        tree_name(dtype)
        return dtype
    except (TypeError, KeyError):
        body.refuse(node, f"{given.dtype} is no type of numbers of kernels", "bool, integers and floats of 16 to 64 bits", "python_type")


@expression_rule(ast.Name)
def _name(body: Body, node: ast.Name) -> Value:
    variable = body.variable(node.id)
    if variable is None:
        return of_object(body, node, body.object_named(node))
    body.saw(variable, variable.type)
    if variable.type is UNKNOWN:
        return Value(UNKNOWN)
    if variable.type is None or variable.is_read_first:
        if body.is_last or variable.is_read_first:
            body.refuse(node, f"'{node.id}' is read before it is assigned", "give it a value first", "python_name")
        return Value(UNKNOWN)
    if variable.value is not None:
        return variable.value
    made = value_of(variable.tree_name, variable.type, body.at(node))
    made.is_nonneg = variable.is_nonneg and is_whole(variable.type) and machine(variable.type).itemsize == 8
    made.origin = variable
    return made


@expression_rule(ast.Attribute)
def _attribute(body: Body, node: ast.Attribute) -> Value:
    of = body.known(body.expression(node.value))
    if isinstance(of.type, Static):
        try:
            found = getattr(of.type.of, node.attr)
        except AttributeError as error:
            body.refuse(node, str(error).split("\n")[0], "", "python_name")
        if all(of.type.of is not each for each in _NEVER_CHANGE):
            body.program.captures(of.type.of, node.attr, found)
        return of_object(body, node, found)
    if isinstance(of.type, (Array, Local)):
        made = _array_attribute(body, node, of)
        if made is not None:
            return made
    if isinstance(of.type, Memory) and node.attr == "dtype":
        return Value(Static(of.type.element))
    if isinstance(of.type, Pointer) and node.attr in ("shape", "size", "ndim"):
        body.refuse(node, "a pointer does not know its extents", f"bp.{of.type.element}[:] is an array with its extents", "python_name")
    body.refuse(
        node,
        f"a {of.type} has no '{node.attr}'",
        "arrays have shape, size, ndim, dtype" if isinstance(of.type, Memory) else "",
        "python_name",
    )


def extents_of(body: Body, node: ast.AST, of: Value) -> list[Value]:
    return [of_python(body, node, n) for n in of.type.shape] if isinstance(of.type, Local) else of.extents


def _array_attribute(body: Body, node: ast.Attribute, of: Value) -> Value | None:
    extents = extents_of(body, node, of)
    if node.attr == "shape":
        return Value(Tuple((INT,) * len(extents)), parts=extents)
    if node.attr == "ndim":
        return of_python(body, node, len(extents))
    if node.attr != "size":
        return None
    const = math.prod(each.const for each in extents) if isinstance(of.type, Local) else None
    return Value(INT, element_count(body.at(node), extents), const, is_nonneg=True)


def element_count(at: nodes.Place, extents: list[Value]) -> Node:
    made = extents[0].tree
    for each in extents[1:]:
        made = nodes.binary(at, "*", made, each.tree)
    return made


@expression_rule(ast.Tuple)
def _tuple(body: Body, node: ast.Tuple) -> Value:
    parts = body.in_order(node.elts, lambda body, each: body.known(body.expression(each)))
    return Value(Tuple(tuple(each.type for each in parts)), parts=parts, has_effects=any(each.has_effects for each in parts))


# ---- elements


@expression_rule(ast.Subscript)
def _subscript(body: Body, node: ast.Subscript) -> Value:
    of = body.known(body.expression(node.value))
    if isinstance(of.type, Tuple):
        return _part(body, node, of)
    return element_of(body, node, of).read(body, node)


def _part(body: Body, node: ast.Subscript, of: Value) -> Value:
    place = whole(body, node.slice, "the place in a tuple")
    if place.const is None:
        body.refuse(
            node.slice,
            "the place in a tuple has to be known when the kernel is compiled",
            "bp.private(n, dtype) is an array of a thread",
            "python_constant",
        )
    if not -len(of.parts) <= place.const < len(of.parts):
        body.refuse(node.slice, f"place {place.const} of a tuple of {len(of.parts)}", "", "python_index")
    if any(part.has_effects for part in of.parts):
        body.refuse(node, "a part of a tuple whose parts change memory", "assign the tuple to variables first", "python_place")
    return of.parts[place.const]


@dataclass
class Element:
    """An element of memory. Host code reaches it by calls of the library."""

    memory: Value
    type: DType
    place: Node  # as device code has it
    index: Node | None  # in row order; None of a local array
    has_effects: bool  # its place may be computed once only

    def _by_call(self, body: Body) -> bool:
        return self.index is not None and body.on_host

    def read(self, body: Body, node: ast.AST) -> Value:
        if not self._by_call(body):
            return Value(self.type, self.place, has_effects=self.has_effects)
        return Value(self.type, nodes.call(body.at(node), "peek", [self.memory.tree, self.index or []]), has_effects=self.has_effects)

    def write(self, body: Body, node: ast.AST, value: Value) -> None:
        """Stores the value, converted as NumPy does."""
        if self.memory.origin is not None:
            body.written.add(self.memory.origin)
        at, tree = body.at(node), converted(body, node, value, self.type)
        if self._by_call(body):
            body.emit(nodes.do(at, nodes.call(at, "poke", [self.memory.tree, self.index or [], tree])))
        else:
            body.emit(nodes.assign(at, self.place, tree))


def element_of(body: Body, node: ast.Subscript, of: Value) -> Element:
    if not isinstance(of.type, Memory):
        body.refuse(node, f"a {of.type} has no elements", "", "python_type")
    written = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(each, ast.Slice) for each in written):
        body.refuse(node, "slices cannot stand in a kernel", "a loop over the elements: for i in range(n)", "python_construct")
    if len(written) != of.type.rank:
        body.refuse(
            node,
            f"{len(written)} indices for an array with {of.type.rank} axes",
            f"x[{', '.join('ijkl'[: of.type.rank])}] is an element",
            "python_index",
        )
    places = [_in_range(body, each, whole(body, each, "an index"), of, axis) for axis, each in enumerate(written)]
    effects = any(each.has_effects for each in places)
    place, index = _at_places(body, node, of, places)
    return Element(of, of.type.element, place, index, effects)


def _in_range(body: Body, node: ast.expr, place: Value, of: Value, axis: int) -> Value:
    """A place below 0 that is known counts from the end."""
    if place.const is None:
        return place
    extent = extents_of(body, node, of)[axis] if isinstance(of.type, (Array, Local)) else None
    if extent is not None and extent.const is not None and not -extent.const <= place.const < extent.const:
        body.refuse(node, f"index {place.const} of {extent.const} elements", "", "python_index")
    if place.const >= 0:
        return place
    if extent is None:
        assert isinstance(of.type, Pointer)
        help = f"bp.{of.type.element}[:] is an array with its extents"
        body.refuse(node, f"index {place.const} of a pointer, whose end is not known", help, "python_index")
    return Value(INT, nodes.binary(body.at(node), "+", extent.tree, place.tree))


def _at_places(body: Body, node: ast.AST, of: Value, places: list[Value]) -> tuple[Node, Node | None]:
    at = body.at(node)
    if isinstance(of.type, Local):
        tree = of.tree
        for each in places:
            tree = nodes.index(at, tree, each.tree)
        return tree, None
    if len(places) == 1:
        return nodes.index(at, of.tree, places[0].tree), places[0].tree
    linear = _wide(at, places[0])
    for place, extent in zip(places[1:], of.extents[1:]):
        linear = nodes.binary(at, "+", nodes.binary(at, "*", linear, extent.tree), _wide(at, place))
    return nodes.index(at, of.tree, linear), linear


def _wide(at: nodes.Place, place: Value) -> Node:
    return place.tree if place.type is INT else nodes.cast(at, INT, place.tree)


def none_value() -> Value:
    return Value(NONE)
