"""What host code does to lists between the spawns of programs for checks: they move, take elements at their end, become shorter and longer again.

No trace shows it but where memory is allocated. So the oracle's program tells of each change when it has happened, by a write to `event`.
"""
import dataclasses

import check_kinds
import check_trace
from check_items import Item


@dataclasses.dataclass
class Change:
    """steps: of the host, before pointers are taken anew. moves: there is new memory, of `room` elements. fill: what is done to the elements then."""
    form: str
    room: int
    has: int
    kept: int     # elements that stay as they were
    written: int  # and how many behind them the host writes
    steps: list
    fill: Item = None

    @property
    def moves(self):
        return self.form in ("longer", "appended")


class Lists:
    """Of a program: `later` has the change of each list."""

    def change_lists(self):
        """Between the spawns."""
        for a in self.arrays:
            if a.where == "list" and self.chance(0.8):
                change = getattr(self, self.pick(["longer", "appended", "shrunk", "reserved"]))(a)
                self.later[a.name] = change
                self.features.add("list that is " + change.form)
                if change.moves:
                    self.rename(a)
                if change.form == "appended":
                    self.look_at_end(a, change)

    def rename(self, a):
        for of, i in self.places(lambda item: a.name + "[" in item.text, self.spawns[1].items):
            of[i].text = of[i].text.replace(a.name + "[", f"d_{a.name}[")

    def longer(self, a):
        room = self.sized(a.kind, "device", a.name, 2 * a.count + 5).count
        return Change("longer", room, room, a.count, 0, [f"{a.name}.resize({room});"])

    def appended(self, a):
        """Room grows by half."""
        room = a.count + a.count // 2
        if not self.free(room * check_kinds.bytes_of(a.kind)):
            return self.longer(a)
        more = self.pick([1, 2, 5])
        value = self.host_value(a.kind)
        return Change("appended", room, a.count + more, a.count, more, [f"{a.name}.push_back({value});"] * more)

    def look_at_end(self, a, change):
        part = self.pick(check_kinds.parts(a.kind))[0]
        index = f"{a.count} + r % {change.written}"
        self.spawns[1].items.insert(-1, Item(f"{self.guard()}acc += (float)d_{a.name}[@{{{index}}}]{part};"))

    def shrunk(self, a):
        """What it loses counts as never written."""
        kept = self.pick([0, 1, a.count // 2, a.count - 1])
        return Change("shrunk", a.count, a.count, kept, 0, [f"{a.name}.resize({kept});", f"{a.name}.resize({a.count});"], Item(self.fill(a)))

    def reserved(self, a):
        """What it has reserved stays."""
        kept = self.pick([0, 1, a.count // 2])
        return Change("reserved", a.count, a.count, a.count, 0, [f"{a.name}.reserve({a.count});", f"{a.name}.resize({kept});", f"{a.name}.resize({a.count});"])

    def host_value(self, kind):
        if kind in check_kinds.VECTORS:
            return f"{kind}(({check_kinds.VECTORS[kind][0]})3)"
        if kind in check_kinds.STRUCTS:
            return {"P": "P(1, 1.0f, 2, 3)", "Q": "Q(1.5, 2.0h, 3)", "R": "R(1, 2.0h, float2(3.0f))"}[kind]
        return "true" if kind == "bool" else f"({kind})3"

    # ---- a mistake
    def change_list(self):
        """What follows of it is not what was meant: it is shorter, was not filled again, or has nothing reserved."""
        if not self.later:
            return False
        name = self.pick(list(self.later))
        change = self.later[name]
        if change.form == "longer":
            return False
        if change.form == "appended":
            change.steps.pop()
            change.has, change.written = change.has - 1, change.written - 1
        elif change.form == "reserved":
            kept = int(change.steps[1].split("(")[1].split(")")[0])
            change.steps, change.kept = change.steps[1:], kept
        elif self.chance(0.5):
            change.fill = None
        else:
            change.steps, change.has, change.fill = change.steps[:1], change.kept, None
        return True

    # ---- text
    def event(self, name):
        """Its number, and what the oracle has to know of it."""
        change, a = self.later[name], next(a for a in self.arrays if a.name == name)
        size = check_kinds.bytes_of(a.kind)
        self.events.append(check_trace.Event(name + (" moved" if change.moves else ""), change.has * size, change.kept * size, change.written * size))
        return len(self.events) - 1

    def add_change(self, texts, a, places):
        """What is before a spawn."""
        change = self.later[a.name]
        steps = list(change.steps)
        if change.moves:
            places[len(texts.lines) + 1] = a.name + " moved"
            pointer = f"{a.kind}* d_{a.name} = {a.name}.data;"
            steps = [pointer, *steps] if self.stale == a.name else [*steps, pointer]
        line = "  " + " ".join(steps)
        texts.add(line, f"{line} spawn (1) event[{self.event(a.name)}] = (uchar)0;")
        if change.fill:
            texts.add("  " + change.fill.text.replace("#", str(a.count)))
