"""What is changed in programs for checks, so that there is a mistake; and how they become smaller."""
import re

from check_items import INDEX, Item

SYNCS = ["barrier;", "block.sync();", "warp.sync();", "sync_all();"]
WEAKER = {"barrier;": "block.sync();", "block.sync();": "warp.sync();", "sync_all();": "warp.sync();"}
PLAIN = [(r"(acc\d*) \+= \(float\)atomic_load\(&(.*?\](?:\.\w+)*)\);", r"\1 += (float)\2;"),
         (r"atomic_load\(&(.*?\](?:\.\w+)*)\)", r"\1"),
         (r"atomic_store\(&(.*?\](?:\.\w+)*), (.*)\);", r"\1 = \2;"),
         (r"(acc\d*) \+= \(float\)atomic_\w+\(&(.*?\](?:\.\w+)*), .*\);", r"\1 += (float)\2;"),
         (r"atomic_\w+\(&(.*?\](?:\.\w+)*), (?:.*, )?(.*)\);", r"\1 = \2;")]
TIMES = 16777216


class Changes:
    def walk(self, items):
        """(list, position, item) of all."""
        for i, item in enumerate(items):
            yield items, i, item
            if item.inner is not None:
                yield from self.walk(item.inner)

    def places(self, test, items=None):
        """(list, position) of the items that pass."""
        for of in [s.items for s in self.spawns] if items is None else [items]:
            for at, i, item in self.walk(of):
                if test(item):
                    yield at, i

    def mutate(self):
        changes = ["sync"] * 3 + ["weaker", "plain", "plain", "index", "index", "index", "own_index", "part", "shorter", "free", "first", "first", "fill", "put", "put", "get", "fence", "fence", "overflow", "stale", "list", "list", "nothing"]
        self.random.shuffle(changes)
        self.change = next(c for c in changes if getattr(self, "change_" + c)())
        return self

    def one(self, test):
        found = list(self.places(test))
        return self.pick(found) if found else (None, 0)

    def change_nothing(self):
        return True

    def change_sync(self):
        of, i = self.one(lambda item: item.text in SYNCS)
        if of is not None:
            del of[i]
        return of is not None

    def change_weaker(self):
        of, i = self.one(lambda item: item.text in WEAKER)
        if of is not None:
            of[i] = Item(WEAKER[of[i].text], bare=True)
        return of is not None

    def change_plain(self):
        of, i = self.one(lambda item: "atomic_" in item.text and not item.text.startswith("int "))
        if of is not None:
            for pattern, plain in PLAIN:
                of[i].text, done = re.subn(pattern, plain, of[i].text)
                if done:
                    of[i].kind = "use"
                    break
        return of is not None

    def change_fence(self):
        """It goes, or stands before what it was to order."""
        of, i = self.one(lambda item: item.text == "memory_fence();")
        if of is not None:
            fence = of.pop(i)
            if self.chance(0.5):
                of.insert(i - 1, fence)
        return of is not None

    def shift(self, test):
        """One of the indices of an item."""
        of, i = self.one(lambda item: "@{" in item.text and test(item))
        if of is not None:
            chosen = self.pick(list(INDEX.finditer(of[i].text)))
            by = self.pick(["+ 1", "- 1", "+ 2", "/ 2"])
            of[i].text = of[i].text[:chosen.start()] + f"@{{({chosen[1]}) {by}}}" + of[i].text[chosen.end():]
        return of is not None

    def change_index(self):
        return self.shift(lambda item: True)

    def change_own_index(self):
        return self.shift(lambda item: "#{" in item.text)

    def change_put(self):
        return self.shift(lambda item: item.kind == "put")

    def change_get(self):
        """It asks a thread that there is not."""
        of, i = self.one(lambda item: item.kind == "get")
        if of is not None:
            of[i].text = re.sub(r" % \d+\}", "}", of[i].text)
        return of is not None

    def change_part(self):
        """Another field or component."""
        of, i = self.one(lambda item: not item.calls and "atomic" not in item.text and "^=" not in item.text and re.search(r"\]\.[abcxy]\b", item.text))
        if of is not None:
            of[i].text = re.sub(r"\]\.([abcxy])\b", lambda m: "]." + {"a": "b", "b": "a", "c": "a", "x": "y", "y": "x"}[m[1]], of[i].text)
        return of is not None

    def change_shorter(self):
        array = self.pick([*self.arrays, *(a for s in self.spawns for a in s.shared)])
        if array.rows or array.count == 1 or (array.name in self.later and self.later[array.name].form != "longer"):
            return False
        array.count -= 1
        return True

    def change_free(self):
        arrays = [a for a in self.arrays if a.where == "device"]
        if len(self.spawns) < 2 or not arrays:
            return False
        self.freed[self.pick(arrays).name] = 1
        return True

    def change_first(self):
        """What gives a first value goes, or not all threads have it."""
        of, i = self.one(lambda item: item.first)
        if of is None:
            return False
        if self.chance(0.5) and not of[i].shared:
            del of[i]
        else:
            of[i].text = f"if (r % {self.pick([2, 5])} != 1) {of[i].text}"
        return True

    def change_fill(self):
        name = self.pick(list(self.fills))
        if self.chance(0.5):
            del self.fills[name]
        else:
            self.fills[name].text = self.fills[name].text.replace("{ ", f"{{ if (thread.rank % {self.pick([5, 40])} != 1) ", 1)
        return True

    def change_overflow(self):
        of, i = self.one(lambda item: item.text.startswith("acc += (float)(r * 3"))
        if of is not None:
            of[i].text = of[i].text.replace("r * 3", f"r * {TIMES}")
            of[i].checks = f"(long)r * {TIMES} > 2147483647"
        return of is not None

    def change_stale(self):
        """The pointer to a list's elements is older than its last resize."""
        moving = [name for name, change in self.later.items() if change.moves]
        if not moving:
            return False
        self.stale = self.pick(moving)
        return True

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
