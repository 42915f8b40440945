"""Prefix sums of the combinators: Sklansky's, as five kernels, and the scan of a long array by them.

Obsidian's report names the kernels sklansky, and prints a table of them without their definitions: here they are Sklansky's network (J.
Sklansky 1960: both halves, then the last of the lower one is added to each of the upper one) with the properties in the table."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .._convert import asarray
from .._core import Array, KernelFunction
from ..kernels import compile_as
from ._calls import Compiled, compile, kind_of
from ._combinators import fan, lag, sync, then, two
from ._operations import with_includes
from ._programs import Program
from ._text import applied_text
from ._values import Function, traced

__all__ = ["KERNELS", "kernel", "rows", "scan", "sklansky", "sklanskyHO"]

KERNELS: dict[str, dict[str, Any]] = {
    "sklansky": {"in_place": False, "group": 1, "warp_sync": False},
    "sklansky1": {"in_place": False, "group": 2, "warp_sync": False},
    "sklansky2": {"in_place": False, "group": 2, "warp_sync": True},
    "sklansky3": {"in_place": True, "group": 2, "warp_sync": True},
}


def sklansky(n: int, op: Any = "+", *, syncs: bool = False) -> Program:
    """Sklansky's scan of 2^n elements by an associative op. syncs: there is one after each level, as in the kernels of the report; else the
    compiler sets them."""
    if n < 1:
        raise ValueError(f"sklansky: {n} levels\n  help: sklansky(n) scans 2**n elements, and n is at least 1")
    level = fan(op)
    made = level
    for _ in range(n - 1):
        made = then(two(made), sync, level) if syncs else two(made) >> level
    return made


def rows(n: int, op: Any = "+") -> Program:
    """A scan of 2^n elements by an associative op: a lag of 1, 2, 4 and 8 over each 16 (Hillis and Steele), and these by Sklansky's."""
    if n < 1:
        raise ValueError(f"rows: {n} levels\n  help: rows(n) scans 2**n elements, and n is at least 1")
    made = then(*[lag(1 << k, op) for k in range(min(n, 4))])
    for level in range(4, n):
        made = two(made) >> fan(op)
    return made


def kernel(name: str, n: int, dtype: Any, op: Any = "+", *, target: str | None = None) -> Compiled:
    """One of the five kernels: "hand", "sklansky", "sklansky1", "sklansky2" or "sklansky3"."""
    if name == "hand":
        return sklanskyHO(n, dtype, target=target)
    if name not in KERNELS:
        raise ValueError(f"kernel: there is no kernel {name!r}\n  help: there are 'hand', {', '.join(map(repr, KERNELS))}")
    return compile(sklansky(n, op, syncs=True), 1 << n, dtype, target=target, **KERNELS[name])


_BY_HAND = """
export void combined(const {kind}* x, {kind}* y, long count) {{
  spawn (count * {half}) block({half}) {{
    int t = block.rank;
    const {kind}* in = x + block.id * {length};
    {kind}* out = y + block.id * {length};
    shared {kind} s[{length}];
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t] + in[2 * t + 1];
    unroll for (int h = 2; h < {length}; h *= 2) {{
      if (h <= 32)
        warp.sync();
      else
        block.sync();
      s[t / h * 2 * h + h + t % h] += s[t / h * 2 * h + h - 1];
    }}
    block.sync();
    out[t] = s[t];
    out[t + {half}] = s[t + {half}];
  }}
}}
"""


def sklanskyHO(n: int, dtype: Any, *, target: str | None = None) -> Compiled:
    """Sklansky's sums as a program of the language, written by hand: in place, each addition by one thread, warps wait for themselves where
    that is enough. For up to 2^11 elements."""
    if not 1 <= n <= 11:
        raise ValueError(f"sklanskyHO: {n} levels\n  help: a thread does one addition, and a block has 1,024 threads: n is 1 to 11")
    text = _BY_HAND.format(kind=kind_of(dtype)[0], half=1 << (n - 1), length=1 << n)
    return Compiled(text, 1 << n, 1 << n, target)


# ---- long arrays ----


@functools.lru_cache(64)
def _parts(op: Function, length: int, dtype: str, target: str | None) -> tuple[Compiled, KernelFunction]:
    """The scan of each part, and the text that adds to each part what all before it make together."""
    kind = kind_of(dtype)[0]
    lines, result = applied_text(op, ["before", "x[i]"], kind)
    text = f"""export void distributed({kind}* x, const {kind}* ends, long n) {{
  spawn (n - {length}) {{
    long i = thread.rank + {length};
    {kind} before = ends[thread.rank / {length}];
    {' '.join(lines)}
    x[i] = {result};
  }}
}}
"""
    text = with_includes(text)
    each = compile(rows(length.bit_length() - 1, op), length, dtype, target=target)
    return each, compile_as(text, "scan", target=target)["distributed"]


@functools.lru_cache(64)
def _operator(op: str) -> Function:
    return traced("scan", op, 2, 1)


def scan(array: Any, op: Any = "+", *, length: int = 512, target: str | None = None) -> Any:
    """The inclusive scan of an array with one axis by an associative op: "+", "*", "min", "max", or a function of two elements.

    Each `length` elements, a power of two, are scanned by a block; the last elements of these are scanned in the same way, and distributed.
    Returns an array of the same kind: of NumPy or of BSGP. An op that is a Function (`combine.Function`, or a text) is compiled once.
    """
    if not isinstance(array, (Array, np.ndarray)) or array.ndim != 1:
        raise TypeError("scan: it takes an array of NumPy or of BSGP with one axis\n  help: numpy.asarray(a).reshape(-1)")
    if length < 2 or length & (length - 1):
        raise ValueError(f"scan: parts of {length} elements\n  help: their length is a power of two, from 2 on")
    function = _operator(op) if isinstance(op, str) else traced("scan", op, 2, 1)
    made = _scanned(np.ascontiguousarray(np.asarray(array)), function, length, target)
    return asarray(made) if isinstance(array, Array) else made


def _scanned(given: np.ndarray[Any, Any], op: Function, length: int, target: str | None) -> np.ndarray[Any, Any]:
    each, distributed = _parts(op, length, given.dtype.name, target)
    rest = -given.size % length
    made = np.empty(given.size + rest, given.dtype)
    if rest:
        made[: given.size], made[given.size :] = given, given[-1]
        each(made)
    else:
        each(given, made)
    if made.size > length:
        ends = _scanned(made[length - 1 :: length].copy(), op, length, target)
        distributed(made, ends, made.size)
    return made[: given.size]
