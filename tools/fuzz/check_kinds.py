"""What the arrays of check_program.py hold: numbers, vectors, structs; and what a statement may do to one element."""
import dataclasses

BYTES = {"bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "half": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8}
VECTORS = {"float2": ("float", 2), "float3": ("float", 3), "float4": ("float", 4), "int2": ("int", 2), "int4": ("int", 4), "short3": ("short", 3), "uchar4": ("uchar", 4), "double2": ("double", 2)}
STRUCTS = {
    "P": (12, [("a", "int"), ("b", "float"), ("c", "short"), ("d", "uchar")]),
    "Q": (24, [("a", "double"), ("b", "half"), ("c", "long")]),
    "R": (16, [("a", "uchar"), ("b", "half"), ("v.x", "float"), ("v.y", "float")]),
}
DECLARED = ["struct P { int a; float b; short c; uchar d; };", "struct Q { double a; half b; long c; };", "struct R { uchar a; half b; float2 v; };"]
ATOMIC = ["int", "uint", "long", "ulong", "float", "double"]
WHOLE = ["int", "uint", "long", "ulong"]  # atomics of these do more


def bytes_of(kind):
    if kind in VECTORS:
        scalar, count = VECTORS[kind]
        return BYTES[scalar] * count
    return STRUCTS[kind][0] if kind in STRUCTS else BYTES[kind]


def parts(kind):
    """(what stands behind the element, its kind) of each number in it."""
    if kind in VECTORS:
        scalar, count = VECTORS[kind]
        return [("." + c, scalar) for c in "xyzw"[:count]]
    return [("." + name, of) for name, of in STRUCTS[kind][1]] if kind in STRUCTS else [("", kind)]


def atomic_part(kind):
    """One that atomics take, or None: a component has no address."""
    return None if kind in VECTORS else next((part for part in parts(kind) if part[1] in ATOMIC and part[0].count(".") < 2), None)


@dataclasses.dataclass
class Array:
    """where: device, list, shared. lines: of the text in which it is allocated."""
    kind: str
    count: int
    where: str
    name: str
    parameter: bool = False  # of a spawn's, by a require
    rows: tuple = None       # (height, width): its elements are [y, x]

    def bytes(self):
        return bytes_of(self.kind) * self.count

    @property
    def shared(self):
        return self.where == "shared"
