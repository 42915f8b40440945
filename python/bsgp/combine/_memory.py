"""The places of elements between phases, and the syncs there: as few as the accesses of threads allow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._costs import is_near, offsets_of
from ._phases import phases_of
from ._pull import Load, Phase
from ._steps import Indices, Steps

WARP = 32


@dataclass
class Access:
    """One access of a phase to a buffer: places, and the threads that access them."""

    places: Indices
    threads: Indices
    is_store: bool


@dataclass
class Placed:
    """A phase with its memory: buffers by name, and where in them an element of the array lies. One object for phases that do the same."""

    phase: Phase
    source: str
    target: str
    place_before: Indices
    place: Indices
    stores: list[list[int]] = field(default_factory=list)  # each team's elements that have to be stored
    nodes: list[list[Any]] = field(default_factory=list)  # each team's operations for them, in order


def reads_of(phase: Phase, load: Load, place: Indices) -> list[tuple[Indices, Indices]]:
    """The places in memory that a load reads, and who does: near elements are read by all threads, whoever uses them."""
    number = np.arange(load.places.size)
    if not (phase.is_near and is_near(load.places)):
        return [(place[load.places], number)]
    made = []
    for offset in offsets_of(load.places):
        inside = (number + offset >= 0) & (number + offset < place.size)
        made.append((place[(number + offset)[inside]], number[inside]))
    return made


def _virtual(count: int, threads: int) -> Indices:
    """Which thread of the block does each of so many."""
    return np.arange(count) % threads


def _is_own(phase: Phase, place: Indices, stored: Indices) -> bool:
    """No thread reads what another one stores, where the result lies at `stored` in the same memory."""
    owner = np.full(max(place.max(), stored.max()) + 1, -1)
    first = 0
    spans = []
    for team in phase.teams:
        count = team.places[0].size
        spans.append(np.arange(first, first + count))
        first += count
        for places, value in zip(team.places, team.values):
            if not _stays(value, place, stored[places]):
                owner[stored[places]] = spans[-1]
    for team, span in zip(phase.teams, spans):
        for load in team.pull.loads:
            for places, number in reads_of(phase, load, place):
                found = owner[places]
                if ((found >= 0) & (found != span[number])).any():
                    return False
    return True


def _stays(value: object, place: Indices, stored: Indices) -> bool:
    """The value is what already lies there."""
    return isinstance(value, Load) and bool((place[value.places] == stored).all())


def placed(phases: list[Phase], in_place: bool | None) -> list[Placed]:
    """The memory of each phase: the first reads `in`, the last writes `out`, in which elements lie in order. in_place: results replace what
    their thread has read, where no other one reads it; None: where elements then lie in order."""
    if phases[0].is_near or len(phases) == 1 and not _is_own(phases[0], np.arange(phases[0].length_before), np.arange(phases[0].length)):
        phases = [_copy(phases[0].length_before), *phases]
    made: list[Placed] = []
    known: dict[tuple[int, str, int, bool], Placed] = {}
    arrays: dict[bytes, Indices] = {}
    buffer, place = "in", np.arange(phases[0].length_before)
    for number, phase in enumerate(phases):
        last = number == len(phases) - 1
        key = id(phase), buffer, id(place), last
        if key not in known:
            known[key] = _placed(phase, buffer, place, last, in_place)
            known[key].place = arrays.setdefault(known[key].place.tobytes(), known[key].place)
        now = known[key]
        if any(now.stores) or last:
            made.append(now)
        buffer, place = now.target, now.place
    return made


def _placed(phase: Phase, buffer: str, place: Indices, last: bool, in_place: bool | None) -> Placed:
    kept = place[phase.origins()]
    if last:
        target, after = "out", np.arange(phase.length)
    elif buffer != "in" and _wants(in_place, kept) and _is_own(phase, place, kept):
        target, after = buffer, kept
    else:
        target, after = "s1" if buffer == "s0" else "s0", np.arange(phase.length)
    now = Placed(phase, buffer, target, place, after)
    now.stores = [[i for i, value in enumerate(team.values) if target != buffer or not _stays(value, place, after[team.places[i]])]
                  for team in phase.teams]
    now.nodes = [team.pull.needed([team.values[i] for i in stores]) for team, stores in zip(phase.teams, now.stores)]
    return now


def _wants(in_place: bool | None, kept: Indices) -> bool:
    """None of these places is that of two elements, as behind a table that takes one twice."""
    if in_place is None:
        return bool((kept == np.arange(kept.size)).all())
    return in_place and np.unique(kept).size == kept.size


def _copy(length: int) -> Phase:
    return phases_of(Steps(length), length, 2)[0]


def accesses(now: Placed, threads: int) -> dict[str, list[Access]]:
    """By buffers. `in` and `out` may be the same memory."""
    made: dict[str, list[Access]] = {}
    for team, stores, nodes in zip(now.phase.teams, now.stores, now.nodes):
        who = _virtual(team.places[0].size, threads)
        for load in nodes:
            for places, number in reads_of(now.phase, load, now.place_before) if isinstance(load, Load) else ():
                made.setdefault(_memory(now.source), []).append(Access(places, who[number], False))
        for i in stores:
            made.setdefault(_memory(now.target), []).append(Access(now.place[team.places[i]], who, True))
    return made


def _memory(buffer: str) -> str:
    return "out" if buffer == "in" else buffer


@dataclass(frozen=True, eq=False)
class _Since:
    """The threads that have read and stored each place since a sync: the only one, several (-2), or none (-1)."""

    known: dict[tuple[str, bool], Indices] = field(default_factory=dict)

    def conflicts(self, accesses: dict[str, list[Access]], scale: int) -> bool:
        for buffer, all_of in accesses.items():
            for access in all_of:
                for stored in (True, False) if access.is_store else (True,):
                    found = self._found(buffer, stored, access.places)
                    if ((found != -1) & (found != access.threads // scale)).any():
                        return True
        return False

    def _found(self, buffer: str, is_store: bool, places: Indices) -> Indices:
        known = self.known.get((buffer, is_store), np.full(1, -1))
        return np.where(places < known.size, known[np.minimum(places, known.size - 1)], -1)

    def with_more(self, accesses: dict[str, list[Access]], scale: int) -> _Since:
        """What holds behind these accesses; the same object where they add nothing."""
        made = dict(self.known)
        for buffer, all_of in accesses.items():
            size = max(int(each.places.max()) + 1 for each in all_of)
            for access in all_of:
                key = (buffer, access.is_store)
                known = made.get(key, np.full(0, -1))
                known = np.r_[known, np.full(max(0, size - known.size), -1)]
                places, who = access.places, access.threads // scale
                other = (known[places] != -1) & (known[places] != who)
                known[places] = np.where(other | _shared(places, who), -2, who)
                made[key] = known
        same = made.keys() == self.known.keys() and all(np.array_equal(made[key], self.known[key]) for key in made)
        return self if same else _Since(made)


def _shared(places: Indices, who: Indices) -> npt.NDArray[np.bool_]:
    """Which places are accessed by several."""
    last = np.full(int(places.max()) + 1, -1)
    last[places] = who
    shared = np.zeros(last.size, bool)
    shared[places[last[places] != who]] = True
    return shared[places]


class _Syncs:
    """The sync in front of each phase. What repeats is found out once."""

    def __init__(self, threads: int, warp_sync: bool) -> None:
        self.threads, self.scale = threads, WARP if warp_sync else 1
        self.none = _Since()
        self._accesses: dict[int, dict[str, list[Access]]] = {}
        self._known: dict[tuple[object, ...], Any] = {}

    def of(self, now: Placed, in_block: _Since, in_warp: _Since, first_of_block: bool) -> tuple[str, _Since, _Since, bool]:
        key = id(now), id(in_block), id(in_warp), first_of_block
        if key not in self._known:
            self._known[key] = self._of(now, in_block, in_warp, first_of_block)
        made: tuple[str, _Since, _Since, bool] = self._known[key]
        return made

    def _of(self, now: Placed, in_block: _Since, in_warp: _Since, first_of_block: bool) -> tuple[str, _Since, _Since, bool]:
        accessed, sync = self._accessed(now), ""
        if in_block.conflicts(accessed, self.scale) or first_of_block and in_warp.conflicts(accessed, 1):
            sync, in_block, in_warp, first_of_block = "block.sync();", self.none, self.none, False
        elif in_warp.conflicts(accessed, 1):
            sync, in_warp = "warp.sync();", self.none
        return sync, self._behind(in_block, now, self.scale), self._behind(in_warp, now, 1), first_of_block

    def _accessed(self, now: Placed) -> dict[str, list[Access]]:
        if id(now) not in self._accesses:
            self._accesses[id(now)] = accesses(now, self.threads)
        return self._accesses[id(now)]

    def _behind(self, since: _Since, now: Placed, scale: int) -> _Since:
        key = id(since), id(now), scale
        if key not in self._known:
            self._known[key] = since.with_more(self._accessed(now), scale), since  # `since` lives, so that its id stays its own
        made: _Since = self._known[key][0]
        return made


def syncs_of(all_placed: list[Placed], threads: int, warp_sync: bool, first_of_block: bool) -> list[str]:
    """A block.sync() stands where a thread gets to what another one has accessed; a warp.sync(), if asked for, where both are of a warp, but
    the first one is of the block if that is asked for."""
    syncs = _Syncs(threads, warp_sync)
    in_block = in_warp = syncs.none
    made = []
    for now in all_placed:
        sync, in_block, in_warp, first_of_block = syncs.of(now, in_block, in_warp, first_of_block)
        made.append(sync)
    return made
