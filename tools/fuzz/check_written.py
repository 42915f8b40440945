"""Which statements use what nobody wrote, by the trace of a program (check_trace.py): bytes are followed through memory, and through statements that move them.

A place is unset (0: it is written; 1: it is not; 2: that depends on the schedule). Bytes begin unset where an allocation or a launch's shared memory does.
"""
from check_items import BEYOND

WRITTEN, UNSET, UNSURE = 0, 1, 2


class Lines:
    """sure: statements that use it in every schedule; possible: these, and others that may. is_vague: more statements may than are known."""

    def __init__(self):
        self.sure, self.possible, self.is_vague = set(), set(), False


def bytes_of(region):
    if region.unset is None:
        region.unset = bytearray([UNSET]) * region.bytes
    return region.unset


def changed(region, kept, written):
    """Host code leaves the first bytes as they are, and writes some behind them."""
    unset = bytes_of(region)
    unset[kept:] = bytes([WRITTEN]) * written + bytes([UNSET]) * (region.bytes - kept - written)


def uses(judge, statement):
    return judge.statements[statement].kind in ("use", "put", "get")


def accessed(judge, region, offset, count, kind, thread, statement):
    """What it reads, or what it writes where it only writes; changes what is written."""
    unset = bytes_of(region)
    if id(region) not in judge.before:
        judge.before[id(region)] = bytes(unset)
    read = max(unset[offset:offset + count]) if kind in "rlx" else WRITTEN
    is_move = judge.statements[statement].kind == "move"
    if kind in "rl" and is_move:
        judge.moved[thread].append(bytes(unset[offset:offset + count]))
    if read == UNSET and region.memory.of == "variable" and judge.statements[statement].kind == "use":
        unset[offset:offset + count] = bytes([UNSURE]) * count  # a variable is told where it is first used; it may be later
    if kind in "rl" or not in_range(judge, region, offset):
        return read
    unset[offset:offset + count] = moved(judge.moved[thread], count) if is_move else bytes([WRITTEN]) * count
    return read if kind == "x" else max(unset[offset:offset + count])


def moved(loaded, count):
    """The parts of an element are stored in the order in which they were loaded; one that is converted is whole."""
    if not loaded:
        return bytes([WRITTEN]) * count
    first = loaded.pop(0)
    return first if len(first) == count else bytes([max(first)]) * count


def in_range(judge, region, offset):
    """What is put to no rank lands nowhere."""
    memory = region.memory
    return memory.of != "variable" or 0 <= offset // memory.element - BEYOND < memory.count


def launch_ends(judge, region, at, count, accesses):
    """Of all that was done to one granule in a launch."""
    if not any(judge.before[id(region)][at:at + count]) and not any(a.unset for a in accesses):
        return
    writes = [a for a in accesses if a.writes()]
    reads = [a for a in accesses if a.kind in "rlx" and a.unset]
    if is_unordered(judge, region, accesses, writes):
        reads = [a for a in accesses if a.kind in "rlx"]
        if any(judge.statements[a.statement].kind == "move" for a in reads):
            judge.init.is_vague = True
        using = {a.statement for a in reads if uses(judge, a.statement)}
        judge.init.possible |= using
        if len(using) == 1 and {a.statement for a in accesses} == using and all(a.kind != "w" for a in accesses):
            judge.init.sure |= using
        if any(a.unset for a in writes if a.kind == "w"):
            region.unset[at:at + count] = bytes([UNSURE]) * count
        return
    kind = lambda a: judge.statements[a.statement].kind
    is_told = region.memory.of == "variable" and any(kind(a) == "use" for a in reads)  # in its own thread; what another gets may be later
    for a in reads:
        if uses(judge, a.statement):
            judge.init.possible.add(a.statement)
            if a.unset == UNSET and not (is_told and kind(a) == "get"):
                judge.init.sure.add(a.statement)


def is_unordered(judge, region, accesses, writes):
    is_one = len({(a.block, a.thread) for a in accesses}) == 1
    if region.memory.of == "variable":  # thread.get reads what was before, thread.put writes what will be
        later = ("put",) if is_one else ("get", "put")
        return bool(writes) and len(accesses) > 1 and any(judge.statements[a.statement].kind in later for a in accesses)
    return region.memory.of != "thread" and not is_one and any(a.unordered(b) for a in writes for b in accesses)
