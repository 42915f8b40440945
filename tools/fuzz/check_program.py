#!/usr/bin/env python3
"""Prints a random program with few mistakes: check_program.py SEED. For bsgpc's --check; check_program.py SEED oracle: what the oracle runs.

A program that has none, mostly, is made (check_spawn.py). Then it is changed (check_changes.py): a barrier or sync goes or becomes a weaker one, an
atomic becomes plain, an index is shifted, an array is shorter, freed early, not filled. What a thread accesses depends on its rank alone, so the
mistakes are those of every schedule.
"""
import dataclasses
import random
import re
import sys

import check_access
import check_changes
import check_kinds
import check_lists
import check_own
import check_spawn
import check_trace
from check_items import BEYOND, PAD, Item, Statement, Texts
from check_kinds import Array

SMALL = 60  # seeds up to this one make small programs, for the tests


@dataclasses.dataclass
class Written:
    """The two texts, and what the oracle has to know."""
    text: str
    oracle: str
    judge: check_trace.Judge
    places: dict  # {line: array that is allocated there, or "": of a thread}
    loose: set    # arrays of which the oracle cannot say
    vague: set    # arrays of which it knows whether there is a race, and not where


class Program(check_access.Accesses, check_spawn.Spawning, check_own.OwnVariables, check_lists.Lists, check_changes.Changes):
    """fills: {array: item of the spawn that writes it}. freed: {array: the spawn before which it is freed}. later: {list: what the host does to it between the spawns}."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed, self.change, self.arrays, self.spawns, self.freed, self.features, self.events = seed, "nothing", [], [], {}, set(), []
        self.small = seed <= SMALL
        self.n = self.pick([40, 70] if self.small else list(check_spawn.EXTENTS)[1:])
        self.inline, self.taken, self.later, self.stale, self.message = self.chance(0.5), set(), {}, False, None
        for i in range(self.random.randint(2, 2 if self.small else 4)):
            self.arrays.append(self.array(f"a{i}"))
        self.out = self.sized("float", "device", "out")
        self.fills = {a.name: Item(self.fill(a)) for a in self.arrays}
        if self.chance(0.4):
            self.message = [self.sized("int", "device", name) for name in ("data", "flag")]
        for number in range(self.pick([1, 1, 1, 1, 2] if self.small else [1, 1, 2])):
            self.spawns.append(self.spawn(number))
        if len(self.spawns) == 2:
            self.change_lists()

    # ---- arrays
    def array(self, name):
        kinds = [*check_kinds.BYTES] * 2 + [*check_kinds.VECTORS, *check_kinds.STRUCTS, *check_kinds.STRUCTS]
        whole = [a.kind for a in self.arrays if a.kind not in check_kinds.BYTES]  # so that there is what can be copied
        kind = self.pick(whole if whole and self.chance(0.4) else kinds)
        if self.chance(0.15):
            return self.rows(self.pick([k for k in check_kinds.BYTES if k != "bool"]), name)
        return self.sized(kind, self.pick(["device", "device", "device", "list"]), name)

    def free(self, count):
        """No other allocation has nearly as many bytes: they tell which one it is."""
        if any(abs(count - t) <= 32 for t in self.taken) or any(count == self.n * k for k in range(1, 33)):
            return False
        self.taken.add(count)
        return True

    def sized(self, kind, where, name, least=0):
        size = check_kinds.bytes_of(kind)
        least = max(least or self.n, 300 // size + 2)
        counts = [*range(least, least + 90)]
        self.random.shuffle(counts)
        counts += range(least + 90, least + 2000)
        return Array(kind, next(c for c in counts if self.free(c * size)), where, name)

    def rows(self, kind, name):
        """A row is short enough that the oracle knows what is a row outside."""
        width, height = self.extents()
        sizes = [(height + h, width + w) for h in range(40) for w in range(9)]
        self.random.shuffle(sizes)
        height, width = next(s for s in sizes if s[0] * s[1] * check_kinds.BYTES[kind] > 300 and self.free(s[0] * s[1] * check_kinds.BYTES[kind]))
        self.features.add("rows")
        return Array(kind, height * width, "device", name, rows=(height, width))

    def fill(self, array):
        value = re.sub(r"\br\b", "thread.rank", self.whole(array.kind).replace("(int)acc", "r"))
        return f"spawn (#) {{ {self.flat(array)}[thread.rank] = {value}; }}"

    @staticmethod
    def flat(array):
        return array.name + (".data" if array.rows else "")

    # ---- text
    def memory(self):
        """{bytes: Memory}, of the device's."""
        known = {a.bytes(): self.of(a) for a in [*self.arrays, self.out, *(self.message or []), *self.temporary()]}
        for a in self.arrays:
            if a.name in self.later and self.later[a.name].moves:
                known[self.later[a.name].room * check_kinds.bytes_of(a.kind)] = check_trace.Memory(a.name + " moved", check_kinds.bytes_of(a.kind), follows=a.name)
        return known

    def of(self, array):
        return check_trace.Memory(array.name, check_kinds.bytes_of(array.kind))

    def temporary(self):
        return [a for s in self.spawns for a in s.temporary]

    def written(self):
        items = [item for s in self.spawns for _, _, item in self.walk(s.items)]
        used = sorted({name for item in items for name in item.calls} | ({"sync_all"} if any("sync_all" in i.text for i in items) else set()))
        self.events = []
        functions = {name: len(check_kinds.DECLARED) + 2 + i for i, name in enumerate(used)}
        of_thread = {name: count for s in self.spawns for name, (_, count) in s.of_thread.items()}
        texts = Texts({**of_thread, "acc": 0}, functions)
        texts.statements.append(Statement("use", set()))
        texts.add(f"// Made by tools/fuzz/check_program.py {self.seed}: changed: {self.change}.")
        for line in [*check_kinds.DECLARED, *(check_access.function_text(name, self.inline) for name in used)]:
            texts.add(line)
        texts.add("int main() {", "MAIN")
        places = {}
        self.add_arrays(texts, places)
        shared = {}
        for number, spawn in enumerate(self.spawns):
            self.add_spawn(texts, number, spawn, places)
            shared.update({a.name: self.of(a) for a in spawn.shared})
        texts.add("  return 0;")
        texts.add("}")
        memory = self.memory()
        own, more = self.oracles(memory, len(texts.statements))
        text, oracle = "\n".join(texts.lines) + "\n", "\n".join(texts.oracle) + "\n"
        judge = check_trace.Judge({**memory, **more}, shared, texts.statements, self.events)
        changed = {a.name for a in self.message or [] if self.change != "nothing"}
        vague = changed if "last" in self.features else set()
        return Written(text, oracle.replace("MAIN", "int main() {" + own), judge, places, changed - vague, vague)

    def oracles(self, memory, statements):
        """Memory of the oracle's own: (how it is made, {bytes: Memory})."""
        known, made = {}, []

        def add(name, kind, count, of, elements=0):
            size = check_kinds.bytes_of(kind)
            while count * size in memory or count * size in known or any(abs(count * size - t) < 40 for t in self.taken) or count * size % self.n == 0:
                count += 41
            known[count * size] = check_trace.Memory(name, size, of, elements)
            made.append(f" {kind}* {name} = dnew[{count}]{kind};")

        add("mark", "uchar", max(300, statements), "mark")
        add("overflow", "uchar", 300, "overflow")
        add("event", "uchar", 300, "event")
        add("acc_", "float", self.n + 2 * BEYOND, "variable", self.n)
        made.append(" uchar* mark1 = mark; uchar* mark2 = mark;")
        made.append(f" spawn ({self.n}) acc_[{BEYOND} + thread.rank] = 1.0f;")
        for spawn in self.spawns:
            for name, (kind, count) in spawn.of_thread.items():
                if count:
                    add(name + "_", kind, self.n * (count + 2 * PAD), "thread", count)
                else:
                    add(name + "_", kind, self.n + 2 * BEYOND, "variable", self.n)
        return "".join(made), known

    def add_arrays(self, texts, places):
        for a in [*self.arrays, self.out, *(self.message or [])]:
            places[len(texts.lines) + 1] = a.name
            if a.rows:
                texts.add(f"  {a.kind}[,] {a.name} = dnew[{a.rows[0]}, {a.rows[1]}]{a.kind};")
            elif a.where == "list":
                texts.add(f"  dlist({a.kind}) {a.name}; {a.name}.resize({a.count});")
            else:
                texts.add(f"  {a.kind}* {a.name} = dnew[{a.count}]{a.kind};")
        for a in self.arrays:
            if a.name in self.fills:
                texts.add("  " + self.fills[a.name].text.replace("#", str(a.count)))
        for a in self.message or []:
            texts.add(f"  spawn ({a.count}) {a.name}[thread.rank] = 0;")
        if any(s.is_host for s in self.spawns):
            texts.add("  int yes = 1;")

    def add_spawn(self, texts, number, spawn, places):
        for name, at in self.freed.items():
            if at == number:
                texts.add(f"  dfree({name}{'.data' if next(a for a in self.arrays if a.name == name).rows else ''});")
        for a in self.arrays:
            if number == 1 and a.name in self.later:
                self.add_change(texts, a, places)
        texts.add(f"  spawn ({spawn.size}) block({spawn.block}) {{")
        texts.add("    int r = thread.rank;", "    int r = thread.rank, r0 = r;")
        texts.add("    int b = block.rank;")
        texts.add("    float acc = 1.0f;")
        for name, (kind, count) in spawn.of_thread.items():
            places[len(texts.lines) + 1] = ""
            texts.add(f"    {kind} {name}{f'[{count}]' if count else ''};", "")
        for a in spawn.shared:
            places[len(texts.lines) + 1] = a.name
            texts.add(f"    shared {a.kind} {a.name}[{a.count}];")
        first = len(texts.lines)
        texts.items(spawn.items, 4)
        for at, line in enumerate(texts.lines[first:], first + 1):
            for a in spawn.temporary:
                if f"require {a.kind}* {a.name} =" in line:
                    places[at] = a.name
        texts.add("  }")


def generate(seed):
    return Program(seed).mutate()


if __name__ == "__main__":
    made = generate(int(sys.argv[1])).written()
    print(made.oracle if sys.argv[2:] else made.text, end="")
