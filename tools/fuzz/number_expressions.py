"""Random expressions over numbers and vectors of them, each with its values as NumPy computes them, for a few dozen rows of variables.

Nothing undefined is made: where a signed result would overflow in a row, or the bits of a NaN would be looked at, another expression is tried.
"""
import numpy as np

import number_functions
from number_nodes import (BITWISE, COMPARISONS, FLOAT_ARITHMETIC, by_row, cast_of, integer_arithmetic, multiplied_and_added, node, shifted)
from number_types import INTEGERS, LANES, SCALARS, common, converted, exact, is_float, kept, literal, promoted, tried, wrapped
from oracle import Impossible


class Expressions:
    """Needs `random`, `rows`, `contract`; variables: name to Node."""

    def __init__(self, random, rows, contract):
        self.random, self.rows, self.contract, self.variables = random, rows, contract, {}

    def pick(self, items):
        return self.random.choice(list(items))

    def chance(self, p):
        return self.random.random() < p

    # ---- leaves
    def variable(self, type_, lanes=1):
        known = [v for v in self.variables.values() if v.type == type_ and v.lanes == lanes]
        if known and (len(known) > 2 or self.chance(0.5)):
            return self.pick(known)
        name = f"v{len(self.variables)}"
        values = tried(type_, self.rows * lanes, self.random)
        self.variables[name] = node("{" + name + "}", type_, lanes, values.reshape(self.rows, lanes) if lanes > 1 else values, [])
        return self.variables[name]

    def number(self, type_):
        value = tried(type_, 1, self.random)
        return node(literal(value[0], type_, self.chance(0.5)), type_, 1, np.repeat(value, self.rows), [])

    def leaf(self, type_, lanes=1):
        return self.number(type_) if lanes == 1 and self.chance(0.2) else self.variable(type_, lanes)

    # ---- any expression
    def attempt(self, depth, type_, lanes):
        """An expression of this type; of what is undefined, none."""
        for _ in range(12):
            try:
                with np.errstate(all="ignore"):
                    return self.made(depth, type_, lanes)
            except Impossible:
                continue
        return self.leaf(type_, lanes)

    def expression(self, depth, type_=None, lanes=None):
        return self.attempt(depth, type_ or self.pick(SCALARS), lanes or (self.pick(LANES) if self.chance(0.2) else 1))

    def made(self, depth, type_, lanes):
        if depth == 0:
            return self.leaf(type_, lanes)
        ways = [self.arithmetic] * 5 + [self.converted] * 2 + [self.chosen, self.function, self.function]
        ways += [self.unary] if lanes == 1 else [self.constructed]
        if type_ == "bool":
            ways = [self.comparison] * 4 + [self.logical] * 2 + [self.chosen] if lanes == 1 else [self.comparison, self.constructed]
        return self.pick(ways)(depth - 1, type_, lanes)

    def operand_types(self, type_, lanes):
        """Types of two scalars that meet as this one, after promotion."""
        if lanes > 1:
            return type_, type_
        other = self.pick(t for t in SCALARS if common(t, type_) == promoted(type_))
        return self.pick([(type_, other), (other, type_), (type_, type_)])

    # ---- operators
    def arithmetic(self, depth, type_, lanes):
        if lanes == 1 and type_ != promoted(type_):
            return cast_of(self.arithmetic(depth, promoted(type_), 1), type_)
        a_type, b_type = self.operand_types(type_, lanes)
        ops = ["+", "-", "*", "/"] if is_float(type_) else ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
        op = self.pick(ops)
        if op in ("<<", ">>"):
            return self.shift(depth, type_, lanes, op)
        a, b = self.expression(depth, a_type, lanes), self.expression(depth, b_type, lanes if self.chance(0.7) else 1)
        if b.lanes < lanes and self.chance(0.3):
            a, b = b, a
        if lanes == 1 and common(a.type, b.type) != type_:
            raise Impossible  # two bools
        return self.binary(op, a, b, type_, lanes)

    def binary(self, op, a, b, type_, lanes):
        text = f"({a.text} {op} {b.text})"
        x, y = (by_row(converted(e.values, e.type, type_), lanes) for e in (a, b))
        if is_float(type_):
            return self.rounded(op, a, b, x, y, type_, lanes, text)
        values = integer_arithmetic(op, exact(x), exact(y), type_)
        divides = None
        if op in "/%":
            divides = y == 0 if lanes == 1 else (y == 0).any(axis=1)
        return node(text, type_, lanes, values, [a, b], lanes == 1, divides, use=f"{op} of integers")

    def rounded(self, op, a, b, x, y, type_, lanes, text):
        """+ - * / of floats; with --fp=contract a product is fused into the sum around it, the left one of two."""
        def is_product(e):
            return self.contract and e.product is not None and e.type == type_ and e.lanes == lanes
        shape = (self.rows, lanes) if lanes > 1 else (self.rows,)
        if op in "+-" and (is_product(a) or is_product(b)):
            if not any(part.variable for e in (a, b) if is_product(e) for part in e.parts):
                raise Impossible  # a product of constants is one: rounded
            if is_product(a):
                p, q, rest = *a.product, -y if op == "-" else y
            else:
                p, q, rest = *b.product, x
                p = -p if op == "-" else p
            values = multiplied_and_added(*(np.broadcast_to(v, shape) for v in (p, q, rest)), type_)
            return node(text, type_, lanes, values, [a, b], lanes == 1, use="fused", fused=True)
        values = np.broadcast_to(FLOAT_ARITHMETIC[op](x, y), shape)
        product = (np.broadcast_to(x, shape), np.broadcast_to(y, shape)) if op == "*" else None
        return node(text, type_, lanes, values, [a, b], lanes == 1, use=f"{op} of {type_}", product=product)

    def shift(self, depth, type_, lanes, op):
        a = self.expression(depth, type_, lanes)
        b = self.expression(depth, type_ if lanes > 1 else self.pick([*INTEGERS, "bool"]), lanes if self.chance(0.7) else 1)
        if lanes > 1 and b.lanes == 1:
            b = self.expression(depth, self.pick(INTEGERS), 1)
        y = by_row(converted(b.values, b.type, type_), lanes)
        values = shifted(exact(a.values), exact(y), type_, op == "<<")
        return node(f"({a.text} {op} {b.text})", type_, lanes, values, [a, b], lanes == 1, use=f"{op}")

    def unary(self, depth, type_, lanes):
        if type_ != promoted(type_):
            return cast_of(self.unary(depth, promoted(type_), 1), type_)
        source = self.pick([t for t in SCALARS if promoted(t) == type_])
        a = self.expression(depth, source, 1)
        x = converted(a.values, source, type_)
        op = "-" if is_float(type_) else self.pick("-~+")
        if is_float(type_):
            return node(f"(-{a.text})", type_, 1, -x, [a], use="- before a float")
        values = {"-": lambda v: kept(-v, type_), "~": lambda v: wrapped(~v, type_), "+": lambda v: wrapped(v, type_)}[op](exact(x))
        return node(f"({op}{a.text})", type_, 1, values, [a], use=f"{op} before an integer")

    def comparison(self, depth, type_, lanes):
        op = self.pick(COMPARISONS)
        if lanes > 1:
            lane = self.pick([t for t in SCALARS if t != "bool"])
            a, b = self.expression(depth, lane, lanes), self.expression(depth, lane, lanes)
            return node(f"({a.text} {op} {b.text})", "bool", lanes, COMPARISONS[op](a.values, b.values), [a, b], False, use=f"{op} of vectors")
        a = self.expression(depth, lanes=1)
        b = self.expression(depth, a.type if self.chance(0.5) else None, 1)
        met = common(a.type, b.type)
        x, y = (converted(e.values, e.type, met) for e in (a, b))
        return node(f"({a.text} {op} {b.text})", "bool", 1, COMPARISONS[op](x, y), [a, b], use=op)

    def logical(self, depth, type_, lanes):
        a, b = self.expression(depth, lanes=1), self.expression(depth, lanes=1)
        x, y = a.values != 0, b.values != 0
        op = self.pick(["&&", "||", "!", "&", "|", "^"])
        if op == "!":
            return node(f"(!{a.text})", "bool", 1, ~x, [a], use="!")
        if op in "&|^":  # bools stay bools
            a, b = self.expression(depth, "bool", 1), self.expression(depth, "bool", 1)
            return node(f"({a.text} {op} {b.text})", "bool", 1, BITWISE[op](a.values, b.values), [a, b], use=f"{op} of bools")
        return node(f"({a.text} {op} {b.text})", "bool", 1, x & y if op == "&&" else x | y, [a, b], use=op)

    def chosen(self, depth, type_, lanes):
        c = self.expression(depth, None if self.chance(0.3) else "bool", 1)
        a, b = self.expression(depth, type_, lanes), self.expression(depth, type_, lanes)
        if lanes == 1 and promoted(type_) == type_ and self.chance(0.3):  # arms of two types meet
            other = self.pick(t for t in SCALARS if common(t, type_) == type_)
            b = self.expression(depth, other, 1)
        x, y = converted(a.values, a.type, type_), converted(b.values, b.type, type_)
        values = np.where(by_row(c.values != 0, lanes), x, y)
        return node(f"({c.text} ? {a.text} : {b.text})", type_, lanes, values, [c, a, b], lanes == 1, use="?:")

    # ---- conversions
    def converted(self, depth, type_, lanes):
        if lanes > 1 and self.chance(0.4):
            return cast_of(self.expression(depth, None, 1), type_, lanes)
        if lanes > 1:
            a = self.expression(depth, self.pick([t for t in SCALARS if t != "bool"]), lanes)
            return node(f"{type_}{lanes}({a.text})", type_, lanes, converted(a.values, a.type, type_), [a], False, use="cast of a vector")
        if self.chance(0.2):
            return self.component(depth, type_)
        if self.chance(0.2):
            return self.reinterpreted(depth, type_)
        return cast_of(self.expression(depth, None, 1), type_)

    def reinterpreted(self, depth, type_):
        pairs = {"int": ("float_as_int", "float"), "uint": ("float_as_uint", "float"), "float": ("int_as_float", "int"), "long": ("double_as_long", "double"),
                 "ulong": ("double_as_ulong", "double"), "double": ("long_as_double", "long"), "ushort": ("half_as_ushort", "half"), "half": ("ushort_as_half", "ushort")}
        if type_ not in pairs:
            raise Impossible
        name, source = pairs[type_]
        a = self.expression(depth, source, 1)
        if is_float(source) and np.isnan(a.values).any():
            raise Impossible
        values = np.ascontiguousarray(a.values).view(SCALARS[type_])
        return node(f"{name}({a.text})", type_, 1, values, [a], False, use=name)

    def component(self, depth, type_):
        a = self.expression(depth, type_, self.pick(LANES))
        k = self.random.randrange(a.lanes)
        return node(self.pick([f"({a.text}).{'xyzw'[k]}", f"({a.text}).{'rgba'[k]}", f"({a.text})[{k}]"]), type_, 1, a.values[:, k], [a], False, use="component")

    def constructed(self, depth, type_, lanes):
        if self.chance(0.3):  # components in any order
            a = self.expression(depth, type_, self.pick(LANES))
            order = [self.random.randrange(a.lanes) for _ in range(lanes)]
            return node(f"({a.text}).{''.join('xyzw'[k] for k in order)}", type_, lanes, a.values[:, order], [a], False, use="swizzle")
        parts = [self.expression(depth, type_, 1) for _ in range(lanes)]
        text = ", ".join(part.text for part in parts)
        return node(f"{type_}{lanes}({text})", type_, lanes, np.stack([part.values for part in parts], axis=1), parts, False, use="vector")

    def function(self, depth, type_, lanes):
        return number_functions.call(self, depth, type_, lanes)
