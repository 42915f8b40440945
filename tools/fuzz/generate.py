#!/usr/bin/env python3
"""Prints a random BSGP program: generate.py SEED.

The program has no race and no undefined behaviour, by construction:
  - integers carry a bound on their magnitude, so that signed arithmetic never overflows (unsigned wraps);
  - in each superstep an array is either written by each thread at its own rank, or read anywhere, or written once through
    an injective index; par arms write variables of their own;
  - floating-point numbers are limited when they are assigned, so no NaN is ever printed; every variable is initialized;
  - a variable is the target of at most one put in a superstep, from an injective map of ranks.
So all targets must print the same. The first lines say what the program uses.
"""
import sys

from pieces import COLLECTIVES, EPILOGUE, PRELUDE
from superstep_forms import FUNCTIONS, METHODS, Forms
from writer import Writer

LIMIT = 1 << 29        # magnitude of any int on the way
KEPT = 60013           # int variables: below this, or 2^16 after a bit operation
ARRAYS = {"A": "int", "B": "int", "F": "float", "U": "uint", "L": "long", "S": "Item", "D": "double", "K": "bool"}
STEP_KINDS = ["barrier", "barrier", "reassign", "rotated", "neighbours", "total", "reversed", "exchanged", "par", "par", "prefixed", "form", "rounds", "arms"]


class Generator(Writer, Forms):
    def __init__(self, seed):
        super().__init__(seed, indent=2)
        self.vars = {}        # name: type
        self.settled = set()  # had a value at the last barrier: thread.get may name them
        self.modes = {}       # array: own, read, once
        self.put_to = set()
        self.frozen = set()   # not to be written (par arms)
        self.loop_depth = 0
        self.in_arm = False
        self.old_size = None  # ranks that thread.get may use
        self.size = "n"
        self.host_ints = ["n", "q"]
        self.long_ranks = self.chance(0.15)
        self.private = {}     # name: length

    # ---- small things
    def of_type(self, kind):
        return [v for v, t in self.vars.items() if t == kind]

    def rank(self):
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
        if self.private:
            options += [self.private_read] * 2
        options.append(lambda: (self.pick(self.host_ints), 1 << 13))
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
                if not any(c.isalpha() for c in b[0]):
                    b = (f"{b[0]} | 1", b[1] + 1)  # a constant 0 is an error
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
            a, b = self.bounded(self.int_expr(depth - 1), 60000), self.bounded(self.int_expr(depth - 1), 60000)
            return f"{self.pick(['mixed', 'searched', 'chosen'])}({a[0]}, {b[0]})", 65536
        return f"(int){self.bool_expr(depth - 1)}", 1

    def uint_expr(self, depth):
        if depth <= 0 or self.chance(0.2):
            options = [f"{self.random.randrange(1 << 32)}u", f"(uint)({self.int_leaf()[0]})"] + self.of_type("uint") * 3
            e = self.array_read("uint") if self.chance(0.2) else self.get("uint") if self.chance(0.15) else None
            return e or self.pick(options)
        op = self.pick(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
        a, b = self.uint_expr(depth - 1), self.uint_expr(depth - 1)
        if op in "/%" and not any(c.isalpha() and c != "u" for c in b):
            b += " | 1u"
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
        raise ValueError(kind)

    # ---- arrays and other threads
    def array_read(self, kind):
        names = [a for a, t in ARRAYS.items() if t == kind and self.modes.get(a) in ("own", "read")]
        if not names or (self.in_arm and not [a for a in names if self.modes[a] == "read"]):
            return None
        name = self.pick([a for a in names if not self.in_arm or self.modes[a] == "read"])
        if self.modes[name] == "own":
            return f"{name}[thread.rank]"
        self.use("gather")
        return f"{name}[(int)((uint)({self.int_leaf_plain()}) % (uint)cap)]"

    def int_leaf_plain(self):
        options = [self.rank(), f"{self.rank()} + {self.random.randint(1, 9)}"] + self.of_type("int")
        return self.pick(options)

    def get(self, kind):
        names = [v for v in self.settled if self.vars.get(v) == kind]
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

    # ---- statements
    def writable(self, kinds=None):
        return [v for v, t in self.vars.items() if v not in self.frozen and (kinds is None or t in kinds)]

    def declare(self):
        kind = self.pick(["int", "int", "int", "float", "uint", "long", "float", "double", "bool", "short", "uchar", "Item", "int3", "float3", "half"])
        name = self.fresh({"int3": "v", "float3": "w", "Item": "s"}.get(kind, kind[0]))
        value = self.value(kind, 2)
        if self.chance(0.3) and kind not in ("short", "uchar", "half", "bool"):
            self.use("implicit local")
            self.put(f"{name} = ({kind})({value});" if kind in ("int", "long", "uint", "float", "double") else f"{name} = {value};")
        else:
            self.put(f"{kind} {name} = {value};")
        self.use(f"type {kind}")
        self.vars[name] = kind

    def declare_private(self):
        length = self.pick([2, 3, 4, 7])
        name = self.fresh("p")
        values = ", ".join(str(self.random.randint(0, 99)) for _ in range(self.random.randint(1, length)))
        self.put(f"int {name}[{length}] = {{{values}}};")
        self.put(f"for (int i = 0; i < {length}; i++)")
        self.put(f"  {name}[i] += i * {self.random.randint(0, 9)};")
        self.private[name] = length

    def assign(self):
        names = self.writable()
        if not names:
            return
        name = self.pick(names)
        kind = self.vars[name]
        if kind == "Item" and self.chance(0.7):
            field = self.pick(["a", "b", "c"])
            if field == "c":
                return self.put(f"{name}.c[{self.index(3)}] = {self.value('int', 2)};")
            return self.put(f"{name}.{field} = {self.value('int' if field == 'a' else 'float', 2)};")
        if kind in ("int3", "float3") and self.chance(0.5):
            return self.put(f"{name}.{self.pick('xyz')} = {self.value('int' if kind == 'int3' else 'float', 2)};")
        if kind == "int" and self.chance(0.2):
            return self.put(f"{name} {self.pick('^|')}= ({self.int_expr(1)[0]}) & 255;")
        if kind == "uint" and self.chance(0.3):
            return self.put(f"{name} {self.pick(['+', '*', '^', '-', '<<'])}= {self.uint_expr(2)};")
        self.put(f"{name} = {self.value(kind)};")

    def write_private(self):
        name = self.pick([p for p in self.private if p not in self.frozen] or [None])
        if name:
            self.use("private array written")
            self.put(f"{name}[{self.index(self.private[name])}] = {self.value('int', 2)};")

    def write_array(self):
        names = [a for a, m in self.modes.items() if m == "own"]
        if not names or self.in_arm:
            return
        name = self.pick(names)
        if ARRAYS[name] == "Item" and self.chance(0.5):
            return self.put(f"{name}[thread.rank].a = {self.value('int', 2)};")
        self.put(f"{name}[thread.rank] = {self.value(ARRAYS[name])};")

    def scatter(self):
        names = [a for a, m in self.modes.items() if m == "once"]
        if not names or self.in_arm:
            return
        name = self.pick(names)
        self.modes[name] = "done"
        self.use("scatter")
        k = self.random.randint(0, 5)
        where = self.pick(["thread.size - 1 - thread.rank", f"(thread.rank + {k}) % thread.size"])
        self.put(f"{name}[{where}] = {self.value(ARRAYS[name])};")

    def put_statement(self):
        names = [v for v in self.writable(["int", "uint", "long", "float", "double", "bool", "Item"]) if v not in self.put_to]
        if not names or self.loop_depth or self.in_arm:
            return
        name = self.pick(names)
        kind = self.vars[name]
        self.put_to.add(name)
        self.use("put")
        place, value = (f"{name}.a", self.value("int", 2)) if kind == "Item" else (name, self.value(kind, 2))
        text = f"thread.put({self.injective()}, {place}, {value});"
        if self.chance(0.5):
            self.use("put under a condition")
            self.put(f"if ({self.bool_expr(1)})")
            text = "  " + text
        self.put(text)

    def pointer(self):
        names = self.writable(["int"])
        if len(names) < 2 or self.in_arm:
            return
        self.use("private pointer")
        a, b = self.random.sample(names, 2)
        p = self.fresh("t")
        self.put("{")
        self.put(f"  int* {p} = {self.bool_expr(1)} ? &{a} : &{b};")
        self.put(f"  *{p} = (*{p} + ({self.bounded(self.int_expr(1), 60000)[0]})) % {KEPT};")
        self.put("}")

    def by_reference(self):
        names = self.writable(["int"])
        if names:
            self.use("by reference")
            self.put(f"bump({self.pick(names)}, {self.bounded(self.int_expr(1), 60000)[0]});")

    def block(self, depth, amount):
        self.indent += 1
        kept, private = dict(self.vars), dict(self.private)
        for _ in range(amount):
            self.statement(depth - 1)
        self.vars, self.private = kept, private
        self.indent -= 1

    def branch(self, depth):
        self.use("divergent if")
        self.put(f"if ({self.bool_expr(2)}) {{")
        self.block(depth, self.random.randint(1, 3))
        if self.chance(0.5):
            self.put("} else {")
            self.block(depth, self.random.randint(1, 2))
        self.put("}")

    def loop(self, depth):
        i = self.fresh("k")
        kind = self.pick(["for", "while", "do"])
        self.use(f"divergent {kind}")
        limit = f"(({self.int_expr(1)[0]}) & {self.pick([1, 3, 7])})"
        self.loop_depth += 1
        if kind == "for":
            self.put(f"for (int {i} = 0; {i} < {limit}; {i}++) {{")
        else:
            self.put(f"int {i} = 0, {i}_end = {limit};")
            self.put("do {" if kind == "do" else f"while ({i} < {i}_end) {{")
            self.put(f"  {i}++;")
        if self.chance(0.3):
            self.use("continue")
            self.put(f"  if ({self.bool_expr(1)})")
            self.put("    continue;")
        self.block(depth, self.random.randint(1, 2))
        if self.chance(0.3):
            self.use("break")
            self.put(f"  if ({self.bool_expr(1)})")
            self.put("    break;")
        self.put(f"}} while ({i} < {i}_end);" if kind == "do" else "}")
        self.loop_depth -= 1

    def switch(self, depth):
        self.use("switch")
        self.put(f"switch (({self.int_expr(1)[0]}) & 3) {{")
        for label in self.random.sample(range(4), 3):
            self.put(f"case {label}: {{")
            self.block(depth, 1)
            self.put("}")
            if self.chance(0.7):
                self.put("  break;")
            else:
                self.use("fall-through")
        self.put("default: {")
        self.block(depth, 1)
        self.put("}")
        self.put("}")

    def statement(self, depth):
        choices = [self.assign] * 6 + [self.write_array] * 3 + [self.write_private] * 2 + [self.by_reference, self.pointer, self.method_statement]
        if depth > 0:
            choices += [lambda: self.branch(depth)] * 3 + [lambda: self.loop(depth)] * 2 + [lambda: self.switch(depth)]
        self.pick(choices)()

    # ---- supersteps
    def new_step(self, old_size=None):
        self.settled = set(self.vars) | set(self.private)
        self.put_to = set()
        self.old_size = old_size or self.size
        self.modes = {a: self.pick(["own", "own", "read", "once"]) for a in ARRAYS}

    def body_of_step(self):
        for _ in range(self.random.randint(0, 2)):
            self.declare()
        if self.chance(0.25):
            self.declare_private()
        for _ in range(self.random.randint(1, 5)):
            self.statement(2)
            if self.chance(0.25):
                self.put_statement()
        if self.chance(0.6):
            self.scatter()
        if self.chance(0.2):
            self.use("require")
            self.put(f"require q = (q * {self.random.randint(2, 9)} + n) % 1000;")

    def end_barrier(self):
        self.put("barrier;")
        self.new_step()

    def end_reassign(self):
        size = self.fresh("size")
        old = self.size
        change = self.pick(["{0}", "{0}", "{0} / 2", "{0} * 2 < cap ? {0} * 2 : {0}", "{0} - {0} / 3"]).format(old)
        self.use("reassign at one size" if change == old else "reassign to another size")
        self.put("barrier(RANK_REASSIGNED);")
        self.put("require {")
        self.put(f"  int {size} = {change};")
        self.put(f"  thread.size = {size};")
        self.put("}")
        k = self.random.randint(1, 7)
        self.put("thread.oldrank = " + self.pick([
            f"(thread.rank * {k} + {k * 3}) % {old}", f"{old} - 1 - thread.rank % {old}", f"(thread.rank + {k}) % {old}", f"thread.rank % {old}"]) + ";")
        self.size = size
        self.host_ints.append(size)
        self.new_step(old)

    def end_collective(self, name):
        kinds = {"rotated": ["int", "uint", "float", "long", "Item", "float3"], "neighbours": ["int", "float", "double", "uint"], "exchanged": ["int", "float", "bool"], "prefixed": ["int"]}[name]
        names = self.writable(kinds)
        if not names:
            return self.end_barrier()
        self.use(f"collective {name}")
        target = self.pick(names)
        self.put(f"{target} = {self.collective(name, self.vars[target])};")
        self.new_step()

    def collective(self, name, kind):
        value = self.value(kind, 2)
        if name == "rotated":
            return f"rotated({value}, {self.random.randint(0, 9)})"
        if name == "neighbours":
            limits = {"int": f"(neighbours({value}) % {KEPT})", "uint": f"neighbours({value})"}
            return limits.get(kind, f"limited(neighbours({value}))")
        return f"{name}({value})"

    def end_total(self):
        self.use("host result")
        self.put(f"total = totalOf({self.bounded(self.int_expr(2), 60000)[0]});")
        self.put("require q = (int)((total % 1000 + 1000) % 1000);")
        self.new_step()

    def end_reversed(self):
        self.use("collective that reassigns")
        self.put("reversed();")
        self.new_step()

    def end_par(self):
        names = self.writable(["int", "float"])
        if len(names) < 3:
            return self.end_barrier()
        self.use("par")
        targets = self.random.sample(names, self.random.randint(2, 3))
        self.put("par {")
        self.indent += 1
        self.in_arm = True
        everything = dict(self.vars)
        read = [a for a, m in self.modes.items() if m == "read"]
        for target in targets:
            others = set(targets) - {target}
            self.vars = {v: t for v, t in everything.items() if v not in others}
            self.frozen = set(everything) - {target} | set(self.private)
            kind = everything[target]
            saved, saved_settled = self.modes, self.settled
            self.settled = set()
            form = self.pick(["one", "two", "block"])
            names_of = ["rotated", "neighbours"]
            if form == "one":
                self.put(f"{target} = {self.collective(self.pick(names_of), kind)};")
            else:
                self.use("par of different lengths")
                self.put("{")
                self.indent += 1
                for _ in range(2 if form == "two" else 1):
                    self.put(f"{target} = {self.collective(self.pick(names_of), kind)};")
                    self.assign()
                self.indent -= 1
                self.put("}")
            self.modes, self.settled = saved, saved_settled
        self.vars, self.frozen, self.in_arm = everything, set(), False
        self.indent -= 1
        self.put("}")
        self.new_step()
        self.modes.update({a: "read" for a in read})  # what an arm does last is in the superstep that follows

    def spawn(self):
        block = f" block({self.pick([1, 32, 100, 512, 1024])})" if self.chance(0.2) else ""
        width = f" width({self.pick([1, 1, 4, 8, 16])})" if self.chance(0.2) else ""
        self.put(f"spawn ({'(long)n' if self.long_ranks else 'n'}){block}{width} {{")
        if self.long_ranks:
            self.use("long ranks")
        self.indent += 1
        self.modes = {a: self.pick(["own", "own", "read", "once"]) for a in ARRAYS}
        for _ in range(self.random.randint(3, 7)):
            self.declare()
        for _ in range(self.random.randint(1, 6)):
            self.body_of_step()
            kind = self.pick(STEP_KINDS)
            if kind in ("rotated", "neighbours", "exchanged", "prefixed"):
                self.end_collective(kind)
            else:
                getattr(self, f"end_{kind}")()
        self.body_of_step()
        self.save_all()
        self.indent -= 1
        self.put("}")

    def save_all(self):
        """Every variable goes into the checksum."""
        self.put("ulong sum = 17;")
        for name, kind in self.vars.items():
            parts = {"Item": [f"(uint)hashOf({name})"], "int3": [f"(uint)({name}.x * 3 + {name}.y * 5 + {name}.z)"],
                     "float": [f"float_as_uint({name})"], "double": [f"double_as_ulong({name})"], "half": [f"float_as_uint((float){name})"],
                     "float3": [f"float_as_uint({name}.{c})" for c in "xyz"]}.get(kind, [f"(ulong){name}"])
            for part in parts:
                self.put(f"sum = sum * 31ul + {part};")
        for name, length in self.private.items():
            self.put(f"for (int i = 0; i < {length}; i++)")
            self.put(f"  sum = sum * 31ul + (ulong){name}[i];")
        self.put("R[thread.rank] = sum;")

    def program(self):
        self.spawn()
        sizes = [1] + self.random.sample([0, 2, 5, 31, 64, 65, 255, 256, 257, 300, 511, 700], 4)
        head = [f"// Made by tools/fuzz/generate.py {self.seed}.", f"// uses: {', '.join(sorted(self.uses))}"]
        main = ["int main() {"] + [f"  run({n});" for n in sizes] + ["  return 0;", "}"]
        return "\n".join(head) + PRELUDE.replace("  int c[3];\n", "  int c[3];\n" + METHODS.lstrip("\n")) + COLLECTIVES + FUNCTIONS + "\nrun(int n) {\n" + EPILOGUE[0] + "\n".join(self.lines) + "\n" + EPILOGUE[1] + "}\n\n" + "\n".join(main) + "\n"


def generate(seed):
    return Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
