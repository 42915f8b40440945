"""Lambdas as operators and orders, what is handed through functions, references, generic structs: in programs of primitives."""
from oracle import INTEGERS, M32, TYPES, Operator, numbers, order, raw, sums_are_exact
from primitive_pieces import MORE, TURN, places_of
from primitive_program import Statement

UINT = TYPES["uint"]
EXACT = numbers(lambda t: t.float or t.must_fit)  # others are no operands of their own sums: C makes them int
LAMBDAS = [
    Operator("[](a, b) identity(0) { return a + b; }", lambda t, a, b: t.wrap(a + b), lambda t: t.wrap(0), EXACT, sums_are_exact, name="a lambda"),
    Operator("[](a, b) identity(lowest(a)) commutative { return max(a, b); }", lambda t, a, b: max(a, b), lambda t: t.lowest, numbers(), name="a lambda"),
    Operator("[](a, b) identity(0) { return b != 0 ? b : a; }", lambda t, a, b: b if b != 0 else a, lambda t: 0, INTEGERS, commutes=False, name="a lambda"),
    Operator("[=](uint a, uint b) -> uint identity(turn) { return a ^ b ^ turn; }", lambda t, a, b: a ^ b ^ TURN, lambda t: TURN, [UINT], name="a lambda of a host value"),
    Operator("[=](a, b) identity(more) commutative { return a + b - more; }", lambda t, a, b: (a + b - MORE) & M32, lambda t: MORE, [UINT], name="a lambda of a host value"),
    Operator("[=](Affine x, Affine y) identity(Affine(1, 0)) { return Affine(x.a * y.a, x.b * y.a + y.b + turn - 40503u); }",
             lambda t, x, y: (x[0] * y[0] & M32, (x[1] * y[0] + y[1]) & M32), lambda t: (1, 0), [TYPES["Affine"]], commutes=False, name="a lambda of a host value"),
    Operator("[](a, b) identity(Two(uint)(0, 0)) { return Two(uint)(a.a + b.a, max(a.b, b.b)); }",
             lambda t, x, y: ((x[0] + y[0]) & M32, max(x[1], y[1])), lambda t: (0, 0), [TYPES["TwoUint"]], name="a lambda of generic structs"),
    Operator("pairwise", lambda t, x, y: (t.parts[0].wrap(x[0] + y[0]), x[1] ^ y[1]), lambda t: (0, 0), [TYPES["TwoUint"], TYPES["TwoUlong"]]),
]


def told(t, values):
    """As the program's function of this name."""
    all_of = 0
    for x in values:
        all_of = (all_of * 31 + raw(t, x)) & M32
    return all_of


class Forms:
    def mapped(self):
        """A lambda that a function hands on calls twice, on both sides of a barrier; it has a copy of a thread's value, or of a host's."""
        e, name, by = self.uint(), self.fresh("v"), self.number(1000)
        kept, twice = self.of_var(self.pick(self.types)) if self.types and self.chance(0.6) else None, self.chance(0.3)
        more = kept.text if kept else "turn"

        def apply(s):
            added = kept.of(s) if kept else [TURN] * s.size

            def f(x, i):
                y = (x * by + added[i]) & M32
                return (y + ((2 * by + added[i]) * by + added[i])) & M32 if twice else y
            first = [f(x, i) for i, x in enumerate(e.of(s))]
            s.barrier()
            s.vars[name] = [f(first[(i + 1) % s.size], i) for i in range(s.size)]
        call = f"{'by_each_twice' if twice else 'by_each'}([=](uint x) {{ return x * {by}u + {more}; }}, {e.text})"
        return Statement(["a lambda of a thread's value" if kept else "a lambda of a host value"], [f"uint {name} = {call};"], apply, types={name: UINT}, writes=[name])

    def referred(self):
        """A reference to a variable or a part of one, or to an element of an array, on both sides of a barrier."""
        return self.referred_element() if self.chance(0.5) else self.referred_variable()

    def referred_variable(self):
        name = self.pick(v for v, t in self.types.items() if any(p is UINT for p in t.parts or [t]))
        t, r, e, crosses = self.types[name], self.fresh("n"), self.uint(), self.chance(0.5)
        k = None if t.scalar else self.pick(i for i, p in enumerate(t.parts) if p is UINT)
        place = name if t.scalar else places_of(t, name)[k]
        if name in self.reading:
            e = self.rank()
        lines = [f"{self.pick(['uint', 'auto'])}& {r} = {place};", f"{r} = {r} * 5u + 1u;", *["barrier;"] * crosses, f"{r} ^= {e.text};"]

        def change(s, of):
            s.vars[name] = [of(x, i) if k is None else (*x[:k], of(x[k], i), *x[k + 1:]) for i, x in enumerate(s.value(name))]

        def apply(s):
            change(s, lambda x, i: (x * 5 + 1) & M32)
            if crosses:
                s.barrier()
            values = e.of(s)
            change(s, lambda x, i: x ^ values[i])
        return Statement(["a reference to a variable", *["a reference across a barrier"] * crosses], lines, apply, writes=[name])

    def referred_element(self):
        at, e, p, r, name = self.uint(), self.uint(), self.fresh("p"), self.fresh("n"), self.fresh("v")
        length, crosses = self.pick([2, 3, 5]), self.chance(0.5)
        lines = [f"uint {p}[{length}] = {{{e.text}, 7u}}, {p}at = {at.text};", f"uint& {r} = {p}[{p}at % {length}u];", f"{p}at++;",
                 *["barrier;"] * crosses, f"{r} += {p}[0] * 3u;", f"{p}[1] ^= {r};", f"uint {name} = {' ^ '.join(f'{p}[{i}] * {i + 3}u' for i in range(length))};"]

        def one(x, where):
            values = ([x, 7] + [0] * length)[:length]
            values[where % length] += values[0] * 3
            values[1] ^= values[where % length]
            all_of = 0
            for i, value in enumerate(values):
                all_of ^= value * (i + 3)
            return all_of & M32

        def apply(s):
            pairs = list(zip(e.of(s), at.of(s)))
            if crosses:
                s.barrier()
            s.vars[name] = [one(*pair) for pair in pairs]
        return Statement(["a reference to an element", *["a reference across a barrier"] * crosses], lines, apply, types={name: UINT}, writes=[name])

    def smallest(self):
        """A generic struct with an array of so many elements in each thread."""
        t, count = TYPES[self.pick(["uint", "int", "uchar", "double", "long"])], self.pick([1, 2, 3, 7])
        e, many, k, name, crosses = self.uint(), self.below(self.uint(), 9), self.fresh("k"), self.fresh("v"), self.chance(0.5)
        element = self.made(t, self.scattered(self.plus_round(e, k)), "wide")
        one = f"Smallest({t.name}, {count})"
        lines = [f"{one} {name}k;", f"{name}k.n = 0;", f"for (uint {k} = 0u, {k}end = {many.text}; {k} < {k}end; {k}++)", f"  {name}k.take({element.text});",
                 *["barrier;"] * crosses, f"uint {name} = told({name}k);"]

        def apply(s):
            ends, taken = many.of(s), [[] for _ in range(s.size)]
            for self.round in range(max(ends, default=0)):
                for i, x in enumerate(element.of(s)):
                    if self.round < ends[i]:
                        taken[i].append(x)
            if crosses:
                s.barrier()
            s.vars[name] = [told(t, sorted(values)[:count]) for values in taken]
        return Statement(["a generic struct of a thread"], lines, apply, types={name: UINT}, writes=[name])

    def plus_round(self, e, counter):
        """e and the number of a loop's round, which stands in self.round while the loop is carried out."""
        return type(e)(f"({e.text} + {counter})", lambda s: [(x + self.round) & M32 for x in e.of(s)])

    def lambda_order(self, t):
        """A lambda that says what comes first: (its text, the order of keys)."""
        if t is UINT and self.chance(0.6):
            return "[=](a, b) { return (a ^ turn) < (b ^ turn); }", lambda keys: order([x ^ TURN for x in keys])
        if t.scalar:
            return "[](a, b) { return a > b; }", lambda keys: order(keys, True)
        return "[](Best x, Best y) { return before_best(y, x); }", lambda keys: order(keys, True)
