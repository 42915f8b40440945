"""Programs as steps on the whole array: each says which elements a function reads and writes, as vectors of places."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ._values import Function

Indices = npt.NDArray[np.int64]


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


@dataclass
class Steps:
    length: int
    items: list[Step | Move | Sync] = field(default_factory=list)

    def add(self, function: Function, reads: list[Indices], writes: list[Indices], length: int = 0) -> None:
        self.length = length or self.length
        order = np.argsort(writes[0], kind="stable")
        self.items.append(Step(function, [each[order] for each in reads], [each[order] for each in writes], self.length))
