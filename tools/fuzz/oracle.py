"""What the primitives should give, computed serially with exact numbers, and the types and operators they are tried with."""
import math
import struct

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


class Impossible(Exception):
    """The statement would be invalid or inexact here: the generator tries another."""


def mixed(a, b):
    h = (a * 2654435761 ^ b) & M32
    h = (h ^ h >> 15) * 2246822519 & M32
    h = (h ^ h >> 13) * 3266489917 & M32
    return h ^ h >> 16


def fold_hashes(hashes):
    h = 0
    for part in hashes:
        h = (h * 31 + part) & M64
    return h


def checksum(hashes):
    """As the program's own: what stands where counts."""
    total = 0
    for i, h in enumerate(hashes):
        z = (h + i * 0x9E3779B97F4A7C15) & M64
        z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9 & M64
        total += z ^ z >> 32
    return total & M64


# ---- types -----------------------------------------------------------------------------------------------------------------

class Type:
    """name; parts: the scalars it is made of (itself for a scalar); fields of a struct: (type, name, count or 0).
    generic: the type of a generic struct that the name stands for, or None."""

    def __init__(self, name, parts=None, fields=None, generic=None):
        self.name, self.parts, self.fields, self.generic = name, parts, fields, generic
        self.scalar = parts is None
        self.vector = parts is not None and fields is None

    def __repr__(self):
        return self.name


class Integer(Type):
    def __init__(self, name, bits, signed):
        super().__init__(name)
        self.bits, self.signed, self.float = bits, signed, False
        self.lowest, self.highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        self.must_fit = name in ("int", "long")  # others wrap, or are promoted to int

    def wrap(self, x):
        x &= (1 << self.bits) - 1
        return x - (1 << self.bits) if self.signed and x > self.highest else x

    def make(self, h):
        if self.name == "int":
            return h % 2001 - 1000
        if self.name == "long":
            return (h % 2000001 - 1000000) * 1000003
        return self.wide(h)

    def wide(self, h):
        return self.wrap(h * 0x9E3779B97F4A7C15 & M64) if self.bits == 64 else self.wrap(h)

    def hash(self, x):
        return x & M64


class Boolean(Integer):
    def __init__(self):
        super().__init__("bool", 1, False)

    def wrap(self, x):
        return 1 if x else 0

    def wide(self, h):
        return h & 1


class Float(Type):
    def __init__(self, name, code, bits_code, exact):
        super().__init__(name)
        self.code, self.bits_code, self.exact, self.float = code, bits_code, exact, True
        self.lowest, self.highest = -math.inf, math.inf

    def wrap(self, x):
        return x

    def make(self, h):
        return float(h % 101 - 50)

    def wide(self, h):
        return self.make(h) if self.name == "half" else (float((h & 0xFFFFFF) - 0x800000)) * 0.0625

    def hash(self, x):
        return struct.unpack("<" + self.bits_code, struct.pack("<" + self.code, x))[0]


def scalars():
    yield Boolean()
    for name, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64)):
        yield Integer(name, bits, True)
        yield Integer("u" + name, bits, False)
    yield Float("half", "e", "H", 1 << 11)
    yield Float("float", "f", "I", 1 << 24)
    yield Float("double", "d", "Q", 1 << 53)


TYPES = {t.name: t for t in scalars()}
for vector, part, length in (("int2", "int", 2), ("float3", "float", 3), ("uint4", "uint", 4)):
    TYPES[vector] = Type(vector, [TYPES[part]] * length)
for name, fields in (
        ("Best", [("float", "value", 0), ("int", "place", 0)]),
        ("Affine", [("uint", "a", 0), ("uint", "b", 0)]),
        ("Text", [("ulong", "power", 0), ("ulong", "code", 0), ("uint", "length", 0)]),
        ("Matrix", [("uint", "c", 4)]),
        ("Wide", [("ulong", "a", 8)]),
        ("Big", [("int", "id", 0), ("double", "d", 0), ("short", "s", 5), ("char", "c", 0)])):
    TYPES[name] = Type(name, [TYPES[t] for t, _, count in fields for _ in range(count or 1)], fields)
for name, generic, fields in (
        ("TwoUint", "Two(uint)", [("uint", "a", 0), ("uint", "b", 0)]),
        ("TwoUlong", "Two(ulong)", [("ulong", "a", 0), ("ulong", "b", 0)]),
        ("Twos", "Two(Two(short))", [("short", "a.a", 0), ("short", "a.b", 0), ("short", "b.a", 0), ("short", "b.b", 0)]),
        ("Few", "Row(Two(float), 2)", [("float", "at[0].a", 0), ("float", "at[0].b", 0), ("float", "at[1].a", 0), ("float", "at[1].b", 0), ("int", "n", 0)])):
    TYPES[name] = Type(name, [TYPES[t] for t, _, _ in fields], fields, generic)
SCALARS = [t for t in TYPES.values() if t.scalar]
KEYS = SCALARS  # what sorts by itself
PARTS = [t for t in TYPES.values() if not t.scalar]  # so does this, part by part, as tuples do
INTEGERS = [t for t in SCALARS if not t.float and t.name != "bool"]


def make(t, h, wide=False):
    if t.scalar:
        return t.wide(h) if wide else t.make(h)
    return tuple(make(part, mixed(h, k), wide) for k, part in enumerate(t.parts))


def sign(t, h):
    one = t.wrap(1 if h & 1 else -1) if t.scalar and not t.float else 1.0 if t.scalar and h & 1 else -1.0
    return one if t.scalar else tuple(sign(part, mixed(h, k)) for k, part in enumerate(t.parts))


def hash_of(t, x):
    return t.hash(x) if t.scalar else fold_hashes(part.hash(v) for part, v in zip(t.parts, x))


def raw(t, x):
    h = hash_of(t, x)
    return (h ^ h >> 32) & M32


def raws(t, values):
    seen = {}
    return [seen[x] if x in seen else seen.setdefault(x, raw(t, x)) for x in values]


# ---- operators -------------------------------------------------------------------------------------------------------------

class Operator:
    """text: as written in the program; by scalars: apply and identity are of one component and take its type. name: to tell of it."""

    def __init__(self, text, apply, identity, types, check=None, commutes=True, name=None):
        self.text, self.name, self.types, self.check, self.commutes = text, name or text, types, check, commutes
        self.one, self.one_identity = apply, lambda t: float(identity(t)) if t.scalar and t.float else identity(t)  # the zero of floats is 0.0

    def apply(self, t, a, b):
        if not t.vector:
            return self.one(t, a, b)
        return tuple(self.one(part, x, y) for part, x, y in zip(t.parts, a, b))

    def identity(self, t):
        return tuple(self.one_identity(part) for part in t.parts) if t.vector else self.one_identity(t)

    def must_be_exact(self, t, values):
        if self.check and not t.fields:
            for k, part in enumerate(t.parts or [t]):
                self.check(part, [x[k] for x in values] if t.vector else values)


def sums_are_exact(t, values):
    if t.float:
        if any(math.isinf(x) or x * 16 != math.floor(x * 16) for x in values) or sum(map(abs, values)) * 16 >= t.exact:
            raise Impossible
    elif t.must_fit and sum(map(abs, values)) > t.highest:
        raise Impossible


def products_are_exact(t, values):
    if (t.float or t.must_fit or t.bits == 16) and any(x not in (1, -1) for x in values):
        raise Impossible


def numbers(condition=lambda t: True):
    return [t for t in TYPES.values() if not t.fields and t.name != "bool" and all(condition(p) for p in t.parts or [t])]


def product(t, x, y):
    return tuple((x[r * 2] * y[c] + x[r * 2 + 1] * y[2 + c]) & M32 for r in range(2) for c in range(2))


def structs(name):
    return [TYPES[name]]


BITS = numbers(lambda t: not t.float)
OPERATORS = [
    *(Operator(text, lambda t, a, b: t.wrap(a + b), lambda t: t.wrap(0), numbers(), sums_are_exact) for text in ("rop_add", "+")),
    *(Operator(text, lambda t, a, b: t.wrap(a * b), lambda t: t.wrap(1), numbers(), products_are_exact) for text in ("rop_mul", "*")),
    Operator("rop_min", lambda t, a, b: min(a, b), lambda t: t.highest, numbers()),
    Operator("rop_max", lambda t, a, b: max(a, b), lambda t: t.lowest, numbers()),
    *(Operator(text, lambda t, a, b: a & b, lambda t: t.wrap(-1), BITS + [TYPES["bool"]]) for text in ("rop_and", "&")),
    *(Operator(text, lambda t, a, b: a | b, lambda t: 0, BITS + [TYPES["bool"]]) for text in ("rop_or", "|")),
    *(Operator(text, lambda t, a, b: a ^ b, lambda t: 0, BITS + [TYPES["bool"]]) for text in ("rop_xor", "^")),
    Operator("common", lambda t, a, b: math.gcd(a, b), lambda t: 0, [TYPES["uint"]]),
    Operator("first_of", lambda t, a, b: a if a != 0 else b, lambda t: 0, INTEGERS, commutes=False),
    Operator("last_of", lambda t, a, b: b if b != 0 else a, lambda t: 0, INTEGERS, commutes=False),
    Operator("better", lambda t, a, b: min(a, b), lambda t: (math.inf, (1 << 31) - 1), structs("Best")),
    Operator("composed", lambda t, x, y: (x[0] * y[0] & M32, (x[1] * y[0] + y[1]) & M32), lambda t: (1, 0), structs("Affine"), commutes=False),
    Operator("joined", lambda t, x, y: (x[0] * y[0] & M64, (x[1] * y[0] + y[1]) & M64, (x[2] + y[2]) & M32), lambda t: (1, 0, 0), structs("Text"), commutes=False),
    Operator("product", product, lambda t: (1, 0, 0, 1), structs("Matrix"), commutes=False),
    Operator("added", lambda t, x, y: tuple((a + b) & M64 for a, b in zip(x, y)), lambda t: (0,) * 8, structs("Wide")),
    Operator("*", product, lambda t: (1, 0, 0, 1), structs("Matrix"), commutes=False),
]


# ---- the primitives, serially ----------------------------------------------------------------------------------------------

def scan(op, t, values, heads=None, check=True):
    """(inclusive, exclusive, total); heads[i] begins anew before i."""
    if check:
        op.must_be_exact(t, values)
    before = identity = op.identity(t)
    inclusive, exclusive = [], []
    for i, x in enumerate(values):
        if heads and heads[i]:
            before = identity
        exclusive.append(before)
        before = op.apply(t, before, x)
        inclusive.append(before)
    return inclusive, exclusive, before


def run_ends(heads):
    """Where segments end; the first begins at 0 in any case."""
    return [i for i in range(len(heads)) if i + 1 == len(heads) or heads[i + 1]]


def run_heads(keys):
    return [i == 0 or keys[i - 1] != keys[i] for i in range(len(keys))]


def placed(old, values, flag):
    """A list after `values` were put into it."""
    if flag == "LIST_FIXED":
        if len(values) > len(old):
            raise Impossible
        return values + old[len(values):]
    return values if flag == "LIST_CLEAR" else old + values


def counted(bins, values):
    bins = list(bins)
    for x in values:
        if 0 <= x < len(bins):
            bins[x] += 1
    return bins


def order(keys, reverse=False):
    if reverse:  # by descending keys, equal ones as before
        return sorted(range(len(keys)), key=lambda i: keys[i], reverse=True)
    return sorted(range(len(keys)), key=lambda i: keys[i])
