"""Random expressions, each with its value in every thread."""
import random
from collections import namedtuple

from primitive_forms import LAMBDAS
from oracle import M32, OPERATORS, TYPES, Impossible, make, mixed, raw, raws, sign
from primitive_pieces import MORE

# text: the expression; of(state): a list of its values, one for each thread
Expr = namedtuple("Expr", "text of")
BINARY = {"+": lambda a, b: (a + b) & M32, "-": lambda a, b: (a - b) & M32, "*": lambda a, b: a * b & M32, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b, "|": lambda a, b: a | b}
DRAWN = ["uint", "uint", "int", "int", "float"] + [t for t in TYPES if t != "half"] + ["half"]


class Values:
    def __init__(self, seed):
        self.random, self.seed = random.Random(seed), seed
        self.count, self.block = 0, 256
        self.types, self.hosts = {}, {}  # variables of threads, host variables: their types
        self.rough = {}                  # those whose value only the targets know
        self.reading = set()             # names read since it was emptied

    # ---- small things
    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        items = list(items)
        if not items:
            raise Impossible
        return self.random.choice(items)

    def number(self, limit=1000):
        return self.random.randrange(limit)

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    # ---- any value as 32 random bits
    def of_var(self, name):
        t = self.types[name]
        self.reading.add(name)
        return Expr(f"raw({name})", lambda s: raws(t, s.value(name)))

    def of_host(self, name):
        t = self.hosts[name]
        self.reading.add(name)
        return Expr(f"raw({name})", lambda s: [raw(t, s.hosts[name])] * s.size)

    def rank(self):
        return Expr("(uint)thread.rank", lambda s: list(range(s.size)))

    def uint(self, depth=2):
        if depth <= 0 or self.chance(0.25):
            k = self.number()
            leaves = [lambda: Expr(f"{k}u", lambda s: [k] * s.size), self.rank]
            if self.types:
                leaves += [lambda: self.of_var(self.pick(self.types))] * 4
            if self.hosts:
                leaves.append(lambda: self.of_host(self.pick(self.hosts)))
            return self.pick(leaves)()
        a = self.uint(depth - 1)
        kind = self.number(4)
        if kind == 0:
            k = self.number(24)
            return Expr(f"({a.text} >> {k})", lambda s: [x >> k for x in a.of(s)])
        if kind == 1:
            return self.scattered(a)
        b, op = self.uint(depth - 1), self.pick(BINARY)
        return Expr(f"({a.text} {op} {b.text})", lambda s: [BINARY[op](x, y) for x, y in zip(a.of(s), b.of(s))])

    def scattered(self, e):
        k = self.number(100000)
        return Expr(f"mixed({e.text}, {k}u)", lambda s: [mixed(x, k) for x in e.of(s)])

    def below(self, e, m):
        return Expr(f"{e.text} % {m}u", lambda s: [x % m for x in e.of(s)])

    def divided(self, e, m):
        return Expr(f"{e.text} / {m}u", lambda s: [x // m for x in e.of(s)])

    # ---- values of a type
    def made(self, t, e, kind="make"):
        how = {"make": lambda x: make(t, x), "wide": lambda x: make(t, x, True), "sign": lambda x: sign(t, x)}[kind]
        return Expr(f"{kind}_{t.name}({e.text})", lambda s: [how(x) for x in e.of(s)])

    def variable(self, t):
        names = [v for v, kind in self.types.items() if kind is t]
        if not names:
            return None
        name = self.pick(names)
        self.reading.add(name)
        return Expr(name, lambda s: s.value(name))

    def value(self, t, op=None):
        """For an operator: what it can take without overflow."""
        if not op and t.name in ("int", "uint") and self.chance(0.1):  # a host variable, the same for all threads
            text, of = ("n", lambda s: s.n) if t.name == "int" else ("more", lambda s: MORE)
            return Expr(text, lambda s: [of(s)] * s.size)
        e = self.variable(t) if self.chance(0.4) else None
        if e:
            return e
        if op and not t.fields and op.text in ("rop_mul", "*") and self.chance(0.9):
            return self.made(t, self.uint(), "sign")
        return self.made(t, self.below(self.uint(), self.pick([2, 3, 10])) if self.chance(0.2) else self.uint(), self.pick(["make", "make", "wide"]))

    def key(self, t):
        """Values of which some are equal: here and there, in runs, or all."""
        r = self.random.random()
        if r < 0.3:
            return self.value(t)
        if r < 0.6:
            return self.made(t, self.below(self.uint(), self.pick([1, 2, 5, 100])), "wide")
        return self.made(t, self.below(self.scattered(self.divided(self.rank(), self.pick([2, 7, 64, 300]))), self.pick([2, 3, 1000])), "wide")

    def of_type(self):
        return TYPES[self.pick(DRAWN)]

    def operator(self):
        op = self.pick(LAMBDAS if self.chance(0.25) else OPERATORS)
        t = self.pick(op.types)
        if t.name == "Wide" and self.block > 256:  # more than a block's shared memory
            raise Impossible
        return op, t

    # ---- conditions
    def flag(self, all_of=0.1, none_of=0.1):
        r = self.random.random()
        if r < all_of:
            return Expr(self.pick(["true", "thread.rank >= 0"]), lambda s: [True] * s.size)
        if r < all_of + none_of:
            return Expr(self.pick(["false", "thread.rank < 0"]), lambda s: [False] * s.size)
        if r < 0.3:
            text, where = self.pick([("0", lambda n: 0), ("thread.size - 1", lambda n: n - 1), ("thread.size / 2", lambda n: n // 2)])
            op, holds = self.pick([("==", lambda a, b: a == b), ("!=", lambda a, b: a != b), (">", lambda a, b: a > b)])
            return Expr(f"thread.rank {op} {text}", lambda s: [holds(i, where(s.size)) for i in range(s.size)])
        if r < 0.5:
            return self.in_runs(self.pick([3, 37, 64, 256, 500]))
        if r < 0.6:
            return self.variable(TYPES["bool"]) or self.flag()
        e = self.uint()
        if r < 0.7:
            return Expr(f"{e.text} & 4u", lambda s: [bool(x & 4) for x in e.of(s)])  # not 0 or 1
        limit = self.pick([1, 10, 50, 90, 99])
        if r < 0.9:
            e = self.scattered(e)
        return Expr(f"{e.text} % 100u < {limit}u", lambda s: [x % 100 < limit for x in e.of(s)])

    def in_runs(self, length):
        e = self.scattered(self.divided(self.rank(), length))
        return Expr(f"({e.text} & 1u) != 0u", lambda s: [bool(x & 1) for x in e.of(s)])

    def other_rank(self, size_text, size_of):
        """A rank below size_text, for gets."""
        e = self.pick([lambda: self.uint(1), lambda: Expr("(uint)thread.rank + 1u", lambda s: [i + 1 for i in range(s.size)])])()
        return Expr(f"(int)(({e.text}) % (uint){size_text})", lambda s: [x % size_of(s) for x in e.of(s)])

    def injective(self):
        k = self.number(6)
        return self.pick([
            Expr(f"thread.rank + {k}", lambda s: [i + k for i in range(s.size)]),
            Expr(f"thread.rank - {k}", lambda s: [i - k for i in range(s.size)]),
            Expr("thread.size - 1 - thread.rank", lambda s: [s.size - 1 - i for i in range(s.size)]),
            Expr(f"(thread.rank + {k}) % thread.size", lambda s: [(i + k) % s.size for i in range(s.size)])])
