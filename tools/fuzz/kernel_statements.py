"""Random statements of kernels: assignments, branches, loops, and what leaves them."""
import contextlib

from kernel_types import FLOATS, INTEGERS, SCALARS, STRUCTS, UNSIGNED, USUAL, VECTORS, WIDTHS

KINDS = {
    "assign": 14, "declare": 5, "branch": 7, "loop": 7, "choice": 2, "escape": 3, "declare_private": 3, "declare_pointer": 3, "walk": 1, "guarded": 4,
    "atomic": 2, "several_results": 1, "alone": 2, "claim": 1, "call_statement": 2, "store": 6, "reference": 3, "least": 1,
}

WITHIN = ["loop", "loop", "loop", "choice", "escape", "escape", "atomic", "call_statement", "store", "declare_private"] # of a wavefront, more than elsewhere


class Statements:
    """breaks, continues: there is something to leave. returns: what `return` takes: None (not allowed), "" or a type."""

    @contextlib.contextmanager
    def scope(self, **changes):
        saved = {name: getattr(self, name) for name in ["counters", "uniform_counters", "breaks", "continues", "returns", "divergence", "loops", "outer", "marked"]}
        tables = {name: dict(getattr(self, name)) for name in ["vars", "privates", "pointers"]}
        for name, value in changes.items():
            setattr(self, name, value)
        self.indent += 1
        yield
        self.indent -= 1
        for name, value in {**saved, **tables}.items():
            setattr(self, name, value)

    def block(self, most=4, leave=0.15, **changes):
        with self.scope(**changes):
            self.statement()
            for _ in range(self.random.randrange(most)):
                if self.left > 0:
                    self.statement()
            if self.chance(leave):
                self.leave()

    def statement(self):
        self.left -= 1
        if self.loops and self.settled and not self.in_function and self.chance(0.2 if self.marked else 0.05):
            self.use("thread.get in a wavefront" if self.marked else "thread.get in a loop")
            return self.got()
        kind = self.random.choices(list(KINDS), list(KINDS.values()))[0] if self.left >= 0 else self.pick(["assign", "assign", "store", "escape"])
        if self.marked and self.left >= 0 and self.chance(0.4):
            kind = self.pick(WITHIN)
        if self.in_function and kind in ("guarded", "walk", "atomic", "store", "claim", "alone"):
            kind = "assign"
        return getattr(self, kind)()

    # ---- straight
    def declare(self):
        kind = self.pick(USUAL + ["float4", "float4", "int3", "Item", "Pair", "float2", "uint2", "double2"])
        self.use("private struct" if kind in STRUCTS else "private vector" if kind in VECTORS else f"type {kind}")
        value = self.value(kind, 2)
        if kind in ("int", "uint") and self.chance(0.2):
            value = self.uniform_int()
        name = self.fresh("v")
        self.put(f"{kind} {name} = {value};")
        self.vars[name] = kind

    def target(self):
        """Something to assign, and its type."""
        places = [(p, t) for p, (t, _) in self.privates.items()]
        if places and self.chance(0.3):
            name, kind = self.pick(places)
            self.use("store to a private array")
            return self.part_of(self.private_place(name), kind)
        name, kind = self.pick(self.vars.items())
        return self.part_of(name, kind)

    def part_of(self, place, kind):
        if kind in VECTORS and self.chance(0.6):
            part, count = VECTORS[kind]
            if count == 4 and self.chance(0.3):
                self.use("swizzle")
                return f"{place}.{self.pick(['xy', 'wz', 'yx'])}", "float2"
            return f"{place}.{self.pick('xyzw'[:count])}", part
        if kind in STRUCTS and self.chance(0.7):
            field, other = self.pick(STRUCTS[kind].items())
            return (f"{place}.{field}[{self.index(other[1])}]", other[0]) if isinstance(other, tuple) else (f"{place}.{field}", other)
        return place, kind

    def assign(self):
        self.assign_to(*self.target())

    def assign_to(self, place, kind):
        if place.split(".")[0].split("[")[0] in self.outer:
            self.use("variable changed in a loop")
        if kind in ("int", "uint", "float") and self.chance(0.1):
            self.use("uniform value assigned")
            return self.put(f"{place} = {self.uniform_int()};")
        if kind in SCALARS and kind != "bool" and self.chance(0.3):
            self.use("compound assignment")
            ops = ["+=", "-=", "*="] if kind in FLOATS or kind in ("uint", "ulong") else ["^=", "|=", "&="]
            if kind in INTEGERS and WIDTHS[kind] < 32:
                ops += ["+=", "-="]
            if kind in UNSIGNED and self.chance(0.3):
                return self.put(f"{place}{self.pick(['++', '--'])};")
            return self.put(f"{place} {self.pick(ops)} {self.expression(kind, 2)};")
        return self.put(f"{place} = {self.value(kind, 3)};")

    def store(self):
        """To the thread's own element of an array of the device."""
        own = [a for a in self.arrays if self.modes[a]]
        if not own:
            return self.assign()
        name = self.pick(own)
        self.use("store in divergent code" if self.divergence else "store", "store in a loop" if self.loops else "store")
        place, kind = self.part_of(self.place(name), self.arrays[name])
        if kind == self.arrays[name] and kind in SCALARS and kind not in ("bool", "half") and self.chance(0.1):
            self.use("store_stream")
            return self.put(f"store_stream(&{place}, {self.expression(kind, 2)});")
        return self.assign_to(place, kind)

    def several_results(self):
        """A function that writes to two variables."""
        names = [v for v, t in self.vars.items() if t == "float"]
        ints = [v for v, t in self.vars.items() if t == "int"]
        if len(names) < 2 or not ints or self.in_function:
            return self.assign()
        a, b = self.random.sample(names, 2)
        self.use("sincos frexp modf")
        call = self.pick([f"sincos({self.expression('float', 1)}, {a}, {b});"] * (self.costly > 0) +
                         [f"{a} = frexp({self.expression('float', 1)}, {self.pick(ints)});", f"{a} = modf({self.expression('float', 1)}, {b});"])
        return self.put(call)

    def claim(self):
        self.use("assert")
        self.put(self.pick([f"assert(({self.expression('int', 1)} & 15) < 16);", "assert(thread.rank < n);", "assert(spread[rank] < cap);",
                            f"prefetch(perm + {self.int_leaf()});"]))

    def call_statement(self):
        found = [f for f in self.functions if not f.pure]
        call = self.pick(found).arguments(self, 2) if found and not self.in_function else None
        if not call:
            return self.assign()
        self.use("call by reference or with an array", "call in divergent code" if self.divergence else "call")
        return self.put(f"{call};")

    # ---- branches
    def branch(self):
        c, divergent = (self.uniform_condition(), 0) if self.chance(0.2) else (self.condition(2), 1)
        inside = self.divergence + divergent
        self.use(f"divergent if {inside} deep" if divergent and inside < 4 else "divergent if 4 or more deep" if divergent else "uniform if in divergent code" if inside else "uniform if")
        self.put(f"if {c} {{")
        self.block(divergence=inside)
        while self.chance(0.3):
            self.use("else if")
            self.put(f"}} else if {self.condition(1)} {{")
            self.block(divergence=inside)
        if self.chance(0.5):
            self.use("else")
            self.put("} else {")
            self.block(divergence=inside)
        self.put("}")

    def choice(self):
        self.use("switch in a loop" if self.loops else "switch")
        uniform = self.chance(0.2)
        e = self.uniform_int() if uniform else self.expression(self.pick(["int", "int", "uint"]), 2)
        self.put(f"switch ({e} & {self.pick([3, 7])}) {{")
        values = self.random.sample(range(8), self.random.randint(1, 5))
        at_default = self.random.randrange(len(values) + 1) if self.chance(0.6) else None
        for i, value in enumerate([*values, None]):
            if i == at_default:
                self.use("default")
                self.put("default:")
                if self.chance(0.4) and value is not None:
                    self.put(f"case {value}:")
                    value = None
                self.case_body()
            if value is not None:
                self.put(f"case {value}:")
                if self.chance(0.2):
                    self.use("fallthrough")
                    continue
                self.case_body()
        self.put("}")

    def case_body(self):
        self.put("{")
        self.block(3, 0.1, breaks="switch", divergence=self.divergence + 1)
        self.put("}")
        if self.chance(0.65):
            self.use("break in a switch")
            self.put("break;")
        else:
            self.use("fallthrough")

    # ---- loops
    def loop(self):
        if self.loops >= 3:
            return self.assign()
        i = self.fresh("i")
        form = self.pick(["uniform", "uniform", "divergent for", "divergent for", "while", "do", "search", "endless", "down", "strides", "steps"])
        self.use(f"loop: {form}", f"{self.loops + 1} loops nested")
        counters, uniform = self.counters + [i], self.uniform_counters
        end, around, mark = "}", self.marked, self.mark()
        if form == "uniform":
            kind = self.pick(["int", "int", "int", "uint", "long"])
            unroll = self.pick(["", "", "", "unroll ", "unroll(2) "])
            if mark:
                unroll = ""
            limit = self.pick([str(self.random.randrange(1, 7)), f"({self.uniform_int()} & 3) + 1", f"({self.uniform_int()} & 7)"])
            self.put(f"{mark}{unroll}for ({kind} {i} = 0; {i} < {limit}; {i}++) {{")
            counters = self.counters + ([i] if kind == "int" else [])
            uniform = uniform + ([i] if kind == "int" else [])
        elif form == "divergent for":
            before = self.fresh("v") if self.chance(0.5) else None
            limit = f"({self.expression('int', 2)} & {self.pick([3, 7, 15])})"
            if before:
                self.put(f"int {before} = {limit};")
                self.vars[before] = "int"
                limit = f"({before} & 15)"
            self.put(f"{mark}for (int {i} = 0; {i} < {limit}; {i}++) {{")
        elif form == "while":
            self.put(f"int {i} = 0;")
            self.put(f"{mark}while ({i}++ < ({self.expression('int', 2)} & 7)) {{")
        elif form == "do":
            self.put(f"int {i} = 0;")
            self.put(f"{mark}do {{")
            end = f"}} while (++{i} < ({self.expression('int', 2)} & 7));"
        elif form == "search":
            self.use("loop under && with a counter")
            self.put(f"int {i} = 0;")
            self.put(f"{mark}while ({self.condition(2)} && {i}++ < {self.random.randrange(2, 9)}) {{")
        elif form == "endless":
            self.put(f"{mark}for (int {i} = 0;;) {{ if (++{i} > {self.random.randrange(2, 8)} || {self.condition(2)}) break;")
        elif form == "down":
            self.put(f"{mark}for (int {i} = {self.expression('int', 2)} & {self.pick([7, 255, 1023])}; {i} > 0; {i} >>= {self.random.randrange(1, 3)}) {{")
        elif form == "strides":
            self.put(f"{mark}for (int {i} = rank & {self.pick([1, 3, 7])}; {i} < {self.pick([8, 11, 16])}; {i} += {self.pick(['2', '3', '1 + (rank & 1)', '(q & 1) + 2'])}) {{"
                     if not self.in_function else f"{mark}for (int {i} = {self.int_leaf()} & 3; {i} < 9; {i} += 2) {{")
        else:
            self.put(f"{mark}for (uint {i} = (uint){self.expression('int', 1)} & 15u; {i} != 0u; {i} &= {i} - 1u) {{")
            counters = self.counters
        inside = self.divergence + (form != "uniform")
        self.block(5, 0.08, breaks="uniform loop" if form == "uniform" else "divergent loop", continues=True, outer=set(self.vars), counters=counters, uniform_counters=uniform, divergence=inside, loops=self.loops + 1)
        self.put(end)
        self.marked = around

    def escape(self):
        """if (…) break; and its like."""
        ways = self.ways_out()
        if not ways:
            return self.assign()
        c, form = (self.uniform_condition(), "uniform") if self.chance(0.2) else (self.condition(2), "divergent")
        way = self.pick(ways)
        if form == "uniform" and self.divergence:
            form = "uniform in divergent code"
        around = self.breaks if way == "break;" else "loop" if self.loops else "function" if self.in_function else "kernel"
        self.use(f"{form} {way.split()[0].strip(';')} from a {around}" if way != "continue;" else f"{form} continue")
        self.put(f"if {c} {{")
        if self.chance(0.4):
            self.block(2, 0)
        self.put(f"  {way}")
        self.put("}")

    def ways_out(self):
        ways = ["break;"] * (2 if self.breaks else 0) + ["continue;"] * (2 if self.continues else 0)
        if self.returns is not None and self.chance(0.6):
            ways.append(f"return {self.expression(self.returns, 1)};" if self.returns else "return;")
        return ways

    def leave(self):
        """At the end of a block that not all threads enter."""
        ways = self.ways_out() if self.divergence or self.loops else []
        if ways:
            way = self.pick(ways)
            self.use(f"{way.split()[0].strip(';')} at the end of a block")
            self.put(way)
