"""Random statements of a spawn: the primitives, and what programs have between them."""
from oracle import KEYS, OPERATORS, TYPES, Impossible, counted, make, order, placed, raw, run_ends, run_heads, scan
from primitive_pieces import places_of
from primitive_program import UNKNOWN, Statement, new_bins, new_host, new_list
from primitive_values import Values

FLAGS = ["LIST_APPEND", "LIST_CLEAR", "LIST_FIXED"]
ROUGH = {"float": "(float)({0} % 1000u) * 0.37f + 0.01f", "double": "(double)({0} % 1000u) * 0.37 + 0.01"}


class Place:
    """A variable, or a part of one, that a collective changes."""

    def __init__(self, text, name=None, part=None, lines=(), prepare=lambda s: None, adds=None):
        self.text, self.name, self.part, self.lines, self.prepare, self.adds = text, name or text, part, list(lines), prepare, adds or {}
        self.uses = [] if part is None else ["a part by reference"]

    def values(self, s):
        values = s.value(self.name)
        return values if self.part is None else [x[self.part] for x in values]

    def change(self, s, values):
        k = self.part
        s.change(self.name, values if k is None else [(*x[:k], y, *x[k + 1:]) for x, y in zip(s.value(self.name), values)])


class Steps(Values):
    def __init__(self, seed):
        super().__init__(seed)
        self.lists, self.bins = {}, {}

    # ---- results
    def result(self, t, call, first, value, uses=()):
        """Assigns what a collective returns, a number t: to a host variable, a new variable, or within an expression.
        first(s): the collective; value(s): the result."""
        form = self.pick(["host", "new", "expression", "none"])
        if form == "none":
            return Statement(uses, [f"{call};"], first)
        if form == "host":
            name = self.fresh("h")

            def apply(s):
                first(s)
                s.hosts[name] = value(s)
            made = new_host(name, t).joined(Statement(uses, [f"{name} = {call};"]), apply)
            return made
        name = self.fresh("v")
        k = self.number(50)
        kind, text, of = (t, call, value) if form == "new" else (TYPES["uint"], f"raw({call}) + {k}u", lambda s: (raw(t, value(s)) + k) & 0xFFFFFFFF)

        def apply_new(s):
            first(s)
            s.vars[name] = [of(s)] * s.size
        return Statement(uses, [f"{self.pick(['auto ', kind.name + ' ', ''])}{name} = {text};"], apply_new, types={name: kind}, writes=[name])

    # ---- reductions and scans
    def reduction(self):
        op, t = self.operator()
        e = self.value(t, op)
        total, call = [], self.pick(["reduce", "reduce", "reduce", "handed", "given"])

        def first(s):
            total[:] = [scan(op, t, e.of(s))[2]]
            s.barrier()
        made = self.result(t, f"{call}({op.text}, {e.text})", first, lambda s: total[0])
        made.uses |= {"reduce" if call == "reduce" else "an operator handed on", f"operator {op.name}", f"reduced {t.name}"}
        return made

    def in_place(self, t, op=None):
        """What is to be changed by reference: an old variable, a part of one, or a new copy of something."""
        names = [v for v, kind in self.types.items() if kind is t]
        if names and self.chance(0.4):
            return Place(self.pick(names))
        parts = [(text, v, k) for v, kind in self.types.items() if not kind.scalar for k, text in enumerate(places_of(kind, v)) if kind.parts[k] is t]
        if parts and self.chance(0.5):
            return Place(*self.pick(parts))
        e, name = self.value(t, op), self.fresh("v")

        def prepare(s):
            s.vars[name] = e.of(s)
        return Place(name, lines=[f"{t.name} {name} = {e.text};"], prepare=prepare, adds={name: t})

    def scanned(self):
        op, t = self.operator()
        place = self.in_place(t, op)
        inclusive = self.chance(0.5)
        kind = "scan_inclusive" if inclusive else "scan"
        total = []

        def first(s):
            place.prepare(s)
            up_to, before, all_of = scan(op, t, place.values(s))
            total[:] = [all_of]
            place.change(s, up_to if inclusive else before)
        made = self.result(t, f"{kind}({op.text}, {place.text})", first, lambda s: total[0], [kind, f"operator {op.name}", f"scanned {t.name}", *place.uses])
        made.lines = place.lines + made.lines
        made.adds["types"].update(place.adds)
        made.writes.add(place.name)
        return made

    def segmented(self):
        op, t = self.operator()
        head, place = self.flag(), self.in_place(t, op)
        inclusive = self.chance(0.5)
        kind = "segmented_scan_inclusive" if inclusive else "segmented_scan"

        def apply(s):
            heads = head.of(s)
            place.prepare(s)
            up_to, before, _ = scan(op, t, place.values(s), heads)
            place.change(s, up_to if inclusive else before)
        lines = place.lines + [f"{kind}({op.text}, {place.text}, {head.text});"]
        return Statement([kind, f"operator {op.name}", f"scanned {t.name}", *place.uses], lines, apply, types=place.adds, writes=[place.name])

    def nested(self):
        """A collective in the argument of one, or several in an expression: from left to right, what stands before them as it was."""
        (op, t), (inner, u) = self.operator(), self.operator()
        a, b, name = self.uint(), self.value(u, inner), self.fresh("v")
        if self.chance(0.5):
            c = self.value(t, op)

            def apply_two(s):
                left, first = a.of(s), scan(inner, u, b.of(s))[2]
                s.barrier()
                second = scan(op, t, c.of(s))[2]
                s.barrier()
                s.vars[name] = [x ^ raw(u, first) ^ raw(t, second) for x in left]
            return Statement(["two collectives in an expression"], [f"uint {name} = {a.text} ^ raw(reduce({inner.text}, {b.text})) ^ raw(reduce({op.text}, {c.text}));"], apply_two,
                             types={name: TYPES["uint"]}, writes=[name])
        places = self.pick(["", "sort_idx"])

        def apply(s):
            left, first = a.of(s), b.of(s)
            numbers = order(first) if places else [scan(inner, u, first)[2]] * s.size
            kind = TYPES["int"] if places else u
            s.barrier()
            total = scan(op, t, [make(t, x ^ raw(kind, y)) for x, y in zip(left, numbers)])[2]
            s.barrier()
            s.vars[name] = [total] * s.size
        if places and not u.scalar:
            raise Impossible
        call = f"(int)sort_idx({b.text})" if places else f"reduce({inner.text}, {b.text})"
        return Statement(["a collective in a collective's argument"], [f"{t.name} {name} = reduce({op.text}, make_{t.name}({a.text} ^ raw({call})));"], apply, types={name: t}, writes=[name])

    def wrapped(self):
        flag, e, name = self.flag(), self.uint(), self.fresh("v")

        def apply_count(s):
            flags = flag.of(s)
            s.barrier()
            s.vars[name] = [sum(flags[:i]) for i in range(s.size)] if s.size < 600 else list(before(flags))

        def before(flags):
            total = 0
            for f in flags:
                yield total
                total += bool(f)

        def apply_spread(s):
            values = e.of(s)
            s.barrier()
            s.vars[name] = [(max(values) - min(values)) & 0xFFFFFFFF] * s.size if values else []
        text, apply = (f"counted_before({flag.text})", apply_count) if self.chance(0.5) else (f"spread({e.text})", apply_spread)
        return Statement(["a collective of collectives"], [f"uint {name} = {text};"], apply, types={name: TYPES["uint"]}, writes=[name])

    def method(self):
        """A collective function of a struct, with a const parameter that has a default value."""
        e, name, by, rounds = self.uint(), self.fresh("v"), self.number(1000), self.pick([None, 1, 3])

        def apply(s):
            values, total = e.of(s), 0
            for k in range(rounds or 2):
                total = (total * 31 + max([(x * by + k * 5) & 0xFFFFFFFF for x in values], default=0)) & 0xFFFFFFFF
            s.barrier()
            s.vars[name] = [total] * s.size
        more = f", {rounds}" if rounds else ""
        return Statement(["a collective function of a struct"], [f"uint {name} = Scaled({by}u).largest({e.text}{more});"], apply, types={name: TYPES["uint"]}, writes=[name])

    def rounds(self):
        """Reductions in rounds that are written out, one after the other or as arms of a par."""
        (op, t), e, name, count, arms = self.operator(), self.uint(), self.fresh("v"), self.pick([2, 3]), self.chance(0.4)
        parts, k = self.fresh("r"), self.fresh("k")

        def apply(s):
            if arms and s.pending:
                raise Impossible
            totals = []
            for i in range(count):
                totals.append(raw(t, scan(op, t, [make(t, x ^ i * 77) for x in e.of(s)])[2]))
                if not arms or i == count - 1:
                    s.barrier()
            all_of = 0
            for total in totals:
                all_of = (all_of * 31 + total) & 0xFFFFFFFF
            s.vars[name] = [all_of] * s.size
        loop = [f"unroll for (int {k} = 0; {k} < {count}; {k}++)", f"  {parts}[{k}] = raw(reduce({op.text}, make_{t.name}({e.text} ^ (uint){k} * 77u)));"]
        loop = ["par {", *("  " + line for line in loop), "}"] if arms else loop
        lines = [f"uint {parts}[{count}], {name} = 0u;", *loop, f"for (int {k} = 0; {k} < {count}; {k}++)", f"  {name} = {name} * 31u + {parts}[{k}];"]
        return Statement(["rounds as arms of par" if arms else "rounds written out"], lines, apply, types={name: TYPES["uint"]}, writes=[name])

    def inexact(self):
        """Sums that are not exact: the order of additions shows."""
        t = TYPES[self.pick(ROUGH)]
        e, name = self.uint(), self.fresh("r")
        value = ROUGH[t.name].format(f"({e.text})")
        kind = self.pick(["scan", "scan_inclusive", "reduce", "segmented_scan", "segmented_scan_inclusive"])
        op, head = self.pick(["rop_add", "+"]), self.flag()
        call = {"reduce": f"{name} = reduce({op}, {name});", "scan": f"scan({op}, {name});", "scan_inclusive": f"scan_inclusive({op}, {name});"}.get(kind, f"{kind}({op}, {name}, {head.text});")

        def apply(s):
            e.of(s), head.of(s)
            s.vars[name] = [UNKNOWN] * s.size
            s.change(name, [UNKNOWN] * s.size)
        return Statement([f"inexact {t.name}", kind], [f"{t.name} {name} = {value};", call], apply, writes=[name], rough={name: t})

    # ---- lists
    def list_of(self, t):
        """(name, statement): a list of type t, and what makes it if it is new."""
        names = [name for name, kind in self.lists.items() if kind is t]
        if names and self.chance(0.6):
            return self.pick(names), Statement([])
        name = self.fresh("l")
        text, of = self.pick([("0", lambda n: 0), ("n", lambda n: n), ("n / 2", lambda n: n // 2), ("n * 3 + 1300", lambda n: n * 3 + 1300)])
        return name, new_list(name, t, text, of, self.number())

    def to_list(self, kind, name, made, call, values):
        """A call that puts values(s) into a list and returns a number: values gives (what is put, the number)."""
        flag = self.pick(FLAGS)
        count = []

        def first(s):
            if name not in s.lists:
                made.apply(s)
            new, number = values(s)
            s.barrier()
            s.lists[name] = placed(s.lists[name], new, flag)
            count[:] = [number]
        result = self.result(TYPES["long"], call.format(flag), first, lambda s: count[0])
        joined = made.joined(result, result.apply)
        joined.writes.add(name)
        joined.uses |= {kind, flag}
        return joined

    def compacted(self):
        t = self.of_type()
        name, made = self.list_of(t)
        e, keep = self.value(t), self.flag()
        if self.chance(0.4):
            def sides(s):
                pairs = list(zip(e.of(s), keep.of(s)))
                low = [x for x, high in pairs if not high]
                return low + [x for x, high in pairs if high], len(low)
            return self.to_list("split", name, made, f"split({name}, {e.text}, {keep.text}, {{}})", sides)

        def kept(s):
            values = [x for x, k in zip(e.of(s), keep.of(s)) if k]
            return values, len(values)
        call = self.pick(["compact", "compact", "put_into"])
        return self.to_list("compact", name, made, f"{call}({name}, {e.text}, {keep.text}, {{}})", kept)

    def unique(self):
        t = self.pick(KEYS + [TYPES["Best"]])
        name, made = self.list_of(t)
        e = self.key(t)

        def values(s):
            keys = e.of(s)
            new = [x for x, head in zip(keys, run_heads(keys)) if head]
            return new, len(new)
        return self.to_list("unique", name, made, f"unique({name}, {e.text}, {{}})", values)

    def segment_reduction(self):
        op, t = self.operator()
        name, made = self.list_of(t)
        e, head = self.value(t, op), self.flag()

        def values(s):
            heads = head.of(s)
            sums = scan(op, t, e.of(s), heads)[0]
            new = [sums[i] for i in run_ends(heads)]
            return new, len(new)
        made = self.to_list("segmented_reduce", name, made, f"segmented_reduce({name}, {op.text}, {e.text}, {head.text}, {{}})", values)
        made.uses.add(f"operator {op.name}")
        return made

    def key_reduction(self):
        op, t = self.operator()
        kind = self.pick(KEYS + [TYPES["Best"]])
        keys_name, keys_made = self.list_of(kind)
        values_name, values_made = self.list_of(t)
        if keys_name == values_name:
            raise Impossible
        key, e = self.key(kind), self.value(t, op)
        flag, count = self.pick(FLAGS), []

        def first(s):
            for name, made in ((keys_name, keys_made), (values_name, values_made)):
                if name not in s.lists:
                    made.apply(s)
            keys = key.of(s)
            heads = run_heads(keys)
            sums, ends = scan(op, t, e.of(s), heads)[0], run_ends(heads)
            s.barrier()
            s.lists[keys_name] = placed(s.lists[keys_name], [keys[i] for i in ends], flag)
            s.lists[values_name] = placed(s.lists[values_name], [sums[i] for i in ends], flag)
            count[:] = [len(ends)]
        result = self.result(TYPES["long"], f"reduce_by_key({keys_name}, {values_name}, {op.text}, {key.text}, {e.text}, {flag})", first, lambda s: count[0])
        joined = keys_made.joined(values_made).joined(result, result.apply)
        joined.writes |= {keys_name, values_name}
        joined.uses |= {"reduce_by_key", flag, f"operator {op.name}"}
        return joined

    def list_read(self):
        """After a barrier of its own: what a collective put there may be read by everyone then."""
        name = self.pick(self.lists)
        t, e, v = self.lists[name], self.uint(), self.fresh("v")
        self.reading.add(name)

        def apply(s):
            s.barrier()
            values = s.lists[name]
            s.vars[v] = [values[x % len(values)] if values else make(t, x) for x in e.of(s)]
        lines = ["barrier;", f"uint at{v} = {e.text};", f"{t.name} {v} = make_{t.name}(at{v});", f"if ({name}.n > 0)", f"  {v} = {name}[at{v} % (uint){name}.n];"]
        return Statement(["list read"], lines, apply, types={v: t})

    def host_call(self):
        name, host = self.pick(self.bins), self.fresh("h")
        count, folded = self.bins[name], OPERATORS[[op.text for op in OPERATORS].index("^")]

        def apply(s):
            bits = scan(folded, TYPES["int"], s.bins[name])[2] & 0xFFFFFFFF
            s.hosts[host] = (bits + max(s.bins[name])) & 0xFFFFFFFF
        return new_host(host, TYPES["uint"]).joined(Statement(["primitives in a function called by require"], [f"require {host} = folded({name}, {count});"]), apply)

    def histogram(self):
        t = self.pick([TYPES[name] for name in ("int", "uint", "long", "ulong", "uchar", "char", "short", "ushort")])
        count = self.pick([1, 2, 10, 256, 1000])
        e = self.made(t, self.below(self.uint(), self.pick([count, count + 3])), "wide") if self.chance(0.7) else self.value(t)
        names = [name for name, c in self.bins.items() if c == count]
        name, made = (self.pick(names), Statement([])) if names and self.chance(0.5) else (self.fresh("b"), None)
        made = made or new_bins(name, count, TYPES["int"])
        read = self.fresh("v")

        def apply(s):
            if name not in s.bins:
                made.apply(s)
            values = e.of(s)
            s.barrier()
            s.bins[name] = counted(s.bins[name], values)
            s.vars[read] = [s.bins[name][i % count] for i in range(s.size)]
        lines = [f"histogram({name}, {count}, {e.text});", f"int {read} = {name}[thread.rank % {count}];"]
        return made.joined(Statement(["histogram", f"bins by {t.name}"], lines, types={read: TYPES["int"]}, writes=[name, read]), apply)
