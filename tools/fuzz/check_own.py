"""Statements of programs for checks with variables and arrays of a thread."""
import check_kinds
from check_items import Item


class OwnVariables:
    """Of a program."""

    def of_thread(self, number):
        made = {}
        if self.chance(0.35):
            kinds = ["int", "float", "short", "double", "uchar", *check_kinds.STRUCTS, *check_kinds.STRUCTS, "float2", "short3"]
            made[f"t{number}"] = (self.pick(kinds), self.pick([3, 4, 5, 8]))
        if self.chance(0.35):
            made[f"v{number}"] = (self.pick(["int", "float", "long", "short"]), 0)
        if self.chance(0.25):
            made[f"w{number}"] = (self.pick(["int", "float", "long"]), 0)
        self.features |= {"array of a thread" for name in made if name[0] == "t"} | {"variable of a thread" for name in made if name[0] == "v"}
        return made

    def first_values(self, name, kind, count):
        if count:
            return [Item(f"for (int i = 0; i < {count}; i++) #{{{name}|@{{i}}}} = {self.whole(kind)};", first=True)]
        first = Item(f"${{{name}}} = {self.value(kind)};", first=True)
        if name[0] == "w":  # for puts
            return [first] if self.chance(0.6) else []
        return [first, Item(f"if (r % 3 != 0) ${{{name}}} = {self.value(kind)};")]

    def with_own(self):
        """A statement with a variable of the thread."""
        names = [name for name in self.own_kinds if name[0] != "w"]
        if not names:
            return []
        name = self.pick(names)
        kind, count = self.own_kinds[name]
        place = f"#{{{name}|@{{{self.pick([f'r % {count}', f'(r * 3 + 1) % {count}', f'{count - 1}', '0'])}}}}}" if count else f"${{{name}}}"
        form = self.pick(["read", "read", "write", "move"])
        if form == "move":
            return self.moved_own(place, kind)
        suffix, of = self.pick(check_kinds.parts(kind))
        if form == "read":
            return [Item(f"{self.guard()}acc += (float){place}{suffix};")]
        if suffix and self.chance(0.3):
            return [Item(f"{self.guard()}{place} = {self.whole(kind)};")]
        return [Item(f"{self.guard()}{place}{suffix} = {self.value(of)};")]

    def moved_own(self, place, kind):
        """From or to an element of an array; of a struct to one of its kind."""
        is_number = kind in check_kinds.BYTES
        readable = [a for a in self.arrays if self.modes.get(a.name) in ("own", "read") and a.kind != "bool" and (a.kind in check_kinds.BYTES if is_number else a.kind == kind)]
        if not readable:
            return []
        array = self.pick(readable)
        self.features.add("move" if is_number else "copy of a whole element")
        own = self.modes[array.name] == "own"
        there = self.element(array, self.own(array) if own else self.anywhere(array))
        to_memory = own and self.chance(0.5)
        if not is_number:
            return [self.copy(there, place) if to_memory else self.copy(place, there)]
        if to_memory:
            return [self.move(there, array.kind, place, kind)]
        return [self.move(place, kind, there, array.kind)]
