"""Random expressions of generate.py's programs: values of every type, elements of arrays, values of other threads."""

from twins import twin

LIMIT = 1 << 29        # magnitude of any int on the way
KEPT = 60013           # int variables: below this, or 2^16 after a bit operation
GENERIC = ("Two", "Few", "Pile")  # types of generic structs (superstep_twins.py)
ARRAYS = {"A": "int", "B": "int", "F": "float", "U": "uint", "L": "long", "S": "Item", "D": "double", "K": "bool", "G": "Two"}


class Expressions:
    """Of a Generator."""

    # ---- small things
    def of_type(self, kind):
        return [v.strip() for v, t in self.vars.items() if t == kind] + self.refer_to(kind)

    def rank(self):
        if self.on_host:
            return "n"
        return "(int)thread.rank" if self.long_ranks else "thread.rank"

    # ---- integers with bounds
    def bounded(self, e, limit):
        text, bound = e
        if bound <= limit:
            return e
        m = min(limit, 9973)
        return f"({text}) % {m}", m - 1

    def int_leaf(self):
        r = self.random.random()
        options = [lambda: (str(self.random.randint(0, 40)), 40), lambda: (self.rank(), 1 << 13)]
        if self.of_type("int"):
            options += [lambda: (self.pick(self.of_type("int")), 65536)] * 4
        if self.of_type("short"):
            options.append(lambda: (self.pick(self.of_type("short")), 32768))
        if self.of_type("uchar"):
            options.append(lambda: (self.pick(self.of_type("uchar")), 255))
        if self.of_type("bool"):
            options.append(lambda: (self.pick(self.of_type("bool")), 1))
        if self.of_type("Item"):
            options.append(lambda: (f"{self.pick(self.of_type('Item'))}.a", 65536))
            options.append(lambda: (f"{self.pick(self.of_type('Item'))}.c[{self.index(3)}]", 65536))
        if self.of_type("int3"):
            options.append(lambda: (f"{self.pick(self.of_type('int3'))}.{self.pick('xyz')}", 65536))
        generic = [(v, kind) for kind in GENERIC for v in self.of_type(kind)]
        if generic:
            options += [lambda: (self.part_to_read(*self.pick(generic)), 65536)] * 2
        if self.private:
            options += [self.private_read] * 2
        options.append(lambda: (self.pick(self.host_ints), 1 << 13))
        if self.thread_places and not self.on_host and not self.in_lambda:
            options += [lambda: (self.pick(self.thread_places), 1 << 13)] * 2
        options.append(lambda: (f"TABLE[{self.index(8)}]", 100))
        if r < 0.2:
            e = self.array_read("int")
            if e:
                return e, 65536
        if r < 0.3:
            e = self.get("int")
            if e:
                return e, 65536
        return self.pick(options)()

    def private_read(self):
        self.use("private array")
        name = self.pick(self.private)
        return f"{name}[{self.index(self.private[name])}]", 65536

    def index(self, length):
        if self.chance(0.5):
            return str(self.random.randrange(length))
        e = self.int_expr(1)[0]
        return f"(int)((uint)({e}) % {length}u)"

    def int_expr(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.int_leaf()
        kind = self.random.randrange(15)
        if kind < 7:
            a, b = self.int_expr(depth - 1), self.int_expr(depth - 1)
            op = self.pick("+-*/%&|^")
            if op in "+-":
                a, b = self.bounded(a, LIMIT // 2), self.bounded(b, LIMIT // 2)
                return f"({a[0]} {op} ({b[0]}))", a[1] + b[1]
            if op == "*":
                a, b = self.bounded(a, 20000), self.bounded(b, 20000)
                return f"(({a[0]}) * ({b[0]}))", a[1] * b[1]
            if op in "/%":
                self.use("integer division")
                b = self.divisor(b)
                return f"(({a[0]}) {op} ({b[0]}))", a[1]
            top = 1 << max(a[1], b[1]).bit_length()
            a, b = self.bounded(a, LIMIT), self.bounded(b, LIMIT)
            return f"(({a[0]}) {op} ({b[0]}))", min(top, LIMIT)
        if kind == 7:
            a, b = self.int_expr(depth - 1), self.int_expr(0)
            return (f"((({a[0]}) & 1023) << (({b[0]}) & 7))", 1 << 17) if self.chance(0.5) else (f"(({a[0]}) >> (({b[0]}) & 7))", a[1])
        if kind == 8:
            self.use("?:")
            a, b = self.int_expr(depth - 1), self.int_expr(depth - 1)
            return f"({self.bool_expr(depth - 1)} ? {a[0]} : {b[0]})", max(a[1], b[1])
        if kind == 9:
            a = self.int_expr(depth - 1)
            return (f"(-({a[0]}))", a[1]) if self.chance(0.5) else (f"(~({a[0]}))", a[1] + 1)
        if kind == 10:
            return f"((int)({self.float_expr(depth - 1, self.pick(['float', 'double']))}) % 1009)", 1008
        if kind == 11:
            return f"((int)({self.uint_expr(depth - 1)}) % 1009)", 1008
        if kind == 12:
            return f"((int)(({self.long_expr(depth - 1)[0]}) % 10007))", 10006
        if kind == 13:
            self.use("call")
            if self.chance(0.3):
                return self.form_of_int(depth), 65536
            if self.chance(0.4) and not self.in_lambda:
                return self.lambda_of_int(depth), 65536
            if self.chance(0.3):
                return self.changed_value(), 65536
            a, b = self.bounded(self.int_expr(depth - 1), 60000), self.bounded(self.int_expr(depth - 1), 60000)
            return f"{self.pick(['mixed', 'searched', 'chosen'])}({a[0]}, {b[0]})", 65536
        return f"(int){self.bool_expr(depth - 1)}", 1

    def divisor(self, e):
        """A constant 0 is an error, in host code every 0."""
        return (f"({e[0]} | 1)", e[1] + 1) if self.on_host or not any(c.isalpha() for c in e[0].replace("u", "")) else e

    def uint_expr(self, depth):
        if depth <= 0 or self.chance(0.2):
            options = [f"{self.random.randrange(1 << 32)}u", f"(uint)({self.int_leaf()[0]})"] + self.of_type("uint") * 3
            e = self.array_read("uint") if self.chance(0.2) else self.get("uint") if self.chance(0.15) else None
            return e or self.pick(options)
        op = self.pick(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
        a, b = self.uint_expr(depth - 1), self.uint_expr(depth - 1)
        if op in "/%":
            b = self.divisor((b, 0))[0]
        return f"(({a}) {op} ({b}))"

    def long_expr(self, depth):
        if depth <= 0 or self.chance(0.25):
            a = self.bounded(self.int_expr(1), LIMIT)
            options = [(f"(long)({a[0]})", a[1])] + [(v, 1 << 40) for v in self.of_type("long")] * 3
            e = self.array_read("long") if self.chance(0.2) else self.get("long") if self.chance(0.15) else None
            return (e, 1 << 40) if e else self.pick(options)
        a, b = self.long_expr(depth - 1), self.long_expr(depth - 1)
        if self.chance(0.3):
            a, b = self.bounded(a, 1 << 30), self.bounded(b, 1 << 30)
            return f"(({a[0]}) * ({b[0]}))", a[1] * b[1]
        op = self.pick("+-/%^")
        if op in "+-":
            a, b = self.bounded(a, 1 << 60), self.bounded(b, 1 << 60)
            return f"(({a[0]}) {op} ({b[0]}))", a[1] + b[1]
        if op in "/%":
            b = self.divisor(b)
        if op == "^":
            return f"(({a[0]}) ^ ({b[0]}))", 1 << max(a[1], b[1]).bit_length()
        return f"(({a[0]}) {op} ({b[0]}))", a[1]

    # ---- floating point
    def float_expr(self, depth, kind="float"):
        suffix = "f" if kind == "float" else ""
        if depth <= 0 or self.chance(0.2):
            options = [f"{self.random.randint(-200, 200) / 8}{suffix}", f"({kind})({self.int_leaf()[0]})"] + self.of_type(kind) * 3
            if kind == "float" and self.of_type("Item"):
                options.append(f"{self.pick(self.of_type('Item'))}.b")
            if kind == "float" and self.of_type("float3"):
                options += [f"{self.pick(self.of_type('float3'))}.{self.pick('xyz')}"] * 2
            if kind == "float" and self.of_type("half"):
                options += [f"(float){self.pick(self.of_type('half'))}"] * 2
            e = self.array_read(kind) if self.chance(0.2) else self.get(kind) if self.chance(0.15) else None
            return e or self.pick(options)
        r = self.random.random()
        a, b = self.float_expr(depth - 1, kind), self.float_expr(depth - 1, kind)
        if r < 0.5:
            return f"({a} {self.pick('+-*/')} {b})"
        if r < 0.7:
            self.use("multiply and add")
            return f"({a} * {b} {self.pick('+-')} {self.float_expr(depth - 1, kind)})"
        if r < 0.8:
            return f"({self.bool_expr(depth - 1)} ? {a} : {b})"
        if r < 0.9:
            self.use("math")
            return f"{self.pick(['fabs', 'floor', 'ceil', 'trunc', 'rint'])}({a})" if self.chance(0.7) else f"sqrt(fabs({a}))"
        return f"(-({a}))"

    def bool_expr(self, depth):
        if depth <= 0 or self.chance(0.15):
            options = [f"({self.int_leaf()[0]} % {self.random.randint(2, 5)} == 0)", f"({self.int_leaf()[0]} < {self.int_leaf()[0]})"] + self.of_type("bool") * 2
            e = self.array_read("bool") if self.chance(0.2) else self.get("bool") if self.chance(0.15) else None
            return e or self.pick(options)
        kind = self.random.randrange(6)
        if kind == 0:
            self.use("&& ||")
            return f"({self.bool_expr(depth - 1)} {self.pick(['&&', '||'])} {self.bool_expr(depth - 1)})"
        if kind == 1:
            return f"(!{self.bool_expr(depth - 1)})"
        op = self.pick(["<", ">", "<=", ">=", "==", "!="])
        if kind == 2:
            return f"({self.float_expr(depth - 1)} {op} {self.float_expr(depth - 1)})"
        if kind == 3:
            return f"({self.uint_expr(depth - 1)} {op} {self.uint_expr(depth - 1)})"
        return f"({self.int_expr(depth - 1)[0]} {op} {self.int_expr(depth - 1)[0]})"

    def value(self, kind, depth=3):
        if kind == "int":
            return self.bounded(self.int_expr(depth), KEPT - 1)[0] if self.chance(0.3) else f"({self.int_expr(depth)[0]}) % {KEPT}"
        if kind == "uint":
            return self.uint_expr(depth)
        if kind == "long":
            return f"({self.long_expr(depth)[0]}) % 1000000007"
        if kind in ("float", "double"):
            return f"limited({self.float_expr(depth, kind)})"
        if kind == "half":
            return f"(half)small({self.float_expr(depth)})"
        if kind == "bool":
            return self.bool_expr(depth)
        if kind in ("short", "uchar"):
            return f"({kind})({self.int_expr(depth)[0]})"
        if kind == "int3":
            return f"int3({', '.join(self.value('int', 1) for _ in range(3))})"
        if kind == "float3":
            if self.of_type("float3") and self.chance(0.6):
                a, b = self.pick(self.of_type("float3")), self.pick(self.of_type("float3"))
                self.use("swizzle")
                return self.pick([f"{a}.{''.join(self.random.sample('xyz', 3))}", f"limited3({a} {self.pick('+-*')} {b})", f"limited3({a} * {self.float_expr(1)} + {b}.{self.pick(['zyx', 'xxy'])})"])
            return f"float3({', '.join(self.value('float', 1) for _ in range(3))})"
        if kind == "Item":
            if self.chance(0.3):
                e = self.get("Item") or self.array_read("Item")
                if e:
                    return e
            if self.of_type("Item") and self.chance(0.3):
                return self.pick(self.of_type("Item"))
            return f"makeItem({self.value('int', 2)}, {self.value('float', 2)})"
        return self.generic_value(kind)

    # ---- arrays and other threads
    def array_read(self, kind):
        names = [a for a, t in ARRAYS.items() if t == kind and self.modes.get(a) in ("own", "read")]
        if not names or (self.in_arm and not [a for a in names if self.modes[a] == "read"]):
            return None
        name = self.pick([a for a in names if not self.in_arm or self.modes[a] == "read"])
        if self.modes[name] == "own":
            return self.element(name, "thread.rank")
        self.use("gather")
        return self.element(name, f"(int)((uint)({self.int_leaf_plain()}) % (uint)cap)")

    def element(self, name, at):
        """Of an array with extents, too: plainly, of the memory alone."""
        if self.chance(0.7):
            return f"{name}[{at}]"
        self.use("extents of arrays")
        row, plane = self.pick([1, 2, 7, 64]), self.pick([1, 3, 16])
        rows = f"view({name}, cap / {row} + 1, {row})[({at}) / {row}, ({at}) % {row}]"
        planes = f"view({name}, cap, {plane}, {row})[({at}) / {row * plane}, ({at}) / {row} % {plane}, ({at}) % {row}]"
        return twin(self.pick([rows, planes]), f"{name}[{at}]")

    def int_leaf_plain(self):
        options = [self.rank(), f"{self.rank()} + {self.random.randint(1, 9)}"] + self.of_type("int")
        return self.pick(options)

    def get(self, kind):
        names = [v for v in self.settled if self.vars.get(v) == kind or (v in self.references and self.references[v].kind == kind and not self.in_arm)]
        places = names + [f"{v}.a" for v in self.settled if self.vars.get(v) == "Item" and kind == "int"] + \
            [f"{v}.b" for v in self.settled if self.vars.get(v) == "Item" and kind == "float"] + \
            [f"{v}.{self.pick('xyz')}" for v in sorted(self.settled) if self.vars.get(v) == kind + "3"] + \
            [f"{v}[{self.random.randrange(self.private[v])}]" for v in sorted(self.settled) if v in self.private and kind == "int"]
        if not places or not self.old_size:
            return None
        self.use("get")
        if "." in places[0]:
            self.use("get of a part")
        where = f"(int)((uint)({self.int_leaf_plain()}) % (uint){self.old_size})"
        return f"thread.get({where}, {self.pick(sorted(places))})"

    def injective(self):
        """A map of ranks to ranks, one to one where both exist."""
        k = self.random.randint(0, 5)
        return self.pick([f"thread.rank + {k}", f"thread.rank - {k}", "thread.size - 1 - thread.rank", f"(thread.rank + {k}) % thread.size"])
