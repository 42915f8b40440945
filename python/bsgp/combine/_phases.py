"""Steps as phases, which are what threads do between two syncs: which steps, and which elements each thread makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._costs import cost_of
from ._pull import Phase, Pull, Team, Uneven
from ._steps import Indices, Move, Step, Steps, Sync

_MOST_STEPS = 24
GROUP = 8
_MOST_NEAR = 1  # steps behind the first one
_MOST_OF_ONE = 4  # elements that a thread reads for one element


def phases_of(steps: Steps, length: int, group: int | None) -> list[Phase]:
    """group: the elements that a thread makes; 1: each thread one, and reads those that it needs; None: what costs least for each phase."""
    made: list[Phase] = []
    known: dict[tuple[int, ...], Phase] = {}
    for segment in _segments(steps):
        first = 0
        while first < len(segment):
            near = segment[first : first + _MOST_STEPS]
            key = (length, *[id(each) for each in near])
            if key not in known:
                known[key] = _grouped(near, length, group) if group else _cheapest(near, length)
            made.append(known[key])
            first, length = first + len(made[-1].items), made[-1].length
    return made or [_phase([], length, group or GROUP)]


def _grouped(items: Sequence[Step | Move], length: int, group: int) -> Phase:
    return _phase(items[: _most(items, length, group)], length, group)


def _cheapest(items: Sequence[Step | Move], length: int) -> Phase:
    """The phase that costs least for each of its steps."""
    candidates = [_grouped(items, length, GROUP)]
    for count in range(_first(items), min(len(items), _first(items) + _MOST_NEAR) + 1):
        candidates.append(_phase(items[:count], length, 1, True))
    return min(candidates, key=lambda phase: cost_of(phase) / max(1, sum(isinstance(item, Step) for item in phase.items)))


def _segments(steps: Steps) -> list[list[Step | Move]]:
    """The steps between syncs of the program."""
    made: list[list[Step | Move]] = [[]]
    known: dict[tuple[int, int], Move] = {}
    for item in steps.items:
        if isinstance(item, Sync):
            made.append([])
        elif isinstance(item, Move) and made[-1] and isinstance(made[-1][-1], Move):
            both = id(made[-1][-1]), id(item)
            if both not in known:
                known[both] = Move(made[-1][-1].source[item.source])
            made[-1][-1] = known[both]
        else:
            made[-1].append(item)
    return made


def _most(items: Sequence[Step | Move], length: int, group: int) -> int:
    """How many steps go into one phase: more are taken for as long as a thread's elements stay few and threads do the same."""
    if group == 1:
        return _most_of_one(items, length)
    count = _connected(items, length, group)
    while count > _first(items) and not _is_even(items[:count], length, group):
        count -= 1
    return max(count, _first(items))


def _is_even(items: Sequence[Step | Move], length: int, group: int) -> bool:
    """All threads of a team do the same, with not too many elements."""
    try:
        _phase(items, length, group, most_loads=2 * group)
    except Uneven:
        return False
    return True


def _first(items: Sequence[Step | Move]) -> int:
    """Up to the first step, and with the moves in front of it; all moves, where there is no step."""
    return next((i + 1 for i, item in enumerate(items) if isinstance(item, Step)), len(items))


def _most_of_one(items: Sequence[Step | Move], length: int) -> int:
    best = _first(items)
    for count in range(best + 1, len(items) + 1):
        if len(_phase(items[:count], length, 1).teams[0].pull.loads) > _MOST_OF_ONE:
            break
        best = count
    return best


def _connected(items: Sequence[Step | Move], length: int, group: int) -> int:
    """How many steps connect no more than `group` elements."""
    labels = np.arange(length)
    for count, item in enumerate(items):
        labels = _joined(labels, item)
        if np.bincount(labels).max() > group:
            return count
    return len(items)


def _joined(labels: Indices, item: Step | Move) -> Indices:
    """Elements that one call writes get the same label."""
    if isinstance(item, Move):
        return labels[item.source]
    if item.length != labels.size:
        return np.arange(item.length)
    for writes in item.writes[1:]:
        while (labels[item.writes[0]] != labels[writes]).any():
            least = np.minimum(labels[item.writes[0]], labels[writes])
            to = np.arange(labels.size)
            np.minimum.at(to, labels[item.writes[0]], least)
            np.minimum.at(to, labels[writes], least)
            while (to != to[to]).any():
                to = to[to]
            labels = to[labels]
    return labels


def _phase(items: Sequence[Step | Move], length: int, group: int, is_near: bool = False,
           most_loads: int | None = None) -> Phase:
    after = next((item.length for item in reversed(items) if isinstance(item, Step)), length)
    phase = Phase(list(items), length, after, [], is_near)
    for places in [[np.arange(after)]] if group == 1 else _teams(items, length):
        pull = Pull(items, is_near, most_loads)
        phase.teams.append(Team(places, [pull.element(each) for each in places], pull))
    return phase


def _teams(items: Sequence[Step | Move], length: int) -> list[list[Indices]]:
    """The elements that belong together, by how many they are: vectors of their first, their second and so on."""
    labels = np.arange(length)
    for item in items:
        labels = _joined(labels, item)
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(labels[order]) != 0])
    sizes = np.diff(np.r_[starts, labels.size])
    made = []
    for size in np.unique(sizes)[::-1]:
        table = order[starts[sizes == size][:, None] + np.arange(size)[None, :]]
        made.append([table[:, i].copy() for i in range(size)])
    return made
