"""Arrays that a kernel makes for itself: bsgp.empty and bsgp.zeros in host code. They are freed when the function returns."""

from __future__ import annotations

import ast
from typing import Any

from .. import _creation
from . import nodes
from .body import Body, extent_name
from .calls import element_type
from .collectives import arguments_of
from .numbers import converted, whole
from .places import element_count
from .types import INT, Array, Value
from .words import CALLS


def _made(body: Body, node: ast.Call, called: Any) -> Value:
    name = called.__name__
    shape, *of = arguments_of(body, node, name, *("shape", "dtype")[: max(1, min(len(node.args), 2))], options=("dtype",))
    dtype = of[0] if of else next((each.value for each in node.keywords if each.arg == "dtype"), None)
    element = element_type(body, dtype)
    parts = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    if body.region is not None and not body.in_require:
        body.refuse(node, f"a thread has no memory of bp.{name}", "with bp.require(): around it, or bp.private(n, dtype)", "python_place")
    at, held = body.at(node), body.temporary("made")
    extents = []
    for axis, each in enumerate(parts):
        value = whole(body, each, "an extent")
        body.emit_ahead(
            node, nodes.declare(at, nodes.of_type(at, INT), extent_name(held, axis), converted(body, each, value, INT)), f"bp.{name}"
        )
        extents.append(Value(INT, nodes.name(at, extent_name(held, axis)), is_nonneg=True))
    tree = ["new", *at, "temporary", nodes.of_type(at, element), [element_count(at, extents)]]
    return Value(Array(element, len(extents)), tree, extents=extents, is_zeros=called is _creation.zeros, has_effects=True)


CALLS[_creation.empty] = CALLS[_creation.zeros] = _made
