"""Graphs with loops and choices: what is computed in front of a loop, the loop, and what comes behind it are stages of a program.

A Trace collects the loops and choices of a function that is traced. The results of each are parameters of what is computed with them. At
the end the graph is cut there: a value that a loop needs from outside is computed once in front of it, and one that several stages need
is computed in the first of them, unless its elements are only moved.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, NamedTuple, Sequence

from . import _core
from ._convert import Array


class Step(NamedTuple):
    """A loop or a choice: a computation of `inputs`; `results` are parameters that stand for what it gives."""

    computation: _core.Computation
    inputs: list[Array]
    results: list[Array]


class Trace:
    """A function while it is traced. scope: that of the arrays that it makes."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scope = 0


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.traces: list[Trace] = []


_thread = _OfThread()


def current() -> Trace | None:
    """The innermost function that this thread traces."""
    return _thread.traces[-1] if _thread.traces else None


@contextlib.contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Operations belong to the trace meanwhile."""
    trace.scope, before = _core.begin_graph(trace.scope)
    _thread.traces.append(trace)
    try:
        yield
    finally:
        _thread.traces.pop()
        _core.end_graph(before)


def _live(trace: Trace, outputs: Sequence[Array]) -> tuple[list[Step], list[Array]]:
    """Steps that an output depends on, and all arrays that they and the outputs are made of."""
    live: list[Step] = []
    needed = list(outputs)
    for step in reversed(trace.steps):
        if any(_core.cut(needed, step.results, [], 0)[0]):
            live.insert(0, step)
            needed += step.inputs
    return live, needed


def captured(trace: Trace, parameters: Sequence[Array], outputs: Sequence[Array]) -> list[Array]:
    """Arrays from outside of the trace that its outputs are computed of."""
    live, needed = _live(trace, outputs)
    known = [*parameters, *(result for step in live for result in step.results)]
    return _core.cut(needed, known, [], trace.scope)[1]


def computation(trace: Trace, parameters: Sequence[Array], outputs: Sequence[Array], copies: bool = False) -> _core.Computation:
    """A computation of the outputs. parameters: also arrays that are captured. copies: no result is the very array of an argument."""
    live, _ = _live(trace, outputs)
    if not live:
        return _core.BoundFunction(parameters, outputs, True)
    return _Stages(parameters, live, list(outputs), copies).made


class _Stages:
    """Puts the stages of a program in their order. Each array that a stage gives has a register, by number."""

    def __init__(self, parameters: Sequence[Array], steps: list[Step], outputs: list[Array], copies: bool) -> None:
        self._registers: list[Array] = list(parameters)
        self._numbers = {_core.identity(each): i for i, each in enumerate(parameters)}
        self._program: list[tuple[_core.Computation, list[int]]] = []
        for i, step in enumerate(steps):
            later = [each for following in steps[i + 1 :] for each in following.inputs] + outputs
            inputs = self._stage(step.inputs, later)
            self._program.append((step.computation, inputs))
            for result in step.results:
                self._add(result)
        self.made = _core.Program(self._program, self._stage(outputs, [], len(parameters) if copies else 0))

    def _add(self, array: Array) -> None:
        self._numbers.setdefault(_core.identity(array), len(self._registers))
        self._registers.append(array)

    def _stage(self, wanted: Sequence[Array], later: Sequence[Array], least: int = 0) -> list[int]:
        """Computes arrays that have no register from `least` on. Returns the registers of all. later: what following stages compute."""

        def is_ready(array: Array) -> bool:
            number = self._numbers.get(_core.identity(array))
            return number is not None and number >= least and not _core.is_weak(array)  # a number becomes an array of its own type

        new = list({_core.identity(each): each for each in wanted if not is_ready(each)}.values())
        shared = _core.cut(later, [*self._registers, *new], new, 0)[1] if later and new else []
        first = len(self._registers)
        if new:
            reached, _ = _core.cut([*new, *shared], self._registers, [], 0)
            inputs = [i for i, is_reached in enumerate(reached) if is_reached]
            self._program.append((_core.BoundFunction([self._registers[i] for i in inputs], [*new, *shared], True), inputs))
        strong = {_core.identity(each): first + i for i, each in enumerate(new)}
        for each in new:
            # Later stages go on with the number, and not with the array that it has become here.
            self._add(_core.parameter(each.dtype.code, []) if _core.is_weak(each) else each)
        for each in shared:
            self._add(each)
        return [strong[number] if (number := _core.identity(each)) in strong else self._numbers[number] for each in wanted]
