"""The library's exact functions, as NumPy has them: those whose results IEEE or their definition fixes."""
import numpy as np

from number_nodes import multiplied_and_added, node
from number_types import BITS, FLOATS, exact, is_float, is_signed, kept
from oracle import Impossible


def rounded_away(x):
    """Halves away from zero."""
    whole = np.trunc(x)
    return np.copysign(whole + np.copysign(np.where(np.abs(x - whole) >= 0.5, 1, 0).astype(x.dtype), x), x)


def fraction(x):
    """x - floor(x), below 1."""
    f = x - np.floor(x)
    return np.where(f >= 1, np.nextafter(x.dtype.type(1), x.dtype.type(0)), f)


def larger(a, b):  # of equal values, and beside NaN, b
    return np.where(a > b, a, b)


def smaller(a, b):
    return np.where(a < b, a, b)


def number_of(a, b, choose):
    """Of a NaN and a number, the number; which of two zeros is not said."""
    if ((a == 0) & (b == 0)).any():
        raise Impossible
    return choose(a, b)


def half_by_float(f):
    """Functions of half are those of float, the result rounded."""
    def applied(*arguments):
        if arguments[0].dtype != np.float16:
            return f(*arguments)
        return f(*(x.astype(np.float32) for x in arguments)).astype(np.float16)
    return applied


OF_FLOATS = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "round": rounded_away, "fabs": np.abs, "abs": np.abs, "sqrt": np.sqrt,
    "fract": fraction, "saturate": lambda x: np.where(x > 0, np.where(x < 1, x, x.dtype.type(1)), x.dtype.type(0)),
    "sign": lambda x: np.where(x > 0, x.dtype.type(1), np.where(x < 0, x.dtype.type(-1), x)),
}
OF_TWO_FLOATS = {
    "copysign": np.copysign, "fmin": lambda a, b: number_of(a, b, np.fmin), "fmax": lambda a, b: number_of(a, b, np.fmax),
    "step": lambda edge, x: np.where(x < edge, x.dtype.type(0), x.dtype.type(1)), "fmod": np.fmod,
}
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}


def unary(e, depth, type_, lanes):
    name = e.pick(OF_FLOATS)
    a = e.expression(depth, type_, lanes)
    return node(f"{name}({a.text})", type_, lanes, OF_FLOATS[name](a.values), [a], False, use=name)


def half_unary(e, depth, type_, lanes):
    name = e.pick(["floor", "ceil", "trunc", "rint", "round", "sqrt", "fabs"])
    a = e.expression(depth, "half", 1)
    return node(f"{name}({a.text})", "half", 1, half_by_float(OF_FLOATS[name])(a.values), [a], False, use=f"{name} of half")


def binary(e, depth, type_, lanes):
    name = e.pick(OF_TWO_FLOATS)
    a, b = e.expression(depth, type_, lanes), e.expression(depth, type_, lanes)
    if name == "copysign" and np.isnan(b.values).any():  # a NaN's sign is not said
        raise Impossible
    return node(f"{name}({a.text}, {b.text})", type_, lanes, OF_TWO_FLOATS[name](a.values, b.values), [a, b], False, use=name)


def fma(e, depth, type_, lanes):
    a, b, c = (e.expression(depth, type_, lanes) for _ in range(3))
    return node(f"fma({a.text}, {b.text}, {c.text})", type_, lanes, multiplied_and_added(a.values, b.values, c.values, type_), [a, b, c], False, use="fma")


def bounds(e, depth, type_, lanes):
    name = e.pick(["min", "max", "clamp"])
    parts = [e.expression(depth, type_, lanes) for _ in range(3 if name == "clamp" else 2)]
    values = [part.values for part in parts]
    result = smaller(larger(*values[:2]), values[2]) if name == "clamp" else (smaller if name == "min" else larger)(*values)
    return node(f"{name}({', '.join(part.text for part in parts)})", type_, lanes, result, parts, False, use=name)


def select(e, depth, type_, lanes):
    c = e.expression(depth, "bool", lanes)
    a, b = e.expression(depth, type_, lanes), e.expression(depth, type_, lanes)
    return node(f"select({c.text}, {a.text}, {b.text})", type_, lanes, np.where(c.values, a.values, b.values), [c, a, b], False, use="select")


def magnitude(e, depth, type_, lanes):
    a = e.expression(depth, type_, 1)
    name = e.pick(["abs", "sign"] if is_signed(type_) else ["abs"])
    x = exact(a.values)
    values = kept(abs(x), type_) if name == "abs" else np.sign(a.values)
    return node(f"{name}({a.text})", type_, 1, values, [a], False, use=name)


def counted(e, depth, type_, lanes):
    source = e.pick(["int", "uint", "long", "ulong"])
    a = e.expression(depth, source, 1)
    bits = [format(int(x) % (1 << BITS[source]), f"0{BITS[source]}b") for x in a.values]
    name = e.pick(["popcount", "clz", "ctz"])
    count = {"popcount": lambda b: b.count("1"), "clz": lambda b: len(b) - len(b.lstrip("0")), "ctz": lambda b: len(b) - len(b.rstrip("0"))}[name]
    return node(f"{name}({a.text})", "int", 1, np.array([count(b) for b in bits], dtype=np.int32), [a], False, use=f"{name} of {source}")


def tested(e, depth, type_, lanes):
    name = e.pick(TESTS)
    a = e.expression(depth, e.pick(["float", "double", "half"] if lanes == 1 else ["float", "double"]), lanes)
    if name == "signbit" and np.isnan(a.values).any():
        raise Impossible
    return node(f"{name}({a.text})", "bool", lanes, TESTS[name](a.values), [a], False, use=name)


def folded(e, depth, type_, lanes):
    name = e.pick(["any", "all"])
    a = e.expression(depth, "bool", e.pick([2, 3, 4]))
    return node(f"{name}({a.text})", "bool", 1, (np.any if name == "any" else np.all)(a.values, axis=1), [a], False, use=name)


def call(e, depth, type_, lanes):
    """A call with a result of this type."""
    ways = [bounds, bounds, select]
    if type_ == "bool":
        ways = [tested, folded] if lanes == 1 else [tested, select]
    elif type_ == "half":
        ways += [half_unary] if lanes == 1 else []
    elif type_ in FLOATS:
        ways += [unary, unary, binary, fma]
    elif lanes == 1 and type_ in ("int", "uint", "long", "ulong"):
        ways += [magnitude] + ([counted] if type_ == "int" else [])
    return e.pick(ways)(e, depth, type_, lanes)

