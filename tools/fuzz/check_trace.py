"""What a program does to memory, as the emulator of CUDA has written it down (../cuda_emulator/trace.h), judged by comparing all pairs.

It knows nothing of the checks that the compiler and the runtime have: the program is compiled without them and not optimized.
"""
import bisect
import collections
import dataclasses

REACH = 255  # bytes beside an allocation or variable in which an access counts as one that missed it


@dataclasses.dataclass(frozen=True)
class Access:
    kind: str  # r, w, l, s, x: as in the trace
    block: int
    thread: int  # of the block
    barriers: int
    syncs: int

    def collides(self, other):
        """Two threads, at one place, at least one writes and at least one is plain, and nothing orders them."""
        if (self.block, self.thread) == (other.block, other.thread) or not {self.kind, other.kind} & set("wsx") or not {self.kind, other.kind} & set("rw"):
            return False
        if self.block != other.block:
            return True
        return self.barriers == other.barriers and (self.thread // 32 != other.thread // 32 or self.syncs == other.syncs)


@dataclasses.dataclass
class Region:
    """An allocation, or a variable of a launch in shared memory. names: by its bytes, or its own."""
    begin: int
    bytes: int
    name: str = None
    live: bool = True


class Judge:
    """races, outside: sets of (name, element). memory: {bytes: name} of allocations; elements: {name: bytes}; what is not in them is not judged."""

    def __init__(self, memory, elements):
        self.memory, self.elements = memory, elements
        self.races, self.outside, self.launches, self.accesses = set(), set(), 0, 0
        self.device, self.begins = {}, []
        self.forget()

    def forget(self):
        self.shared, self.touched = [], collections.defaultdict(lambda: collections.defaultdict(set))

    def read(self, lines):
        for line in lines:
            what, *words = line.split()
            if what == "a":
                address, count = int(words[0], 16), int(words[1])
                self.device[address] = Region(address, count, self.memory.get(count))
                bisect.insort(self.begins, address)
            elif what == "f":
                self.launch_ends()  # what a launch did before is told at the memory that it had
                self.device[int(words[0], 16)].live = False
            elif what == "l":
                self.launch_ends()
                self.launches += 1
            elif what == "v":
                name = words[0].removeprefix("shared_$_")
                self.shared.append(Region(int(words[1], 16), int(words[2]), name))
            else:
                self.access(what, *words)
        self.launch_ends()
        return self

    def access(self, kind, space, count, block, warp, barriers, syncs, lanes, *places):
        count, block, warp, lanes = int(count), int(block), int(warp), int(lanes, 16)
        at = iter(places)
        for lane in range(32):
            if lanes >> lane & 1:
                self.accesses += 1
                address = int(next(at), 16)
                region = self.region(space, address, count)
                if region and region.name in self.elements:
                    self.touch(region, space, address, count, Access(kind, block, warp * 32 + lane, int(barriers), int(syncs)))

    def region(self, space, address, count):
        if space == "s":
            near = self.shared
        else:
            after = bisect.bisect_right(self.begins, address)
            near = [self.device[begin] for begin in self.begins[max(0, after - 1):after + 1]]
        found = min(near, key=lambda r: self.distance(r, address, count), default=None)
        return found if found and self.distance(found, address, count) <= REACH else None

    @staticmethod
    def distance(region, address, count):
        return max(0, region.begin - address, address + count - region.begin - region.bytes)

    def touch(self, region, space, address, count, access):
        if self.distance(region, address, count) or not region.live:
            self.outside.add((region.name, (address - region.begin) // self.elements[region.name]))
            return
        key = (region.name, region.begin, access.block if space == "s" else None)
        self.touched[key][address - region.begin, count].add(access)

    def launch_ends(self):
        for (name, _, _), places in self.touched.items():
            least = min(count for _, count in places)  # accesses are aligned: what is smaller than the smallest needs no look
            granules = collections.defaultdict(set)
            for (offset, count), accesses in places.items():
                for at in range(offset, offset + count, least):
                    granules[at] |= accesses
            for at, accesses in granules.items():
                if any_collide(accesses):
                    self.races.add((name, at // self.elements[name]))
        self.forget()


def any_collide(accesses):
    writes = [a for a in accesses if a.kind in "wsx"]
    return any(a.collides(b) for a in writes for b in accesses)
