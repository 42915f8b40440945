"""The combinators: functions that make programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._leaves import Fan, FoldTree, Lag, Map, Pairs, Permute, SyncProgram
from ._programs import Halves, Program, Rep, Two, UpDown, as_program, even, then
from ._values import traced

__all__ = [
    "bfly", "evens", "fan", "fold_tree", "halves", "ilv", "lag", "map", "odds", "rep", "rev", "riffle", "rifftab", "shex", "shexT", "sync", "tblLook",
    "then", "two", "unriffle", "updown", "vee",
]  # fmt: skip

sync: Program = SyncProgram()
rev: Program = Permute("rev")
riffle: Program = Permute("riffle")
unriffle: Program = Permute("unriffle")


def rep(count: int, program: Program) -> Program:
    """The program, count times. rep(0, p) leaves the array as it is."""
    if not isinstance(count, (int, np.integer)) or count < 0:
        raise ValueError(f"rep: {count!r} is no number of times")
    return Rep(int(count), as_program("rep", program))


def two(program: Program) -> Program:
    """The program on both halves of the array, each for itself."""
    return Two(as_program("two", program), False)


def ilv(program: Program) -> Program:
    """The program on the elements at even places and on those at odd ones, each for themselves."""
    return Two(as_program("ilv", program), True)


def halves(lower: Program, upper: Program) -> Program:
    """A program on the lower half, and one on the upper half."""
    return Halves(as_program("halves", lower), as_program("halves", upper))


def updown(program: Program) -> Program:
    """The program on both halves, and on the upper one with the two results of each function of a pair exchanged: sorters sort downwards
    there. What an updown inside of the program does is the same in both halves."""
    return UpDown(as_program("updown", program))


def evens(function: Any) -> Program:
    """The function on elements 0 and 1, 2 and 3, and so on."""
    return Pairs("evens", traced("evens", function, 2, 2))


def odds(function: Any) -> Program:
    """The function on elements 1 and 2, 3 and 4, and so on; the first and the last stay."""
    return Pairs("odds", traced("odds", function, 2, 2))


def vee(function: Any) -> Program:
    """The function on the first element and the last, the second and the last but one, and so on."""
    return Pairs("vee", traced("vee", function, 2, 2))


def map(function: Any) -> Program:
    """A function of one element, on each."""
    return Map(traced("map", function, 1, 1))


def fan(op: Any) -> Program:
    """The last element of the lower half is combined with each of the upper half: a[half + i] = op(a[half - 1], a[half + i])."""
    return Fan(traced("fan", op, 2, 1))


def lag(distance: int, op: Any) -> Program:
    """Each element but the first ones is combined with one in front of it: a[i] = op(a[i - distance], a[i]), for i from distance on."""
    if distance < 1:
        raise ValueError(f"lag: a distance of {distance}\n  help: it is 1 or more")
    return Lag(int(distance), traced("lag", op, 2, 1))


def fold_tree(op: Any) -> Program:
    """The reduction of the array to one element by a tree: neighbours, then neighbours of these. op is associative."""
    return FoldTree(traced("fold_tree", op, 2, 1))


def _listed(table: Any) -> Sequence[Any]:
    if not hasattr(table, "__iter__"):
        raise TypeError(f"tblLook: {type(table).__name__} is no table\n  help: a list of whole numbers, or combine.rifftab(n), the table "
                        "for n elements")
    return list(table)


def _whole(index: Any) -> int:
    if isinstance(index, (bool, np.bool_)) or not hasattr(index, "__index__"):
        raise TypeError(f"tblLook: a table holds whole numbers, and this one has {index!r}\n  help: element i of the result is element "
                        "table[i]; a.astype(int) makes whole numbers")
    return int(index)


def tblLook(table: Sequence[int]) -> Program:
    """Element i of the result is element table[i]. The table has the array's length."""
    found = tuple(_whole(each) for each in _listed(table))
    wrong = next((each for each in found if not 0 <= each < len(found)), None)
    if wrong is not None:
        raise ValueError(f"tblLook: the table has the index {wrong}, and is for arrays of {len(found)} elements: 0 to {len(found) - 1}")
    return Permute("tblLook", found)


def rifftab(n: int) -> tuple[int, ...]:
    """The table of the riffle of n elements: tblLook(rifftab(n)) is riffle."""
    return tuple(int(each) for each in Permute("riffle").source(even("rifftab", n)))


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


