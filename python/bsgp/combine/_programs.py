"""Programs over an array of known length, as values, and those that are made of others. `apply` says what one computes, on lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._steps import Step, Steps, View


class Program:
    """A computation over an array. `f >> g` is f, then g."""

    def __rshift__(self, other: Program) -> Program:
        return then(self, other)

    def length(self, n: int) -> int:
        """How many elements come out of n. Raises ValueError, which names the combinator, where it does not take n."""
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        """Computes on a list whose length fits, and returns the result."""
        raise NotImplementedError

    def exchanged(self) -> Program:
        """The program with the two results of each function of a pair exchanged."""
        return self

    def lower(self, steps: Steps, view: View) -> View:
        """Adds the program's steps on the view's arrays; returns what they are behind it."""
        raise NotImplementedError


def as_program(what: str, value: Any) -> Program:
    if isinstance(value, Program):
        return value
    raise TypeError(f"{what}: {type(value).__name__} is no program\n  help: combine.evens(f) and combine.map(f) make programs of functions")


def even(what: str, n: int) -> int:
    if n % 2 or not n:
        raise ValueError(f"{what}: the array has {n} elements, and it takes an even number\n  help: the program is for lengths of which all "
                         "halves that it makes are even; a power of two fits most")
    return n


@dataclass(frozen=True)
class Then(Program):
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
        return Then(tuple(part.exchanged() for part in self.parts))

    def lower(self, steps: Steps, view: View) -> View:
        for part in self.parts:
            view = part.lower(steps, view)
        return view


def then(*programs: Program) -> Program:
    """One program after the other: `->-` of Obsidian. Also written f >> g."""
    parts: list[Program] = []
    for program in programs:
        made = as_program("then", program)
        parts += made.parts if isinstance(made, Then) else (made,)
    return Then(tuple(parts))


@dataclass(frozen=True)
class Rep(Program):
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
        return Rep(self.count, self.program.exchanged())

    def lower(self, steps: Steps, view: View) -> View:
        for done in range(self.count):
            first, before = len(steps.items), view
            view = self.program.lower(steps, view)
            if view.length == before.length:  # the others are the same
                steps.repeat(first, self.count - done - 1)
                break
        return view


@dataclass(frozen=True)
class Two(Program):
    """The program on both halves; or on the elements at even, and on those at odd places."""

    program: Program
    interleaved: bool

    @property
    def name(self) -> str:
        return "ilv" if self.interleaved else "two"

    def length(self, n: int) -> int:
        return 2 * self.program.length(even(self.name, n) // 2)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        if not self.interleaved:
            return self.program.apply(values[:half]) + self.program.apply(values[half:])
        both = zip(self.program.apply(values[0::2]), self.program.apply(values[1::2]))
        return [each for pair in both for each in pair]

    def exchanged(self) -> Program:
        return Two(self.program.exchanged(), self.interleaved)

    def lower(self, steps: Steps, view: View) -> View:
        inner = view.interleaved() if self.interleaved else view.halves()
        return view.resized(2 * self.program.lower(steps, inner).length)


@dataclass(frozen=True)
class Halves(Program):
    lower_half: Program
    upper_half: Program

    def length(self, n: int) -> int:
        half = even("halves", n) // 2
        for program in (self.lower_half, self.upper_half):
            if program.length(half) != half:
                raise ValueError(f"halves: a program makes {program.length(half)} elements of {half}\n  help: both keep the length")
        return n

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return self.lower_half.apply(values[:half]) + self.upper_half.apply(values[half:])

    def exchanged(self) -> Program:
        return Halves(self.lower_half.exchanged(), self.upper_half.exchanged())

    def lower(self, steps: Steps, view: View) -> View:
        self.lower_half.lower(steps, view.half(0))
        self.upper_half.lower(steps, view.half(1))
        return view


@dataclass(frozen=True)
class UpDown(Program):
    program: Program

    def length(self, n: int) -> int:
        return 2 * self.program.length(even("updown", n) // 2)

    def apply(self, values: list[Any]) -> list[Any]:
        half = len(values) // 2
        return self.program.apply(values[:half]) + self.program.exchanged().apply(values[half:])

    def lower(self, steps: Steps, view: View) -> View:
        first = len(steps.items)
        after = Two(self.program, False).lower(steps, view)
        for i in range(first, len(steps.items)):
            item = steps.items[i]
            if isinstance(item, Step) and item.is_pair:
                upper = np.zeros(item.length, bool)
                upper[view.half(1).places(np.arange(view.length // 2))] = True
                steps.items[i] = item.exchanged(upper)
        return after
