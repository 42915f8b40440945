"""BSGP's numbers as NumPy's: types, literals, conversions, and the values that are tried."""
import math

import numpy as np

from oracle import Impossible

INTEGERS = {"char": np.int8, "short": np.int16, "int": np.int32, "long": np.int64,
            "uchar": np.uint8, "ushort": np.uint16, "uint": np.uint32, "ulong": np.uint64}
FLOATS = {"half": np.float16, "float": np.float32, "double": np.float64}
SCALARS = {"bool": np.bool_, **INTEGERS, **FLOATS}
BITS = {"bool": 8, "char": 8, "short": 16, "int": 32, "long": 64, "uchar": 8, "ushort": 16, "uint": 32, "ulong": 64,
        "half": 16, "float": 32, "double": 64}
SUFFIXES = {"uint": "u", "long": "l", "ulong": "ul", "half": "h", "float": "f"}
LARGEST = {"half": 65504.0, "float": float(np.finfo(np.float32).max), "double": float(np.finfo(np.float64).max)}
LANES = [2, 3, 4]


def is_float(name):
    return name in FLOATS


def is_signed(name):
    return name in ("char", "short", "int", "long")


def lowest(name):
    return -(1 << BITS[name] - 1) if is_signed(name) else 0


def highest(name):
    return 1 if name == "bool" else (1 << BITS[name] - is_signed(name)) - 1


def promoted(name):
    return name if is_float(name) or BITS[name] >= 32 else "int"


def common(a, b):
    """C's usual arithmetic conversions, of scalars."""
    a, b = promoted(a), promoted(b)
    if is_float(a) or is_float(b):
        return a if not is_float(b) else b if not is_float(a) else a if BITS[a] >= BITS[b] else b
    if BITS[a] != BITS[b]:
        return a if BITS[a] > BITS[b] else b
    return b if is_signed(a) else a


# ---- exact integers ----------------------------------------------------------------------------------------------------------

def exact(values):
    """Python's integers, which do not overflow."""
    return values.astype(object) if values.dtype != np.bool_ else values.astype(np.int8).astype(object)


def wrapped(values, name):
    """Exact integers modulo the type's size."""
    size = 1 << BITS[name]
    return np.array([(int(x) - lowest(name)) % size + lowest(name) for x in values.ravel()], dtype=INTEGERS[name]).reshape(values.shape)


def kept(values, name):
    """The same for results of arithmetic: what a signed type does not hold is undefined."""
    if is_signed(name) and values.size and not all(lowest(name) <= x <= highest(name) for x in values.ravel()):
        raise Impossible
    return wrapped(values, name)


# ---- conversions -------------------------------------------------------------------------------------------------------------

def saturated(values, name):
    """Of floats: towards zero, at the bounds of the type; NaN gives 0."""
    def one(x):
        if math.isnan(x):
            return 0
        return highest(name) if x >= highest(name) else lowest(name) if x <= lowest(name) else int(x)
    return np.array([one(float(x)) for x in values.ravel()], dtype=INTEGERS[name]).reshape(values.shape)


def nearest(x, name):
    """An exact number (Fraction or int, or a float that is none) as IEEE rounds it, to nearest and to even."""
    if isinstance(x, float) and (math.isinf(x) or math.isnan(x) or x == 0):
        return FLOATS[name](x)
    digits, least, most = {"half": (11, -24, 16), "float": (24, -149, 128), "double": (53, -1074, 1024)}[name]
    sign, x = (-1 if x < 0 else 1), abs(x)
    if x == 0:
        return FLOATS[name](0)
    top, bottom = x.as_integer_ratio()
    exponent = top.bit_length() - bottom.bit_length()
    exponent += (top >= bottom << exponent if exponent >= 0 else top << -exponent >= bottom) - 1  # 2^exponent <= x
    unit = max(exponent - digits + 1, least)
    top, bottom = (top, bottom << unit) if unit >= 0 else (top << -unit, bottom)
    whole, rest = divmod(top, bottom)
    whole += 2 * rest > bottom or (2 * rest == bottom and whole & 1)
    if whole.bit_length() + unit > most:
        return FLOATS[name](sign * math.inf)
    return FLOATS[name](sign * math.ldexp(whole, unit))


def each_nearest(values, name):
    return np.array([nearest(x, name) for x in values.ravel()], dtype=FLOATS[name]).reshape(values.shape)


def converted(values, source, target):
    """A cast, explicit or implied."""
    if source == target:
        return values
    if target == "bool":
        return values != 0
    if is_float(source):
        return values.astype(FLOATS[target]) if is_float(target) else saturated(values, target)
    return each_nearest(exact(values), target) if is_float(target) else wrapped(exact(values), target)


# ---- texts -------------------------------------------------------------------------------------------------------------------

def literal(value, name, decimal=False):
    """As a program writes it; parenthesized where it is more than a token."""
    if name == "bool":
        return "true" if value else "false"
    if is_float(name):
        return float_literal(value, name, decimal)
    value, suffix = int(value), SUFFIXES.get(name, "")
    if BITS[name] < 32:
        return f"(({name}){value})" if value >= 0 else f"(({name})({value}))"
    if is_signed(name) and value == lowest(name):
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"


def float_literal(value, name, decimal):
    if np.isnan(value) or np.isinf(value):
        text = "NAN" if np.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
        return f"(({name})({text}))" if name != "float" else f"({text})"
    x = float(value)
    text = repr(abs(x)) if decimal else abs(x).hex()
    if decimal and "." not in text and "e" not in text:
        text += ".0"
    text += SUFFIXES.get(name, "")
    return f"(-{text})" if math.copysign(1, x) < 0 else text


def bits_of(values, name):
    """As the programs print a number: its bits, all NaNs alike; integers extended to 64 bits."""
    if is_float(name):
        whole = {"half": np.uint16, "float": np.uint32, "double": np.uint64}[name]
        quiet = {"half": 0x7e00, "float": 0x7fc00000, "double": 0x7ff8000000000000}[name]
        values = np.ascontiguousarray(values)
        return np.where(np.isnan(values), whole(quiet), values.view(whole)).astype(np.uint64)
    return values.astype(np.int64).astype(np.uint64) if is_signed(name) else values.astype(np.uint64)


# ---- values ------------------------------------------------------------------------------------------------------------------

def float_edges(name):
    digits = {"half": 11, "float": 24, "double": 53}[name]
    least = {"half": 2.0 ** -24, "float": 2.0 ** -149, "double": 2.0 ** -1074}[name]
    normal = {"half": 2.0 ** -14, "float": 2.0 ** -126, "double": 2.0 ** -1022}[name]
    positive = [0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, least, 3 * least, normal, normal - least, LARGEST[name], math.inf, 2.0 ** digits, 2.0 ** digits - 1,
                1 + 2.0 ** (1 - digits), 127.5, 255.5, 32767.5, 65504.0, 2.0 ** 31, 2.0 ** 31 - 128, 2.0 ** 32, 2.0 ** 63, 2.0 ** 64, 1e10]
    return [s * x for x in positive for s in (1.0, -1.0)] + [math.nan]


def integer_edges(name):
    near = [0, 1, 2, 3, 7, 31, 32, 63, 64, 100, 127, 128, 255, 256, 2047, 2048, 2049, 4097, 32767, 32768, 65504, 65519, 65520, 65535, 65536,
            (1 << 24) + 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
    return [x for y in near for x in (y, -y) if lowest(name) <= x <= highest(name)] + [lowest(name), highest(name)]


def tried(name, count, random):
    """An array of numbers: edges, ordinary ones, and any bits; of some arrays small ones alone, for arithmetic that must not overflow."""
    small = random.random() < 0.4

    def one():
        kind = 0 if small else random.randrange(4)
        if name == "bool":
            return random.random() < 0.5
        if is_float(name):
            if kind == 1:
                return random.choice(float_edges(name))
            if kind == 2:
                return random_bits(name, random)
            return random.choice((random.randrange(-50, 50), random.uniform(-10, 10), random.gauss(0, 1000)))
        if kind == 1:
            return random.choice(integer_edges(name))
        if kind == 2:
            return random.randrange(lowest(name), highest(name) + 1)
        return random.randrange(max(lowest(name), -50), 50)
    with np.errstate(all="ignore"):
        return np.array([SCALARS[name](one()) for _ in range(count)], dtype=SCALARS[name])


def random_bits(name, random):
    whole = {"half": np.uint16, "float": np.uint32, "double": np.uint64}[name]
    return np.array([random.getrandbits(BITS[name])], dtype=whole).view(FLOATS[name])[0]
