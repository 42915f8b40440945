"""Nodes of a program's tree, as docs/trees.md has them. A node is never changed, and may stand in several places."""

from __future__ import annotations

from typing import Any, Sequence

from .language import CALLED
from .types import tree_name

Place = tuple[int, int]
Node = list[Any]


def of_type(at: Place, type: Any) -> Node:
    return ["type", *at, tree_name(type)]


def pointer(at: Place, element: Any, is_const: bool = False, space: str | None = None) -> Node:
    inner = of_type(at, element)
    return ["pointer", *at, ["const", *at, inner] if is_const else inner, space]


def array(at: Place, element: Any, shape: Sequence[int]) -> Node:
    """The type of an array of arrays ... of elements."""
    made = of_type(at, element)
    for extent in reversed(shape):
        made = ["array", *at, made, integer(at, extent)]
    return made


def name(at: Place, text: str) -> Node:
    return ["name", *at, text]


def integer(at: Place, value: int) -> Node:
    """A long."""
    if value < 0:
        return (
            ["unary", *at, "-", ["int", *at, -value, 64]] if value > -(2**63) else binary(at, "-", integer(at, value + 1), integer(at, 1))
        )
    return ["int", *at, value, 64]


def real(at: Place, value: float) -> Node:
    text = "nan" if value != value else "inf" if value in (float("inf"), float("-inf")) else abs(value)
    made: Node = ["real", *at, text]
    return ["unary", *at, "-", made] if str(value).startswith("-") else made


def truth(at: Place, value: bool) -> Node:
    return ["bool", *at, value]


def cast(at: Place, type: Any, value: Node) -> Node:
    return ["cast", *at, of_type(at, type), value]


def unary(at: Place, operator: str, value: Node) -> Node:
    return ["unary", *at, operator, value]


def binary(at: Place, operator: str, a: Node, b: Node) -> Node:
    return ["binary", *at, operator, a, b]


def choose(at: Place, condition: Node, yes: Node, no: Node) -> Node:
    return ["choose", *at, condition, yes, no]


def call(at: Place, function: str | Node, arguments: Sequence[Node]) -> Node:
    """A function of the library, or of the program: those have a dot in their names."""
    assert not isinstance(function, str) or function in CALLED or function.startswith("__") or "." in function, function
    return ["call", *at, name(at, function) if isinstance(function, str) else function, list(arguments)]


def thread(at: Place, member: str) -> Node:
    return ["thread", *at, member]


def block(at: Place, member: str) -> Node:
    return ["block", *at, member]


def index(at: Place, memory: Node, place: Node) -> Node:
    return ["index", *at, memory, [place]]


def member(at: Place, of: Node, field: str) -> Node:
    return ["member", *at, of, field]


def do(at: Place, expression: Node) -> Node:
    return ["do", *at, expression]


def assign(at: Place, to: Node, value: Node) -> Node:
    return do(at, ["assign", *at, to, value])


def declare(at: Place, type: Node, text: str, value: Node | None = None) -> Node:
    return ["declare", *at, type, text, value]


def braces(at: Place, statements: Sequence[Node]) -> Node:
    return ["braces", *at, list(statements)]
