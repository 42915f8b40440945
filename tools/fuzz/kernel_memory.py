"""Memory in kernels: device arrays, private arrays, pointers that differ between threads, atomics.

In a superstep an array of the device is either only read, at any place, or each thread touches elements of its own alone. Every array has cap = 2n + 64 elements.
"""
from kernel_types import FLOATS, INTEGERS, SCALARS, STRUCTS, USUAL, VECTORS, literal

OWN = [["rank"], ["rank"], ["rank"], ["perm[rank]"], ["n - 1 - rank"], ["(rank + 5) % n"], ["rank * 2", "rank * 2 + 1"], ["rank * 2 + (rank & 1)"], ["rank + 17"]]
OWN_USES = ["own element", "own element", "own element", "scatter by a permutation", "reversed store", "rotated store", "strided store", "strided store", "shifted store"]


class Memory:
    def new_modes(self):
        self.modes = {}
        for name in self.arrays:
            at = self.random.randrange(len(OWN))
            self.modes[name] = OWN[at] if self.chance(0.55) else None
            if self.modes[name]:
                self.own_use[name] = OWN_USES[at]

    def read_place(self):
        c = self.random.randrange(1, 40)
        text, use = self.pick([("rank", "unit load"), (f"rank + {c}", "shifted load"), ("perm[rank]", "gather"), ("spread[rank]", "gather"), ("spread[rank]", "gather"),
                               (str(c), "uniform load"), ("n / 2 + q", "uniform load"), ("cap - 1 - rank", "reversed load"), ("2 * n + 1 - rank * 2", "reversed load"),
                               (f"rank ^ {self.pick([1, 2, 3])}", "load at rank ^ c"), (f"rank >> {self.pick([1, 2])}", "load at rank >> c"),
                               (f"(rank + {c}) & 63", "load at a masked rank"), (f"(uchar)(rank * {self.pick([1, 2, 5])} + {c}) & 63", "load at a masked rank"), (f"rank * 2 + {c & 1}", "strided load"), (None, "gather of a value")])
        self.use(use)
        return text or self.index("cap")

    def place(self, name):
        """An element that the thread may read."""
        own = self.modes[name]
        if not own:
            return f"{name}[{self.read_place()}]"
        self.use(self.own_use[name])
        if len(own) == 2 and self.chance(0.3):
            return f"{name}[{own[0]} + ({self.int_leaf()} & 1)]"
        return f"{name}[{self.pick(own)}]"

    def parts(self, place, kind, wanted):
        """What of this place has the wanted type."""
        if kind == wanted:
            yield place
        elif kind in VECTORS and VECTORS[kind][0] == wanted:
            self.use("component in memory")
            yield f"{place}.{self.pick('xyzw'[:VECTORS[kind][1]])}"
        elif kind in STRUCTS:
            found = list(self.fields(place, kind, wanted))
            if found:
                self.use("struct in memory")
            yield from found

    def memory_read(self, wanted):
        options = []
        for name, kind in self.arrays.items():
            if self.holds(kind, wanted):
                options.append(lambda name=name, kind=kind: (self.place(name), kind))
        for name, (kind, _) in self.privates.items():
            if self.holds(kind, wanted):
                options += [lambda name=name, kind=kind: (self.private_place(name), kind)] * 2
        for name, (kind, length, _) in self.pointers.items():
            if self.holds(kind, wanted):
                options += [lambda name=name, kind=kind, length=length: (f"{name}[{self.index(length)}]", kind)] * 2
        if not options:
            return None
        place, kind = self.pick(options)()
        found = list(self.parts(place, kind, wanted))
        return self.pick(found) if found else None

    def holds(self, kind, wanted):
        if kind == wanted:
            return True
        if kind in VECTORS:
            return VECTORS[kind][0] == wanted
        return kind in STRUCTS and any(wanted == (t[0] if isinstance(t, tuple) else VECTORS.get(t, (t,))[0]) for t in STRUCTS[kind].values())

    def private_place(self, name):
        _, dims = self.privates[name]
        self.use("private array" if len(dims) == 1 else "2-D private array")
        return name + "".join(f"[{self.index(d)}]" for d in dims)

    # ---- values of any type
    def value(self, kind, depth):
        """An expression of a scalar, a vector or a struct."""
        if kind in SCALARS:
            return self.expression(kind, depth)
        others = [v for v, t in self.vars.items() if t == kind]
        if others and self.chance(0.3):
            return self.pick(others)
        if self.chance(0.3):
            places = [self.place(a) for a, t in self.arrays.items() if t == kind]
            places += [self.private_place(p) for p, (t, _) in self.privates.items() if t == kind]
            if places:
                self.use("whole struct or vector in memory")
                return self.pick(places)
        if kind in STRUCTS:
            maker, types = {"Item": ("itemOf", ["int", "float"]), "Pair": ("pairOf", ["ulong", "uint"])}[kind]
            return f"{maker}({', '.join(self.expression(t, depth - 1) for t in types)})"
        part, count = VECTORS[kind]
        if others and count == 4 and self.chance(0.5):
            self.use("swizzle")
            return f"{kind}({self.pick(others)}.{self.pick(['xyz', 'zyx', 'wwx'])}, {self.expression(part, depth - 1)})"
        if others and part in FLOATS and self.chance(0.5):
            self.use("vector arithmetic")
            return f"({self.pick(others)} {self.pick('+-*')} {self.expression(part, depth - 1)})"
        return f"{kind}({', '.join(self.expression(part, depth - 1) for _ in range(count))})"

    # ---- statements
    def declare_private(self, wanted=None):
        kind = wanted or self.pick(USUAL + ["Item"] * 5 + ["float4", "float4", "Pair", "Pair"])
        dims = (self.pick([4, 4, 8, 8, 3, 5, 2]),)
        if kind in SCALARS and not wanted and self.chance(0.25):
            dims = (self.pick([2, 3]), self.pick([2, 3, 4]))
        self.use(f"private array of {'structs' if kind in STRUCTS else 'vectors' if kind in VECTORS else 'numbers'}")

        def row(n):
            return "{" + ", ".join(self.value(kind, 1) if i < 3 else self.simple(kind) for i in range(n)) + "}"
        values = row(dims[0]) if len(dims) == 1 else "{" + ", ".join(row(dims[1]) for _ in range(dims[0])) + "}"
        name = self.fresh("p")
        self.put(f"{kind} {name}{''.join(f'[{d}]' for d in dims)} = {values};")
        self.privates[name] = (kind, dims)

    def simple(self, kind):
        if kind in SCALARS:
            return literal(kind, 1)
        return {"Item": "itemOf(4, 0.5f)", "Pair": "pairOf(9ul, 5u)"}.get(kind, f"{kind}(1)")

    def declare_pointer(self):
        """p = c ? a : b; to two arrays of the device that are only read, or to private ones."""
        kind = self.pick([k for k in self.arrays.values()] + ["int"] + [k for k, _ in self.privates.values()] * 2)
        if self.chance(0.5):
            while sum(k == kind and len(dims) == 1 for k, dims in self.privates.values()) < 2:
                self.declare_private(kind)
        device = [a for a, t in self.arrays.items() if t == kind and not self.modes[a]] + (["perm", "spread"] if kind == "int" and not self.in_function else [])
        private = [a for a, (t, dims) in self.privates.items() if t == kind and len(dims) == 1]
        if len(private) >= 2 and self.chance(0.7):
            a, b = self.random.sample(private, 2)
            length, use, steady = min(self.privates[x][1][0] for x in (a, b)), "pointer to private arrays", False
        elif device:
            a, b = self.pick(device), self.pick(device)
            offset = self.pick(["rank", "spread[rank] / 2", "7", "perm[rank]"])
            length, use, steady = self.pick([8, 16]), "pointer that differs between threads", {a, b} <= {"perm", "spread"}
            a, b = self.pick([(f"{a} + {offset}", b), (a, f"{b} + rank"), (f"&{a}[{offset}]", f"&{b}[n / 2]")])
        else:
            return self.assign()
        self.use(use)
        name = self.fresh("p")
        self.put(f"{kind}* {name} = {self.condition(1)} ? {a} : {b};")
        self.pointers[name] = (kind, length, steady)

    def walk(self):
        """A pointer that moves in a loop."""
        found = [(a, t) for a, t in self.arrays.items() if not self.modes[a] and t in INTEGERS + FLOATS and t in self.vars.values()]
        if not found:
            return self.assign()
        self.use("pointer that moves")
        array, kind = self.pick(found)
        target = self.pick([v for v, t in self.vars.items() if t == kind])
        name, i = self.fresh("p"), self.fresh("i")
        self.put(f"{kind}* {name} = {array} + {self.pick(['rank', 'perm[rank]', '(rank & 7)'])};")
        self.put(f"for (int {i} = 0; {i} < ({self.expression('int', 1)} & 7); {i}++) {{")
        self.put(f"  {target} = {self.mixed_in(kind, target, '*' + name)};")
        self.put(f"  {name} += {self.pick(['1', '2', '(rank & 3)'])};")
        self.put("}")

    def mixed_in(self, kind, a, b):
        return f"({kind})({a} * 0.5{'h' if kind == 'half' else 'f' if kind == 'float' else ''} + {b})" if kind in FLOATS else f"({kind})({a} ^ {b})"

    def guarded(self):
        """A load whose address exists only under a condition: elsewhere it is far away."""
        found = [a for a in self.arrays if not self.modes[a]]
        if not found or self.in_function:
            return self.assign()
        name = self.pick(found)
        kind = self.arrays[name]
        wanted = self.pick([k for k in USUAL if self.holds(kind, k)] or ["int"])
        targets = [v for v, t in self.vars.items() if t == wanted]
        at = self.fresh("i")
        form = self.random.randrange(4)
        if not targets or not self.holds(kind, wanted) or (form == 0 and kind not in SCALARS):
            return self.assign()
        target = self.pick(targets)
        parts = {0: at, 1: f"{name}[{at}]", 2: f"{name}[rank - {form + 3}]", 3: f"{name}[{at}]"}
        if form == 0:
            self.use("pointer that is NULL in some threads")
            self.put(f"device {kind}* {at} = {self.condition(1)} ? {name} + ({self.read_place()}) : NULL;")
            value = f"*{at}" if wanted == "bool" else self.mixed_in(wanted, target, "*" + at)
            return self.put(f"if ({at} != NULL) {target} = {value};")
        if form == 2:
            self.use("load at rank - c under a bounds test")
            test = f"rank >= {form + 3}"
        elif form == 3:
            self.use("load at rank + c under a bounds test")
            self.put(f"int {at} = rank * 2 + {self.random.randrange(60, 90)};")
            test = f"{at} < cap"
        else:
            self.use("load from nowhere unless its condition holds")
            self.put(f"int {at} = {self.condition(1)} ? {self.read_place()} : {self.pick(['1 << 29', '-(1 << 29) - rank', '(1 << 28) + rank * 70001'])};")
            test = f"{at} >= 0 && {at} < cap"
        return self.put(f"if ({test}) {target} = {self.pick(list(self.parts(parts[form], kind, wanted)))};")

    def alone(self):
        """What one thread does: a store to a uniform address; once in a program it prints."""
        who = self.pick(["q", "0", "n - 1", "n / 2", "5", "8"])
        if self.chance(0.25) and not self.printed:
            self.printed = True
            self.use("printf of one thread")
            return self.put(f'if (rank == {who}) printf("%d %d\\n", n, {self.expression("int", 2)});')
        if self.spots >= 16:
            return self.assign()
        self.use("uniform address stored to by one thread", "uniform address in a loop" if self.uniform_counters else "uniform address")
        spot = self.spots * 4
        self.spots += 1
        place = f"spots[{spot}{' + (' + self.uniform_int() + ' & 3)'}]" if self.chance(0.7) else f"spots[{spot}]"
        condition = f" && {self.condition(1)}" if self.chance(0.5) else ""
        return self.put(f"if (rank == {who}{condition}) {place} {self.pick(['=', '+=', '^='])} {self.expression('uint', 2)};")

    def atomic(self):
        """Into slots whose final value does not depend on the order: a kind of operation for each."""
        self.use("atomic", "atomic in divergent code" if self.divergence else "atomic")
        form = self.random.randrange(9)
        if form == 8:
            self.use("atomic on floats")
            kind = self.random.randrange(2)
            return self.put(f"atomic_{['min', 'max'][kind]}((float*)&slots[{28 + kind}], {self.expression('float', 2)});")
        e = self.expression(self.pick(["uint", "uint", "int"]), 2)
        slot = f"({self.int_leaf()} & 3)" if self.chance(0.6) else str(self.random.randrange(4))
        if form < 5:
            name = ["add", "min", "max", "xor", "or"][form]
            return self.put(f"atomic_{name}(&slots[{form * 4} + {slot}], (uint){e});")
        if form == 5:
            return self.put(f"atomic_and(&slots[20 + {slot}], (uint){e} | {self.random.randrange(1 << 20)}u);")
        old, got = self.fresh("t"), self.fresh("t")
        if form == 6:
            self.use("atomic_exchange")
            self.put(f"uint {old} = atomic_exchange(&slots[24], (uint){e});")
            return self.put(f"atomic_add(&slots[25], {old});")
        self.use("loop of atomic_cas")
        at, done = self.fresh("i"), self.fresh("t")
        self.put(f"int {at} = 26 + ({slot} & 1);")
        self.put(f"uint {old} = atomic_load(&slots[{at}]);")
        swap = f"uint {got} = atomic_cas(&slots[{at}], {old}, {old} + ((uint)rank * 3u | 1u));"
        if self.chance(0.5):
            return self.put(f"for (;;) {{ {swap} if ({got} == {old}) break; {old} = {got}; }}")
        self.put(f"bool {done} = false;")
        return self.put(f"while (!{done}) {{ {swap} {done} = {got} == {old}; {old} = {got}; }}")
