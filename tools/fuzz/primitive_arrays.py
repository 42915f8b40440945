"""Random uses of the primitives on arrays and lists, from host code after the spawn."""
from oracle import KEYS, PARTS, TYPES, Impossible, counted, make, mixed, order, scan
from primitive_program import Statement, new_bins, new_host, show_array, shown
from primitive_values import Expr


class Arrays:
    def length(self):
        return self.pick([("n", lambda n: n), ("n / 2", lambda n: n // 2), ("n * 2 + 1", lambda n: n * 2 + 1), ("0", lambda n: 0), ("(long)n", lambda n: n)])

    def array(self, t, kind=None, below=None):
        """(name, lines that make it, the numbers n of them(s), its length in the program)"""
        name, salt = self.fresh("p"), self.number(100000)
        text, of = self.length()
        kind = kind or self.pick(["make", "wide"])
        h = f"mixed((uint)thread.rank, {salt}u)" + (f" % {below}u" if below else "")
        self.listed = self.chance(0.5)
        lines = [*self.room(t, name, text), f"spawn ({text})", f"  {name}[thread.rank] = {kind}_{t.name}({h});"]

        def values(s):  # the same function, applied here
            hashes = [mixed(i, salt) % below if below else mixed(i, salt) for i in range(of(s.n))]
            return self.applied(t, kind, hashes)
        return name, lines, values, text

    def room(self, t, name, text):
        if self.listed:
            return [f"dlist({t.name}) {name};", f"{name}.resize({text});"]
        return [f"{t.name}* {name} = dtempnew[({text}) + 1]{t.name};"]

    def called(self, function, *arguments):
        """A list knows its length."""
        return f"{function}({', '.join(a for a in arguments if a)});"

    def use_of(self, kind):
        return f"{kind} of {'lists' if self.listed else 'arrays'}"

    def applied(self, t, kind, hashes):
        return self.made(t, Expr("", lambda s: hashes), kind).of(None)

    def array_reduction(self):
        op, t = self.operator()
        name, lines, values, text = self.array(t, self.pick(["make", "make", "wide"]) if t.fields or op.text not in ("rop_mul", "*") else "sign")
        kind, total, kept = self.pick(["reduce", "scan", "scan_inclusive"]), self.fresh("t"), {}

        def apply(s):
            up_to, before, all_of = scan(op, t, values(s))
            kept[s.n] = all_of, {"reduce": values(s), "scan": before, "scan_inclusive": up_to}[kind]
        host = new_host(total, t)
        call = self.called(kind, op.text, name, None if self.listed else text)
        after = lines + [f"{t.name} {total} = {call}"] + host.after + show_array(name, t, name, text)

        def expected(s):
            s.hosts[total] = kept[s.n][0]
            return host.expected(s) + [shown(name, t, kept[s.n][1])]
        return Statement([self.use_of(kind), f"operator {op.name}"], [], apply, [], after, expected)

    def array_histogram(self):
        t, count = TYPES[self.pick(["int", "uint", "long", "ulong", "uchar", "char", "short", "ushort"])], self.pick([1, 7, 256, 1000])
        name, lines, values, text = self.array(t, None, self.pick([None, count, count + 5]))
        bins = self.fresh("b")
        made = new_bins(bins, count, TYPES["int"])
        call = Statement([self.use_of("histogram")], apply=lambda s: s.bins.update({bins: counted(s.bins[bins], values(s))}))
        joined = made.joined(call)
        values_at = [f"{name}.data", f"{name}.n"] if self.listed else [name, text]
        joined.after = lines + [self.called("histogram", bins, str(count), *values_at)] + made.after
        return joined

    def array_sort(self):
        t = self.pick(KEYS + PARTS)
        name, lines, values, text = self.array(t, "wide", self.pick([None, None, 3, 200]))
        less, ordered = self.ordering(t) if (t.scalar or t.name == "Best") and self.chance(0.4) else (None, order)
        kinds = {"sort": self.sorted_alone, "sort_by_key": self.sorted_values, "sort_index": self.sorted_index, "sort_index_keys": self.sorted_index}
        kind = self.pick([k for k in kinds if not less or k != "sort_index"])
        more, arguments, along = kinds[kind](name, text)
        kept = {}

        def apply(s):
            keys = values(s)
            places = ordered(keys)
            kept[s.n] = [shown(name, t, keys if kind == "sort_index" else [keys[i] for i in places])]
            kept[s.n] += [shown(other, u, of(places)) for other, u, of in along]
        after = lines + more + [self.called(kind, arguments, None if self.listed else text, less)] + show_array(name, t, name, text)
        for other, u, _ in along:
            after += show_array(other, u, other, text)
        use = self.use_of(kind) + (" with an order" if less else "")
        return Statement([use, f"sorted {t.name}"], [], apply, [], after, lambda s: kept[s.n])

    # What is sorted along: (lines that make it, arguments, [(name, type, what it is of the order)]).
    def sorted_alone(self, name, text):
        return [], name, []

    def sorted_values(self, name, text):
        u, other, salt = self.of_type(), self.fresh("p"), self.number()
        lines = [*self.room(u, other, text), f"spawn ({text})", f"  {other}[thread.rank] = make_{u.name}(mixed((uint)thread.rank, {salt}u));"]
        return lines, f"{name}, {other}", [(other, u, lambda places: [make(u, mixed(i, salt)) for i in places])]

    def sorted_index(self, name, text):
        u, other = TYPES[self.pick(["int", "uint", "long", "ulong"])], self.fresh("p")
        return self.room(u, other, text), f"{name}, {other}", [(other, u, lambda places: places)]

    def array_step(self, states):
        kinds = [k for k in ("array_reduction", "array_reduction", "array_histogram", "array_sort") if k not in self.without]
        for _ in range(100):
            try:
                return self.attempt(self.pick(kinds), states)
            except (Impossible, KeyError):
                continue
        raise RuntimeError("no statement is possible")
