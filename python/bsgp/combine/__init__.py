"""Combinators that describe a parallel computation over the array of a block, after Obsidian.

    >>> from bsgp import combine
    >>> combine.simulate(combine.bfly(3, combine.cmp), [1, 3, 5, 7, 8, 6, 4, 2])
    [1, 2, 3, 4, 5, 6, 7, 8]
    >>> combine.run(combine.bfly(3, combine.cmp), numpy.array([8, 2, 6, 4, 1, 5, 7, 3]))
    array([1, 2, 3, 6, 4, 7, 5, 8])

A program is a value. `simulate` says what it computes, `emit` is its text in the language, `run`, `blocks` and `compile` do it.
`combine.sorters` and `combine.scans` have programs. docs/python_combine.md is the tutorial.
"""

from . import scans, sorters
from ._calls import Compiled, blocks, compile, emit, run, simulate
from ._combinators import (
    bfly, evens, fan, fold_tree, halves, ilv, lag, map, odds, rep, rev, riffle, rifftab, shex, shexT, sync, tblLook, then, two, unriffle,
    updown, vee,
)  # fmt: skip
from ._programs import Program
from ._values import Function, cmp, max, min, pair, where

__all__ = [
    "Compiled", "Function", "Program", "bfly", "blocks", "cmp", "compile", "emit", "evens", "fan", "fold_tree", "halves", "ilv", "lag",
    "map", "max", "min", "odds", "pair", "rep", "rev", "riffle", "rifftab", "run", "scans", "shex", "shexT", "simulate", "sorters",
    "sync", "tblLook", "then", "two", "unriffle", "updown", "vee", "where",
]  # fmt: skip
