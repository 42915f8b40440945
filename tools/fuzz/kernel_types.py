"""The types of the kernels' values, and how their arithmetic is written so that it is always defined."""
SIGNED = {"char": 8, "short": 16, "int": 32, "long": 64}
UNSIGNED = {"uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}
WIDTHS = {"half": 16, "float": 32, "double": 64, **SIGNED, **UNSIGNED}
INTEGERS = [*SIGNED, *UNSIGNED]
FLOATS = ["half", "float", "double"]
SCALARS = ["bool", *INTEGERS, *FLOATS]
USUAL = ["int"] * 6 + ["uint"] * 4 + ["float"] * 5 + ["double"] * 2 + ["long", "ulong"] + SCALARS
VECTORS = {"float4": ("float", 4), "float2": ("float", 2), "int3": ("int", 3), "uint2": ("uint", 2), "double2": ("double", 2)}
STRUCTS = {
    "Item": {"a": "int", "b": "float", "c": ("short", 3), "v": "float2"},
    "Pair": {"key": "ulong", "small": "uchar", "on": "bool"},
}
SUFFIXES = {"uint": "u", "long": "l", "ulong": "ul", "half": "h", "float": "f"}

PRELUDE = """
struct Item {
  int a;
  float b;
  short c[3];
  float2 v;
};
struct Pair {
  ulong key;
  uchar small;
  bool on;
};

const int TABLE[8] = {3, 1, 41, 59, 26, 53, 58, 97};

inline Item itemOf(int a, float b) {
  Item s = {a, b, {(short)a, 1, (short)(a & 12)}, float2(b, 0.5f)};
  return s;
}
inline Pair pairOf(ulong key, uint more) {
  Pair s = {key * 3ul, (uchar)more, (more & 4u) != 0u};
  return s;
}
inline uint mixed(uint x) {
  x = (x ^ x >> 16) * 0x45d9f3bu;
  return (x ^ x >> 15) * 2654435761u ^ x >> 7;
}
inline float fraction(uint x) { return (float)(int)(x & 4095u) * 0.0625f - 100.0f; }
inline uint told(float x) { return x == x ? float_as_uint(x) : 7u; }
inline uint told(half x) { return told((float)x); }
inline uint told(double x) { return x == x ? (uint)(double_as_ulong(x) >> 20) ^ (uint)double_as_ulong(x) : 7u; }
"""

# What a value tells, with all NaNs alike: on the host.
WORDS = {
    "float": "isnan(x) ? 0x7fc00000ul : (ulong)float_as_uint(x)",
    "double": "isnan(x) ? 0x7ff8000000000000ul : double_as_ulong(x)",
    "half": "isnan((float)x) ? 0x7fc00000ul : (ulong)float_as_uint((float)x)",
    "float4": "((word(x.x) * 31ul + word(x.y)) * 31ul + word(x.z)) * 31ul + word(x.w)",
    "float2": "word(x.x) * 31ul + word(x.y)",
    "double2": "word(x.x) * 31ul + word(x.y)",
    "int3": "((ulong)x.x * 31ul + (ulong)x.y) * 31ul + (ulong)x.z",
    "uint2": "(ulong)x.x * 31ul + (ulong)x.y",
    "Item": "(ulong)x.a + word(x.b) * 3ul + (ulong)x.c[0] * 5ul + (ulong)x.c[1] * 7ul + (ulong)x.c[2] * 11ul + word(x.v) * 13ul",
    "Pair": "x.key + (ulong)x.small * 3ul + (ulong)x.on * 5ul",
}
NEEDS = {"float4": ["float"], "float2": ["float"], "double2": ["double"], "Item": ["float", "float2"]}

HASHED = """
inline ulong hashed(p, int n) {
  auto here = new[n]typeof(p[0]);
  copy(here, p, n);
  ulong all = 7ul;
  for (int i = 0; i < n; i++)
    all = (all ^ word(here[i])) * 1099511628211ul;
  delete here;
  return all;
}
"""


def words(kinds):
    """The functions that `hashed` needs for arrays of these types."""
    needed = {"uint", "ulong", *kinds}
    for kind in kinds:
        needed.update(NEEDS.get(kind, []))
    order = [k for k in [*SCALARS, *VECTORS, *STRUCTS] if k in needed]
    return "".join(f"inline ulong word({k} x) {{ return {WORDS.get(k, '(ulong)x')}; }}\n" for k in order)


# How element i of an array begins.
FILLS = {
    "bool": "i % 3 == 1", "half": "(half)fraction(h)", "float": "fraction(h)", "double": "(double)fraction(h) * 0.1",
    "float4": "float4(fraction(h), i, 0.5f, -fraction(h))", "float2": "float2(fraction(h), i)", "int3": "int3(i, (int)h, i * 5)",
    "uint2": "uint2(h, (uint)i)", "double2": "double2(i, fraction(h))", "Item": "itemOf((int)h, fraction(h))", "Pair": "pairOf((ulong)h, h >> 8)",
}


def fill(kind):
    return FILLS.get(kind, f"({kind})h")


def literal(kind, value):
    if kind == "bool":
        return "true" if value else "false"
    if kind in FLOATS:
        return f"{float(value)}{SUFFIXES.get(kind, '')}" if value >= 0 else f"(-{float(-value)}{SUFFIXES.get(kind, '')})"
    if WIDTHS[kind] < 32:
        return f"({kind}){value}" if value >= 0 else f"({kind})({value})"
    text = f"{abs(value)}{SUFFIXES.get(kind, '')}"
    return text if value >= 0 else f"(-{text})"


def cast(kind, text):
    return f"({text} != 0)" if kind == "bool" else f"({kind})({text})"


def wrapping(kind, a, op, b):
    """a op b in this integer type, for + - * & | ^ and <<, modulo 2^width."""
    if kind in ("uint", "ulong") or (op in "&|^" and kind in ("int", "long")):
        return f"({a} {op} {b})"
    if op in "&|^":
        return f"({kind})({a} {op} {b})"
    wide = "ulong" if kind == "long" else "uint"
    if op == "<<":
        return f"({kind})(({wide}){a} << {b})"
    return f"({kind})(({wide}){a} {op} ({wide}){b})"
