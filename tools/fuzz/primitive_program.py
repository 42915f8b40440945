"""A program of primitives as a list of statements that can also be carried out here: what it prints is known."""
from oracle import Impossible, checksum, hash_of, make, mixed
from primitive_pieces import MORE, TURN, prelude

KINDS = ("types", "hosts", "lists", "bins", "rough")
UNKNOWN = None  # a value whose last bits depend on the order of additions: compared between targets only


class State:
    """One run of the spawn, of n threads at first."""

    def __init__(self, n):
        self.n, self.size, self.peak = n, n, n
        self.vars, self.hosts, self.lists, self.bins = {}, {}, {}, {}
        self.settled, self.settled_size = {}, n  # at the last barrier
        self.renumbered = False                  # by the last barrier
        self.pending = {}                        # puts: (variable, part or None): {rank: value}

    def copy(self):
        other = State(self.n)
        for name, value in vars(self).items():
            setattr(other, name, dict(value) if isinstance(value, dict) else value)
        return other

    def value(self, name):
        values = self.vars[name]
        if UNKNOWN in values:
            raise Impossible
        return values

    def barrier(self):
        for (name, part), puts in self.pending.items():
            values = list(self.vars[name])
            for rank, value in puts.items():
                if 0 <= rank < self.size:
                    values[rank] = value if part is None else (*values[rank][:part], value, *values[rank][part + 1:])
            self.vars[name] = values
        self.pending = {}
        self.settled, self.settled_size, self.renumbered = dict(self.vars), self.size, False

    def put_to(self, name, part):
        return any(other == name and (part is None or p is None or p == part) for other, p in self.pending)

    def reassign(self, parents, limit):
        self.barrier()
        if len(parents) > limit(self.n):
            raise Impossible
        self.size, self.renumbered = len(parents), True
        self.peak = max(self.peak, self.size)
        self.vars = {name: [values[p] for p in parents] for name, values in self.vars.items()}

    def change(self, name, values):
        """A collective changes the variable: what that was at the last barrier is its own affair."""
        if self.put_to(name, None):
            raise Impossible
        self.barrier()
        self.vars[name] = values
        del self.settled[name]


class Statement:
    """lines: in the spawn; before, after: in the host function around it; apply: does the same to a state;
    expected: what `after` prints. types, hosts, lists, bins, rough: the names it adds. reads, writes: names, for par.
    only: when not None, the variables that are left."""

    def __init__(self, use, lines=(), apply=lambda s: None, before=(), after=(), expected=lambda s: [], writes=(), **adds):
        self.uses, self.lines, self.apply, self.before, self.after, self.expected = set(use), list(lines), apply, list(before), list(after), expected
        self.adds = {kind: dict(adds.get(kind, {})) for kind in KINDS}
        self.reads, self.writes, self.only = set(), set(writes), None

    def joined(self, other, apply=None):
        """Both, one after the other."""
        def both(s, first=self.apply, second=other.apply):
            first(s)
            second(s)
        adds = {kind: {**self.adds[kind], **other.adds[kind]} for kind in KINDS}
        return Statement(self.uses | other.uses, self.lines + other.lines, apply or both, self.before + other.before, self.after + other.after,
                         lambda s, a=self.expected, b=other.expected: a(s) + b(s), self.writes | other.writes, **adds)


def shown(name, t, values):
    """The line that tells an array."""
    sum_text = "?" if UNKNOWN in values else f"{checksum(hash_of(t, x) for x in values):x}"
    return f"{name} {len(values)} {sum_text}"


def show_array(name, t, place, count):
    """Code that prints it; place: an array or list of t in device memory."""
    return ["{", f"  ulong* hashes = dtempnew[{count} + 1]ulong;", f"  spawn ({count})", f"    hashes[thread.rank] = hash_of({place}[thread.rank]);",
            f'  printf("{name} %ld %lx\\n", (long)({count}), checksum(hashes, {count}));', "}"]


def new_list(name, t, length, length_of, salt):
    before = [f"{t.name}<> {name};", f"{name}.resize({length});", f"spawn ({name}.n)", f"  {name}[thread.rank] = make_{t.name}(mixed((uint)thread.rank, {salt}u));"]

    def apply(s):
        s.lists[name] = [make(t, mixed(i, salt)) for i in range(length_of(s.n))]
    return Statement([], [], apply, before, show_array(name, t, name, f"{name}.n"), lambda s: [shown(name, t, s.lists[name])], [name], lists={name: t})


def new_bins(name, count, t):
    before = [f"int* {name} = dtempnew[{count}]int;", f"spawn ({count})", f"  {name}[thread.rank] = thread.rank * 3;"]

    def apply(s):
        s.bins[name] = [i * 3 for i in range(count)]
    return Statement([], [], apply, before, show_array(name, t, name, str(count)), lambda s: [shown(name, t, s.bins[name])], [name], bins={name: count})


def new_host(name, t):
    after = [f'printf("{name} %lx\\n", (ulong)hash_of({name}));']
    return Statement([], [], before=[f"{t.name} {name};"], after=after, writes=[name], hosts={name: t},
                     expected=lambda s: [f"{name} ?" if s.hosts[name] is UNKNOWN else f"{name} {hash_of(t, s.hosts[name]):x}"])


def save(number, name, t):
    """Tells a variable of all threads."""
    place = f"S{number}"
    kept = {}

    def apply(s):
        kept[s.n] = shown(name, t, s.vars[name])
    return Statement([], [f"{place}[thread.rank] = hash_of({name});", f"require c{number} = thread.size;"], apply,
                     [f"ulong* {place} = dtempnew[cap]ulong;", f"long c{number} = 0;"],
                     [f'printf("{name} %ld %lx\\n", c{number}, checksum({place}, c{number}));'], lambda s: [kept[s.n]])


class Program:
    def __init__(self, seed, sizes, size_text, block):
        self.seed, self.sizes, self.size_text, self.block, self.statements = seed, sizes, size_text, block, []

    def with_statements(self, statements, sizes=None):
        other = Program(self.seed, sizes or self.sizes, self.size_text, self.block)
        other.statements = list(statements)
        return other

    def uses(self):
        return set().union(*(s.uses for s in self.statements))

    def finished(self):
        """The state at the end for each size; Impossible if a statement cannot be carried out."""
        states = [State(n) for n in self.sizes]
        try:
            for state in states:
                for statement in self.statements:
                    statement.apply(state)
        except (KeyError, IndexError, ZeroDivisionError, ValueError) as error:
            raise Impossible from error
        return states

    def expected(self):
        lines = []
        for state in self.finished():
            lines.append(f"{state.n} threads")
            for statement in self.statements:
                lines += statement.expected(state)
        return lines

    def text(self):
        states = self.finished()
        lines = [f"// Made by tools/fuzz/primitives.py {self.seed}.", f"// uses: {', '.join(sorted(self.uses()))}", prelude(), "run(int n, int cap) {", f"  uint turn = {TURN}u, more = {MORE}u;"]
        for statement in self.statements:
            lines += ["  " + line for line in statement.before]
        lines.append(f"  spawn ({self.size_text}){f' block({self.block})' if self.block else ''} {{")
        for statement in self.statements:
            lines += ["    " + line for line in statement.lines]
        lines += ["  }", '  printf("%d threads\\n", n);']
        for statement in self.statements:
            lines += ["  " + line for line in statement.after]
        lines += ["}", "", "main() {", *(f"  run({s.n}, {s.peak + 1});" for s in states), "}"]
        return "\n".join(lines) + "\n"


def difference(found, expected):
    """The first line that differs, or None. A line that ends in ? is not known to the oracle."""
    lines = found.splitlines()
    for i, line in enumerate(expected):
        here = lines[i] if i < len(lines) else "nothing"
        known = line[:-1] if line.endswith("?") else line
        if not (here.startswith(known) if line.endswith("?") else here == line):
            return told(here, line)
    return None if len(lines) == len(expected) else "more lines than expected"


def told(here, line):
    """Of long lines the words that differ."""
    words = list(zip(here.split(), line.split()))
    if len(words) < 12:
        return f"'{here}', should be '{line}'"
    differ = [(i, a, b) for i, (a, b) in enumerate(words) if a != b] or [(len(words), "nothing", "more")]
    return f"'{' '.join(line.split()[:2])}': " + ", ".join(f"word {i} is {a}, should be {b}" for i, a, b in differ[:3])


def reduced(program, still):
    """A program of fewer statements and sizes for which `still` holds."""
    def holds(other):
        try:
            return still(other)
        except Impossible:
            return False
    for n in program.sizes:
        if holds(program.with_statements(program.statements, [n])):
            program = program.with_statements(program.statements, [n])
            break
    before = None
    while before != len(program.statements):
        before = len(program.statements)
        for at in range(len(program.statements) - 1, -1, -1):
            smaller = program.with_statements(program.statements[:at] + program.statements[at + 1:])
            if holds(smaller):
                program = smaller
    return program
