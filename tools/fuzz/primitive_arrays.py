"""Random uses of the primitives on arrays, from host code after the spawn."""
from oracle import KEYS, TYPES, Impossible, counted, make, mixed, order, scan
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
        lines = [f"{t.name}* {name} = dtempnew[({text}) + 1]{t.name};", f"spawn ({text})", f"  {name}[thread.rank] = {kind}_{t.name}({h});"]

        def values(s):  # the same function, applied here
            hashes = [mixed(i, salt) % below if below else mixed(i, salt) for i in range(of(s.n))]
            return self.applied(t, kind, hashes)
        return name, lines, values, text

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
        after = lines + [f"{t.name} {total} = {kind}({op.text}, {name}, {text});"] + host.after + show_array(name, t, name, text)

        def expected(s):
            s.hosts[total] = kept[s.n][0]
            return host.expected(s) + [shown(name, t, kept[s.n][1])]
        return Statement([f"{kind} of an array", f"operator {op.text}"], [], apply, [], after, expected)

    def array_histogram(self):
        t, count = TYPES[self.pick(["int", "uint", "long", "ulong", "uchar", "char", "short", "ushort"])], self.pick([1, 7, 256, 1000])
        name, lines, values, text = self.array(t, None, self.pick([None, count, count + 5]))
        bins = self.fresh("b")
        made = new_bins(bins, count, TYPES["int"])
        call = Statement(["histogram of an array"], apply=lambda s: s.bins.update({bins: counted(s.bins[bins], values(s))}))
        joined = made.joined(call)
        joined.after = lines + [f"histogram({bins}, {count}, {name}, {text});"] + made.after
        return joined

    def array_sort(self):
        t = self.pick(KEYS)
        name, lines, values, text = self.array(t, "wide", self.pick([None, None, 3, 200]))
        kept = {}
        if self.chance(0.5):
            def apply(s):
                kept[s.n] = sorted(values(s))
            return Statement(["sort of an array", f"sorted {t.name}"], [], apply, [], lines + [f"sort({name}, {text});"] + show_array(name, t, name, text),
                             lambda s: [shown(name, t, kept[s.n])])
        u, other, salt = self.of_type(), self.fresh("p"), self.number()
        lines += [f"{u.name}* {other} = dtempnew[({text}) + 1]{u.name};", f"spawn ({text})", f"  {other}[thread.rank] = make_{u.name}(mixed((uint)thread.rank, {salt}u));"]

        def apply_pairs(s):
            keys = values(s)
            places = order(keys)
            kept[s.n] = [keys[i] for i in places], [make(u, mixed(i, salt)) for i in places]
        after = lines + [f"sort_by_key({name}, {other}, {text});"] + show_array(name, t, name, text) + show_array(other, u, other, text)
        return Statement(["sort_by_key of arrays", f"sorted {t.name}"], [], apply_pairs, [], after, lambda s: [shown(name, t, kept[s.n][0]), shown(other, u, kept[s.n][1])])

    def array_step(self, states):
        kinds = [k for k in ("array_reduction", "array_reduction", "array_histogram", "array_sort") if k not in self.without]
        for _ in range(100):
            try:
                return self.attempt(self.pick(kinds), states)
            except (Impossible, KeyError):
                continue
        raise RuntimeError("no statement is possible")
