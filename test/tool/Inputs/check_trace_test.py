"""What tools/fuzz/check_trace.py says of traces that were written by hand: it is the oracle of ./dev fuzz --check."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(sys.argv.pop(1), "tools", "fuzz"))
import check_trace  # noqa: E402
from check_items import BEYOND, PAD, Statement  # noqa: E402

MARK, A, B, OWN, PUTS, EVENT = 0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x60000
ELEMENTS = 100
MEMORY = {
    301: check_trace.Memory("mark", 1, "mark"),
    302: check_trace.Memory("event", 1, "event"),
    4 * ELEMENTS: check_trace.Memory("a", 4),
    8 * ELEMENTS: check_trace.Memory("b", 8),
    4 * 10 * (3 + 2 * PAD): check_trace.Memory("own", 4, "thread", 3),
    4 * (10 + 2 * BEYOND): check_trace.Memory("puts", 4, "variable", 10),
}
SIZES = {memory.name: count for count, memory in MEMORY.items()}
USE, MOVE, PUT, GET = range(1, 5)
STATEMENTS = [Statement(kind, {10 + i}) for i, kind in enumerate(["use", "use", "move", "put", "get"])]


class Trace:
    """A thread is (block, thread of the block)."""

    def __init__(self):
        self.lines = []
        for name, address in (("mark", MARK), ("a", A), ("b", B), ("own", OWN), ("puts", PUTS), ("event", EVENT)):
            self.lines.append(f"a {address:x} {SIZES[name]}")
        self.launch()

    def launch(self):
        self.lines += ["l kernel 4 64", "v shared_$_s_$_1 100 256"]

    def does(self, thread, kind, address, barriers=0, syncs=0, count=4, space="g", statement=USE):
        self.access(thread, "w", MARK + statement, barriers, syncs, 1, "g")
        self.access(thread, kind, address, barriers, syncs, count, space)

    def access(self, thread, kind, address, barriers, syncs, count, space):
        block, lane = thread[0], thread[1] % 32
        self.lines.append(f"{kind} {space} {count} {block} {thread[1] // 32} {barriers} {syncs} {1 << lane:x} {address:x}")

    def fence(self, thread):
        self.lines.append(f"m {thread[0]} {thread[1] // 32} {1 << thread[1] % 32:x}")

    def filled(self, *addresses):
        """Written before, by a launch of one thread."""
        for address in addresses:
            self.does((0, 0), "w", address, count=8)
        self.launch()
        return self

    def judged(self):
        return check_trace.Judge(MEMORY, {"s": check_trace.Memory("s", 4)}, STATEMENTS).read(self.lines)


class Traces(unittest.TestCase):
    def setUp(self):
        self.trace = Trace().filled(A, A + 8, B)

    def races(self, *places):
        self.assertEqual(self.trace.judged().races, set(places))


class Races(Traces):
    def test_two_threads_at_one_element(self):
        for kinds in ("ww", "rw", "wr", "xw", "rs", "wl", "xr"):
            self.trace = Trace().filled(A)
            self.trace.does((0, 1), kinds[0], A + 4)
            self.trace.does((0, 2), kinds[1], A + 4)
            self.races(("a", 1))

    def test_none_of_readers_and_of_atomics(self):
        for kinds in ("rr", "rl", "ll", "xx", "sx", "ls"):
            self.trace = Trace().filled(A)
            self.trace.does((0, 1), kinds[0], A)
            self.trace.does((1, 2), kinds[1], A)
            self.races()

    def test_none_of_one_thread_and_of_neighbours(self):
        self.trace.does((0, 1), "w", A)
        self.trace.does((0, 1), "r", A)
        self.trace.does((0, 2), "w", A + 4)
        self.races()

    def test_which_statements(self):
        self.trace.does((0, 1), "w", A, statement=USE)
        self.trace.does((0, 2), "r", A, statement=MOVE)
        self.assertIn(self.trace.judged().pairs, ({("a", USE, MOVE)}, {("a", MOVE, USE)}))

    def test_of_a_part_with_the_whole(self):
        self.trace.does((0, 1), "w", B + 12)
        self.trace.does((0, 2), "r", B + 8)
        self.trace.does((1, 2), "r", B + 8, count=8)
        self.races(("b", 1))

    def test_a_barrier_orders_all(self):
        self.trace.does((0, 1), "w", A)
        self.trace.launch()
        self.trace.does((1, 2), "w", A)
        self.races()

    def test_a_block_sync_orders_its_block(self):
        self.trace.does((0, 1), "w", A)
        self.trace.does((0, 60), "r", A, barriers=1)
        self.races()
        self.trace.does((1, 1), "r", A, barriers=1)
        self.races(("a", 0))

    def test_a_warp_sync_orders_its_warp(self):
        self.trace.does((0, 1), "w", A)
        self.trace.does((0, 2), "r", A, syncs=1)
        self.races()
        self.trace.does((0, 32), "r", A, syncs=1)
        self.races(("a", 0))

    def test_shared_memory_is_of_one_block(self):
        self.trace.does((0, 1), "w", 0x100, space="s")
        self.trace.does((1, 2), "w", 0x100, space="s")
        self.races()
        self.trace.does((1, 3), "r", 0x100, space="s")
        self.races(("s", 0))

    def test_of_two_puts(self):
        self.trace.does((0, 1), "w", PUTS + 4 * (BEYOND + 7), statement=PUT)
        self.trace.does((0, 2), "r", PUTS + 4 * (BEYOND + 7), statement=GET)
        self.races()
        self.trace.does((0, 3), "w", PUTS + 4 * (BEYOND + 7), statement=PUT)
        self.races(("thread.put", 7))


class Atomics(Traces):
    """What is written at `a[0]` is told of at `a[2]`."""

    def write_and_store(self, thread=(0, 1)):
        self.trace.does(thread, "w", A)
        self.trace.does(thread, "s", A + 8)

    def look_and_read(self, thread=(1, 1), kind="l"):
        self.trace.does(thread, kind, A + 8)
        self.trace.does(thread, "r", A)

    def test_a_store_and_a_load_order(self):
        self.write_and_store()
        self.look_and_read()
        self.races()

    def test_who_does_not_load_is_not_ordered(self):
        self.write_and_store()
        self.trace.does((1, 1), "r", A)
        self.races(("a", 0))

    def test_who_loads_before_the_store_is_not_ordered(self):
        self.trace.does((1, 1), "l", A + 8)
        self.write_and_store()
        self.trace.does((1, 1), "r", A)
        self.races(("a", 0))

    def test_what_is_written_behind_the_store_is_not_told_of(self):
        self.trace.does((0, 1), "s", A + 8)
        self.trace.does((0, 1), "w", A)
        self.look_and_read()
        self.races(("a", 0))

    def test_a_reader_in_between_hides_no_write(self):
        self.write_and_store()
        self.look_and_read()
        self.trace.does((2, 1), "r", A)
        self.races(("a", 0))

    def test_what_was_told_is_told_on(self):
        self.write_and_store()
        self.trace.does((1, 1), "l", A + 8)
        self.trace.does((1, 1), "s", A + 4)
        self.trace.does((2, 1), "l", A + 4)
        self.trace.does((2, 1), "w", A)
        self.races()

    def test_behind_a_sync_its_block_knows_what_one_was_told(self):
        self.write_and_store()
        self.trace.does((1, 1), "l", A + 8)
        self.trace.does((1, 40), "r", A, barriers=1)
        self.races()
        self.trace.does((2, 1), "r", A, barriers=1)
        self.races(("a", 0))

    def test_a_store_behind_a_sync_tells_of_its_block(self):
        self.trace.does((0, 40), "w", A)
        self.trace.does((0, 1), "s", A + 8, barriers=1)
        self.look_and_read()
        self.races()

    def test_a_store_tells_not_of_what_its_block_does_later(self):
        self.trace.does((0, 1), "s", A + 8)
        self.trace.does((0, 40), "w", A, barriers=1)
        self.look_and_read()
        self.races(("a", 0))

    def test_another_store_hides_the_first(self):
        self.write_and_store()
        self.trace.does((2, 1), "s", A + 8)
        self.look_and_read()
        self.races(("a", 0))

    def test_an_update_tells_of_what_was_before_the_fence(self):
        self.trace.does((0, 1), "w", A)
        self.trace.fence((0, 1))
        self.trace.does((0, 1), "x", A + 8)
        self.look_and_read(kind="x")
        self.races()

    def test_an_update_without_a_fence_tells_of_nothing(self):
        self.trace.does((0, 1), "w", A)
        self.trace.does((0, 1), "x", A + 8)
        self.look_and_read()
        self.races(("a", 0))

    def test_an_update_leaves_what_was_stored(self):
        self.write_and_store()
        self.trace.does((2, 1), "x", A + 8)
        self.look_and_read()
        self.races()


class Init(Traces):
    def test_what_nobody_wrote(self):
        self.trace.does((0, 1), "r", A + 40)
        self.assertEqual(self.trace.judged().init.sure, {USE})

    def test_what_was_written_in_an_earlier_launch(self):
        self.trace.does((0, 1), "r", A)
        self.assertEqual(self.trace.judged().init.possible, set())

    def test_a_part_of_what_is_read(self):
        self.trace.does((0, 1), "w", B + 16)
        self.trace.does((0, 1), "r", B + 16, count=8)
        self.assertEqual(self.trace.judged().init.sure, {USE})

    def test_who_moves_it_uses_nothing(self):
        self.trace.does((0, 1), "r", A + 40, statement=MOVE)
        self.trace.access((0, 1), "w", A + 44, 0, 0, 4, "g")
        self.assertEqual(self.trace.judged().init.possible, set())
        self.trace.does((0, 1), "r", A + 44)
        self.assertEqual(self.trace.judged().init.sure, {USE})

    def test_of_a_race_nothing_is_sure(self):
        self.trace.does((0, 1), "r", A + 40)
        self.trace.does((1, 1), "w", A + 40, statement=PUT)
        judged = self.trace.judged()
        self.assertEqual((judged.init.sure, judged.init.possible), (set(), {USE}))

    def test_shared_memory_begins_unset_with_each_launch(self):
        self.trace.does((0, 1), "w", 0x100, space="s")
        self.trace.does((0, 1), "r", 0x100, space="s")
        self.assertEqual(self.trace.judged().init.sure, set())
        self.trace.launch()
        self.trace.does((0, 1), "r", 0x100, space="s")
        self.assertEqual(self.trace.judged().init.sure, {USE})


    def test_what_a_thread_puts_to_itself_is_seen_in_the_next_superstep(self):
        place = PUTS + 4 * (BEYOND + 7)
        self.trace.does((0, 7), "w", place, statement=PUT)
        self.trace.does((0, 7), "r", place)
        self.assertEqual(self.trace.judged().init.possible, {USE})
        self.trace = Trace()
        self.trace.does((0, 7), "w", place, statement=PUT)
        self.trace.launch()
        self.trace.does((0, 7), "r", place)
        self.assertEqual(self.trace.judged().init.possible, set())

    def test_a_variable_that_its_thread_uses_may_count_as_set_for_others(self):
        place = PUTS + 4 * (BEYOND + 7)
        self.trace.does((0, 3), "r", place, statement=GET)
        self.assertEqual(self.trace.judged().init.sure, {GET})
        self.trace.does((0, 7), "r", place)
        judged = self.trace.judged()
        self.assertEqual((judged.init.sure, judged.init.possible), ({USE}, {USE, GET}))

    def test_parts_of_an_element_are_moved_as_they_are(self):
        self.trace.does((0, 1), "w", B + 16)
        self.trace.does((0, 1), "r", B + 16, statement=MOVE)
        for kind, address in (("r", B + 20), ("w", B + 24), ("w", B + 28)):
            self.trace.access((0, 1), kind, address, 0, 0, 4, "g")
        self.trace.does((0, 1), "r", B + 24)
        self.assertEqual(self.trace.judged().init.possible, set())
        self.trace.does((0, 1), "r", B + 28)
        self.assertEqual(self.trace.judged().init.sure, {USE})


class Lists(Traces):
    """What the host does to `a` before another launch."""

    def setUp(self):
        super().setUp()
        self.trace.filled(*(A + 8 * i for i in range(ELEMENTS // 2)))
        self.trace.access((0, 0), "w", EVENT, 0, 0, 1, "g")
        self.trace.launch()

    def judged(self, has, kept, written=0):
        event = check_trace.Event("a", 4 * has, 4 * kept, 4 * written)
        return check_trace.Judge(MEMORY, {}, STATEMENTS, [event]).read(self.trace.lines)

    def test_of_a_shorter_list_the_rest_is_outside(self):
        self.trace.does((0, 1), "r", A + 4 * 49)
        self.trace.does((0, 1), "r", A + 4 * 50, statement=MOVE)
        self.assertEqual(dict(self.judged(50, 50).outside), {("a", 50): {MOVE}})

    def test_what_a_list_loses_was_never_written(self):
        self.trace.does((0, 1), "r", A + 4 * 49)
        self.assertEqual(self.judged(ELEMENTS, 50).init.sure, set())
        self.assertEqual(self.judged(ELEMENTS, 40).init.sure, {USE})
        self.assertEqual(self.judged(ELEMENTS, 40, 10).init.sure, set())


class Bounds(Traces):
    def outside(self):
        return dict(self.trace.judged().outside)

    def test_behind_and_before(self):
        self.trace.does((0, 1), "w", A + 4 * ELEMENTS)
        self.trace.does((0, 1), "r", A - 4, statement=MOVE)
        self.assertEqual(self.outside(), {("a", ELEMENTS): {USE}, ("a", -1): {MOVE}})

    def test_in_part(self):
        self.trace.does((0, 1), "w", A + 4 * ELEMENTS - 4, count=8)
        self.assertEqual(self.outside(), {("a", ELEMENTS - 1): {USE}})

    def test_the_last_element_is_inside(self):
        self.trace.does((0, 1), "w", A + 4 * ELEMENTS - 4)
        self.assertEqual(self.outside(), {})

    def test_of_freed_memory(self):
        self.trace.lines.append(f"f {A:x}")
        self.trace.does((0, 1), "r", A)
        self.assertEqual(self.outside(), {("a", 0): {USE}})

    def test_what_is_outside_is_no_race(self):
        self.trace.does((0, 1), "w", A + 4 * ELEMENTS)
        self.trace.does((0, 2), "w", A + 4 * ELEMENTS)
        self.races()

    def test_of_arrays_of_threads(self):
        own = OWN + 4 * (3 + 2 * PAD)  # of the second thread
        self.trace.does((0, 1), "w", own + 4 * (PAD + 2))
        self.assertEqual(self.trace.judged().beyond_threads, set())
        self.trace.does((0, 1), "w", own + 4 * (PAD + 3))
        self.assertEqual(self.trace.judged().beyond_threads, {USE})


unittest.main()
