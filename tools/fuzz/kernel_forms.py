"""References to places, lambdas and generic structs in kernels."""
from kernel_types import FLOATS, INTEGERS, SCALARS, VECTORS

GENERIC = """
// The N smallest of what it took.
struct Least(T, const N) {
  T at[N];
  int n;
  void take(T x) {
    int i = n < N ? n++ : N;
    for (; i > 0 && at[i - 1] > x; i--)
      if (i < N) at[i] = at[i - 1];
    if (i < N) at[i] = x;
  }
  T folded(f, T x) const {
    for (int i = 0; i < n; i++)
      x = f(x, at[i]);
    return x;
  }
};
inline auto applied(f, x) { return f(x); }
inline auto handed(f, x) { return applied(f, x); }
inline auto twice(f, x) { return f(handed(f, x)); }
"""


class Forms:
    """referred: the names of references, and whether they are to memory of the device."""

    def referred_place(self):
        """(place, type, in memory of the device) of what a reference may be to."""
        places = [(self.private_place(p), t, False) for p, (t, _) in self.privates.items()] * 2
        places += [(v, t, False) for v, t in self.vars.items() if v != "rank"]
        if not self.in_function:
            places += [(self.place(a), self.arrays[a], True) for a in self.arrays if self.modes[a]]
        place, kind, memory = self.pick(places)
        if kind not in VECTORS:  # a component is no place
            place, kind = self.part_of(place, kind)
        return (place, kind, memory) if "." not in place or kind not in FLOATS or ".v." not in place else (None, kind, memory)

    def reference(self):
        if not self.privates and len(self.vars) < 2:
            return self.assign()
        place, kind, memory = self.referred_place()
        if not place:
            return self.assign()
        self.use("reference to memory" if memory else "reference to an element" if "[" in place else "reference to a variable")
        name = self.fresh("r")
        self.put(f"{self.pick([kind, 'auto'])}& {name} = {place};")
        self.vars[name] = kind
        self.referred[name] = memory
        return None

    def no_references(self, names):
        """thread.put and thread.get are of variables."""
        return [v for v in names if v not in self.referred]

    def end_references(self):
        """Elements of the device's memory are others' in the next superstep."""
        self.vars = {v: t for v, t in self.vars.items() if not self.referred.get(v)}
        if any(v in self.referred for v in self.vars):
            self.use("reference that lives across a barrier")

    def given_lambda(self, kind, depth):
        """A call whose argument is a lambda that names what is around it."""
        x, kept = self.fresh("v"), self.vars
        value = self.expression(kind, depth - 1)
        self.vars = {**self.vars, x: kind}
        functions, self.functions = self.functions, []
        body = self.expression(kind, depth - 1)
        self.vars, self.functions = kept, functions
        self.use("lambda in divergent code" if self.divergence else "lambda")
        returned = self.pick([f"return {body};", f"if (isnan((float){x})) return {x}; return {body};" if kind in FLOATS else f"if (({x} & ({kind})1) == ({kind})0) return {x}; return {body};"])
        return self.note(f"{self.pick(['applied', 'handed', 'twice'])}([=]({kind} {x}) -> {kind} {{ {returned} }}, {value})", value)

    def least(self):
        """A generic struct, filled in a loop of its own for each thread; what it has then is a private array."""
        kind, count = self.pick([k for k in SCALARS if k not in ("bool", "half")]), self.pick([1, 2, 4, 4, 5])
        name, i = self.fresh("p"), self.fresh("i")
        self.use("generic struct")
        self.put(f"Least({kind}, {count}) {name} = {{}};")
        self.put(f"for (int {i} = 0; {i} < ({self.expression('int', 1)} & 7); {i}++)")
        with self.scope(counters=self.counters + [i]):
            self.put(f"{name}.take({self.ordered(kind)});")
        self.privates[f"{name}.at"] = (kind, (count,))
        names = [v for v, t in self.vars.items() if t == kind]
        if names and kind in INTEGERS:
            self.use("lambda for a function of a generic struct")
            self.put(f"{self.pick(names)} = {name}.folded([=](a, b) {{ return a ^ b ^ {self.expression(kind, 1)}; }}, {self.expression(kind, 1)});")

    def ordered(self, kind):
        """A number, or what is written for one that is none."""
        return self.expression(kind, 2) if kind in INTEGERS else f"({kind})told({self.expression(kind, 2)})"
