"""What a program does to memory, as the emulator of CUDA has written it down (../cuda_emulator/trace.h), judged by comparing all pairs.

It knows nothing of the checks that the compiler and the runtime have: the program is compiled without them and not optimized.
"""
import bisect
import collections
import dataclasses

import check_written
from check_items import BEYOND, PAD

REACH = 255  # bytes beside an allocation or variable in which an access counts as one that missed it
FEW = 48     # accesses of a place whose pairs are all told by line


@dataclasses.dataclass(frozen=True)
class Access:
    """kind: r, w, l, s, x: as in the trace. at: which of the thread's accesses. seen: {thread: at} that come before by atomics."""
    kind: str
    block: int
    thread: int  # of the block
    barriers: int
    syncs: int
    statement: int
    unset: int = 0  # what is read, or written: check_written.py
    at: int = dataclasses.field(default=0, compare=False)
    seen: dict = dataclasses.field(default=None, compare=False)

    def writes(self):
        return self.kind in "wsx"

    def after(self, other):
        return self.seen is not None and self.seen.get((other.block, other.thread), -1) >= other.at

    def unordered(self, other):
        if (self.block, self.thread) == (other.block, other.thread) or self.after(other) or other.after(self):
            return False
        if self.block != other.block:
            return True
        return self.barriers == other.barriers and (self.thread // 32 != other.thread // 32 or self.syncs == other.syncs)

    def collides(self, other):
        """Two threads, at one place, at least one writes and at least one is plain, and nothing orders them."""
        return (self.writes() or other.writes()) and (self.kind in "rw" or other.kind in "rw") and self.unordered(other)


@dataclasses.dataclass(frozen=True)
class Memory:
    """of: array; mark, overflow, event: of the oracle's own; thread: arrays of `count` for each thread; variable: one for each thread."""
    name: str
    element: int  # bytes
    of: str = "array"
    count: int = 0
    follows: str = None  # it takes the elements of this one


@dataclasses.dataclass(frozen=True)
class Event:
    """Host code has changed the list: it has so many bytes; the first ones are as they were, behind them it has written some."""
    name: str
    has: int
    kept: int
    written: int


@dataclasses.dataclass
class Region:
    """An allocation, or a variable of a launch in shared memory."""
    begin: int
    bytes: int
    memory: Memory = None
    live: bool = True

    def __post_init__(self):
        self.has = self.bytes  # that may be reached
        self.unset = None      # bytes that nobody wrote: check_written.py


class Judge:
    """memory: {bytes: Memory} of allocations; shared: {name: Memory}; statements: of check_items.py; events: of the oracle's memory of that name. What is not in them is not judged.

    races: {(name, element)}, pairs: {(name, statement, statement)}; outside: {(name, element): statements}; init: check_written.Lines; overflows: statements.
    """

    def __init__(self, memory, shared, statements, events=()):
        self.memory, self.of_shared, self.statements, self.events = memory, shared, statements, events
        self.races, self.pairs, self.unpaired, self.outside, self.overflows = set(), set(), set(), collections.defaultdict(set), set()
        self.beyond_threads, self.init = set(), check_written.Lines()
        self.launches, self.accesses = 0, 0
        self.device, self.begins = {}, []
        self.forget()

    def forget(self):
        self.shared, self.blocks = [], {}
        self.touched = collections.defaultdict(lambda: collections.defaultdict(set))
        self.now, self.released, self.seen, self.fenced, self.before = {}, {}, {}, {}, {}
        self.passed, self.synced = {}, {}  # syncs of threads; of blocks: how many, and what threads had before the last
        self.moved = collections.defaultdict(list)  # of threads: what the statement has loaded and not stored

    def read(self, lines):
        for line in lines:
            what, *words = line.split()
            if what == "a":
                self.allocated(int(words[0], 16), int(words[1]))
            elif what == "f":
                self.launch_ends()  # what a launch did before is told at the memory that it had
                self.freed(self.device[int(words[0], 16)])
            elif what == "l" and len(words) == 3:  # else an atomic load
                self.launch_ends()
                self.launches += 1
            elif what == "v":
                memory = self.of_shared.get(words[0].removeprefix("shared_$_").split("_$_")[0])  # one for each superstep
                self.shared.append(Region(int(words[1], 16), int(words[2]), memory))
            elif what == "m":
                self.fence(*words)
            else:
                self.access(what, *words)
        self.launch_ends()
        return self

    def allocated(self, address, count):
        self.device[address] = Region(address, count, self.memory.get(count))
        bisect.insort(self.begins, address)

    def freed(self, region):
        """What follows it has got its elements: launches and copies come later than the allocation that the host asks for."""
        region.live = False
        for new in self.device.values():
            if new.memory and region.memory and new.memory.follows == region.memory.name:
                check_written.bytes_of(new)[:region.bytes] = check_written.bytes_of(region)

    def access(self, kind, space, count, block, warp, barriers, syncs, lanes, *places):
        count, block, warp, lanes = int(count), int(block), int(warp), int(lanes, 16)
        barriers, syncs, at = int(barriers), int(syncs), iter(places)
        for lane in range(32):
            if lanes >> lane & 1:
                self.accesses += 1
                address, thread = int(next(at), 16), (block, warp * 32 + lane)
                if self.passed.get(thread) != barriers:
                    self.passes(thread, barriers)
                region = self.region(space, address, count)
                if not region or not region.memory:
                    continue
                if region.memory.of == "mark":
                    self.now[thread], self.moved[thread] = (address - region.begin) // region.memory.element, []
                elif region.memory.of == "overflow":
                    self.overflows.add(self.now[thread])
                elif region.memory.of == "event":
                    self.happened(self.events[address - region.begin])
                else:
                    if space == "s":
                        region = self.of_block(region, block)
                    self.touch(region, space, address, count, kind, thread, barriers, syncs)

    def happened(self, event):
        for region in self.device.values():
            if region.live and region.memory and region.memory.name == event.name:
                region.has = event.has
                check_written.changed(region, event.kept, event.written)

    def region(self, space, address, count):
        if space == "s":
            near = self.shared
        else:
            after = bisect.bisect_right(self.begins, address)
            near = [self.device[begin] for begin in self.begins[max(0, after - 1):after + 1]]
        found = min(near, key=lambda r: self.distance(r, address, count), default=None)
        return found if found and self.distance(found, address, count) <= REACH else None

    def of_block(self, region, block):
        key = (region.begin, block)
        if key not in self.blocks:
            self.blocks[key] = Region(region.begin, region.bytes, region.memory)
        return self.blocks[key]

    @staticmethod
    def distance(region, address, count):
        return max(0, region.begin - address, address + count - region.begin - region.bytes)

    def touch(self, region, space, address, count, kind, thread, barriers, syncs):
        memory, offset, statement = region.memory, address - region.begin, self.now.get(thread, 0)
        element = offset // memory.element
        if memory.of == "thread" and not PAD <= element % (memory.count + 2 * PAD) < PAD + memory.count:
            self.beyond_threads.add(statement)
            return
        if self.distance(region, address, count) or offset + count > region.has or not region.live:
            self.outside[memory.name, element].add(statement)
            return
        unset = check_written.accessed(self, region, offset, count, kind, thread, statement)
        seen = self.seen.get(thread)
        place = (offset, count)
        if kind in "slx":
            self.order(kind, (region.begin, place, thread[0] if space == "s" else None), thread)
            seen = self.seen.get(thread)
        key = (memory.name, region.begin, thread[0] if space == "s" else None)
        access = Access(kind, *thread, barriers, syncs, statement, unset, self.accesses, seen)
        self.touched[key][place].add(access)

    def order(self, kind, place, thread):
        """Who loads what was stored has all before it that the one who stored had; who updates leaves what was there, and adds what it had at its fence."""
        if kind == "s":
            self.released[place] = self.had(thread)
            return
        released = self.released.get(place)
        if kind == "x" and thread in self.fenced:
            self.released[place] = merged(released, self.fenced[thread])
        if released:
            self.seen[thread] = merged(self.seen.get(thread), released)

    def passes(self, thread, barriers):
        """Behind a sync of its block a thread has all that others had before it."""
        block = thread[0]
        if barriers > self.synced.get(block, (0,))[0]:
            had = {}
            for other in [t for t in self.passed if t[0] == block]:
                had = merged(merged(had, self.seen.get(other)), {other: self.accesses - 1})
            self.synced[block] = (barriers, had)
        self.passed[thread] = barriers
        if barriers and barriers == self.synced[block][0]:
            self.seen[thread] = merged(self.seen.get(thread), self.synced[block][1])

    def had(self, thread):
        return {**(self.seen.get(thread) or {}), thread: self.accesses}

    def fence(self, block, warp, lanes):
        for lane in range(32):
            if int(lanes, 16) >> lane & 1:
                thread = (int(block), int(warp) * 32 + lane)
                self.fenced[thread] = self.had(thread)

    def launch_ends(self):
        for (name, begin, block), places in self.touched.items():
            region = self.device[begin] if block is None else self.blocks[begin, block]
            least = min(count for _, count in places)  # accesses are aligned: what is smaller than the smallest needs no look
            granules = collections.defaultdict(set)
            for (offset, count), accesses in places.items():
                for at in range(offset, offset + count, least):
                    granules[at] |= accesses
            for at, accesses in granules.items():
                self.judge(region, name, at // region.memory.element, accesses)
                check_written.launch_ends(self, region, at, least, accesses)
        self.forget()

    def judge(self, region, name, element, accesses):
        if region.memory.of == "thread":
            return
        if region.memory.of == "variable":
            accesses = {a for a in accesses if self.statements[a.statement].kind == "put" and a.writes()}
            name, element = "thread.put", element - BEYOND
        if not any_collide(accesses):
            return
        self.races.add((name, element))
        if len(accesses) > FEW:
            self.unpaired.add(name)
            return
        listed = list(accesses)
        self.pairs |= {(name, a.statement, b.statement) for i, a in enumerate(listed) for b in listed[i + 1:] if a.collides(b)}


def merged(known, more):
    known = dict(known or {})
    for thread, at in (more or {}).items():
        known[thread] = max(at, known.get(thread, -1))
    return known


def any_collide(accesses):
    writes = [a for a in accesses if a.writes()]
    return any(a.collides(b) for a in writes for b in accesses)
