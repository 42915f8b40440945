"""Programs as steps on the whole array: each says which elements a function reads and writes, as vectors of places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._values import Function

Indices = npt.NDArray[np.int64]
_MOST = 100_000  # steps of a program


@dataclass(frozen=True)
class View:
    """Equal arrays in the array of the block: element j of array k is at bases[k] + j * stride."""

    bases: Indices
    length: int
    stride: int
    total: int

    @staticmethod
    def whole(n: int) -> View:
        return View(np.zeros(1, np.int64), n, 1, n)

    def places(self, elements: Indices) -> Indices:
        """The places of these elements of each array."""
        return (self.bases[:, None] + elements[None, :] * self.stride).ravel()

    def half(self, upper: int) -> View:
        return View(self.bases + upper * (self.length // 2) * self.stride, self.length // 2, self.stride, self.total)

    def halves(self) -> View:
        return View(np.concatenate([self.bases, self.half(1).bases]), self.length // 2, self.stride, self.total)

    def interleaved(self) -> View:
        return View(np.concatenate([self.bases, self.bases + self.stride]), self.length // 2, 2 * self.stride, self.total)

    def resized(self, length: int) -> View:
        """All arrays of the view have this length now, and their elements lie as before."""
        if length == self.length:
            return self
        before = self.length * self.stride
        bases = self.bases // before * (length * self.stride) + self.bases % before
        return View(bases, length, self.stride, self.total // self.length * length)


@dataclass(frozen=True)
class Step:
    """For each u: the elements at writes[..][u] become the function of those at reads[..][u]; others stay. In another length all are
    written."""

    function: Function
    reads: list[Indices]
    writes: list[Indices]
    length: int
    is_directed: bool = False  # an updown has said in which order its results are
    inverse: list[Any] = field(default_factory=list, compare=False)  # which call writes a place, once that is asked

    @property
    def is_pair(self) -> bool:
        """A function of a pair, whose results replace it in an order that is open."""
        return self.function.arity == 2 and len(self.writes) == 2 and not self.is_directed

    def exchanged(self, where: npt.NDArray[np.bool_]) -> Step:
        """The step with the results of a pair exchanged for the calls at these places of the array."""
        here = where[self.writes[0]]
        writes = [np.where(here, self.writes[1], self.writes[0]), np.where(here, self.writes[0], self.writes[1])]
        return Step(self.function, self.reads, writes, self.length, True)


@dataclass(frozen=True)
class Move:
    """Element i becomes the element at source[i]."""

    source: Indices


@dataclass(frozen=True)
class Sync:
    """The program has a sync here."""


class Steps:
    """A program's steps in order. Equal ones are one object, so that what follows from a step is found out once."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.items: list[Step | Move | Sync] = []
        self._known: dict[tuple[object, ...], Step | Move] = {}

    def add(self, function: Function, reads: list[Indices], writes: list[Indices], length: int = 0) -> None:
        self.length = length or self.length
        order = np.argsort(writes[0], kind="stable")
        ordered = [each[order] for each in [*reads, *writes]]
        key = (function, self.length, len(reads), *[each.tobytes() for each in ordered])
        if key not in self._known:
            self._known[key] = Step(function, ordered[: len(reads)], ordered[len(reads) :], self.length)
        self.append(self._known[key])

    def move(self, source: Indices) -> None:
        self.append(self._known.setdefault((source.tobytes(),), Move(source)))

    def append(self, item: Step | Move | Sync) -> None:
        self._refuse("combine: the program has", 1)
        self.items.append(item)

    def repeat(self, first: int, count: int) -> None:
        """The steps from this one on, so many times more."""
        self._refuse(f"rep: with {count + 1} rounds the program has", (len(self.items) - first) * count)
        self.items += self.items[first:] * count

    def _refuse(self, what: str, more: int) -> None:
        if len(self.items) + more > _MOST:
            raise ValueError(f"{what} more than {_MOST:,} steps of a kernel\n  help: compile a program of fewer rounds, f = "
                             "combine.compile(rep(1000, p), ...), and call it several times: f(x) works in place")
