"""A piece of an expression with its values, and what C's operators do to values."""
import dataclasses
import fractions

import numpy as np

from number_types import BITS, FLOATS, converted, kept, nearest, wrapped


@dataclasses.dataclass
class Node:
    """text: names in braces are variables. values: rows, or rows x lanes of a vector. zero_divisor: rows in which something divides
    by zero. constant: the language calls it a constant where its variables are literals. fused: a product in it is rounded with the sum around
    it. product: (a, b), where it is just that. variable: not of literals alone."""
    text: str
    type: str  # of a lane
    lanes: int
    values: np.ndarray
    parts: tuple = ()
    zero_divisor: np.ndarray = None
    constant: bool = True
    fused: bool = False
    product: tuple = None
    variable: bool = True
    uses: frozenset = frozenset()

    @property
    def name(self):
        return f"{self.type}{self.lanes}" if self.lanes > 1 else self.type


def node(text, type_, lanes, values, parts, constant=True, zero_divisor=None, use=None, product=None, fused=False):
    assert values.ndim == (1 if lanes == 1 else 2) and (lanes == 1 or values.shape[1] == lanes), (text, values.shape)
    zero = np.zeros(len(values), bool) if zero_divisor is None else zero_divisor
    for part in parts:
        zero = zero | part.zero_divisor
    used = frozenset().union(*(part.uses for part in parts), [use] if use else [])
    return Node(text, type_, lanes, values, tuple(parts), zero, constant and all(part.constant for part in parts),
                fused or any(part.fused for part in parts), product, "{" in text, used)


def by_row(values, lanes):
    """Scalars beside a vector count for each lane."""
    return values[:, None] if lanes > 1 and values.ndim == 1 else values


def divided(a, b, name, remainder):
    """C's division, towards zero, of exact integers; by zero: 0."""
    def one(x, y):
        if y == 0:
            return 0
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return x - quotient * y if remainder else quotient
    return wrapped(np.frompyfunc(one, 2, 1)(a, b), name)


def shifted(a, b, name, left):
    def one(x, y):
        amount = y & (BITS[name] - 1)
        return x << amount if left else x >> amount
    return wrapped(np.frompyfunc(one, 2, 1)(a, b), name)


COMPARISONS = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
FLOAT_ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
BITWISE = {"&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y}


def integer_arithmetic(op, x, y, name):
    if op in "/%":
        return divided(x, y, name, op == "%")
    if op in BITWISE:
        return wrapped(BITWISE[op](x, y), name)
    return kept(x + y if op == "+" else x - y if op == "-" else x * y, name)


def multiplied_and_added(a, b, c, name):
    """a * b + c, rounded once."""
    def one(x, y, z):
        x, y, z = FLOATS[name](x), FLOATS[name](y), FLOATS[name](z)
        if not (np.isfinite(x) and np.isfinite(y) and np.isfinite(z)):
            if np.isfinite(x) and np.isfinite(y):
                return z
            return FLOATS[name](np.float64(x) * np.float64(y) + np.float64(z))
        total = fractions.Fraction(float(x)) * fractions.Fraction(float(y)) + fractions.Fraction(float(z))
        if total == 0:  # exactly: the sign is that of the sum of zeros
            product_is_negative = bool(np.signbit(x)) != bool(np.signbit(y))
            return FLOATS[name](-0.0 if product_is_negative and np.signbit(z) and (x == 0 or y == 0) else 0.0)
        return nearest(total, name)
    a, b, c = np.broadcast_arrays(a, b, c)
    return np.array([one(*each) for each in zip(a.ravel(), b.ravel(), c.ravel())], dtype=FLOATS[name]).reshape(a.shape)


def cast_of(e, type_, lanes=None):
    values = converted(e.values, e.type, type_)
    lanes = lanes or e.lanes
    if lanes != e.lanes:
        values = np.repeat(values[:, None], lanes, axis=1)
    return node(f"({type_ if lanes == 1 else f'{type_}{lanes}'})({e.text})", type_, lanes, values, [e], constant=lanes == 1, use="cast")
