"""Threads, processes, ends of the interpreter, memory, jit and functions."""

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import tracemalloc
import weakref

import numpy as np

import bsgp as bp
import checks
from checks import raises, same


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- threads ----


def in_threads(work, count=4):
    errors = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if errors:
        raise errors[0]


def check_threads_compute_at_once():
    shared = bp.arange(5000, dtype="float64") * 2
    want = np.arange(5000.0) * 2

    def work(number):
        for i in range(30):
            x = np.arange(1000.0) + number
            made = bp.sum(bp.sqrt(bp.asarray(x)) * (number + i)) + shared[number]
            assert abs(float(made) - ((np.sqrt(x) * (number + i)).sum() + want[number])) < 1e-6 * (1 + abs(float(made)))
            same(shared, want)
            matrix = bp.reshape(bp.asarray(x), (10, 100))
            same(bp.sort(matrix[::-1], axis=0), np.sort(x.reshape(10, 100)[::-1], axis=0))

    in_threads(work)


def check_threads_use_one_graph():
    """One thread computes, others go on building on the same arrays, or assign to their elements."""
    for _ in range(20):
        root = bp.ones((100, 100)) * 3
        branches = [root + i for i in range(8)]

        def work(number):
            for i in range(number, 8, 4):
                same(bp.sum(branches[i]), np.asarray(10000.0 * (3 + i)))
            own = root + 0
            own[number] = number
            assert float(own[number, 5]) == number and float(root[number, 5]) == 3

        in_threads(work)


def check_threads_assign_to_one_object():
    x = bp.zeros(64)

    def work(number):
        for i in range(16):
            x[number * 16 + i] = number + 1
            bp.eval(x)

    in_threads(work)
    assert set(np.asarray(x).tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def check_threads_call_a_jitted_function():
    @bp.jit
    def step(u, a):
        return u * a + 1, bp.sum(u)

    def work(number):
        for n in (10, 20 + number, 30):
            u = np.arange(float(n))
            first, second = step(u, float(number))
            same(first, u * number + 1), same(second, np.asarray(u.sum()))

    in_threads(work)


def check_options_are_of_a_thread():
    seen = []

    def work(number):
        with bp.options(threads=number + 1, exact=number % 2 == 0):
            same(bp.ones((4, 4)) @ bp.ones((4, 4)), np.full((4, 4), 4.0))
            seen.append(bp._core.get_options()[0])

    before = bp._core.get_options()
    in_threads(work)
    assert sorted(seen) == [1, 2, 3, 4] and bp._core.get_options() == before
    try:
        with bp.options(threads=1, compile="never", fuse=False, target="reference", most_pending_bytes=100):
            same(bp.sum(bp.arange(100)), np.asarray(4950))
            raise KeyError
    except KeyError:
        assert bp._core.get_options() == before
    for wrong in ({"compile": "sometimes"}, {"target": "abacus"}):
        raises(ValueError, bp.options(**wrong).__enter__)
    assert bp._core.get_options() == before


# ---- processes ----


def in_child(work):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def check_fork():
    big, want = bp.arange(200_000, dtype="float64"), np.arange(200_000.0)
    pending = bp.sqrt(big) + 1
    computed = bp.sqrt(big) + 2
    bp.eval(computed)

    def work():
        same(pending, np.sqrt(want) + 1), same(computed, np.sqrt(want) + 2)
        same(bp.sum(bp.ones(100_000)), np.asarray(100_000.0))
        same(bp.matmul(bp.ones((50, 50)), bp.ones((50, 50))), np.full((50, 50), 50.0))

    for _ in range(3):
        in_child(work)
    same(pending, np.sqrt(want) + 1)
    in_child(work)


def check_fork_while_threads_compute():
    stop = threading.Event()

    def compute():
        while not stop.is_set():
            bp.eval(bp.sum(bp.sqrt(bp.arange(100_000, dtype="float64"))))

    busy = [threading.Thread(target=compute) for _ in range(2)]
    for each in busy:
        each.start()
    try:
        for _ in range(5):
            in_child(lambda: same(bp.sum(bp.arange(100_000)), np.asarray(4999950000)))
    finally:
        stop.set()
        for each in busy:
            each.join()


def total(array):
    return float(bp.sum(array)), array * 2


def check_multiprocessing():
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            for number, (made, doubled) in enumerate(pool.map(total, [bp.ones(1000) * i for i in range(4)])):
                assert made == 1000 * number
                same(doubled, np.full(1000, 2.0 * number))


ENDS = {
    "nothing computed": "x = bp.ones(10) + 1",
    "pending": "x = bp.sqrt(bp.arange(10**6, dtype='float64')) + 1",
    "computed": "x = bp.sqrt(bp.arange(10**6, dtype='float64')); bp.eval(x)",
    "shared memory": "import numpy as np; a = np.arange(10.0); x = bp.asarray(a, copy=False) + 1; y = bp.asarray(a, copy=False)",
    "shared memory of a module": "import numpy as np, sys; sys.kept = bp.asarray(np.arange(10.0), copy=False) + 1",
    "buffers": "x = memoryview(bp.ones(3))",
    "numpy holds": "import numpy as np; x = np.asarray(bp.ones(3))",
    "dlpack": "import numpy as np; x = np.from_dlpack(bp.ones(3)); y = bp.from_dlpack(np.ones(3)); z = bp.ones(3).__dlpack__()",
    "jit": "f = bp.jit(lambda x: x + 1); y = f(bp.ones(3))",
    "jit of itself": "def g(x): return f.other(x)\nf = bp.jit(g); f.other = lambda x: x + 1; f.me = f; y = f(bp.ones(3))",
    "jit keeps arrays": "c = bp.ones(3) * 2\n@bp.jit\ndef f(x): return x + c\ny = f(bp.ones(3))",
    "loop": "f = bp.function(lambda x: bp.while_loop(lambda y: bp.sum(y) < 9, lambda y: y + 1, x)); y = f(bp.ones(3)); f.me = f",
    "function": "x = bp.Parameter((None,)); f = bp.Function(x, x + 1); y = f(bp.ones(3))",
    "assigned": "x = bp.zeros(5); x[2] = x[1] + 1; x[x > 0] = 3",
    "cycle": "l = []; x = bp.ones(3) + 1; l.append((l, x)); del l, x",
    "thread at work": "import threading; t = threading.Thread(target=lambda: [bp.eval(bp.sum(bp.sqrt(bp.arange(10**5, dtype='float64')))) for _ in range(50)]); t.start()",
    "daemon at work": "import threading, time\ndef w():\n  while True: bp.eval(bp.sum(bp.sqrt(bp.arange(10**5, dtype='float64'))))\nthreading.Thread(target=w, daemon=True).start(); time.sleep(0.2)",
    "exception": "x = bp.ones(3)\ntry: x[5]\nexcept IndexError as e: kept = e",
    "failed": "x = bp.asarray([1, 2]); i = bp.asarray([5]) + 0\ntry: bp.eval(bp.take(x, i))\nexcept IndexError: pass",
    "atexit": "import atexit; x = bp.ones(3) + 1; atexit.register(lambda: bp.eval(x))",
    "weak": "import weakref; x = bp.ones(3); w = weakref.ref(x); f = weakref.finalize(x, print, end='')",
    "del at the end": "class K:\n  def __init__(self): self.x = bp.ones(3) + 1\n  def __del__(self): self.x + 1\nk = K()",
    "submodules": "bp.linalg.det(bp.eye(2)); bp.fft.fft(bp.ones(4)); bp.random.normal((3,), key=1)",
    "unfinished generator": "g = iter(bp.ones((3, 3))); next(g)",
}  # fmt: skip


def check_ends_of_the_interpreter():
    """Programs end with 0, at once, and without a word, such as a report of leaks."""
    failures = checks.Failures()
    for name, program in ENDS.items():
        failures.run(name, ends_quietly, program)
    failures.report()


def ends_quietly(program):
    made = subprocess.run([sys.executable, "-c", "import bsgp as bp\n" + program], capture_output=True, text=True, timeout=60)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", ""), (made.returncode, made.stdout[-500:], made.stderr[-1500:])


# ---- memory ----


def grows(work, rounds, limit):
    """Requires that the work, done many times, leaves no memory behind: neither Python's, nor the process's."""
    for _ in range(rounds // 10 + 1):
        work()
    gc.collect()
    bp.eval(bp.ones(1))
    live, before = bp.statistics().live_bytes, resident()
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(rounds // 20):
        work()
    gc.collect()
    python = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    for _ in range(rounds):
        work()
    gc.collect()
    bp.eval(bp.ones(1))
    assert python < 20_000, f"{python} bytes of Python's"
    assert bp.statistics().live_bytes - live < 10_000, f"{bp.statistics().live_bytes - live} live bytes"
    assert resident() - before < limit, f"{resident() - before} bytes"


def check_memory():
    x, y = bp.ones(100), np.ones(100)
    fixed = np.ones(100)
    fixed.flags.writeable = False
    table = bp.ones((10, 10))
    square = bp.jit(lambda a, b: {"a": a * b, "b": (a + 1, [b])})
    parameter = bp.Parameter((None,))
    function = bp.Function(parameter, parameter * 2)
    works = {
        "operation": lambda: x + x,
        "number": lambda: x * 2.5 + 1,
        "evaluation": lambda: bp.eval(x + 1),
        "sum": lambda: float(bp.sum(x * 2)),
        "index": lambda: (table[3], table[1:5, 2], table[None], table[bp.asarray([1, 2])], table[table > 2]),
        "asarray": lambda: (bp.asarray(y), bp.asarray(fixed), bp.asarray([1, 2, 3]), bp.asarray(y.T[::2])),
        "to numpy": lambda: (np.asarray(x), np.array(x + 1), x.tolist(), memoryview(x), repr(x)),
        "dlpack": lambda: (np.from_dlpack(x), bp.from_dlpack(y), x.__dlpack__(), bp.from_dlpack(fixed), bp.from_dlpack(y, copy=False)),
        "beside numpy": lambda: (x + y, y + x, np.float32(2) * x),
        "shared": lambda: bp.eval(bp.asarray(y, copy=False) + 1),
        "jit": lambda: square(x, 2.0),
        "function": lambda: function(x),
        "error": lambda: checks.attempt(lambda: (x + bp.ones(3), x[200])),
        "error of a call": lambda: checks.attempt(lambda: bp.add(x, object())),
        "failed evaluation": lambda: checks.attempt(lambda: bp.eval(bp.take(x, bp.asarray([500]) + 0))),
        "linalg": lambda: bp.eval(bp.linalg.inv(bp.eye(3)), *bp.linalg.eigh(bp.eye(3))),
        "attributes": lambda: (x.shape, x.dtype, x.device, x.T, x.size),
        "iteration": lambda: [each for each in table],
        "unique": lambda: bp.unique_all(x),
        "explain": lambda: bp.explain(x + 1).text,
    }
    failures = checks.Failures()
    for name, work in works.items():
        failures.run(name, grows, work, int(500 * checks.MORE), 6_000_000)
    failures.report()


def check_memory_of_assignments():
    """A chain of assignments does not keep what the object was before, once it is computed."""
    x = bp.zeros(10_000)

    def work():
        x[3] = x[2] + 1
        bp.eval(x)

    grows(work, int(500 * checks.MORE), 6_000_000)


class Assigns:
    """An object whose conversion gives another value to the array beside it."""

    def __init__(self, array):
        self.array = array

    def assign(self):
        self.array[...] = 5
        gc.collect()
        bp.eval(bp.zeros(self.array.size) + 9)  # takes the memory that the former value had

    def __array__(self, dtype=None, copy=None):
        self.assign()
        return np.ones(self.array.size)

    def __index__(self):
        self.assign()
        return 1


def check_operands_that_assign():
    """An operand is what it was when it was looked at, and its memory lives on."""
    for call in (lambda x, y: x + y, lambda x, y: y + x, lambda x, y: x @ y, lambda x, y: bp.add(x, y), lambda x, y: bp.fma(x, 1.0, y), lambda x, y: bp.cond(True, x, y) + y):
        x = bp.eval(made := bp.ones(1000) * 1) or made
        result = call(x, Assigns(x))
        assert float(result if result.ndim == 0 else result[7]) in (2.0, 6.0, 1000.0), call
        same(x, np.full(1000, 5.0))
    for key in (lambda y: slice(y, None), lambda y: (slice(None, 3), None, slice(y, None))[:1], lambda y: (y,)):
        x = bp.ones(1000) * 1
        made = x[key(Assigns(x))]
        assert bp.all(made == 1) or bp.all(made == 5)


def check_threads_read_what_others_assign():
    x = bp.ones(1000)
    stop = threading.Event()

    def assign():
        i = 0
        while not stop.is_set():
            i += 1
            x[...] = i % 7
            x[5:10] = x[0]

    other = threading.Thread(target=assign)
    other.start()
    try:
        for _ in range(300):
            made = np.array(x)
            assert len(set(made.tolist())) == 1, "a value of no time"
            bp.explain(x + 1), x[x > 3], memoryview(x), x.tolist(), np.from_dlpack(x), float(x[3]), repr(x)
    finally:
        stop.set()
        other.join()


def check_assignments_and_reads_in_turn():
    """The time for each does not grow with their number."""
    x = bp.zeros(10)
    for i in range(1, 3000):
        x[i % 10] = float(x[(i - 1) % 10]) + 1
    same(bp.max(x), np.asarray(2999.0))


def check_long_chains():
    """A chain of many operations is computed, and freed, without recursion."""
    x = bp.ones(8)
    for _ in range(100_000):
        x = x + 1
    same(x, np.full(8, 100_001.0))
    x = bp.ones(8)
    for _ in range(100_000):
        x = x + 1
    del x
    y = bp.zeros(8)
    for i in range(2_000):
        y[i % 8] = i
    same(y, np.arange(1992.0, 2000.0))


def check_weak_references_and_cycles():
    x = bp.ones(3)
    held = weakref.ref(x)
    assert held() is x
    del x
    assert held() is None

    class Node:
        pass

    node = Node()
    node.f = bp.jit(lambda a: node.f and a + 1)
    node.me = node
    node.f(bp.ones(3))
    held = weakref.ref(node)
    del node
    gc.collect()
    assert held() is None, "a cycle through jit stays"


# ---- jit ----


def check_jit():
    made = []

    @bp.jit
    def f(x, scale, *, shift=0, mode="plus"):
        """The doc."""
        made.append(x.shape)
        return {"sum": bp.sum(x * scale), "parts": (x + shift, [x * 2, 7, None]), "mode": mode}

    assert f.__name__ == "f" and f.__doc__ == "The doc." and f.__wrapped__
    x = np.arange(6.0).reshape(2, 3)
    for scale in (1.5, 2.5, float("inf")):
        result = f(bp.asarray(x), scale, shift=2)
        same(result["sum"], np.asarray((x * scale).sum())), same(result["parts"][0], x + 2), same(result["parts"][1][0], x * 2)
        assert result["parts"][1][1:] == [7, None] and result["mode"] == "plus" and type(result["parts"]) is tuple
    assert len(made) == 1, "floats are arguments"
    f(x, 1.5, shift=2), f(x, scale=1.5, shift=2)
    assert len(made) == 2
    f(x, 1.5, shift=3), f(x, 1.5, shift=2, mode="minus"), f(x[:1], 1.5, shift=2), f(x.astype("float32"), 1.5, shift=2), f(x, 2, shift=2)
    assert len(made) == 7
    f(x, 1.5, shift=3), f(x, 2, shift=2)
    assert len(made) == 7
    raises(TypeError, f, x, {1, 2})
    raises(TypeError, f)


def check_constants_of_jit():
    """Constants that are equal but of other types, or zeros of another sign, have graphs of their own."""
    f = bp.jit(lambda x, constants: x + constants[0])
    x = np.asarray([1, 2])
    for constant in (1, True, 1.0, 1 + 0j, 1):
        same(f(x, (constant,)), x + constant)
    g = bp.jit(lambda x, constants: bp.copysign(x, constants[0][0]))
    for constant in (0.0, -0.0, float("nan"), 0.0):
        same(bp.isnan(x := g(np.ones(2), ((constant,),))), np.isnan(np.copysign(np.ones(2), constant))), same(bp.signbit(x), np.signbit(np.copysign(np.ones(2), constant)))


def check_graphs_of_jit_are_bounded():
    made = []

    @bp.jit
    def f(x, i):
        made.append(i)
        return x + i

    x = bp.ones(4)
    for i in range(600):
        f(x, i)
    f(x, 599), f(x, 500)
    assert len(made) == 600
    f(x, 0)
    assert len(made) == 601

    class Key:
        """Equal ones call the function while they are compared."""

        def __hash__(self):
            return 1

        def __eq__(self, other):
            made.append(0)
            same(g(x, len(made)), np.ones(4))
            return True

    g = bp.jit(lambda x, key: x)
    for _ in range(40):
        same(g(x, Key()), np.ones(4))
    assert len(made) > 601


def check_jit_of_methods_and_others():
    class Model:
        def __init__(self):
            self.count = 0

        @bp.jit
        def step(self, x):
            self.count += 1
            return x + 1

    first, second = Model(), Model()
    same(first.step(bp.ones(2)), np.full(2, 2.0)), same(first.step(bp.ones(2)), np.full(2, 2.0)), same(second.step(bp.ones(2)), np.full(2, 2.0))
    assert (first.count, second.count) == (1, 1)
    constant = bp.asarray([1.0, 2.0])
    g = bp.jit(lambda x: x + constant)
    same(g(bp.ones(2)), np.asarray([2.0, 3.0]))
    same(bp.jit(lambda x: x)(bp.ones(2)), np.ones(2))
    same(bp.jit(lambda x: (x, x))(bp.ones(2)), [np.ones(2)] * 2)
    same(bp.jit(lambda: bp.ones(2))(), np.ones(2))
    same(bp.jit(lambda x: bp.ones(3))(bp.ones(2)), np.ones(3))
    inner = bp.jit(lambda x: x * 2)
    same(bp.jit(lambda x: inner(x) + 1)(bp.ones(2)), np.full(2, 3.0))
    assert bp.jit(lambda x: 5)(bp.ones(2)) == 5
    argument = bp.ones(2)
    made = bp.jit(lambda x: x)(argument)
    made[0] = 9
    same(argument, np.ones(2))


def check_jit_gives_what_the_function_gives():
    def assigned(x):
        y = +x
        y[::2, 1] = 3
        y[y > 4] = 0
        y[bp.asarray([0, 1]), 0] = x[0, :2]
        return y

    functions = [
        lambda x: bp.sort(x, axis=0, descending=True), lambda x: bp.argsort(x), lambda x: bp.flip(x), lambda x: bp.roll(x, 2), lambda x: x[::-1, 1:],
        lambda x: x[:, bp.asarray([2, 0])], lambda x: bp.take_along_axis(x, bp.argsort(x, axis=0), axis=0), lambda x: bp.tile(x, (2, 1)),
        lambda x: bp.repeat(x, bp.asarray([1, 0, 2]), axis=1), lambda x: bp.where(x > 2, x, 0), lambda x: bp.cumulative_sum(x, axis=1, include_initial=True),
        lambda x: bp.var(x, axis=1), lambda x: x @ x.T, lambda x: bp.linalg.inv(x @ x.T + bp.eye(4)), lambda x: bp.linalg.qr(x), lambda x: bp.linalg.svd(x).S,
        lambda x: bp.fft.fft(x), lambda x: bp.fft.rfftn(x), lambda x: bp.diff(x), lambda x: bp.searchsorted(bp.arange(3.0), x), lambda x: bp.isin(x, x[0]),
        lambda x: bp.pad(x, 1), lambda x: bp.median(x, axis=0), lambda x: bp.concat((x, x), axis=None), lambda x: bp.stack((x, x)), lambda x: bp.unstack(x),
        lambda x: bp.tril(x), lambda x: bp.meshgrid(x[0], x[1]), lambda x: bp.broadcast_to(x, (2, 4, 3)), lambda x: bp.histogram(x, 4, (0.0, 8.0)),
        lambda x: bp.linalg.vector_norm(x, axis=0), lambda x: bp.linalg.matrix_norm(x, ord="nuc"), lambda x: bp.argmax(x, axis=0), lambda x: bp.std(x),
        lambda x: bp.scatter(x, bp.asarray([0, 0]), bp.ones((2, 3)), combine="add"), lambda x: bp.clip(x, 1, 3), lambda x: bp.nextafter(x, 9.0), assigned,
        lambda x: bp.linalg.solve(x[:3], x[3]), lambda x: bp.linalg.det(x[:3]), lambda x: bp.linalg.pinv(x), lambda x: bp.quantile(x, 0.3, axis=1),
        lambda x: [bp.sum(x), {"a": bp.astype(x, bp.int8)}], lambda x: bp.average(x, axis=0, weights=x + 1), lambda x: x.T.reshape(-1)[5], lambda x: x.sum(0) + x,
    ]  # fmt: skip
    x = np.random.default_rng(3).normal(size=(4, 3)) * 3
    failures = checks.Failures()
    for number, function in enumerate(functions):
        failures.run(number, same_by_jit, function, x)
    failures.report()


def same_by_jit(function, x):
    made, want = list(bp._evaluation._flat(bp.jit(function)(x))), list(bp._evaluation._flat(function(bp.asarray(x))))
    same(made, [np.asarray(each) for each in want], ulps=2, near=1e-14)


def check_jit_of_what_needs_values():
    """A value of an argument is not there while the graph is made: an error with the reason, and the function goes on working."""
    calls = [lambda x: x if x[0] > 0 else -x, lambda x: bp.nonzero(x), lambda x: x[x > 0], lambda x: float(x[0]) + x, lambda x: np.asarray(x), lambda x: bp.unique_values(x)]
    for number, function in enumerate(calls):
        text = raises((ValueError, TypeError), bp.jit(function), bp.ones(3))
        assert "parameter" in text, (number, text)

    def fails(x, how):
        if how:
            raise KeyError("mine")
        return x + 1

    jitted = bp.jit(fails)
    raises(KeyError, jitted, bp.ones(2), True)
    same(jitted(bp.ones(2), False), np.full(2, 2.0))
    raises(KeyError, jitted, bp.ones(2), True)


def check_jit_assigns():
    def step(x, value):
        y = x + 0
        y[1:3] = value
        y[0] += 5
        y[..., -1] = x[0]
        return y

    x = np.arange(5.0)
    want = step(x.copy(), 7.0)
    same(bp.jit(step)(bp.asarray(x), 7.0), want)
    argument = bp.asarray(x)

    def changes_its_argument(x):
        x[0] = 100
        return x * 2

    same(bp.jit(changes_its_argument)(argument), np.asarray([200.0, 2, 4, 6, 8]))
    same(argument, x)


# ---- functions ----


def check_functions_with_unknown_extents():
    x, y = bp.Parameter((None, 3)), bp.Parameter((3,))
    assert x.shape == (None, 3) and x.size is None and "parameter" in repr(x) and repr(x + 1)
    distance = bp.Function([x, y], [bp.sqrt(bp.sum((x - y) ** 2, 1)), x * 2])
    for n in (1, 5, 0, 1000):
        points, center = np.arange(3.0 * n).reshape(n, 3), np.asarray([1.0, 2, 3])
        near, doubled = distance(bp.asarray(points), bp.asarray(center))
        same(near, np.sqrt(((points - center) ** 2).sum(1)), ulps=2), same(doubled, points * 2)
    same(distance(points, center)[1], points * 2)
    raises((ValueError, TypeError), distance, points)
    raises(ValueError, distance, points[:, :2], center)
    raises((TypeError, ValueError), distance, points.astype("float32"), center)
    raises(ValueError, bp.Function, x, [x + y])
    raises(ValueError, bp.eval, x), raises(ValueError, float, bp.Parameter(())), raises(ValueError, np.asarray, x)
    single = bp.Function(y, bp.sum(y))
    same(single(np.ones(3)), np.asarray(3.0))
    same(bp.Function([y], [y])(np.ones(3)), [np.ones(3)])
    assert "kernel" in distance.explain(points, center).text or distance.explain(points, center).kernels >= 1
    scale = bp.Parameter(())
    same(bp.Function([y, scale], y * scale)(np.ones(3), 2.5), np.full(3, 2.5))


def check_unknown_extents():
    """Functions know the extents when they are called, or say which one they need."""
    p = bp.Parameter((None, 3))
    functions = [
        lambda m, x: m.var(x, axis=0), lambda m, x: m.std(x), lambda m, x: m.var(x, axis=1, correction=1), lambda m, x: m.var(x, correction=2),
        lambda m, x: m.flip(x, axis=1), lambda m, x: m.diff(x, axis=1), lambda m, x: m.sort(x, axis=1), lambda m, x: m.argsort(x, axis=1),
        lambda m, x: m.mean(x), lambda m, x: m.isin(x, m.asarray([1.0, 4.0])), lambda m, x: m.searchsorted(m.asarray([1.0, 4.0]), x),
        lambda m, x: x[:, 1:], lambda m, x: x[..., None], lambda m, x: x.T, lambda m, x: m.roll(x, 1, axis=0), lambda m, x: m.roll(x, 4), lambda m, x: x[:, ::-1][0], lambda m, x: x[1, 1:], lambda m, x: m.median(x, axis=1),
        lambda m, x: m.repeat(x, 2, axis=0), lambda m, x: m.stack((x, x)), lambda m, x: m.sum(x, axis=0, keepdims=True), lambda m, x: m.unstack(x, axis=1)[2],
        lambda m, x: m.zeros_like(x), lambda m, x: m.clip(x, 1, 2), lambda m, x: m.cumsum(x, 0), lambda m, x: m.argmax(x, axis=0),
        lambda m, x: m.flip(x), lambda m, x: m.diff(x, axis=0, n=2), lambda m, x: x[1:] - x[:-1], lambda m, x: x[-1], lambda m, x: x[-2::-1, -1], lambda m, x: x[:, 2:0:-1],
    ]  # fmt: skip
    for number, function in enumerate(functions):
        made = bp.Function(p, function(bp, p))
        for n in (2, 5):
            x = np.arange(3.0 * n).reshape(n, 3) * 7 % 5
            try:
                same(made(x), np.asarray(function(np, x)), ulps=8)
            except AssertionError as error:
                raise AssertionError(f"function {number}, n {n}") from error
    for needs in (len, bp.tril, bp.nonzero, lambda x: bp.tile(x, (2, 1)), bp.unstack, iter, lambda x: bp.median(x, axis=0),
                  lambda x: bp.broadcast_arrays(x, bp.ones(3)), lambda x: bp.argsort(x, axis=0, descending=True), lambda x: x.__setitem__(0, 1), lambda x: bp.isin(bp.ones(2), x)):  # fmt: skip
        assert "unknown" in raises(ValueError, needs, p)
    assert p.nbytes is None
    for needs in (bp.histogram, bp.unique_values, lambda x: bp.bincount(bp.Parameter((None,), "int64")), lambda x: x[x > 0]):
        raises(ValueError, needs, p)  # values


def check_evaluation_and_explanations():
    x = bp.reshape(bp.arange(12.0), (3, 4)) + bp.asarray(np.ones(4))
    made = bp.sum(x * 2 + 1)
    text = bp.explain(made)
    assert text.kernels >= 1 and text.operations >= 1 and str(text) == text.text
    before = bp.statistics()
    nested = {"a": (x + 2, [x + 3])}
    bp.eval(made, [x + 1, nested])
    assert all(bp._core.is_computed(each) for each in (made, nested["a"][0], nested["a"][1][0]))
    after = bp.statistics()
    assert after.evaluations > before.evaluations and made.eval() is made
    raises((TypeError, ValueError), bp.eval, object())


if __name__ == "__main__":
    multiprocessing.freeze_support()
    checks.main(__name__)
