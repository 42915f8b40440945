#!/usr/bin/env python3
"""Prints a random program with few mistakes: check_program.py SEED. Races and accesses outside of memory, for bsgpc's --check.

A program that has none, mostly, is made: kernels with arrays of the device and of blocks, barriers, block.sync, warp.sync, atomics, loops. Then
it is changed: a barrier or sync goes or becomes a weaker one, an atomic becomes plain, an index is shifted, an array is shorter, freed early.
What a thread accesses depends on its rank alone, so the mistakes are those of every schedule.
"""
import dataclasses
import random
import re
import sys

BYTES = {"int": 4, "uint": 4, "float": 4, "uchar": 1, "short": 2, "long": 8, "double": 8}
ATOMIC = ["int", "uint", "float", "long", "double"]
INDEX = re.compile(r"@\{(.*?)\}")
SYNCS = ["barrier;", "block.sync();", "warp.sync();"]


@dataclasses.dataclass
class Array:
    kind: str
    count: int
    shared: bool
    name: str

    def bytes(self):
        return BYTES[self.kind] * self.count


@dataclasses.dataclass
class Item:
    """A statement; an index in it is written @{index}. inner: of a loop or branch."""
    text: str
    inner: list = None

    def lines(self, indent):
        text = INDEX.sub(r"\1", self.text)
        if self.inner is None:
            return [" " * indent + text]
        return [" " * indent + text + " {", *(line for item in self.inner for line in item.lines(indent + 2)), " " * indent + "}"]


class Program:
    """spawns: for each its (threads, block, arrays of a block, items). freed: {array: the spawn before which it is freed}."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed, self.change, self.arrays, self.spawns, self.freed = seed, "nothing", [], [], {}
        self.n = self.random.choice([70, 96, 129, 200, 256, 300])
        taken = set()
        for i in range(self.random.randint(2, 4)):
            kind = self.random.choice(list(BYTES))
            least = max(self.n, 256 // BYTES[kind] + 2)
            count = self.random.choice([c for c in range(least, least + 90) if not {c * BYTES[kind] + d for d in range(-16, 17)} & taken])
            array = Array(kind, count, False, f"a{i}")
            taken.add(array.bytes())
            self.arrays.append(array)
        self.out = Array("float", self.random.choice([c for c in range(self.n, self.n + 90) if not {c * 4 + d for d in range(-16, 17)} & taken]), False, "out")
        for _ in range(self.pick([1, 1, 2])):
            self.spawns.append(self.spawn(len(self.spawns)))

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    # ---- what is right
    def spawn(self, number):
        block = self.pick([32, 64, 64, 100, 128])
        shared = [Array(self.pick(list(BYTES)), self.pick([block, block, block + 5, 2 * block]), True, f"s{number}{i}") for i in range(self.pick([0, 1, 1, 2]))]
        items = []
        for _ in range(self.random.randint(1, 3)):
            items += self.superstep(block, shared)
            items.append(Item("barrier;"))
            if self.chance(0.25):
                items.append(Item(f"acc += thread.get((r + {self.pick([1, 33])}) % {self.n}, acc);"))
        if items[-1].text == "barrier;":
            items.pop()
        if self.chance(0.2):
            items = [Item(f"for (int k = 0; k < {self.pick([2, 3])}; k++)", [*items, Item("barrier;")])]
        return self.n, block, shared, [*items, Item("out[@{r}] = acc;")]  # so that nothing is read in vain

    def superstep(self, block, shared):
        """Every array of the device is read, or each thread has elements of its own, or all is atomic, or blocks have parts of it; arrays of blocks change at syncs."""
        modes = {a.name: self.pick(["read", "own", "atomic", "block", "block", "own"]) for a in self.arrays}
        modes = {a.name: "own" if modes[a.name] == "atomic" and a.kind not in ATOMIC else modes[a.name] for a in self.arrays}
        self.patterns = {a.name: self.random.randrange(4) for a in self.arrays}
        items, first = [], True
        for _ in range(self.random.randint(1, 4) if shared or "block" in modes.values() else 1):
            if not first:
                items.append(Item("block.sync();"))
            first = False
            phase = {a.name: self.pick(["write", "read", "read", "atomic"]) for a in [*self.arrays, *shared]}
            body = [item for _ in range(self.random.randint(1, 4)) for item in self.statement(block, shared, modes, phase)]
            if self.chance(0.2):
                body.append(Item("block.sync();"))
                body = [Item(f"for (int j = 0; j < {self.pick([2, 3])}; j++)", body)]
            items += body
        return items

    def statement(self, block, shared, modes, phase):
        array = self.pick([*self.arrays, *shared, *shared])
        mode = "block" if array.shared else modes[array.name]
        if mode == "block":
            return self.of_block(array, block, phase[array.name])
        place = f"{array.name}[@{{{self.own(array) if mode == 'own' else self.anywhere(array)}}}]"
        return [self.access(array, place, {"own": self.pick(["write", "update", "read"]), "read": "read", "atomic": "atomic"}[mode])]

    def access(self, array, place, how):
        guard = self.pick(["", "", "", f"if (r % {self.pick([2, 3, 7])} == {self.pick([0, 1])}) ", f"if (r < {self.pick([1, 10, 65])}) "])
        value = self.pick([f"({array.kind})r", f"({array.kind})1", f"({array.kind})acc"])
        if how == "atomic" and array.kind in ATOMIC:
            return Item(f"{guard}atomic_add(&{place}, {value});")
        if how in ("write", "atomic"):
            return Item(f"{guard}{place} = {value};")
        if how == "update":
            return Item(f"{guard}{place} += {value};")
        return Item(f"{guard}acc += (float){place};")

    def of_block(self, array, block, how):
        if array.shared and self.chance(0.2):
            if how == "write":
                return [Item(f"for (int i = b; i < {array.count}; i += {block}) {array.name}[@{{i}}] = ({array.kind})i;")]
            return [Item(f"for (int i = 0; i < {self.pick([3, array.count])}; i++) acc += (float){array.name}[@{{i}}];")] if how == "read" else []
        base = "" if array.shared else "r - b + "
        if self.chance(0.15) and how == "write":  # within a warp
            first, second = (f"{array.name}[@{{{base}b / 32 * 32 + {at}}}]" for at in ("b % 32", "(warp.rank + 5) % warp.size"))
            return [self.access(array, first, "write"), Item("warp.sync();"), self.access(array, second, "read"), Item("block.sync();")]
        if how == "write":
            at = self.pick(["b", "block.size - 1 - b", "(b + 3) % block.size"])
            at = "b" if array.name in self.patterns else at
        else:
            at = self.pick(["(b + 1) % block.size", "0", "block.size - 1", "b / 2", "(b ^ 1) % block.size"])
        return [self.access(array, f"{array.name}[@{{{base}({at})}}]", how)]

    def own(self, array):
        n = self.n
        shift = array.count - n
        return ["r", f"{n - 1} - r", f"(r + 17) % {n}", f"r + {shift}"][self.patterns[array.name]]

    def anywhere(self, array):
        c = array.count
        return self.pick(["r", f"{c - 1}", f"{c - 1} - r", f"(r * 7 + 3) % {c}", "r / 2", "r & 7", "0", f"r + {c - self.n}"])

    # ---- changes
    def places(self, test, items=None):
        """(list, position) of the items that pass."""
        for of in ([s[3] for s in self.spawns] if items is None else [items]):
            for i, item in enumerate(of):
                if test(item):
                    yield of, i
                if item.inner is not None:
                    yield from self.places(test, item.inner)

    def mutate(self):
        changes = ["sync", "sync", "sync", "weaker", "plain", "plain", "index", "index", "index", "shorter", "free", "nothing"]
        self.random.shuffle(changes)
        self.change = next(c for c in changes if getattr(self, "change_" + c)())
        return self

    def change_nothing(self):
        return True

    def change_sync(self):
        found = list(self.places(lambda item: item.text in SYNCS))
        if found:
            of, i = self.pick(found)
            del of[i]
        return bool(found)

    def change_weaker(self):
        found = list(self.places(lambda item: item.text in SYNCS[:2]))
        if found:
            of, i = self.pick(found)
            of[i] = Item(SYNCS[SYNCS.index(of[i].text) + 1])
        return bool(found)

    def change_plain(self):
        found = list(self.places(lambda item: "atomic_add" in item.text))
        if found:
            of, i = self.pick(found)
            of[i] = Item(re.sub(r"atomic_add\(&(.*?\]), (.*)\);", r"\1 += \2;", of[i].text))
        return bool(found)

    def change_index(self):
        found = list(self.places(lambda item: "@{" in item.text))
        if found:
            of, i = self.pick(found)
            of[i] = Item(INDEX.sub(lambda m: f"@{{({m[1]}) {self.pick(['+ 1', '- 1', '+ 2', '/ 2'])}}}", of[i].text))
        return bool(found)

    def change_shorter(self):
        array = self.pick([*self.arrays, *(a for s in self.spawns for a in s[2])])
        array.count -= 1
        return True

    def change_free(self):
        if len(self.spawns) < 2:
            return False
        self.freed[self.pick(self.arrays).name] = 1
        return True

    # ---- text
    def memory(self):
        return {a.bytes(): a.name for a in [*self.arrays, self.out]}

    def elements(self):
        return {a.name: BYTES[a.kind] for a in [*self.arrays, self.out, *(a for s in self.spawns for a in s[2])]}

    def text(self):
        lines = [f"// Made by tools/fuzz/check_program.py {self.seed}: changed: {self.change}.", "int main() {"]
        lines += [f"  {a.kind}* {a.name} = dnew[{a.count}]{a.kind};" for a in [*self.arrays, self.out]]
        lines += [f"  spawn ({a.count}) {{ {a.name}[thread.rank] = ({a.kind})thread.rank; }}" for a in self.arrays]
        for number, (n, block, shared, items) in enumerate(self.spawns):
            lines += [f"  dfree({name});" for name, at in self.freed.items() if at == number]
            lines += [f"  spawn ({n}) block({block}) {{", "    int r = thread.rank;", "    int b = block.rank;", "    float acc = 1.0f;"]
            lines += [f"    shared {a.kind} {a.name}[{a.count}];" for a in shared]
            lines += [line for item in items for line in item.lines(4)]
            lines += ["  }"]
        lines += [f"  dfree({a.name});" for a in self.arrays if self.freed.get(a.name, 9) >= len(self.spawns)]
        return "\n".join([*lines, "  dfree(out);", "  return 0;", "}", ""])

    def reduce(self, still):
        """Leaves out what is not needed."""
        changed = True
        while changed:
            changed = False
            for of, i in list(self.places(lambda item: True)):
                if i < len(of):
                    kept = list(of)
                    of[i:i + 1] = of[i].inner or []
                    for smaller in ([*of], kept[:i] + kept[i + 1:]):
                        of[:] = smaller
                        if still(self):
                            changed = True
                            break
                    else:
                        of[:] = kept
        return self


def generate(seed):
    return Program(seed).mutate()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])).text(), end="")
