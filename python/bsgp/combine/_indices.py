"""Vectors of places as expressions of a thread's number u: sums of digits, exclusive ors of bits, or else a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._steps import Indices

_MOST_TERMS = 4


def _scaled(text: str, by: int) -> str:
    return text if by == 1 else f"{text} * {by}"


def _digits(vector: Indices, u: str) -> list[str] | None:
    """The vector as a sum of multiples of digits of u, and a constant in the end."""
    terms: list[str] = []
    while vector.size > 1 and len(terms) <= _MOST_TERMS:
        step = int(vector[1] - vector[0])
        breaks = np.flatnonzero(np.diff(vector) != step)
        run = int(breaks[0]) + 1 if breaks.size else vector.size
        if vector.size % run:
            return None
        rows = vector.reshape(-1, run)
        if (rows != rows[:, :1] + np.arange(run) * step).any():
            return None
        if step:
            terms.append(_scaled(u if run == vector.size else f"{u} % {run}", step))
        vector, u = rows[:, 0], f"{u} / {run}"
    if vector.size > 1:
        return None
    return terms + [str(int(vector[0]))] * bool(vector[0] or not terms)


def _bits(vector: Indices, u: str) -> list[str] | None:
    """The vector as an exclusive or of bits of u at other places."""
    n = vector.size
    if n & (n - 1) or int(vector.min()) < 0:
        return None
    columns = [int(vector[1 << k] ^ vector[0]) for k in range(n.bit_length() - 1)]
    made = np.full(n, vector[0])
    for k, column in enumerate(columns):
        made ^= (np.arange(n) >> k & 1) * column
    if (made != vector).any():
        return None
    masks: dict[int, int] = {}
    terms = []
    for k, column in enumerate(columns):
        if column & (column - 1):
            terms.append(f"(-({u} >> {k} & 1) & {column})")
        elif column:
            shift = column.bit_length() - 1 - k
            masks[shift] = masks.get(shift, 0) | 1 << k
    for shift, mask in sorted(masks.items()):
        kept = u if mask == n - 1 else f"({u} & {mask})"
        terms.append(kept if shift == 0 else f"({kept} {'<<' if shift > 0 else '>>'} {abs(shift)})")
    return terms + [str(int(vector[0]))] * bool(vector[0] or not terms)


def _period(vector: npt.NDArray[Any]) -> int:
    """After how many threads the vector begins anew."""
    for period in range(1, vector.size + 1):
        if vector.size % period == 0 and (vector.reshape(-1, period) == vector[:period]).all():
            return period
    return int(vector.size)


def threshold(holds: npt.NDArray[np.bool_], u: str = "u") -> str | None:
    """The condition as a comparison of u or a remainder of it, if it is one."""
    period = _period(holds)
    changes = np.flatnonzero(np.diff(holds[:period]))
    if changes.size != 1:
        return None
    within = u if period == holds.size else f"{u} % {period}"
    return f"{within} {'<' if holds[0] else '>='} {int(changes[0]) + 1}"


class Tables:
    """The tables of a program, and the texts of vectors."""

    def __init__(self) -> None:
        self._tables: dict[bytes, str] = {}
        self.lines: list[str] = []

    def text(self, vector: Indices, u: str = "u") -> str:
        """An expression of u that has these values."""
        digits, bits = _digits(vector, u), _bits(vector, u)
        if bits and len(bits) <= _MOST_TERMS and (not digits or len(bits) < len(digits)):
            return " ^ ".join(bits)
        if digits:
            return " + ".join(digits).replace("+ -", "- ")
        return " ^ ".join(bits) if bits and len(bits) <= _MOST_TERMS else f"{self._table(vector)}[{u}]"

    def condition(self, holds: npt.NDArray[np.bool_], u: str = "u") -> str:
        """A condition on u that holds there."""
        return threshold(holds, u) or f"({self.text(holds.astype(np.int64), u)}) != 0"

    def _table(self, vector: Indices) -> str:
        key = vector.tobytes()
        if key not in self._tables:
            self._tables[key] = name = f"table{len(self._tables)}"
            self.lines.append(f"const int {name}[{vector.size}] = {{{', '.join(str(int(each)) for each in vector)}}};")
        return self._tables[key]
