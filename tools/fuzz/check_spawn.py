"""The spawns of programs for checks, as they are right: supersteps in which every thread has its elements, or all read, or all is atomic, or blocks have parts."""
import dataclasses

import check_kinds
from check_items import Item
from check_kinds import Array

ROUNDS = [2, 3]
FENCE = "memory_fence();"
EXTENTS = {40: (8, 5), 70: (10, 7), 96: (12, 8), 129: (43, 3), 200: (20, 10), 256: (16, 16), 300: (20, 15)}  # width, height


@dataclasses.dataclass
class Spawn:
    """size: of the text. of_thread: {name: (kind, elements or 0)}."""
    size: str
    block: int
    shared: list
    of_thread: dict
    items: list
    temporary: list
    is_host: bool = False  # control flow of the host's


class Spawning:
    def spawn(self, number):
        block, size, self.now = self.pick([32, 64, 64, 100, 128]), str(self.n), self.n
        self.place = any(a.rows for a in self.arrays) and self.chance(0.7)
        if self.place:
            width, height = self.extents()
            size = f"{width}, {height}"
            self.features.add("two dimensions")
        shared = [self.shared(f"s{number}{i}", block) for i in range(self.pick([0, 1, 1, 2]))]
        renumbers, loops, self.host = not self.place and self.chance(0.15), self.chance(0.2), False
        of_thread = {} if renumbers else self.of_thread(number)
        self.own_kinds, self.extra, self.told, self.renumbers, self.loops, self.sums = of_thread, [], [], renumbers, loops, 1
        items = [item for name, of in of_thread.items() for item in self.first_values(name, *of)]
        body = []
        for _ in range(self.random.randint(1, 1 if self.small else 3)):
            body += self.step(block, shared)
        if body[-1].text == "barrier;":
            body.pop()
        if loops and not renumbers:
            body = [Item(f"for (int k = 0; k < {self.pick(ROUNDS)}; k++)", [*body, Item("barrier;", bare=True)], bare=True)]
        return Spawn(size, block, [*shared, *self.told], of_thread, [*items, *body, Item("out[@{r}] = acc;")], self.extra, self.host)  # so that nothing is read in vain

    def extents(self):
        return EXTENTS[self.n]

    def shared(self, name, block):
        kind = self.pick([*check_kinds.BYTES] * 2 + [*check_kinds.VECTORS, *check_kinds.STRUCTS])
        return Array(kind, self.pick([block, block, block + 5, 2 * block]), "shared", name)

    # ---- supersteps
    def step(self, block, shared):
        """A superstep, or several, and what stands behind its barrier."""
        form = self.pick(["plain"] * 7 + ["par", "par", "message", "message", "message", "message", "host"])
        if form == "message" and self.message and not self.features & {"message", "last"} and self.now == self.n and not self.loops:
            items = self.pick([self.message_items, self.last_items, self.told_items])()
        elif form == "par" and len(self.arrays) > 1:
            items = self.par(block)
        elif form == "host":
            self.host = True
            self.features.add("branch of the host's")
            items = [Item("if (yes > 0)", [*self.superstep(block, shared), Item("barrier;", bare=True)], bare=True)]
        else:
            items = self.superstep(block, shared)
        return [*items, Item("barrier;", bare=True), *self.behind(block)]

    def behind(self, block):
        items = []
        if self.chance(0.25) and not self.renumbers:
            items.append(Item(f"acc += get{{acc|@{{(r + {self.pick([1, 33])}) % {self.now}}}}};", kind="get"))
            self.features.add("thread.get")
        puts = [name for name in self.own_kinds if name[0] == "w"]
        if puts and self.chance(0.5):
            items += self.put(puts[0], self.own_kinds[puts[0]][0])
        if self.chance(0.15):
            items.append(Item("acc += (float)reduce(+, r & 3);"))
            self.features.add("reduce")
        if self.chance(0.2):
            items.append(Item("acc += (float)(r * 3 & 7);"))
        if self.chance(0.2):
            items += self.temporary_items()
        if self.renumbers and self.now == self.n:
            items += self.renumbered()
        return items

    def put(self, name, kind):
        self.features.add("thread.put")
        items = [Item(f"thread.put(@{{(r + {self.pick([0, 1, 40])}) % {self.now}}}, {name}, {self.value(kind)});", kind="put"), Item("barrier;", bare=True)]
        items.append(Item(f"acc += (float)${{{name}}};"))
        if self.chance(0.4):
            items.append(Item(f"acc += (float)get{{{name}|@{{(r + {self.pick([1, 5])}) % {self.now}}}}};", kind="get"))
        return items

    def temporary_items(self):
        """Memory that a require makes, written and read in two supersteps."""
        if self.loops:
            return []
        array = self.sized(self.pick(["int", "float", "ushort", "double"]), "device", f"q{len(self.spawns)}{len(self.extra)}")
        self.extra.append(array)
        self.features.add("require")
        element = f"{array.name}[@{{{self.pick(['r', f'{self.now - 1} - r'])}}}]"
        read = f"{array.name}[@{{{self.pick([f'(r + 1) % {self.now}', 'r / 2', '0'])}}}]"
        return [Item(f"require {array.kind}* {array.name} = dtempnew[{array.count}]{array.kind};", bare=True), Item(f"{element} = {self.value(array.kind)};", first=True),
                Item("barrier;", bare=True), Item(f"{self.guard()}acc += (float){read};")]

    def renumbered(self):
        self.features.add("kill")
        keep = self.pick([2, 3])
        items = [Item(f"thread.kill(r % {keep} != 0);", bare=True)]
        self.now = -(-self.now // keep)
        if self.chance(0.5):
            items.append(Item(f"int child = thread.fork({keep - 1});", bare=True))
            items.append(Item("acc += (float)child;", bare=True))
            self.now *= keep - 1
            self.features.add("fork")
        return [*items, Item("r = thread.rank;", bare=True), Item("b = block.rank;", bare=True)]

    def message_items(self):
        """Half of the threads write, and say so with an atomic store, or an update behind a fence; the others look."""
        self.features.add("message")
        half = self.now // 2
        tell = self.pick([[Item("atomic_store(&flag[r], 1);")], [Item(FENCE, bare=True), Item("atomic_exchange(&flag[r], 1);", kind="exchange")]])
        first = Item(f"if (r < {half})", [Item(f"data[@{{r}}] = {self.value('int')};"), *tell], bare=True)
        second = Item(f"if (r >= {half} && r < {2 * half})", [Item(f"if (atomic_load(&flag[r - {half}]) == 1) acc += (float)data[r - {half}];")], bare=True)
        return [first, second]

    def told_items(self):
        """The first thread of a block looks, and tells the others."""
        self.features.add("message")
        half, looks = self.now // 2, Array("int", 1, "shared", f"m{len(self.spawns)}")
        self.told.append(looks)
        first = Item(f"if (r < {half})", [Item(f"data[@{{r}}] = {self.value('int')};"), Item("atomic_store(&flag[r], 1);")], bare=True)
        look = Item(f"if (r >= {half} && r < {2 * half}) {looks.name}[0] = atomic_load(&flag[r - {half}]);")
        lead = Item("if (b == 0)", [Item(f"{looks.name}[0] = 0;"), look], bare=True)
        return [first, lead, self.sync(), Item(f"if ({looks.name}[0] == 1) acc += (float)data[r - b - {half}];")]

    def last_items(self):
        """All write and count; the last of them reads it all."""
        self.features.add("last")
        write = Item(f"data[@{{{self.pick(['r', f'{self.now - 1} - r'])}}}] = {self.value('int')};")
        count = Item("int last = atomic_add(&flag[0], 1);")
        read = Item(f"for (int i = 0; i < {self.now}; i++) acc += (float)data[@{{i}}];")
        return [write, Item(FENCE, bare=True), count, Item(f"if (last == {self.now - 1})", [read], bare=True)]

    def par(self, block):
        """Two arms, each with arrays and a sum of its own."""
        self.features.add("par")
        cut = self.random.randint(1, len(self.arrays) - 1)
        arms, own, self.own_kinds = [], self.own_kinds, {}
        self.sums += 1
        other = f"acc{self.sums}"
        for number, arrays in enumerate((self.arrays[:cut], self.arrays[cut:])):
            body = []
            for _ in range(self.pick([1, 2])):
                body += [Item("barrier;", bare=True)] if body else []
                self.choose_modes(arrays, ["read", "own", "own", "atomic"])
                body += [item for _ in range(self.random.randint(1, 3)) for item in self.statement(self.pick(arrays), block, {})]
            for item in body if number else []:
                item.text = item.text.replace("acc", other)
            arms.append(Item("", body, bare=True))
        self.own_kinds = own
        return [Item(f"float {other} = 1.0f;", bare=True), Item("par", arms, bare=True), Item(f"acc += {other};", bare=True)]

    def choose_modes(self, arrays, modes):
        self.atomics = self.pick(["load", "store", "exchange"])
        self.modes = {a.name: self.pick(modes) for a in arrays}
        self.modes = {a.name: "own" if self.modes[a.name] == "atomic" and not check_kinds.atomic_part(a.kind) or a.rows and self.place and self.modes[a.name] == "block" else self.modes[a.name] for a in arrays}
        self.patterns = {a.name: self.random.randrange(4) for a in arrays}

    def superstep(self, block, shared):
        """Arrays of blocks change at syncs."""
        self.choose_modes(self.arrays, ["read", "own", "own", "atomic", "block", "block"])
        items, first = [], True
        if shared:  # a store for each: without one the oracle's compiler leaves out what reads it
            never = "" if self.chance(0.8) else "if (r == 1000) "
            items = [Item(f"{never}for (int i = b; i < {a.count}; i += block.size) {a.name}[@{{i}}] = {self.whole(a.kind)};", first=not never, shared=True, keeps=self.kept(a)) for a in shared]
            first = False
        for _ in range(self.random.randint(1, 2 if self.small else 4) if shared or "block" in self.modes.values() else 1):
            if not first:
                items.append(self.sync())
            first = False
            phase = {a.name: self.pick(["write", "read", "read", "atomic"]) for a in [*self.arrays, *shared]}
            arrays = [*self.arrays, *shared, *shared]
            body = [item for _ in range(self.random.randint(1, 2 if self.small else 4)) for item in self.statement(self.pick(arrays), block, phase)]
            if self.chance(0.2):
                body.append(self.sync())
                body = [Item(f"for (int j = 0; j < {self.pick(ROUNDS)}; j++)", body, bare=True)]
            items += body
        return items

    @staticmethod
    def kept(array):
        suffix, kind = check_kinds.parts(array.kind)[-1]
        return f" if (r == 5000) {{ {array.name}[acc_[0] > 0]{suffix} = ({kind})acc_[1]; acc += (float){array.name}[acc_[2] > 0]{suffix}; }}"

    def sync(self):
        return Item(self.pick(["block.sync();", "block.sync();", "block.sync();", "sync_all();"]), bare=True)

    def statement(self, array, block, phase):
        if self.own_kinds and self.chance(0.2):
            return self.with_own()
        mode = "block" if array.shared else self.modes[array.name]
        if mode == "block":
            return self.of_block(array, block, phase[array.name])
        if copies := self.copied(array):
            return copies
        element = self.element(array, self.own(array) if mode == "own" else self.anywhere(array))
        return [self.access(array, element, {"own": self.pick(["write", "update", "read"]), "read": "read", "atomic": "atomic"}[mode])]

    def copied(self, array):
        """An element of the thread's becomes one that it may read, of another array."""
        sources = [a for a in self.arrays if a is not array and a.kind == array.kind and self.modes.get(a.name) in ("own", "read")]
        if self.modes.get(array.name) != "own" or array.kind in check_kinds.BYTES or not sources or self.chance(0.3):
            return []
        source = self.pick(sources)
        self.features.add("copy of a whole element")
        there = self.element(source, self.own(source) if self.modes[source.name] == "own" else self.anywhere(source))
        return [self.copy(self.element(array, self.own(array)), there)]

    def of_block(self, array, block, how):
        how = "write" if how == "atomic" and not check_kinds.atomic_part(array.kind) else how
        if array.shared and self.chance(0.2) and how != "atomic":
            if how == "write":
                return [Item(f"for (int i = b; i < {array.count}; i += {block}) {array.name}[@{{i}}] = {self.whole(array.kind)};")]
            part = self.pick(check_kinds.parts(array.kind))[0]
            return [Item(f"for (int i = 0; i < {self.pick([3, array.count])}; i++) acc += (float){array.name}[@{{i}}]{part};")]
        base = "" if array.shared else "r - b + "
        if self.chance(0.15) and how == "write":  # within a warp
            first, second = (f"{base}b / 32 * 32 + {at}" for at in ("b % 32", "(warp.rank + 5) % warp.size"))
            return [self.access(array, self.element(array, first), "write"), Item("warp.sync();", bare=True), self.access(array, self.element(array, second), "read"), Item("block.sync();", bare=True)]
        if how == "write":
            at = self.pick(["b", "block.size - 1 - b", "(b + 3) % block.size"])
            at = "b" if array.name in self.patterns else at
        else:
            at = self.pick(["(b + 1) % block.size", "0", "block.size - 1", "b / 2", "(b ^ 1) % block.size"])
        return [self.access(array, self.element(array, f"{base}({at})"), how)]

    # ---- which element
    def element(self, array, index):
        if isinstance(index, tuple):
            return f"{array.name}[@{{{index[0]}}}, @{{{index[1]}}}]"
        return f"{self.flat(array)}[@{{{index}}}]"

    def own(self, array):
        if array.rows and self.place:
            width, height = self.extents()
            return [("thread.y", "thread.x"), (f"{height - 1} - thread.y", "thread.x"), ("thread.y", f"{width - 1} - thread.x"), ("thread.y", f"thread.x + {array.rows[1] - width}")][self.patterns[array.name]]
        n = self.n
        return ["r", f"{n - 1} - r", f"(r + 17) % {n}", f"r + {array.count - n}"][self.patterns[array.name]]

    def anywhere(self, array):
        if array.rows and self.place:
            height, width = array.rows
            return self.pick([("thread.y", "thread.x"), (f"(thread.y + 1) % {height}", "thread.x"), ("thread.y / 2", f"(thread.x + 3) % {width}"), (f"{height - 1}", "0")])
        c = array.count
        return self.pick(["r", f"{c - 1}", f"{c - 1} - r", f"(r * 7 + 3) % {c}", "r / 2", "r & 7", "0", f"r + {c - self.n}"])
