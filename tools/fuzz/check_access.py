"""Statements of programs for checks that access one element of an array, or a variable of a thread."""
import check_kinds
from check_items import Item

OF_FUNCTIONS = {
    "at": "{0} at_{0}({0}* p, int i) {{ return p[i]; }}",
    "put": "void put_{0}({0}* p, int i, {0} v) {{ p[i] = v; }}",
    "set": "void set_{0}({0}& x, {0} v) {{ x = v; }}",
    "get": "{0} get_{0}(const {0}& x) {{ return x; }}",
}
SYNC = "void sync_all() { block.sync(); }"


def function_text(name, inline):
    if name == "sync_all":
        return SYNC
    what, kind = name.split("_")
    return ("inline " if inline else "") + OF_FUNCTIONS[what].format(kind)


class Accesses:
    """Of a program: `random` and what picks are made with."""

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def guard(self):
        return self.pick(["", "", "", f"if (r % {self.pick([2, 3, 7])} == {self.pick([0, 1])}) ", f"if (r < {self.pick([1, 10, 65])}) "])

    def value(self, kind):
        if kind == "bool":
            return "r % 2 == 0"
        return self.pick([f"({kind})(r & 63)", f"({kind})1", f"({kind})((int)acc & 63)"])

    def whole(self, kind):
        """A value for all of an element."""
        if kind in check_kinds.VECTORS:
            return f"{kind}({self.value(check_kinds.VECTORS[kind][0])})"
        if kind in check_kinds.STRUCTS:
            return {"P": "P(r, 1.0f, 2, 3)", "Q": "Q(1.5, 2.0h, r)", "R": "R(1, 2.0h, float2(3.0f))"}[kind]
        return self.value(kind)

    def access(self, array, element, how):
        """how: read, write, update, atomic. element: its text."""
        if how == "atomic":
            return self.atomic(array, element)
        suffix, kind = self.pick(check_kinds.parts(array.kind))
        if how == "update" and kind == "bool":
            how = "write"
        return getattr(self, how)(array, element, element + suffix, kind)

    def write(self, array, element, place, kind):
        forms = ["plain", "plain"]
        if array.kind != kind:
            forms += ["whole"]
        if array.kind in check_kinds.VECTORS:
            forms += ["swizzle"]
        if kind not in ("bool", "half"):
            forms += ["set"]
        if self.is_pointer(array) and array.kind == kind:
            forms += ["put"]
        form, value = self.pick(forms), self.value(kind)
        if form == "whole":
            return Item(f"{self.guard()}{element} = {self.whole(array.kind)};")
        if form == "swizzle":
            return Item(f"{self.guard()}{element}.{self.pick(['yx', 'xy'])} = {kind}2({value});")
        if form == "set":
            return Item(f"{self.guard()}set_{kind}({place}, {value});", calls=(f"set_{kind}",))
        if form == "put":
            return Item(f"{self.guard()}put_{kind}({self.argument(element)}, {value});", calls=(f"put_{kind}",))
        return Item(f"{self.guard()}{place} = {value};")

    def update(self, array, element, place, kind):
        sign = "^=" if kind in ("int", "long") else "+="  # of what nobody wrote a sum may overflow
        if array.kind in check_kinds.VECTORS and self.chance(0.3):
            return Item(f"{self.guard()}{element} {sign} {self.whole(array.kind)};")
        return Item(f"{self.guard()}{place} {sign} {self.value(kind)};")

    def read(self, array, element, place, kind):
        if self.is_pointer(array) and array.kind == kind and self.chance(0.3):
            return Item(f"{self.guard()}acc += (float)at_{kind}({self.argument(element)});", calls=(f"at_{kind}",))
        if array.kind in ("float2", "float3", "float4") and self.chance(0.4):
            return Item(f"{self.guard()}acc += dot({element}, {array.kind}(1.0f));")
        if kind not in ("bool", "half") and self.chance(0.15):
            return Item(f"{self.guard()}acc += (float)get_{kind}({place});", calls=(f"get_{kind}",))
        return Item(f"{self.guard()}acc += (float){place};")

    def atomic(self, array, element):
        suffix, kind = check_kinds.atomic_part(array.kind)
        place, value = "&" + element + suffix, self.value(kind)
        forms = [f"atomic_add({place}, {value});", f"atomic_add({place}, {value});", f"acc += (float)atomic_add({place}, {value});"]
        if kind in check_kinds.WHOLE:
            forms += [f"atomic_max({place}, {value});", f"atomic_cas({place}, ({kind})3, {value});"]
        forms += {"load": [f"acc += (float)atomic_load({place});"] * 2, "store": [f"atomic_store({place}, {value});"] * 2, "exchange": [f"atomic_exchange({place}, {value});"]}[self.atomics]
        text = self.pick(forms)
        return Item(self.guard() + text, kind="exchange" if text.startswith("atomic_exchange") else "use")

    def is_pointer(self, array):
        return array.where == "device" and not array.rows

    @staticmethod
    def argument(element):
        """a[@{i}] as the arguments a, @{i}."""
        name, index = element.split("[", 1)
        return f"{name}, {index[:-1]}"

    def copy(self, to, source):
        """All parts of an element, as they are."""
        return Item(f"{self.guard()}{to} = {source};", kind="move")

    def move(self, to, to_kind, source, kind):
        """A value goes from one place to another and is not looked at. A number with a fraction is, where it becomes an integer."""
        fraction = ("half", "float", "double")
        return Item(f"{self.guard()}{to} = ({to_kind}){source};", kind="use" if kind in fraction and to_kind not in fraction else "move")
