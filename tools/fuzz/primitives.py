#!/usr/bin/env python3
"""Prints a random BSGP program that uses the primitives, in the middle of its spawn and from the host: primitives.py SEED [--expected]

Everything it prints is known beforehand from a serial computation with exact numbers (oracle.py), except sums of floats that are not
exact: those must have the same bits on every target. The program has no race, no undefined behaviour and no overflow, by construction:
what a statement would do is carried out first for all sizes, and statements that cannot be are not taken.
"""
import sys

from oracle import Impossible
from primitive_arrays import Arrays
from primitive_forms import Forms
from primitive_program import Program, State, Statement
from primitive_threads import Threads

SIZES = [0, 1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 250, 255, 256, 257, 300, 509, 511, 512, 513, 640, 997, 1021, 1024]
LARGER = [2047, 3001, 4099, 5003]
BLOCKS = [1, 3, 31, 64, 100, 128, 512, 1000, 1024]
STEPS = {
    "reduction": 4, "scanned": 5, "segmented": 3, "wrapped": 1, "method": 1, "rounds": 2, "nested": 2, "inexact": 1, "compacted": 4, "unique": 2, "segment_reduction": 2, "key_reduction": 2, "histogram": 2,
    "mapped": 2, "referred": 3, "smallest": 2,
    "kill": 3, "fork": 3, "split_threads": 3, "sort_threads": 2, "sort_with_less": 1, "sort_pairs": 1, "sort_index": 2, "turned": 1, "resized": 1, "par": 3,
    "declared": 3, "assigned": 2, "looped": 1, "barrier": 1, "get": 5, "put": 3, "saved": 2, "list_read": 2, "host_call": 2,
}
ARMS = ["reduction", "scanned", "scanned", "segmented", "compacted", "unique", "segment_reduction", "key_reduction", "histogram", "sort_index", "wrapped", "nested", "method", "rounds"]


class Generator(Threads, Arrays, Forms):
    def __init__(self, seed, without=()):
        super().__init__(seed)
        self.without = without

    def take(self, made):
        """The statement stands: its names can be used by the next."""
        if made.only is not None:
            self.types, self.rough = {}, {}
        self.types.update(made.adds["types"])
        self.hosts.update(made.adds["hosts"])
        self.lists.update(made.adds["lists"])
        self.bins.update(made.adds["bins"])
        self.rough.update(made.adds["rough"])

    def attempt(self, kind, states):
        """Makes a statement and carries it out, or changes nothing."""
        self.reading = set()
        tried = [s.copy() for s in states]
        made = getattr(self, kind)()
        for s in tried:
            made.apply(s)
        made.reads |= self.reading
        states[:] = tried
        return made

    def step(self, states):
        weights = {kind: w for kind, w in STEPS.items() if kind not in self.without}
        for _ in range(100):
            kind = self.random.choices(list(weights), list(weights.values()))[0]
            try:
                made = self.par_of(states) if kind == "par" else self.attempt(kind, states)
            except (Impossible, KeyError):
                continue
            self.take(made)
            return made
        raise RuntimeError("no statement is possible")

    # ---- par
    def arm(self, states, taken):
        """One arm: a statement or two; taken: (reads, writes) of the arms before."""
        kinds = [k for k in ARMS if k not in self.without]
        made = self.attempt(self.pick(kinds), states)
        if self.chance(0.3):
            self.take(made)
            made = self.in_braces(made, self.attempt(self.pick(kinds), states))
        elif len(made.lines) > 1:
            made = self.in_braces(made, Statement([]))
        reads, writes = taken
        if made.writes & (reads | writes) or made.reads & writes:
            raise Impossible
        return made

    def in_braces(self, first, second):
        first.adds["types"], second.adds["types"] = {}, {}  # a variable of the braces ends with them
        both = first.joined(second)
        both.reads = first.reads | second.reads
        both.lines = ["{", *("  " + line for line in both.lines), "}"]
        return both

    def par_of(self, states):
        if any(s.pending for s in states):
            raise Impossible
        before, kept = [s.copy() for s in states], (dict(self.types), dict(self.hosts), dict(self.lists), dict(self.bins))
        try:
            arms, reads, writes = [], set(), set()
            for _ in range(self.pick([2, 2, 3])):
                self.types, self.hosts, self.lists, self.bins = (dict(k) for k in kept)
                arms.append(self.arm(states, (reads, writes)))
                reads, writes = reads | arms[-1].reads, writes | arms[-1].writes
        except (Impossible, KeyError):
            states[:] = before
            raise Impossible from None
        finally:
            self.types, self.hosts, self.lists, self.bins = (dict(k) for k in kept)
        made = arms[0]
        for other in arms[1:]:
            made = made.joined(other)

        def apply(s, inner=made.apply):
            inner(s)
            for name in writes:
                s.settled.pop(name, None)
        made.apply, made.lines, made.reads = apply, ["par {", *("  " + line for line in made.lines), "}"], reads
        made.uses.add("par")
        for s in states:
            for name in writes:
                s.settled.pop(name, None)
        return made

    # ---- the program
    def sizes(self):
        if self.chance(0.02):
            return [70001]
        sizes = self.random.sample(SIZES, 3)
        return sizes + [self.pick(LARGER) if self.chance(0.25) else self.pick(SIZES)]

    def program(self):
        sizes = self.sizes()
        long_ranks = self.chance(0.2)
        program = Program(self.seed, sizes, "(long)n" if long_ranks else "n", self.pick(BLOCKS) if self.chance(0.4) else None)
        self.block = program.block or 256
        states = [State(n) for n in sizes]
        made = [self.attempt("declared", states)]
        self.take(made[0])
        for _ in range(self.random.randint(2, 9)):
            made.append(self.step(states))
        if any(s.pending for s in states):
            made.append(self.attempt("barrier", states))
        for name in [*self.types, *self.rough]:
            made.append(self.saved(name))
        for _ in range(0 if "arrays" in self.without else self.pick([0, 0, 1, 2])):
            made.append(self.array_step(states))
        used = (["long ranks"] if long_ranks else []) + ([f"block({program.block})"] if program.block else []) + [f"{n} threads" for n in sizes if n in (0, 1, 70001)]
        made[0].uses |= set(used)
        program.statements = made
        return program


def generate(seed, without=()):
    """without: steps not to be taken."""
    return Generator(seed, without).program()


if __name__ == "__main__":
    program = generate(int(sys.argv[1]))
    print("\n".join(program.expected()) if "--expected" in sys.argv else program.text(), end="\n" if "--expected" in sys.argv else "")
