"""The text of a program in the language: one spawn, a block for each array."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from ._costs import is_near, offsets_of
from ._indices import Tables, threshold
from ._memory import Placed, placed, syncs_of
from ._operations import constant, text_of_operation, with_includes
from ._phases import GROUP, phases_of
from ._programs import Program
from ._pull import Apply, Load, Phase, Result, Select, Team
from ._steps import Indices, Steps, View
from ._values import Function, Value

MOST_THREADS = 1024
MOST_BYTES = 48 << 10
_LONGEST_LOOP = 8  # phases
_THREADS = 256
_T = TypeVar("_T")


class _Lines:
    """The statements of a team of threads. They read all elements, then compute, then store."""

    def __init__(self, now: Placed, kind: str, tables: Tables, margin: int) -> None:
        self.now, self.kind, self.tables, self.margin = now, kind, tables, margin
        self.lines: list[str] = []
        self._declared: dict[str, str] = {}
        self._names: dict[int, list[str]] = {}

    def of(self, team: Team, stores: list[int], nodes: list[Any]) -> list[str]:
        for node in nodes:
            self._names[id(node)] = self._made(node)
        for i in stores:
            self.lines.append(f"{self._element(self.now.target, self.now.place[team.places[i]])} = {self._name(team.values[i])};")
        return self.lines

    def _made(self, node: Any) -> list[str]:
        """The names of what the node computes."""
        if isinstance(node, Load):
            return [self._loaded(self.now.place_before[node.places])]
        return self._applied(node) if isinstance(node, Apply) else [self._among([self._name(each) for each in node.choices], node.which)]

    def _loaded(self, places: Indices) -> str:
        offsets = offsets_of(places)
        if not self.now.phase.is_near or offsets.size > 1 and not is_near(places):
            return self._fresh(self.kind, self._element(self.now.source, places))
        own = np.arange(places.size)
        names = [self._once(self.kind, self._element(self.now.source, own + each)) for each in offsets]
        return self._among(names, np.searchsorted(offsets, places - own))

    def _among(self, names: list[str], which: Indices) -> str:
        """The one of these that the vector says."""
        if len(names) == 1:
            return names[0]
        conditions = self._conditions(which, len(names))
        made = names[-1]
        for i in reversed(range(len(names) - 1)):
            made = self._fresh(self.kind, f"{conditions[i]} ? {names[i]} : {made}")
        return made

    def _conditions(self, which: Indices, count: int) -> list[str]:
        """A condition for each choice but the last; it is asked if no earlier one holds."""
        up_to = [threshold(which <= i) for i in range(count - 1)]
        if count == 2 or all(up_to):
            return [self._once("bool", text or self.tables.condition(which <= i)) for i, text in enumerate(up_to)]
        number = self._once("int", self.tables.text(which))
        return [f"{number} == {i}" for i in range(count - 1)]

    def _once(self, kind: str, value: str) -> str:
        if value not in self._declared:
            self._declared[value] = self._fresh(kind, value)
        return self._declared[value]

    def _fresh(self, kind: str, value: str) -> str:
        made = f"v{len(self.lines)}"
        self.lines.append(f"{kind} {made} = {value};")
        return made

    def _element(self, buffer: str, places: Indices) -> str:
        return f"{buffer}[{self.tables.text(places + self.margin * (buffer in ('s0', 's1')))}]"

    def _name(self, node: Any) -> str:
        return self._names[id(node.of)][node.number] if isinstance(node, Result) else self._names[id(node)][0]

    def _applied(self, node: Apply) -> list[str]:
        arguments = ["" if each is None else self._name(each) for each in node.arguments]
        return results_of(node.step.function, arguments, self.kind, self._fresh)


def results_of(function: Function, arguments: list[str], kind: str, fresh: Callable[[str, str], str]) -> list[str]:
    """The names of a function's results; `fresh` declares a variable of a type with a value."""
    names: dict[int, str] = {}
    for value in function.order:
        if value.operation == "element":
            names[id(value)] = arguments[value.arguments[0]]
        elif value.operation == "constant":
            names[id(value)] = constant(value.arguments[0], kind)
        else:
            names[id(value)] = fresh("bool" if value.of_bool else kind, _operation(value, names, kind))
    return [names[id(each)] for each in function.results]


def _operation(value: Value, names: dict[int, str], kind: str) -> str:
    return text_of_operation(value.operation, [names[id(each)] for each in value.arguments], kind, value.of_bool)


def applied_text(function: Function, arguments: list[str], kind: str) -> tuple[list[str], str]:
    """Statements for a function of one result, and the result's name."""
    lines: list[str] = []

    def fresh(of: str, value: str) -> str:
        lines.append(f"{of} v{len(lines)} = {value};")
        return f"v{len(lines) - 1}"

    return lines, results_of(function, arguments, kind, fresh)[0]


def _team(now: Placed, number: int, kind: str, tables: Tables, threads: int, margin: int) -> list[str]:
    team, stores = now.phase.teams[number], now.stores[number]
    if not stores:
        return []
    lines = _Lines(now, kind, tables, margin).of(team, stores, now.nodes[number])
    count = team.places[0].size
    if count > threads and count % threads == 0:
        head = f"for (int part = 0; part < {count // threads}; part++) {{"
        lines = [f"int u = t + part * {threads};", *lines]
    elif count > threads:
        head = f"for (int u = t; u < {count}; u += {threads}) {{"
    else:
        head = "{" if count == threads else f"if (t < {count}) {{"
        lines = ["int u = t;"] * any(re.search(r"\bu\b", line) for line in lines) + lines
    return [f"    {head}", *[f"      {line}" for line in lines], "    }"]


def text_of(program: Program, length: int, kind: str, size: int, threads: int | None, in_place: bool | None, group: int | None,
            warp_sync: bool) -> str:
    """kind, size: the elements' type in the language, and its bytes. Where the margins of near elements are too long for the memory of a
    block, each thread makes one element, which needs none."""
    after = program.length(length)
    steps = Steps(length)
    program.lower(steps, View.whole(length))
    group = GROUP if group is None and in_place else group  # elements that do not lie in order have no near ones
    phases = phases_of(steps, length, group)
    all_placed = placed(phases, in_place)
    if group is None and _too_long(all_placed, size):
        group, phases = 1, phases_of(steps, length, 1)
        all_placed = placed(phases, in_place)
    if threads is None:
        threads = _threads(phases, length, group)
    tables, margin = Tables(), _margin(all_placed)
    buffers = _buffers(all_placed, kind, size, margin, threads)
    syncs = syncs_of(all_placed, threads, warp_sync, margin > 0)
    body = _looped(_phase_texts(all_placed, syncs, kind, tables, threads, margin))
    head = [f"export void combined(const {kind}* x, {kind}* y, long count) {{", f"  spawn (count * {threads}) block({threads}) {{",
            "    int t = block.rank;", f"    const {kind}* in = x + block.id * {length};", f"    {kind}* out = y + block.id * {after};"]
    return with_includes("\n".join([*tables.lines, *head, *buffers, *body, "  }", "}", ""]))


def _threads(phases: list[Phase], length: int, group: int | None) -> int:
    """How many make a block, where nobody says it: as many as the longest phase has parts for, or 256 where phases differ."""
    if group is None:
        return min(_THREADS, length)
    return min(MOST_THREADS, max(len(team.places[0]) for phase in _distinct(phases) for team in phase.teams))


def _distinct(all_of: Iterable[_T]) -> list[_T]:
    return list({id(each): each for each in all_of}.values())


def _phase_texts(all_placed: list[Placed], syncs: list[str], kind: str, tables: Tables, threads: int, margin: int) -> list[str]:
    made: dict[tuple[int, str], str] = {}
    for now, sync in zip(all_placed, syncs):
        if (id(now), sync) not in made:
            lines = [f"    {sync}"] * bool(sync)
            for number in range(len(now.phase.teams)):
                lines += _team(now, number, kind, tables, threads, margin)
            made[id(now), sync] = "\n".join(lines)
    return [made[id(now), sync] for now, sync in zip(all_placed, syncs)]


def _looped(texts: list[str]) -> list[str]:
    """Loops around what is repeated."""
    made: list[str] = []
    at = 0
    while at < len(texts):
        period, count = max(((period, _repeats(texts, at, period)) for period in range(1, _LONGEST_LOOP + 1)), key=lambda each: each[1])
        body = texts[at : at + period]
        made += [f"    for (int round = 0; round < {count}; round++) {{", *body, "    }"] if count > 1 else body
        at += period * count
    return made


def _repeats(texts: list[str], at: int, period: int) -> int:
    count = 1
    while texts[at : at + period] == texts[at + count * period : at + (count + 1) * period]:
        count += 1
    return count


def _margin(all_placed: list[Placed]) -> int:
    """How many elements in front of a buffer and behind it are read without being used."""
    farthest = 0
    for now in _distinct(all_placed):
        for node in now.nodes[0] if now.phase.is_near else ():
            if isinstance(node, Load) and is_near(node.places):
                farthest = max(farthest, int(np.abs(offsets_of(node.places)).max()))
    return -(-farthest // 16) * 16


def _lengths(all_placed: list[Placed]) -> dict[str, int]:
    """The elements of each buffer of the block."""
    made: dict[str, int] = {}
    for now in _distinct(all_placed[:-1]):
        made[now.target] = max(made.get(now.target, 0), int(now.place.max()) + 1)
    return made


def _too_long(all_placed: list[Placed], size: int) -> bool:
    return any((length + 2 * _margin(all_placed)) * size > MOST_BYTES for length in _lengths(all_placed).values())


def _buffers(all_placed: list[Placed], kind: str, size: int, margin: int, threads: int) -> list[str]:
    lengths = _lengths(all_placed)
    longest = max(lengths.values(), default=0)
    if longest * size > MOST_BYTES:
        raise ValueError(f"combine: an array of {longest} elements needs {longest * size:,} bytes, {size} each, which is too large for the "
                         f"memory of a block, {MOST_BYTES:,} bytes\n  help: combine.blocks(program, n) works on shorter ones: up to "
                         f"{MOST_BYTES // size} elements")
    made = [f"    shared {kind} {name}[{length + 2 * margin}];" for name, length in lengths.items()]
    if margin:
        cleared = " ".join(f"{name}[i] = {name}[i + {length + margin}] = {kind}(0);" for name, length in lengths.items())
        head = f"for (int i = t; i < {margin}; i += {threads}) {{" if margin > threads else f"if (t < {margin}) {{ int i = t;"
        made.append(f"    {head} {cleared} }}")
    return made
