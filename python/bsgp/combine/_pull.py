"""Elements behind some steps, as expressions of elements in front of them. An array is a function of the place, as in Obsidian.

Places are vectors: one for each thread. Equal vectors are one element, so that what is needed twice is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._steps import Indices, Move, Step


@dataclass(eq=False)
class Load:
    places: Indices


@dataclass(eq=False)
class Apply:
    """A step's function; the node of a result is a Result."""

    step: Step
    arguments: list[Any]


@dataclass(eq=False)
class Result:
    of: Apply
    number: int


@dataclass(eq=False)
class Select:
    """Which of the choices: the vector has their numbers."""

    which: Indices
    choices: list[Any]


class _Inverse:
    """Which call of a step writes a place, and as which of its results: -1 where none does."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.call = np.full(step.length, -1)
        self.result = np.full(step.length, -1)
        for number, writes in enumerate(step.writes):
            self.call[writes] = np.arange(writes.size)
            self.result[writes] = number
        self.kept = [each.arguments[0] if each.operation == "element" else -1 for each in step.function.results]
        self.used = step.function.elements_of([each for each, kept in zip(step.function.results, self.kept) if kept < 0])


def _inverse(step: Step) -> _Inverse:
    if not step.inverse:
        step.inverse.append(_Inverse(step))
    made: _Inverse = step.inverse[0]
    return made


def _in_order(step: Step, reads: list[Indices]) -> list[Indices]:
    """A symmetric function takes the element in front first, so that all threads call it alike."""
    return [np.minimum(*reads), np.maximum(*reads)] if step.function.is_symmetric else reads


class Uneven(Exception):
    """Threads would differ in what they do, or read too many elements."""


class Pull:
    """The steps of a phase. is_near: those that need nothing of a step where others do read their own element, which is near.
    most_loads: more of them are Uneven, and so are threads that differ."""

    def __init__(self, items: Sequence[Step | Move], is_near: bool = False, most_loads: int | None = None) -> None:
        self.is_near, self.most_loads = is_near, most_loads
        self.items = [_inverse(each) if isinstance(each, Step) else each for each in items]
        self.loads: list[Load] = []
        self.nodes: list[Any] = []
        self._known: dict[Any, Any] = {}

    def needed(self, values: Sequence[Any]) -> list[Any]:
        """The nodes that the values depend on: elements, then operations in order."""
        seen: set[int] = set()
        waiting = list(values)
        while waiting:
            node = waiting.pop()
            node = node.of if isinstance(node, Result) else node
            if id(node) not in seen:
                seen.add(id(node))
                waiting += node.arguments if isinstance(node, Apply) else node.choices if isinstance(node, Select) else []
        return [node for node in [*self.loads, *self.nodes] if id(node) in seen]

    def element(self, places: Indices) -> Any:
        """The elements at these places behind all steps."""
        return self._element(len(self.items), places)

    def _element(self, level: int, places: Indices) -> Any:
        key = (level, places.tobytes())
        if key not in self._known:
            self._known[key] = self._made(level, places)
        return self._known[key]

    def _made(self, level: int, places: Indices) -> Any:
        if level == 0:
            self.loads.append(Load(places))
            if self.most_loads is not None and len(self.loads) > self.most_loads:
                raise Uneven
            return self.loads[-1]
        item = self.items[level - 1]
        if isinstance(item, Move):
            return self._element(level - 1, item.source[places])
        call, result = item.call[places], item.result[places]
        if (call < 0).all():
            return self._element(level - 1, places)
        if result[0] >= 0 and (result == result[0]).all():
            return self._uniform(level, item, call, int(result[0]))
        return self._chosen(level, item, places, call, result)

    def _uniform(self, level: int, item: _Inverse, call: Indices, result: int) -> Any:
        if item.kept[result] >= 0:
            return self._element(level - 1, item.step.reads[item.kept[result]][call])
        return self._applied(level, item, _in_order(item.step, [reads[call] for reads in item.step.reads])).get(result)

    def _applied(self, level: int, item: _Inverse, reads: list[Indices]) -> Any:
        key = (level, "call", *[reads[i].tobytes() for i in item.used])
        if key not in self._known:
            arguments = [self._element(level - 1, each) if i in item.used else None for i, each in enumerate(reads)]
            apply = Apply(item.step, arguments)
            self.nodes.append(apply)
            self._known[key] = {number: Result(apply, number) for number, kept in enumerate(item.kept) if kept < 0}
        return self._known[key]

    def _chosen(self, level: int, item: _Inverse, places: Indices, call: Indices, result: Indices) -> Any:
        """Threads differ in what they need of the step: each computes all results, and takes its own."""
        if self.most_loads is not None and (not item.step.function.is_symmetric or (call < 0).any()):
            raise Uneven
        step, source = item.step, places.copy()
        stays = call < 0
        for number, kept in enumerate(item.kept):
            if kept >= 0:
                here = result == number
                source[here] = step.reads[kept][call[here]]
                stays |= here
        if stays.all():
            return self._element(level - 1, source)
        reads = _in_order(step, [np.where(stays if self.is_near else call < 0, source, each[call]) for each in step.reads])
        fill = self._argument_in_place(item)
        reads[fill] = np.where(stays, source, reads[fill])
        results = self._applied(level, item, reads)
        numbers = [int(each) for each in np.unique(result[~stays])]
        choices = [results[each] for each in numbers] + [self._element(level - 1, reads[fill])] * bool(stays.any())
        which = np.where(stays, len(numbers), np.searchsorted(numbers, result))
        if len(choices) == 1:
            return choices[0]
        self.nodes.append(Select(which, choices))
        return self.nodes[-1]

    def _argument_in_place(self, item: _Inverse) -> int:
        """An argument that is read where a result is written, if there is one."""
        for number, kept in enumerate(item.kept):
            for each in item.used if kept < 0 else ():
                if item.step.reads[each] is item.step.writes[number] or (item.step.reads[each] == item.step.writes[number]).all():
                    return each
        return item.used[-1] if item.used else 0


@dataclass
class Team:
    """Threads that do the same: thread u makes the elements at places[..][u]. The steps are those of the phase, seen from there."""

    places: list[Indices]
    values: list[object]
    pull: Pull


@dataclass
class Phase:
    items: list[Step | Move]
    length_before: int
    length: int
    teams: list[Team]
    is_near: bool = False  # each thread makes one element, of elements at few distances

    def origins(self) -> Indices:
        """In which place in front of the phase each place behind it was: where an element stays in memory if nothing moves."""
        places = np.arange(self.length_before)
        for item in self.items:
            if isinstance(item, Move):
                places = places[item.source]
            elif item.length != places.size:
                made = np.empty(item.length, np.int64)
                made[item.writes[0]] = places[item.reads[0]]
                places = made
        return places
