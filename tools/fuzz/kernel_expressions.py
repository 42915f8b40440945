"""Random expressions of kernels. Each has a type, is defined whatever its parts are, and has no side effects."""
import re

from kernel_types import FLOATS, INTEGERS, SCALARS, SIGNED, STRUCTS, UNSIGNED, USUAL, VECTORS, WIDTHS, cast, literal, wrapping

COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
CHEAP = ["sqrt", "floor", "ceil", "trunc", "rint", "round", "fract", "fabs", "abs", "sign", "saturate"]
CHEAP_TWO = ["fmin", "fmax", "min", "max", "step"]
COSTLY = ["sin", "cos", "exp", "exp2", "log", "tanh", "cbrt", "atan", "rsqrt", "erf", "expm1", "log2"]
COSTLY_TWO = ["pow", "fmod", "atan2", "hypot"]


class Expressions:
    """Needs vars, counters, privates, pointers, arrays, functions and what a Kernel is made of."""

    def note(self, text, *smaller):
        """smaller: what may stand in its place when a program is reduced."""
        self.smaller.setdefault(text, []).extend(s for s in smaller if len(s) < len(text))
        return text

    def constant(self, kind):
        if kind in FLOATS:
            return literal(kind, self.pick([0, 0.5, 1, 1.5, 3, -2.25, 100, -0.125, 1024, 0.0625]))
        if kind == "bool":
            return self.pick(["true", "false"])
        value = self.pick([0, 1, 2, 3, 5, 7, 10, 31, 63, 100, 127, self.random.randrange(128)])
        if kind in ("int", "long") and self.chance(0.1):
            return self.pick([f"{kind}(-2147483647 - 1)", f"{kind}(0x7fffffff)", f"{kind}(-1)"])
        if kind in UNSIGNED and self.chance(0.2):
            return cast(kind, "0xfedcba9876543210ul")
        return literal(kind, -value if kind in SIGNED and self.chance(0.3) else value)

    # ---- leaves
    def variable_parts(self, kind):
        """Everything of this type in a variable."""
        for name, other in self.vars.items():
            if other == kind:
                yield name
                yield name
            elif other in VECTORS and VECTORS[other][0] == kind:
                if VECTORS[other][1] == 4 and self.chance(0.2):
                    self.use("component by number")
                    yield f"{name}[{self.index(4)}]"
                yield f"{name}.{self.pick('xyzw'[:VECTORS[other][1]])}"
            elif other in STRUCTS:
                yield from self.fields(name, other, kind)

    def fields(self, place, struct, kind):
        for field, other in STRUCTS[struct].items():
            if other == kind:
                yield f"{place}.{field}"
            elif isinstance(other, tuple) and other[0] == kind:
                yield f"{place}.{field}[{self.index(other[1])}]"
            elif other in VECTORS and VECTORS[other][0] == kind:
                yield f"{place}.{field}.{self.pick('xy')}"

    def leaf(self, kind):
        if kind == "int":
            r = self.random.random()
            if r < 0.25:
                return self.int_leaf()
        if kind in INTEGERS and not self.in_function and self.chance(0.06):
            return self.near_end(kind)
        if kind in INTEGERS and kind not in ("int", "bool") and not self.in_function and self.chance(0.12):
            self.use("linear value of another type")
            return f"({kind})({self.pick(['rank', 'rank', 'rank >> 1', self.linear()])} + {self.random.randrange(300)})"
        if self.depth_of_leaf < 2 and self.chance(0.35):
            self.depth_of_leaf += 1
            found = self.memory_read(kind)
            self.depth_of_leaf -= 1
            if found:
                return self.note(found, literal(kind, 1))
        found = list(self.variable_parts(kind))
        if found and self.chance(0.85):
            return self.pick(found)
        if self.chance(0.5):
            numbers = [v for v, t in self.vars.items() if t in SCALARS and t != kind] + self.counters
            if numbers:
                self.use("conversion")
                return cast(kind, self.pick(numbers))
        return self.constant(kind)

    def int_leaf(self):
        options = [self.uniform_int, self.uniform_int]
        if not self.in_function:
            options += [lambda: "rank", self.linear]
        options.append(lambda: f"TABLE[{self.index(8)}]")
        if self.counters:
            options += [lambda: self.pick(self.counters)] * 2
        return self.pick(options)()

    def uniform_int(self):
        """The same in all threads."""
        names = self.host_ints + self.uniform_counters
        if names and self.chance(0.7):
            self.use("uniform value")
            name = self.pick(names)
            return name if self.chance(0.6) else f"({name} {self.pick(['& 7', '% 5', '+ 3', '* 2', '>> 1', '- 4'])})"
        return str(self.random.randrange(9))

    def linear(self):
        self.use("linear value")
        factor = f" * {self.random.randrange(2, 9)}" if self.chance(0.5) else ""
        offset = self.pick(["", f" + {self.random.randrange(1, 20)}", f" - {self.random.randrange(1, 20)}", " + n", " - q"])
        if self.chance(0.2):
            self.use("bits of the rank")
            return f"(rank {self.pick(['& 3', '& ~3', '^ 1', '^ 5', '| 1', '>> 1', '>> 2', '<< 2', '/ 3', '% 8', '% 6'])})"
        return f"({self.pick(['rank', 'rank', 'n - 1 - rank'])}{factor}{offset})"

    def near_end(self, kind):
        """Linear over the ranks, and close to where its type or a narrower one ends."""
        self.use("linear value near the end of a type")
        by = self.pick([1, 1, 2, 3, 8])
        if kind in ("int", "long") and self.chance(0.5): # never past it: the compiler may count on that
            l = "l" if kind == "long" else ""
            return self.pick([f"(2147483647{l} - rank * {by})", f"(-2147483647{l} - 1 + rank * {by})", f"(rank * {by} - 2147483647{l})", f"(2147483647{l} - n * {by} + rank * {by})"])
        wide, suffix = ("ulong", "ul") if WIDTHS[kind] == 64 else ("uint", "u")
        bits = self.pick([b for b in (8, 16, 32, 64) if b <= WIDTHS[kind]] + [WIDTHS[kind]])
        end = (1 << self.pick([bits - 1, bits])) - self.random.randrange(40)
        sign = self.pick("++-")
        return cast(kind, f"({wide}){end % (1 << WIDTHS[wide])}{suffix} {sign} ({wide})rank * {by}{suffix}")

    def index(self, length):
        """In 0 ... length-1; length: a number, or the text of one."""
        fixed = isinstance(length, int)
        r = self.random.random()
        if fixed and r < 0.25:
            return str(self.random.randrange(length))
        if fixed and self.counters and r < 0.55:
            self.use("index by counter")
            return f"{self.pick(self.counters)} & {length - 1}" if length & (length - 1) == 0 else f"(int)((uint){self.pick(self.counters)} % {length}u)"
        inner = self.expression("int", 1) if self.depth_of_leaf < 2 else self.int_leaf()
        self.use("index by value")
        kind = self.pick(["int", "int", "int", "uint", "long", "short", "ulong"] + ["uchar", "char"] * fixed)
        if kind != "int":
            self.use("index of another type")
        if fixed and length & (length - 1) == 0:
            return self.note(f"{inner} & {length - 1}" if kind == "int" else f"({kind})({inner} & {length - 1})", "0")
        return self.note(f"({kind})((uint){inner} % (uint){length})", "0")

    # ---- inner nodes
    def expression(self, kind, depth):
        if depth <= 0 or self.chance(0.15):
            return self.leaf(kind)
        r = self.random.random()
        if r < 0.1:
            self.use("?:")
            a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return self.note(f"({self.condition(depth - 1)} ? {a} : {b})", a, b)
        if r < 0.2 and kind != "bool":
            return self.conversion(kind, depth)
        if r < 0.27:
            called = self.call(kind, depth)
            if called:
                return called
        if kind == "bool":
            return self.boolean(depth)
        return self.integer(kind, depth) if kind in INTEGERS else self.floating(kind, depth)

    def conversion(self, kind, depth):
        source = self.pick([t for t in SCALARS if t != kind])
        names = {True: "integer", False: "float"}
        self.use(f"conversion {names[source not in FLOATS]} to {names[kind not in FLOATS]}")
        return self.note(cast(kind, self.expression(source, depth - 1)), literal(kind, 1))

    def call(self, kind, depth):
        found = [f for f in self.functions if f.result == kind]
        if self.chance(0.3) and kind != "bool" and not self.in_function:
            return self.given_lambda(kind, depth)
        if not found or (self.in_function and self.chance(0.7)):
            return None
        arguments = self.pick(found).arguments(self, depth)
        if arguments is None:
            return None
        self.use("call in divergent code" if self.divergence else "call")
        return self.note(arguments, literal(kind, 1))

    def integer(self, kind, depth):
        a = self.expression(kind, depth - 1)
        r = self.random.randrange(14)
        self.use(f"{WIDTHS[kind]} bits")
        if r < 6:
            b = self.expression(kind, depth - 1)
            return self.note(wrapping(kind, a, self.pick("++-*&|^"), b), a, b)
        if r == 6:
            self.use("integer division")
            b = self.expression(kind, depth - 1)
            if not re.search(r"\bv\d|\[|rank|\bn\b", b):
                b = literal(kind, self.pick([1, 2, 3, 7, 10, 16, 100]))
            return self.note(cast(kind, f"{a} {self.pick('/%')} {b}"), a)
        if r < 9:
            self.use("shift")
            by = f"({self.expression('int', depth - 1)} & {min(WIDTHS[kind], 32) - 1})" if self.chance(0.5) else str(self.random.randrange(WIDTHS[kind]))
            return self.note(wrapping(kind, a, "<<", by) if self.chance(0.5) else cast(kind, f"{a} >> {by}"), a)
        if r == 9:
            return self.note(wrapping(kind, literal(kind, 0), "-", a) if self.chance(0.5) else cast(kind, f"~{a}"), a)
        if r == 10:
            self.use("popcount clz ctz")
            return self.note(cast(kind, f"{self.pick(['popcount', 'clz', 'ctz'])}({a})"), a)
        if r == 11 and kind in ("int", "long"):
            self.use("min max abs clamp")
            return self.note(f"{self.pick(['abs', 'sign'])}({a} >> 1)", a)
        b = self.expression(kind, depth - 1)
        self.use("min max abs clamp")
        if self.chance(0.3):
            return self.note(cast(kind, f"clamp({a}, {literal(kind, 2)}, {b})"), a, b)
        return self.note(cast(kind, f"{self.pick(['min', 'max'])}({a}, {b})"), a, b)

    def floating(self, kind, depth):
        a = self.expression(kind, depth - 1)
        r = self.random.randrange(14)
        self.use(kind)
        if r < 6:
            b = self.expression(kind, depth - 1)
            return self.note(cast(kind, f"{a} {self.pick('++--**/')} {b}"), a, b)
        if r < 8:
            self.use("multiply and add")
            b, c = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return self.note(f"({kind})({a} * {b} {self.pick('+-')} {c})", a, b, c)
        if r == 8:
            return self.float_of_its_own(kind, a)
        if r < 12 or self.costly <= 0 or depth < 2:
            self.use("cheap math")
            if self.chance(0.6):
                return self.note(cast(kind, f"{self.pick(CHEAP)}({a})"), a)
            b = self.expression(kind, depth - 1)
            return self.note(cast(kind, f"{self.pick(CHEAP_TWO)}({a}, {b})"), a, b)
        self.costly -= 1
        self.use("costly math")
        if self.chance(0.7):
            return self.note(cast(kind, f"{self.pick(COSTLY)}({a})"), a)
        b = self.expression(kind, depth - 1)
        return self.note(cast(kind, f"{self.pick(COSTLY_TWO)}({a}, {b})"), a, b)

    def float_of_its_own(self, kind, a):
        vectors = [v for v, t in self.vars.items() if t == "float4"]
        if kind == "float" and self.chance(0.4):
            self.use("bit cast")
            return self.note(f"int_as_float(({self.expression('int', 1)} & 0x7fffff) | 0x3f800000)", "1.0f")
        if kind == "float" and vectors and self.chance(0.5):
            self.use("function of vectors")
            return self.note(self.pick([f"dot({self.pick(vectors)}, {self.pick(vectors)})", f"length({self.pick(vectors)})"]), "1.0f")
        return self.note(cast(kind, f"-({a})"), a)

    def boolean(self, depth):
        r = self.random.random()
        if r < 0.25:
            self.use("&& ||")
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return self.note(f"({a} {self.pick(['&&', '||'])} {b})", a, b)
        if r < 0.35:
            a = self.condition(depth - 1)
            return self.note(f"(!{a})", a)
        vectors = [v for v, t in self.vars.items() if t == "float4"]
        if r < 0.42 and vectors:
            self.use("function of vectors")
            return self.note(f"({self.pick(['any', 'all'])}({self.pick(vectors)} {self.pick(COMPARISONS)} {self.pick([self.leaf('float'), self.pick(vectors)])}))", "true")
        kind = self.pick(USUAL)
        if kind == "bool":
            kind = "int"
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        return self.note(f"({a} {self.pick(COMPARISONS)} {b})", "true", "false")

    def condition(self, depth):
        """A bool in parentheses, of any shape."""
        r = self.random.random()
        if r < 0.2 and not self.at_borders:
            return self.uniform_condition()
        if r < (0.9 if self.at_borders else 0.5) and not self.in_function:
            if self.chance(0.8 if self.at_borders else 0.2):
                return self.border()
            self.use("condition on the rank")
            text = self.pick([f"rank % {self.pick([2, 3, 5, 8])} == {self.random.randrange(3)}", f"(rank & {self.pick([1, 2, 4, 8, 16])}) != 0",
                              f"rank < {self.pick(['n / 2', '3', 'q', '100', '9'])}", f"rank >= {self.pick(['n - 3', '4', 'q + 2', '2000'])}"])
            return self.note(f"({text})", "true", "false")
        if depth <= 0:
            a = self.leaf(self.pick(["int", "uint", "float"]))
            return self.note(f"({a} {self.pick(COMPARISONS)} {self.random.randrange(20)})", "true", "false")
        self.use("condition on data")
        return self.boolean(depth)

    def border(self):
        """That a place in a line, or in a row of a matrix, is on one side of a border."""
        self.use("condition on a border")
        width = self.pick(["41", "64", "100", "257", "(n / 3 + 1)", "((q & 255) + 40)"])
        place = self.pick(["rank", "rank", f"rank % {width}", f"rank % {width}", f"rank / {width}", f"(rank % {width} - 3)", "(n - 1 - rank)", "3 * rank", "(2147483647 - n + rank)"])
        limit = self.pick(["0", "1", "30", "n / 2", "(n - 1)", "q", "39", "-2", "2147483647", f"({width} - 1)"])
        if self.chance(0.15):
            return self.note(f"((uint){place} {self.pick(COMPARISONS)} (uint){limit})", "true", "false")
        return self.note(f"({place} {self.pick(COMPARISONS)} {limit})", "true", "false")

    def uniform_condition(self):
        self.use("uniform condition")
        names = self.host_ints + self.uniform_counters
        if not names:
            return "(true)"
        name = self.pick(names)
        return self.note(f"({self.pick([f'{name} > 3', f'({name} & 1) != 0', f'{name} % 3 == 1', f'{name} < 100'])})", "true", "false")
