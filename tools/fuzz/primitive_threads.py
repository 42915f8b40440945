"""Random statements that end, multiply and reorder threads, and the ordinary ones: assignments, barriers, gets, puts."""
from oracle import KEYS, PARTS, TYPES, Impossible, order, raw
from primitive_pieces import places_of
from primitive_program import Statement, save
from primitive_values import Expr
from primitive_steps import Steps

COUNTS = ["int", "uint", "uchar", "short", "long"]


def most_threads(n):
    return max(3 * n, 1200) if n < 50000 else 2 * n


class Threads(Steps):
    # ---- other numbers of threads
    def renumbering(self, use, lines, parents, result=None):
        """parents(s): the old rank of each new thread. result: (name, type, values(s)), computed before the barrier."""
        old = self.fresh("old")
        reads_before = self.chance(0.3) and self.types
        if reads_before:
            v, e = self.pick(self.types), Expr("(uint)thread.rank + 1u", lambda s: [i + 1 for i in range(s.size)])
            t, seen = self.types[v], self.fresh("v")

        def apply(s):
            from_ranks = parents(s)
            values = result[2](s) if result else None
            s.reassign(from_ranks, most_threads)
            if result:
                s.vars[result[0]] = values
            if reads_before:
                there = s.settled[v]
                s.vars[seen] = [there[x % s.settled_size] for x in e.of(s)]
        types = {result[0]: result[1]} if result else {}
        if reads_before:
            lines = [f"require auto {old} = thread.size;", *lines, f"{t.name} {seen} = thread.get((int)(({e.text}) % (uint){old}), {v});"]
            types[seen] = t
        return Statement([use] + (["get by the ranks before"] if reads_before else []), lines, apply, types=types)

    def kill(self):
        flag = self.flag(0.03, 0.1)
        return self.renumbering("thread.kill", [f"thread.kill({flag.text});"], lambda s: [i for i, dead in enumerate(flag.of(s)) if not dead])

    def fork_counts(self, t):
        """Most 0; one large; all the same; small ones."""
        kind = self.number(6)
        if kind == 0:
            limit = self.pick([3, 20, 100])
            e = self.uint()
            return Expr(f"({t.name})({e.text} % 100u < {limit}u ? {e.text} % 4u : 0u)", lambda s: [x % 4 if x % 100 < limit else 0 for x in e.of(s)])
        if kind == 1:
            many, rest = self.pick([100, 127]) if t.name == "uchar" else self.pick([100, 300, 1000]), self.pick([0, 1])
            return Expr(f"({t.name})(thread.rank == thread.size / 3 ? {many} : {rest})", lambda s: [many if i == s.size // 3 else rest for i in range(s.size)])
        if kind == 2:
            k = self.pick([0, 1, 1, 2, 2, 3])
            return Expr(f"({t.name}){k}", lambda s: [k] * s.size)
        if kind == 3:
            flag = self.in_runs(self.pick([100, 256, 700]))
            return Expr(f"({t.name})({flag.text} ? 2 : 0)", lambda s: [2 if f else 0 for f in flag.of(s)])
        e = self.below(self.uint(), self.pick([2, 3, 5]))
        return Expr(f"({t.name})({e.text})", e.of)

    def fork(self):
        t, name = TYPES[self.pick(COUNTS)], self.fresh("v")
        e = self.fork_counts(t)
        kept = []

        def parents(s):
            kept[:] = [i for i, n in enumerate(e.of(s)) for _ in range(n)]
            return kept

        def numbers(s):
            return [k for n in e.of(s) for k in range(n)]
        lines = [f"int {name} = (int)thread.fork({e.text});"]
        return self.renumbering("thread.fork", lines, parents, (name, TYPES["int"], numbers))

    def split_threads(self):
        side = self.flag()
        total = []

        def parents(s):
            sides = side.of(s)
            low = [i for i, high in enumerate(sides) if not high]
            total[:] = [len(low)]
            return low + [i for i, high in enumerate(sides) if high]
        return self.result(TYPES["long"], f"thread.split({side.text})", lambda s: s.reassign(parents(s), most_threads), lambda s: total[0], ["thread.split"])

    def sort_threads(self):
        t = self.pick(KEYS + PARTS)
        e = self.key(t)

        def apply(s):
            s.reassign(order(e.of(s)), most_threads)
            s.settled = {}
        return Statement(["thread.sortby", f"sorted {t.name}"], [f"thread.sortby({e.text});"], apply)

    def ordering(self, t):
        """What sorts t, and the order of keys by it."""
        if self.chance(0.3):
            return self.lambda_order(t)
        less = "before_best" if t.fields else self.pick(["before", "after", "<", ">"])
        return less, lambda keys: order(keys, less in ("after", ">"))

    def sort_with_less(self):
        t = self.pick(KEYS + [TYPES["Best"]] * 3)
        e = self.key(t)
        less, ordered = self.ordering(t)

        def apply(s):
            s.reassign(ordered(e.of(s)), most_threads)
            s.settled = {}
        return Statement(["thread.sortby with an order", f"sorted {t.name}"], [f"thread.sortby({e.text}, {less});"], apply)

    def sort_pairs(self):
        """Only key and value are left."""
        t, u = self.pick(KEYS + PARTS), self.of_type()
        key, value, a, b = self.key(t), self.value(u), self.fresh("v"), self.fresh("v")

        def apply(s):
            keys, values = key.of(s), value.of(s)
            places = order(keys)
            s.barrier()
            s.vars = {a: [keys[i] for i in places], b: [values[i] for i in places]}
            s.settled = {}
        made = Statement(["thread.sortby of pairs", f"sorted {t.name}"], [f"{t.name} {a} = {key.text};", f"{u.name} {b} = {value.text};", f"thread.sortby({a}, {b});"], apply, types={a: t, b: u})
        made.only = {a, b}
        return made

    def sort_index(self):
        t, name = self.pick(KEYS + PARTS), self.fresh("v")
        e = self.key(t)
        less, ordered = self.ordering(t) if t.scalar and self.chance(0.3) else (None, order)

        def apply(s):
            places = ordered(e.of(s))
            s.barrier()
            s.vars[name] = places
        call = f"sort_idx({e.text}, {less})" if less else f"sort_idx({e.text})"
        return Statement(["sort_idx with an order" if less else "sort_idx", f"sorted {t.name}"], [f"int {name} = (int){call};"], apply, types={name: TYPES["int"]}, writes=[name])

    def turned(self):
        def apply(s):
            s.reassign(list(range(s.size - 1, -1, -1)), most_threads)
        return Statement(["RANK_REASSIGNED"], ["barrier(RANK_REASSIGNED);", "thread.oldrank = thread.size - 1 - thread.rank;"], apply)

    def resized(self):
        """As many threads as a host value says."""
        host, old = self.pick(self.hosts), self.fresh("old")
        t = self.hosts[host]

        def apply(s):
            count = raw(t, s.hosts[host]) % 700 if s.size else 0
            s.reassign([i % s.size for i in range(count)], most_threads)
        lines = [f"require auto {old} = thread.size;", "barrier(RANK_REASSIGNED);", f"require thread.size = {old} == 0 ? 0 : (int)(raw({host}) % 700u);", f"thread.oldrank = thread.rank % {old};"]
        return Statement(["thread.size from a result"], lines, apply)

    # ---- ordinary statements
    def declared(self):
        t = self.of_type()
        name, e = self.fresh("v"), self.value(t)

        def apply(s):
            s.vars[name] = e.of(s)
        return Statement([f"type {t.name}"], [f"{t.name} {name} = {e.text};"], apply, types={name: t}, writes=[name])

    def assigned(self):
        name = self.pick(self.types)
        t = self.types[name]
        e, flag = self.value(t), self.flag()

        def apply(s):
            s.vars[name] = [x if f else old for x, f, old in zip(e.of(s), flag.of(s), s.value(name))]
        return Statement(["assignment under a condition"], [f"if ({flag.text})", f"  {name} = {e.text};"], apply, writes=[name])

    def looped(self):
        name = self.pick(v for v, t in self.types.items() if t.name == "uint")
        e = self.uint()

        def turn(x, times):
            for i in range(times):
                x = (x * 5 + i) & 0xFFFFFFFF
            return x

        def apply(s):
            s.vars[name] = [turn(x, c & 7) for x, c in zip(s.value(name), e.of(s))]
        return Statement(["loop"], [f"for (uint i = 0, end = {e.text} & 7u; i < end; i++)", f"  {name} = {name} * 5u + i;"], apply, writes=[name])

    def barrier(self):
        return Statement(["barrier"], ["barrier;"], lambda s: s.barrier())

    def part_of(self, name):
        """(text, type, number) of a variable or a part of it."""
        t = self.types[name]
        if t.scalar or self.chance(0.5):
            return name, t, None
        places = places_of(t, name)
        k = self.number(len(places))
        return places[k], t.parts[k], k

    def get(self):
        name, seen = self.pick(self.types), self.fresh("v")
        text, t, part = self.part_of(name)
        e = self.other_rank("thread.size", lambda s: s.size)

        def apply(s):
            if s.renumbered:
                raise Impossible
            there = s.settled[name]
            s.vars[seen] = [there[x] if part is None else there[x][part] for x in e.of(s)]
            if None in s.vars[seen]:
                raise Impossible
        return Statement(["thread.get"] + (["get of a part"] if part is not None else []), [f"{t.name} {seen} = thread.get({e.text}, {text});"], apply, types={seen: t}, writes=[seen])

    def put(self):
        name = self.pick(self.types)
        text, t, part = self.part_of(name)
        to, e = self.injective(), self.value(t)

        def apply(s):
            if s.put_to(name, part):
                raise Impossible
            s.pending[name, part] = dict(zip(to.of(s), e.of(s)))
        return Statement(["thread.put"] + (["put to a part"] if part is not None else []), [f"thread.put({to.text}, {text}, {e.text});"], apply, writes=[name])

    def saved(self, name=None):
        name = name or self.pick([*self.types, *self.rough])
        return save(self.fresh("s")[1:], name, self.types.get(name) or self.rough[name])
