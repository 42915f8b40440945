"""The cost of accesses on a machine with vectors, whose lanes are threads: neighbours are one access, others are fetched one by one."""

from __future__ import annotations

import numpy as np

from ._pull import Load, Phase
from ._steps import Indices

_LANES = 16
_SCATTERED = 24.0  # as many accesses of neighbours as one of elements anywhere takes
_OPERATION = 1.5
_MOST_OFFSETS = 16


def offsets_of(places: Indices) -> Indices:
    """How far from a thread's own number the elements are, each distance once; all that there are."""
    return np.unique(places - np.arange(places.size))


def is_near(places: Indices) -> bool:
    """The elements are at few distances: each is a load of neighbours, of which threads take one."""
    return offsets_of(places).size <= _MOST_OFFSETS


def _is_together(places: Indices) -> bool:
    """Threads side by side access neighbours, or one place."""
    rows = places[: places.size // _LANES * _LANES].reshape(-1, _LANES) if places.size >= _LANES else places[None, :]
    steps = np.diff(rows, axis=1)
    return bool(((steps == 1).all(axis=1) | (steps == 0).all(axis=1)).all())


def _access(places: Indices) -> float:
    return 1.0 if _is_together(places) else _SCATTERED


def _near_access(places: Indices) -> float:
    count = offsets_of(places).size
    return min(2.0 * count - 1 if count <= _MOST_OFFSETS else _SCATTERED, _access(places))


def cost_of(phase: Phase) -> float:
    """The cost of a phase for each of its elements, if they lie in order."""
    total = 0.0
    for team in phase.teams:
        count = team.places[0].size
        each = _OPERATION * len(team.pull.nodes) + sum((_near_access if phase.is_near else _access)(load.places) for load in team.pull.loads)
        for places, value in zip(team.places, team.values):
            if not (isinstance(value, Load) and (value.places == places).all()):
                each += _access(places)
        total += count * each
    return total / phase.length
