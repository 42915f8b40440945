"""Sorters of the combinators, for arrays of 2^n elements; and one that is written by hand.

Of Obsidian's report the odd-even transposition sort, the bitonic merger and `shexT` are known as it prints them. It names vsort without its
definition: here it is the bitonic sorter whose mergers begin with a vee (K. E. Batcher 1968; D. E. Knuth, volume 3, 5.3.4), which needs no
descending halves. Its iterative forms merge by shuffles and exchanges: a reversed half, then the same level n times."""

from __future__ import annotations

from typing import Any

from ._calls import Compiled, kind_of
from ._combinators import bfly, evens, halves, odds, rep, rev, rifftab, shex, shexT, sync, tblLook, then, two, updown, vee
from ._programs import Program
from ._values import cmp

__all__ = ["bitonic", "bitonicUpDown", "sortOET", "vsort", "vsortHO", "vsortIt", "vsortIt2", "vsortShex"]


def _levels(name: str, n: int) -> int:
    if n < 1:
        raise ValueError(f"{name}: {n} levels\n  help: {name}(n) sorts 2**n elements, and n is at least 1")
    return n


def sortOET(length: int) -> Program:
    """The odd-even transposition sort of an even number of elements: neighbours are exchanged, in length / 2 rounds of two steps."""
    return rep((length + 1) // 2, evens(cmp) >> odds(cmp))


def bitonic(n: int) -> Program:
    """Both halves sorted, the upper one reversed, and a butterfly of two-sorters."""
    made = evens(cmp)
    for level in range(2, _levels("bitonic", n) + 1):
        made = then(two(made), halves(then(), rev), bfly(level, cmp))
    return made


def bitonicUpDown(n: int) -> Program:
    """The lower half sorted upwards and the upper one downwards, and a butterfly of two-sorters: no element is moved but by exchanges."""
    made = evens(cmp)
    for level in range(2, _levels("bitonicUpDown", n) + 1):
        made = updown(made) >> bfly(level, cmp)
    return made


def vsort(n: int) -> Program:
    """Both halves sorted, a vee of two-sorters, and a butterfly on each half."""
    made = vee(cmp)
    for level in range(2, _levels("vsort", n) + 1):
        made = then(two(made), vee(cmp), two(bfly(level - 1, cmp)))
    return made


def _iterated(name: str, n: int, merger: Any) -> Program:
    stages = []
    for level in range(1, _levels(name, n) + 1):
        stage = halves(then(), rev) >> merger(level)
        for _ in range(n - level):
            stage = two(stage)
        stages.append(stage)
    return then(*stages)


def vsortShex(n: int) -> Program:
    """vsort by iteration: mergers are `shex`, and the compiler sets the syncs."""
    return _iterated("vsortShex", n, lambda level: shex(level, cmp))


def vsortIt(n: int) -> Program:
    """vsort by iteration, with tables: rep n (tblLook rifftab ->- evens cmp ->- sync)."""
    return _iterated("vsortIt", n, lambda level: rep(level, then(tblLook(rifftab(1 << level)), evens(cmp), sync)))


def vsortIt2(n: int) -> Program:
    """vsortIt with one more sync, between the table and the two-sorters: its mergers are `shexT`."""
    return _iterated("vsortIt2", n, lambda level: shexT(level, cmp, rifftab(1 << level)))


_BY_HAND = """
inline exchange({kind}* s, int i, int j) {{
  {kind} a = s[i], b = s[j];
  bool falls = b < a;
  s[i] = falls ? b : a;
  s[j] = falls ? a : b;
}}

export void combined(const {kind}* x, {kind}* y, long count) {{
  spawn (count * {half}) block({half}) {{
    int t = block.rank;
    const {kind}* in = x + block.id * {length};
    {kind}* out = y + block.id * {length};
    shared {kind} s[{length}];
    s[t] = in[t];
    s[t + {half}] = in[t + {half}];
    block.sync();
    unroll for (int h = 1; h < {length}; h *= 2) {{
      exchange(s, t % h + t / h * (2 * h), t / h * (2 * h) + (2 * h - 1) - t % h);
      block.sync();
      unroll for (int d = h / 2; d > 0; d /= 2) {{
        exchange(s, t % d + t / d * (2 * d), t % d + t / d * (2 * d) + d);
        block.sync();
      }}
    }}
    out[t] = s[t];
    out[t + {half}] = s[t + {half}];
  }}
}}
"""


def vsortHO(n: int, dtype: Any, *, target: str | None = None) -> Compiled:
    """vsort as a program of the language, written by hand: each exchange is done by one thread, in place. For up to 2^11 elements."""
    if not 1 <= n <= 11:
        raise ValueError(f"vsortHO: {n} levels\n  help: a thread does one exchange, and a block has 1,024 threads: n is 1 to 11")
    text = _BY_HAND.format(kind=kind_of(dtype)[0], half=1 << (n - 1), length=1 << n)
    return Compiled(text, 1 << n, 1 << n, target)
