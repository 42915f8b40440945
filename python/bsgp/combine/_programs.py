"""The combinators: programs over an array of known length, as values. `apply` says what a program computes, on lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._steps import Indices, Move, Step, Steps, Sync, View
from ._values import Function, traced


class Program:
    """What is done with an array. `f >> g` is f, then g."""

    def __rshift__(self, other: Program) -> Program:
        return then(self, other)

    def length(self, n: int) -> int:
        """How many elements come out of n. Raises ValueError, which names the combinator, where it does not take n."""
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        """What comes out of a list whose length fits."""
        raise NotImplementedError

    def exchanged(self) -> Program:
        """The program with the two results of each function of a pair exchanged."""
        return self

    def lower(self, steps: Steps, view: View) -> View:
        """Adds the program's steps on the view's arrays; returns what they are behind it."""
        raise NotImplementedError


def _program(what: str, value: Any) -> Program:
    if isinstance(value, Program):
        return value
    raise TypeError(f"{what}: {type(value).__name__} is no program\n  help: combine.evens(f) and combine.map(f) make programs of functions")


def _even(what: str, n: int) -> int:
    if n % 2 or not n:
        raise ValueError(f"{what}: the array has {n} elements, and it takes an even number\n  help: the program is for lengths of which all "
                         "halves that it makes are even; a power of two fits most")
    return n


@dataclass(frozen=True)
class _Then(Program):
    parts: tuple[Program, ...]

    def length(self, n: int) -> int:
        for part in self.parts:
            n = part.length(n)
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        for part in self.parts:
            values = part.apply(values)
        return values

    def exchanged(self) -> Program:
        return _Then(tuple(part.exchanged() for part in self.parts))

    def lower(self, steps: Steps, view: View) -> View:
        for part in self.parts:
            view = part.lower(steps, view)
        return view


@dataclass(frozen=True)
class _Rep(Program):
    count: int
    program: Program

    def length(self, n: int) -> int:
        for _ in range(self.count):
            before, n = n, self.program.length(n)
            if n == before:
                break
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        for _ in range(self.count):
            values = self.program.apply(values)
        return values

    def exchanged(self) -> Program:
        return _Rep(self.count, self.program.exchanged())

    def lower(self, steps: Steps, view: View) -> View:
        for done in range(self.count):
            first, before = len(steps.items), view
            view = self.program.lower(steps, view)
            if view.length == before.length:  # the others are the same
                steps.items += steps.items[first:] * (self.count - done - 1)
                break
        return view


@dataclass(frozen=True)
class _Two(Program):
    """The program on both halves; or on the elements at even, and on those at odd places."""

    program: Program
    interleaved: bool

    @property
    def name(self) -> str:
        return "ilv" if self.interleaved else "two"

    def length(self, n: int) -> int:
        return 2 * self.program.length(_even(self.name, n) // 2)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        if not self.interleaved:
            return self.program.apply(values[:half]) + self.program.apply(values[half:])
        both = zip(self.program.apply(values[0::2]), self.program.apply(values[1::2]))
        return [each for pair in both for each in pair]

    def exchanged(self) -> Program:
        return _Two(self.program.exchanged(), self.interleaved)

    def lower(self, steps: Steps, view: View) -> View:
        inner = view.interleaved() if self.interleaved else view.halves()
        return view.resized(2 * self.program.lower(steps, inner).length)


@dataclass(frozen=True)
class _Halves(Program):
    lower_half: Program
    upper_half: Program

    def length(self, n: int) -> int:
        half = _even("halves", n) // 2
        for program in (self.lower_half, self.upper_half):
            if program.length(half) != half:
                raise ValueError(f"halves: a program makes {program.length(half)} elements of {half}\n  help: both keep the length")
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return self.lower_half.apply(values[:half]) + self.upper_half.apply(values[half:])

    def exchanged(self) -> Program:
        return _Halves(self.lower_half.exchanged(), self.upper_half.exchanged())

    def lower(self, steps: Steps, view: View) -> View:
        self.lower_half.lower(steps, view.half(0))
        self.upper_half.lower(steps, view.half(1))
        return view


@dataclass(frozen=True)
class _UpDown(Program):
    program: Program

    def length(self, n: int) -> int:
        return 2 * self.program.length(_even("updown", n) // 2)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return self.program.apply(values[:half]) + self.program.exchanged().apply(values[half:])

    def lower(self, steps: Steps, view: View) -> View:
        first = len(steps.items)
        after = two(self.program).lower(steps, view)
        for i in range(first, len(steps.items)):
            item = steps.items[i]
            if isinstance(item, Step) and item.is_pair:
                upper = np.zeros(item.length, bool)
                upper[view.half(1).places(np.arange(view.length // 2))] = True
                steps.items[i] = item.exchanged(upper)
        return after


@dataclass(frozen=True)
class _Pairs(Program):
    """A function of two elements on pairs: neighbours from the first or the second on, or the first and the last, and so on inwards."""

    name: str
    function: Function

    def length(self, n: int) -> int:
        return _even(self.name, n)

    def _places(self, n: int) -> tuple[Indices, Indices]:
        if self.name == "vee":
            return np.arange(n // 2), n - 1 - np.arange(n // 2)
        lower = np.arange(1 if self.name == "odds" else 0, n - 1, 2)
        return lower, lower + 1

    def apply(self, values: list[Any]) -> list[Any]:
        made = list(values)
        for a, b in zip(*self._places(len(values))):
            made[a], made[b] = self.function(values[a], values[b])
        return made

    def exchanged(self) -> Program:
        return _Pairs(self.name, self.function.exchanged)

    def lower(self, steps: Steps, view: View) -> View:
        places = [view.places(each) for each in self._places(view.length)]
        if places[0].size:
            steps.add(self.function, places, places)
        return view


@dataclass(frozen=True)
class _Map(Program):
    function: Function

    def apply(self, values: list[Any]) -> list[Any]:
        return [self.function(value)[0] for value in values]

    def lower(self, steps: Steps, view: View) -> View:
        places = [view.places(np.arange(view.length))]
        steps.add(self.function, places, places)
        return view


@dataclass(frozen=True)
class _Fan(Program):
    function: Function

    def length(self, n: int) -> int:
        return _even("fan", n)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return values[:half] + [self.function(values[half - 1], value)[0] for value in values[half:]]

    def lower(self, steps: Steps, view: View) -> View:
        half = view.length // 2
        lower, upper = view.places(np.arange(half)), view.places(np.arange(half, 2 * half))
        last = view.places(np.full(half, half - 1))
        steps.add(self.function.behind_one(), [last, upper, lower], [upper, lower])
        return view


@dataclass(frozen=True)
class _Lag(Program):
    distance: int
    function: Function

    def apply(self, values: list[Any]) -> list[Any]:
        before = [self.function(a, b)[0] for a, b in zip(values, values[self.distance :])]
        return values[: self.distance] + before

    def lower(self, steps: Steps, view: View) -> View:
        if self.distance < view.length:
            own = view.places(np.arange(self.distance, view.length))
            steps.add(self.function, [view.places(np.arange(view.length - self.distance)), own], [own])
        return view


@dataclass(frozen=True)
class _Fold(Program):
    """One level of a tree: neighbours become one element."""

    function: Function

    def length(self, n: int) -> int:
        return _even("fold", n) // 2

    def apply(self, values: list[Any]) -> list[Any]:
        return [self.function(a, b)[0] for a, b in zip(values[0::2], values[1::2])]

    def lower(self, steps: Steps, view: View) -> View:
        half = view.resized(view.length // 2)
        reads = [view.places(np.arange(first, view.length, 2)) for first in (0, 1)]
        steps.add(self.function, reads, [half.places(np.arange(half.length))], half.total)
        return half


@dataclass(frozen=True)
class _FoldTree(Program):
    function: Function

    def length(self, n: int) -> int:
        if n < 1 or n & (n - 1):
            raise ValueError(f"fold_tree: the array has {n} elements, and it takes a power of two\n  help: fill it up with elements that "
                             "change nothing, zeros for +")
        return 1

    def apply(self, values: list[Any]) -> list[Any]:
        while len(values) > 1:
            values = _Fold(self.function).apply(values)
        return values

    def lower(self, steps: Steps, view: View) -> View:
        while view.length > 1:
            view = _Fold(self.function).lower(steps, view)
        return view


@dataclass(frozen=True)
class _Permute(Program):
    """Element i is element table[i], or what the name says."""

    name: str
    table: tuple[int, ...] = ()

    def length(self, n: int) -> int:
        if self.name == "tblLook" and len(self.table) != n:
            raise ValueError(f"tblLook: the table has {len(self.table)} elements, and the array {n}\n  help: combine.rifftab({n}) makes a table "
                             "of that length")
        return n if self.name in ("rev", "tblLook") else _even(self.name, n)

    def source(self, n: int) -> Indices:
        places = np.arange(n)
        if self.name == "rev":
            return places[::-1].copy()
        if self.name == "riffle":
            return places // 2 + places % 2 * (n // 2)
        if self.name == "unriffle":
            return np.concatenate([places[0::2], places[1::2]])
        return np.array(self.table, np.int64)

    def apply(self, values: list[Any]) -> list[Any]:
        return [values[i] for i in self.source(len(values))]

    def lower(self, steps: Steps, view: View) -> View:
        source = np.arange(view.total)
        source[view.places(np.arange(view.length))] = view.places(self.source(view.length))
        steps.items.append(Move(source))
        return view


@dataclass(frozen=True)
class _Sync(Program):
    def apply(self, values: list[Any]) -> list[Any]:
        return values

    def lower(self, steps: Steps, view: View) -> View:
        steps.items.append(Sync())
        return view


# ---- what programs are made of ----

sync: Program = _Sync()
rev: Program = _Permute("rev")
riffle: Program = _Permute("riffle")
unriffle: Program = _Permute("unriffle")


def then(*programs: Program) -> Program:
    """One program after the other: `->-` of Obsidian. Also written f >> g."""
    parts: list[Program] = []
    for program in programs:
        made = _program("then", program)
        parts += made.parts if isinstance(made, _Then) else (made,)
    return _Then(tuple(parts))


def rep(count: int, program: Program) -> Program:
    """The program, count times. rep(0, p) leaves the array as it is."""
    if not isinstance(count, (int, np.integer)) or count < 0:
        raise ValueError(f"rep: {count!r} is no number of times")
    return _Rep(int(count), _program("rep", program))


def two(program: Program) -> Program:
    """The program on both halves of the array, each for itself."""
    return _Two(_program("two", program), False)


def ilv(program: Program) -> Program:
    """The program on the elements at even places and on those at odd ones, each for themselves."""
    return _Two(_program("ilv", program), True)


def halves(lower: Program, upper: Program) -> Program:
    """A program on the lower half, and one on the upper half."""
    return _Halves(_program("halves", lower), _program("halves", upper))


def updown(program: Program) -> Program:
    """The program on both halves, and on the upper one with the two results of each function of a pair exchanged: sorters sort downwards
    there. What an updown inside of the program does is the same in both halves."""
    return _UpDown(_program("updown", program))


def evens(function: Any) -> Program:
    """The function on elements 0 and 1, 2 and 3, and so on."""
    return _Pairs("evens", traced("evens", function, 2, 2))


def odds(function: Any) -> Program:
    """The function on elements 1 and 2, 3 and 4, and so on; the first and the last stay."""
    return _Pairs("odds", traced("odds", function, 2, 2))


def vee(function: Any) -> Program:
    """The function on the first element and the last, the second and the last but one, and so on."""
    return _Pairs("vee", traced("vee", function, 2, 2))


def map(function: Any) -> Program:
    """A function of one element, on each."""
    return _Map(traced("map", function, 1, 1))


def fan(op: Any) -> Program:
    """The last element of the lower half is combined with each of the upper half: a[half + i] = op(a[half - 1], a[half + i])."""
    return _Fan(traced("fan", op, 2, 1))


def lag(distance: int, op: Any) -> Program:
    """Each element but the first ones is combined with one in front of it: a[i] = op(a[i - distance], a[i]), for i from distance on."""
    if distance < 1:
        raise ValueError(f"lag: a distance of {distance}\n  help: it is 1 or more")
    return _Lag(int(distance), traced("lag", op, 2, 1))


def fold_tree(op: Any) -> Program:
    """The reduction of the array to one element by a tree: neighbours, then neighbours of these. op is associative."""
    return _FoldTree(traced("fold_tree", op, 2, 1))


def tblLook(table: Sequence[int]) -> Program:
    """Element i of the result is element table[i]. The table has the array's length."""
    found = tuple(int(each) for each in table)
    wrong = next((each for each in found if not 0 <= each < len(found)), None)
    if wrong is not None:
        raise ValueError(f"tblLook: the table has the index {wrong}, and is for arrays of {len(found)} elements: 0 to {len(found) - 1}")
    return _Permute("tblLook", found)


def rifftab(n: int) -> tuple[int, ...]:
    """The table of the riffle of n elements: tblLook(rifftab(n)) is riffle."""
    return tuple(int(each) for each in _Permute("riffle").source(_even("rifftab", n)))


def bfly(n: int, function: Any) -> Program:
    """The butterfly over 2^n elements: bfly 1 f = evens f, bfly n f = ilv (bfly (n-1) f) ->- evens f."""
    if n < 1:
        raise ValueError(f"bfly: {n} levels\n  help: bfly(n, f) is for 2**n elements, and n is at least 1")
    level = evens(function)
    made = level
    for _ in range(n - 1):
        made = ilv(made) >> level
    return made


def shex(n: int, function: Any) -> Program:
    """Shuffle and exchange, n times: rep n (riffle ->- evens f)."""
    return rep(n, riffle >> evens(function))


def shexT(n: int, function: Any, table: Sequence[int]) -> Program:
    """Shuffle and exchange by a table, with syncs: rep n (tblLook rifftab ->- sync ->- evens f ->- sync)."""
    return rep(n, then(tblLook(table), sync, evens(function), sync))


