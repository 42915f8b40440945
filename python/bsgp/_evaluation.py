"""Computing arrays, and looking inside."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, NamedTuple

from . import _core
from ._convert import Array, given


def eval(*arrays: Any) -> None:
    """Computes arrays, in as few passes over memory as it can; what they share is computed once. Lists, tuples and dicts of arrays, too."""
    _core.eval(list(_flat(arrays)))


def _flat(value: Any) -> Iterator[Array]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    elif isinstance(value, dict):
        yield from _flat(list(value.values()))
    else:
        yield given(value)


class Explanation(NamedTuple):
    """What computing arrays would do."""

    text: str
    kernels: int
    operations: int
    bytes_written: int

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def explain(*arrays: Any) -> Explanation:
    """What computing arrays would do: a line for each pass over memory with its operations, and why it ends. Computes nothing."""
    return Explanation(*_core.explain([given(each) for each in arrays]))


class Statistics(NamedTuple):
    """live_bytes: of arrays that are computed or copied in; evaluations and the kernels that they have run; compiled: pieces of code."""

    live_bytes: int
    evaluations: int
    kernels: int
    compiled: int


def statistics() -> Statistics:
    """Numbers about all arrays of this process, so far."""
    return Statistics(*_core.statistics())


_COMPILE = {"when it pays": 0, "always": 1, "never": -1}


@contextlib.contextmanager
def options(
    *,
    threads: int | None = None,
    fuse: bool | None = None,
    compile: str | None = None,
    most_pending_bytes: int | None = None,
    target: str | None = None,
    exact: bool | None = None,
) -> Iterator[None]:
    """How arrays are computed inside of a `with`, by this thread. None: as outside.

    threads: that work at a time; 0: all processors. fuse: False: each operation by itself. compile: "when it pays", "always" or "never":
    arithmetic of kernels as machine code. most_pending_bytes: a longer chain of operations is computed without being asked; 0: 16 GiB.
    target: "cpu", "cuda" (a GPU) or "reference" (one thread at a time). exact: products of matrices in a fixed order, in place of BLAS.

    The results are the same bits, but for products of matrices. Raises ValueError for a target that does not exist, Error for one whose
    machine is not there.
    """
    if compile is not None and compile not in _COMPILE:
        raise ValueError(f"options: compile is {compile!r}; it may be {', '.join(map(repr, _COMPILE))}")
    if threads is not None and (not isinstance(threads, int) or threads < 0):
        raise ValueError(f"options: threads is {threads!r}; it is a whole number, 0: all processors")
    before = _core.get_options()
    wanted: tuple[Any, ...] = (threads, fuse, None if compile is None else _COMPILE[compile], most_pending_bytes, target, exact)
    new: Any = [old if each is None else each for old, each in zip(before, wanted)]
    _core.set_options(*new)
    try:
        yield
    finally:
        _core.set_options(*before)
