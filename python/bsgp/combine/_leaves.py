"""Programs that are not made of others: functions on elements and pairs, and permutations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._programs import Program, even
from ._steps import Indices, Steps, Sync, View
from ._values import Function


@dataclass(frozen=True)
class Pairs(Program):
    """A function of two elements on pairs: neighbours from the first or the second on, or the first and the last, and so on inwards."""

    name: str
    function: Function

    def length(self, n: int) -> int:
        return even(self.name, n)

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
        return Pairs(self.name, self.function.exchanged)

    def lower(self, steps: Steps, view: View) -> View:
        places = [view.places(each) for each in self._places(view.length)]
        if places[0].size:
            steps.add(self.function, places, places)
        return view


@dataclass(frozen=True)
class Map(Program):
    function: Function

    def apply(self, values: list[Any]) -> list[Any]:
        return [self.function(value)[0] for value in values]

    def lower(self, steps: Steps, view: View) -> View:
        places = [view.places(np.arange(view.length))]
        steps.add(self.function, places, places)
        return view


@dataclass(frozen=True)
class Fan(Program):
    function: Function

    def length(self, n: int) -> int:
        return even("fan", n)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return values[:half] + [self.function(values[half - 1], value)[0] for value in values[half:]]

    def lower(self, steps: Steps, view: View) -> View:
        half = view.length // 2
        lower, upper = view.places(np.arange(half)), view.places(np.arange(half, 2 * half))
        last = view.places(np.full(half, half - 1))
        steps.add(self.function.behind_one, [last, upper, lower], [upper, lower])
        return view


@dataclass(frozen=True)
class Lag(Program):
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
class Fold(Program):
    """One level of a tree: neighbours become one element."""

    function: Function

    def length(self, n: int) -> int:
        return even("fold", n) // 2

    def apply(self, values: list[Any]) -> list[Any]:
        return [self.function(a, b)[0] for a, b in zip(values[0::2], values[1::2])]

    def lower(self, steps: Steps, view: View) -> View:
        half = view.resized(view.length // 2)
        reads = [view.places(np.arange(first, view.length, 2)) for first in (0, 1)]
        steps.add(self.function, reads, [half.places(np.arange(half.length))], half.total)
        return half


@dataclass(frozen=True)
class FoldTree(Program):
    function: Function

    def length(self, n: int) -> int:
        if n < 1 or n & (n - 1):
            raise ValueError(f"fold_tree: the array has {n} elements, and it takes a power of two\n  help: fill it up with elements that "
                             "change nothing, zeros for +")
        return 1

    def apply(self, values: list[Any]) -> list[Any]:
        while len(values) > 1:
            values = Fold(self.function).apply(values)
        return values

    def lower(self, steps: Steps, view: View) -> View:
        while view.length > 1:
            view = Fold(self.function).lower(steps, view)
        return view


@dataclass(frozen=True)
class Permute(Program):
    """Element i is element table[i], or what the name says."""

    name: str
    table: tuple[int, ...] = ()

    def length(self, n: int) -> int:
        if self.name == "tblLook" and len(self.table) != n:
            raise ValueError(f"tblLook: the table has {len(self.table)} elements, and the array {n}\n  help: combine.rifftab({n}) makes a table "
                             "of that length")
        return n if self.name in ("rev", "tblLook") else even(self.name, n)

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
        steps.move(source)
        return view


@dataclass(frozen=True)
class SyncProgram(Program):
    def apply(self, values: list[Any]) -> list[Any]:
        return values

    def lower(self, steps: Steps, view: View) -> View:
        steps.append(Sync())
        return view
