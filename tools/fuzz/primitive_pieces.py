"""The parts of a generated program of primitives that stay the same; made from the oracle's table of types."""
from oracle import SCALARS, TYPES

TURN, MORE = 40503, 17  # what the program's host variables `turn` and `more` are
MIXED = """
inline uint mixed(uint a, uint b) {
  uint h = a * 2654435761u ^ b;
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  return h ^ h >> 16;
}
"""

GENERIC = """
struct Two(T) { T a, b; };
struct Row(T, const N) { T at[N]; int n; };
"""

OPERATORS = """
inline uint raw(x) {
  ulong h = hash_of(x);
  return (uint)(h ^ h >> 32);
}

inline auto first_of(a, b) identity(0) { return a != 0 ? a : b; }
inline auto last_of(a, b) identity(0) { return b != 0 ? b : a; }
inline uint common(uint a, uint b) identity(0) {
  while (b) {
    uint rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
inline Best better(Best a, Best b) identity(Best(INFINITY, 2147483647)) {
  return a.value < b.value || (a.value == b.value && a.place < b.place) ? a : b;
}
inline Affine composed(Affine x, Affine y) identity(Affine(1, 0)) { return Affine(x.a * y.a, x.b * y.a + y.b); }
inline Text joined(Text x, Text y) identity(Text(1, 0, 0)) { return Text(x.power * y.power, x.code * y.power + y.code, x.length + y.length); }
inline Matrix one_matrix() {
  Matrix m = {{1, 0, 0, 1}};
  return m;
}
inline Matrix product(Matrix x, Matrix y) identity(one_matrix()) {
  Matrix m;
  for (int i = 0; i < 4; i++)
    m.c[i] = x.c[i & 2] * y.c[i & 1] + x.c[(i & 2) + 1] * y.c[2 + (i & 1)];
  return m;
}
inline Wide none() {
  Wide w = {{0, 0, 0, 0, 0, 0, 0, 0}};
  return w;
}
inline Wide added(Wide x, Wide y) identity(none()) {
  for (int i = 0; i < 8; i++)
    x.a[i] += y.a[i];
  return x;
}
inline Matrix operator*(Matrix x, Matrix y) identity(one_matrix()) { return product(x, y); }
inline bool operator!=(Best x, Best y) { return x.value != y.value || x.place != y.place; }
inline bool before_best(Best x, Best y) { return x.value < y.value || (x.value == y.value && x.place < y.place); }
inline bool before(x, y) { return x < y; }
inline bool after(x, y) { return x > y; }

// Collectives made of collectives.
struct Scaled {
  uint by;
  uint of(uint x, uint more = 1u) const { return x * by + more; }
  inline uint largest(uint x, const int rounds = 2) const {
    uint parts[rounds], all = 0u;
    unroll for (int k = 0; k < rounds; k++)
      parts[k] = reduce(rop_max, of(x, (uint)k * 5u));
    for (int k = 0; k < rounds; k++)
      all = all * 31u + parts[k];
    return all;
  }
};
inline uint counted_before(flag) {
  uint x = flag ? 1u : 0u;
  scan(+, x);
  return x;
}
inline auto spread(x) {
  auto low = reduce(rop_min, x);
  return reduce(rop_max, x) - low;
}

inline long put_into(list, x, keep, int flag) {
  y = x;
  return compact(list, y, keep, flag);
}

// Host code that spawns, called from requires.
uint folded(int* p, int n) {
  uint bits = (uint)reduce(^, p, n);
  int most = reduce(rop_max, p, n);
  return bits + (uint)most;
}

ulong checksum(ulong* values, long n) {
  ulong* here = new[n + 1]ulong;
  copy(here, values, n);
  ulong total = 0;
  for (long i = 0; i < n; i++) {
    ulong z = here[i] + (ulong)i * 0x9E3779B97F4A7C15ul;
    z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9ul;
    total += z ^ z >> 32;
  }
  delete here;
  return total;
}
"""

HANDED = """
inline auto pairwise(Two(auto) a, Two(auto) b) identity(typeof(a)(0, 0)) { return typeof(a)(a.a + b.a, a.b ^ b.b); }
inline auto given(op, x) { return reduce(op, x); }
inline auto passed(f, x) { return given(f, x); }
inline auto handed(op, x) { return passed(op, x); }
inline auto by_each(f, x) {
  y = f(x);
  barrier;
  return f(thread.get((thread.rank + 1) % thread.size, y));
}
inline auto by_each_twice(f, x) { return by_each([=](y) { return f(y) + more_of(f, 2u); }, x); }
inline auto more_of(f, x) { return f(f(x)); }

// The N smallest of what it took.
struct Smallest(T, const N) {
  T at[N];
  int n;
  void take(T x) {
    int i = n < N ? n++ : N;
    for (; i > 0 && at[i - 1] > x; i--)
      if (i < N) at[i] = at[i - 1];
    if (i < N) at[i] = x;
  }
};
inline uint told(s) {
  uint all = 0u;
  for (int i = 0; i < s.n; i++)
    all = all * 31u + raw(s.at[i]);
  return all;
}
"""

SMALL = {"bool": "(h & 1u) != 0u", "int": "(int)(h % 2001u) - 1000", "long": "((long)(h % 2000001u) - 1000000) * 1000003l", "ulong": "(ulong)h * 0x9E3779B97F4A7C15ul"}
WIDE = {**SMALL, "int": "(int)h", "long": "(long)((ulong)h * 0x9E3779B97F4A7C15ul)"}


def scalar_functions(t):
    if t.float:
        small = f"({t.name})((int)(h % 101u) - 50)"
        wide = small if t.name == "half" else f"({t.name})((int)(h & 0xffffffu) - 0x800000) * ({t.name})0.0625"
        bits = {"half": "half_as_ushort", "float": "float_as_uint", "double": "double_as_ulong"}[t.name]
        return small, wide, "h & 1u ? 1 : -1", f"{bits}(x)"
    return SMALL.get(t.name, f"({t.name})h"), WIDE.get(t.name, f"({t.name})h"), "h & 1u ? 1 : -1", "x ? 1ul : 0ul" if t.name == "bool" else "(ulong)x"


def folded(parts):
    text = f"hash_of({parts[0]})"
    for part in parts[1:]:
        text = f"({text}) * 31ul + hash_of({part})"
    return text


def makers(t, count, body):
    return [f"inline {t.name} {kind}_{t.name}(uint h) {{ {body(kind)} }}" for kind in ("make", "wide", "sign")[:count]]


def vector_functions(t):
    parts = ", ".join(f"KIND_{p.name}(mixed(h, {k}u))" for k, p in enumerate(t.parts))
    yield from makers(t, 3, lambda kind: f"return {t.name}({parts.replace('KIND', kind)});")
    yield f"inline ulong hash_of({t.name} x) {{ return {folded(places_of(t))}; }}"


def places_of(t, variable="x"):
    """x.x, x.y, … or x.id, x.s[0], …"""
    if t.vector:
        return [f"{variable}.{c}" for c in "xyzw"[:len(t.parts)]]
    return [f"{variable}.{name}[{i}]" if count else f"{variable}.{name}" for _, name, count in t.fields for i in range(count or 1)]


def struct_functions(t):
    places = places_of(t)
    sets = " ".join(f"{place} = KIND_{p.name}(mixed(h, {k}u));" for k, (place, p) in enumerate(zip(places, t.parts)))
    yield from makers(t, 2, lambda kind: f"{t.name} x; {sets.replace('KIND', kind)} return x;")
    yield f"inline ulong hash_of({t.name} x) {{ return {folded(places)}; }}"


def prelude():
    lines = [MIXED, GENERIC]
    for t in SCALARS:
        small, wide, sign, bits = scalar_functions(t)
        lines += [f"inline {t.name} {kind}_{t.name}(uint h) {{ return {text}; }}" for kind, text in (("make", small), ("wide", wide), ("sign", sign))]
        lines.append(f"inline ulong hash_of({t.name} x) {{ return {bits}; }}")
    for t in TYPES.values():
        if t.vector:
            lines += vector_functions(t)
        elif t.fields:
            fields = " ".join(f"{kind} {name}{f'[{count}]' if count else ''};" for kind, name, count in t.fields)
            lines.append(f"typedef {t.generic} {t.name};" if t.generic else f"struct {t.name} {{ {fields} }};")
            lines += struct_functions(t)
    return "\n".join(lines) + OPERATORS + HANDED


if __name__ == "__main__":
    print(prelude())
