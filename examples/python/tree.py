"""Code that is built from a tree: assignments whose values are expressions, made by a program and written as text in one place."""
from __future__ import annotations

from dataclasses import dataclass

import bsgp as bp
import numpy


class Node:
    def __add__(self, other: Node | float) -> Node:
        return Operation("+", self, node(other))

    def __mul__(self, other: Node | float) -> Node:
        return Operation("*", self, node(other))

    __rmul__ = __mul__


@dataclass(frozen=True)
class Value(Node):
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Operation(Node):
    word: str
    left: Node
    right: Node

    def __str__(self) -> str:
        return f"({self.left} {self.word} {self.right})"


@dataclass(frozen=True)
class Assign:
    target: str
    value: Node

    def __str__(self) -> str:
        return f"{self.target} = {self.value};"


def node(value: Node | float) -> Node:
    return value if isinstance(value, Node) else Value(f"{float(value)!r}f")


def polynomial(x: Node, coefficients: list[float]) -> Node:
    """Horner's form."""
    value = node(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


coefficients = [1.0, -0.5, 0.25, 2.0]
body = [Assign("float x", Value("from[thread.rank]")), Assign("to[thread.rank]", polynomial(Value("x"), coefficients))]
mod = bp.compile("export evaluate(float* to, const float* from, int n) {\n  spawn (n) {\n    " + "\n    ".join(map(str, body)) + "\n  }\n}")

x = numpy.linspace(-1, 1, 1001, dtype=numpy.float32)
y = numpy.empty_like(x)
mod.evaluate(y, x, x.size)
print(body[1])
print(numpy.allclose(y, numpy.polynomial.Polynomial(coefficients)(x), atol=1e-6))

# The same as a function of arrays of any shape.
evaluate = bp.elementwise("float x", str(polynomial(Value("x"), coefficients)))
print(numpy.array_equal(numpy.asarray(evaluate(x)), y))
