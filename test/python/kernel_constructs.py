"""Each construct of kernels that are written in Python, for each type and at odd sizes, gives what the same function gives when Python itself runs it on NumPy's scalars."""

import linecache
import math
import os
import sys
import threading
import warnings

import kernel_interpreter
import numpy as np

import bsgp as bp

EXTENT = os.environ.get("CHECK_EXTENT", "sample")
SIZES = [0, 1, 7, 8, 17, 257] if EXTENT == "sample" else [0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257, 1021]
INTEGERS = [bp.int8, bp.int16, bp.int32, bp.int64, bp.uint8, bp.uint16, bp.uint32, bp.uint64]
FLOATS = [bp.float16, bp.float32, bp.float64]
ALL = [bp.bool, *INTEGERS, *FLOATS]
MAKERS = []


def construct(*types):
    """Registers a function from a type to a kernel of (out: T[:], x: T[:], y: T[:]), or of (out: U[:], x: T[:], y: T[:])."""

    def register(make):
        MAKERS.append((make, types))
        return make

    return register


# ---- operators


def of_operator(text, name):
    """A kernel's text, so that each operator has one of its own."""
    return f"""
def make_{name}(T, U):
    def {name}(out: U[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            a = x[bp.rank]
            b = y[bp.rank]
            out[bp.rank] = {text}
    return {name}
"""


# The values of b are from 1 to 5.
ARITHMETIC = {"plus": "a + b", "minus": "a - b", "times": "a * b", "by": "a / b", "floor_by": "a // b", "rest": "a % b"}
WEAK = {
    "weak_plus": "a + 1", "weak_from": "3 - a", "weak_times": "a * 2", "weak_by": "a / 4", "weak_floor": "a // 4", "weak_rest": "a % 8",
    "weak_floor_3": "a // 3", "weak_rest_5": "a % 5", "squared": "a ** 2", "cubed": "a ** 3", "half_of": "a * 0.5", "negated": "-a + 0",
    "absolute": "abs(a)", "mixed": "a * 2 + 1.5", "rank_sum": "a + bp.rank", "rank_weak": "bp.rank * 2 - 1", "truth_plus": "a + True",
}  # fmt: skip
NEGATIVE = {"by_negative": "a // (b - b - b)", "rest_negative": "a % (b - b - b)"}
BITS = {"and": "a & b", "or": "a | b", "xor": "a ^ b"}
SHIFTS = {"left": "a << b", "right": "a >> b", "weak_left": "a << 3", "weak_right": "a >> 2", "all_out": "a << (b + 70)", "inverted": "~a"}
COMPARED = {
    "less": "a < b", "equal": "a == b", "between": "1 < a <= b", "joined": "a < b and b < 4 or a == 5", "not_less": "not a < b", "weak_less": "a < 3",
    "beyond": "a < 70000", "below": "a > -1", "with_float": "a < 2.5", "with_rank": "a < bp.rank",
}  # fmt: skip
CHOICES = {
    "chosen": "a if a > b else b", "least": "min(a, b)", "greatest": "max(a, b, 3)", "minimum": "np.minimum(a, b)", "where": "np.where(a > b, a, b)",
}  # fmt: skip
ROUNDED = {
    "floor": "np.floor(a / 3)",
    "ceil": "np.ceil(a / 3)",
    "trunc": "np.trunc(a / 3)",
    "rint": "np.rint(a / 3)",
    "root": "np.sqrt(abs(a))",
}
CONVERTED = {f"to_{T.name}": f"bp.{T.name}(abs(a))" for T in ALL}  # C says nothing on those below 0 as unsigned ones


def result_type(text, T):
    """NumPy's type of the expression, which is not what the kernel says."""
    a, b = np.dtype(T.name).type(3), np.dtype(T.name).type(2)
    made = np.asarray(eval(text.replace("bp.rank", "2"), {"np": np, "a": a, "b": b, "bp": np}))
    return getattr(bp, made.dtype.name)


def operators():
    for table, types in (
        (ARITHMETIC, [*INTEGERS, *FLOATS]), (WEAK, [*INTEGERS, *FLOATS]), (NEGATIVE, [*INTEGERS[:4], *FLOATS]), (BITS, [bp.bool, *INTEGERS]),
        (SHIFTS, INTEGERS), (COMPARED, ALL), (CHOICES, [*INTEGERS, *FLOATS]), (ROUNDED, FLOATS), (CONVERTED, ALL),
    ):  # fmt: skip
        for name, text in table.items():
            for T in types:
                unsigned = T in INTEGERS[4:] and name in ("negated", "weak_from", "rank_weak")
                narrow = T in (bp.int8, bp.uint8) and name in ("rank_sum", "rank_weak", "with_rank")
                if not unsigned and not narrow:
                    yield name, text, T


def source_functions(texts, path="<kernel operators>"):
    """The functions of texts, whose lines can be asked for as those of a file."""
    text = "\n".join(texts)
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    space = {"bp": bp, "np": np}
    exec(compile(text, path, "exec"), space)
    return space


def check_operators():
    chosen = list(operators())[:: 5 if EXTENT == "sample" else 1]
    space = source_functions([of_operator(text, f"{name}_{T.name}") for name, text, T in chosen])
    for name, text, T in chosen:
        function = space[f"make_{name}_{T.name}"](T, result_type(text, T))
        compare(function, T, function.__annotations__["out"].element, text)


class NumpyWords:
    """bp.int8 and its kin as NumPy's, where Python runs a kernel."""

    def __getattr__(self, name):
        return getattr(np, name + "_" if name == "bool" else name) if name in BY_NAME else getattr(bp, name)


BY_NAME = {T.name for T in ALL}


# ---- statements


def helper(a, b):
    if a > b:
        return a - b
    return b * 2


def pair(a, b):
    return a + b, a * 2


def mean_of(x, i, n):
    total = 0
    for k in range(n):
        total += x[(i + k) % n]
    return total


@construct(bp.int32, bp.int64, bp.float32, bp.float64, bp.uint8)
def loops(T):
    def loops(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            s = 0
            i = 7
            for i in range(3, 20, 4):
                if i % 5 == 2:
                    continue
                for j in range(i, -3, -2):
                    s += x[bp.rank]
                    if j < 0:
                        break
                i = 100
            k = 0
            while True:
                k += 1
                if k > 9 or s > 40:
                    break
                s = s + k
            out[bp.rank] = s % 50 + i % 7

    return loops


@construct(bp.int32, bp.float32)
def tuples(T):
    def tuples(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            p = (x[bp.rank], y[bp.rank])
            p = (p[1], p[0])
            q = (0, 1)
            for k in range(6):
                q = (q[1], q[0] + q[1])
            t = (bp.rank, (p, 2))
            t = (t[0] + 1, (t[1][0], t[1][1] * 2))
            a, b = (p[0], 1) if x[bp.rank] > 1 else (p[1], 2)
            out[bp.rank] = p[0] * 2 - p[1] + q[0] + t[1][0][1] + t[1][1] + a * b

    return tuples


@construct(bp.int32)
def types_found_late(T):
    def types_found_late(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            a = 0
            for k in range(3):
                b = a + x[bp.rank]
                a += bp.float32(y[bp.rank])
            s: bp.float64
            s = 0.5
            s += np.float32(1.5) * b + bp.float64(a)
            out[bp.rank] = s

    return types_found_late


@construct(bp.int8, bp.int32, bp.int64)
def signs(T):
    K = np.int8(100)

    def signs(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            v = 0
            w = bp.rank * 0 + 3
            bp.barrier()
            bp.put(bp.rank, v, -5)
            bp.barrier()
            out[bp.rank] = v // 3 + (v % 3) * 2 + (K + K) // 3 % 7 + w // 2

    return signs


@construct(bp.int32, bp.float64)
def over_tuples(T):
    def over_tuples(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            s = 0
            for a in (-1, 2, bp.rank):
                if a == 2:
                    continue
                for b, c in ((x[bp.rank], 1), (y[bp.rank], 3)):
                    s += a * b + c
                    if c > 2 and b > 2:
                        break
            out[bp.rank] = s + a

    return over_tuples


@construct(bp.int32, bp.float32)
def names_of_the_library(T):
    def names_of_the_library(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            reduce, rop_add, abs_, fabs, floor = x[bp.rank], 2, 3, 4, math.floor(2.5)
            scan = bp.reduce("max", reduce)
            out[bp.rank] = scan + rop_add + bp.reduce("max", rop_add) + abs(fabs) + abs_ + floor + math.floor(1.5)

    return names_of_the_library


@construct(bp.int32, bp.int64)
def rows_of_ranks(T):
    def rows_of_ranks(out: T[:], x: T[:], y: T[:]):
        w = len(x) // 3 + 1
        with bp.spawn(len(x)):
            i, j = bp.rank // w, bp.rank % w
            back = bp.rank - w
            out[bp.rank] = i * 10 + j + back // w * 3 + back % w
            for k in range(4, -3, -1):
                out[bp.rank] += k // 3 + k % w

    return rows_of_ranks


@construct(bp.int32, bp.float32, bp.int8)
def last_value(T):
    def last_value(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            before = 0
            for k in range(5):
                if k > 0:
                    out[bp.rank] = before
                before = x[bp.rank] if k % 2 else y[bp.rank]
            for m in range(4):
                last = m
            out[bp.rank] += last + k

    return last_value


@construct(bp.int32, bp.int64, bp.float32, bp.float64)
def functions(T):
    def functions(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            a, b = x[bp.rank], y[bp.rank]
            a, b = b, a
            s, t = pair(a, b)
            out[bp.rank] = helper(s, t) + helper(b=a, a=b) + mean_of(x, bp.rank, len(x)) + (a, b, 3)[2]

    return functions


@construct(*INTEGERS, *FLOATS)
def conditions(T):
    def conditions(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            a = x[bp.rank]
            if a:
                r = 1
            elif y[bp.rank] > 3 and not bp.rank % 2:
                r = 2
            else:
                r = 3
            ok = a > 2
            if not ok or bp.rank > 5:
                r += 10
            out[bp.rank] = r

    return conditions


@construct(*INTEGERS, *FLOATS)
def updates(T):
    def updates(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            out[bp.rank] = x[bp.rank]
            out[bp.rank] += y[bp.rank]
            out[bp.rank] -= 1
            out[bp.rank] *= 2
            out[bp.rank] //= y[bp.rank]
            n = bp.rank
            n += 2
            n **= 2
            n %= 5
            out[bp.rank] += n

    return updates


# ---- threads


@construct(bp.int32, bp.int64, bp.uint32, bp.uint64, bp.int8)
def reductions(T):
    def reductions(out: T[:], x: T[:], y: T[:]):
        total = 0
        with bp.spawn(len(x)):
            v = x[bp.rank]
            total = bp.reduce("max", v)
            low = bp.reduce(min, y[bp.rank])
            several = bp.reduce(any, v > 3)
            out[bp.rank] = total - low + several
            with bp.par():
                a = bp.reduce("|", v)
                b = bp.reduce("&", v)
            bp.barrier()
            out[bp.rank] += a - b
        return total

    return reductions


@construct(bp.int32, bp.int64, bp.uint64)
def scans(T):
    def scans(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            before = bp.scan("+", x[bp.rank])
            upto, total = bp.scan("+", y[bp.rank], inclusive=True, total=True)
            out[bp.rank] = before * 3 + upto + total
            n = bp.compact(x, y[bp.rank], y[bp.rank] > 2)
            bp.barrier()
            out[bp.rank] += n + x[bp.rank]

    return scans


@construct(bp.int32, bp.float32, bp.float64, bp.uint8)
def neighbours(T):
    def neighbours(out: T[:], x: T[:], y: T[:]):
        n = len(x)
        with bp.spawn(n):
            v = x[bp.rank]
            p = y[bp.rank]
            bp.barrier()
            if bp.rank > 0:
                p = bp.get(bp.rank - 1, v)
            bp.put((bp.rank + 3) % n, v, p)
            bp.barrier()
            out[bp.rank] = v

    return neighbours


@construct(bp.int32, bp.float32, bp.int16)
def host_loops(T):
    def host_loops(out: T[:], x: T[:], y: T[:]):
        n = len(x)
        rounds = 3
        with bp.spawn(n):
            v = x[bp.rank]
            for i in range(rounds):
                bp.barrier()
                if bp.rank < n - 1:
                    v = bp.get(bp.rank + 1, v)
                if i == 1:
                    bp.barrier()
            out[bp.rank] = v
        return n

    return host_loops


@construct(bp.int32, bp.float32, bp.uint8)
def sorting(T):
    def sorting(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x)):
            v = x[bp.rank]
            w = y[bp.rank]
            bp.sortby(v)
            bp.kill(v > 4)
            out[bp.rank] = v
            bp.barrier()
            out[bp.rank] += w

    return sorting


@construct(bp.int32, bp.float32, bp.float64)
def blocks(T):
    def blocks(out: T[:], x: T[:], y: T[:]):
        with bp.spawn(len(x), block=32):
            s = bp.shared(32, T)
            i = bp.block.rank
            s[i] = x[bp.rank]
            bp.block.sync()
            d = 1
            while d < bp.block.size:
                t = s[i - d] if i >= d else 0
                bp.block.sync()
                s[i] += t
                bp.block.sync()
                d *= 2
            p = bp.private((2, 3), T)
            for a in range(2):
                for b in range(3):
                    p[a, b] = a * 3 + b
            out[bp.rank] = s[i] + bp.block.id + p[i % 2, i % 3]

    return blocks


@construct(bp.int32, bp.float32)
def requires(T):
    def requires(out: T[:], x: T[:], y: T[:]):
        n = len(x)
        with bp.spawn(n):
            v = x[bp.rank]
            total = bp.reduce("max", bp.int64(v))
            with bp.require():
                half = total // 2
                for k in range(3):
                    half += k
            bp.barrier()
            out[bp.rank] = half + v
        return n * 2

    return requires


def check_constructs():
    for make, types in MAKERS:
        for T in types:
            compare(make(T), T, T, make.__name__)


def check_extents():
    @bp.kernel(fp="strict")
    def transposed(to: bp.float32[:, :], of: bp.float32[:, :], sums: bp.int64[:]):
        with bp.spawn((of.shape[1], of.shape[0])):
            to[bp.x, bp.y] = of[bp.y, bp.x] + of[-1, -1] * bp.rank
            sums[bp.rank] = of.size + bp.x - bp.y + len(to) * of.ndim

    for height, width in ((1, 1), (3, 5), (17, 4), (5, 129)):
        of = np.arange(height * width, dtype=np.float32).reshape(height, width)
        both = []
        for run in (transposed, kernel_interpreter.interpreted(transposed)):
            to, sums = np.zeros((width, height), np.float32), np.zeros(height * width, np.int64)
            run(to, of.copy(), sums)
            both.append((to, sums))
        assert all(np.array_equal(a, b) for a, b in zip(*both)), (height, width)


def check_planes():
    @bp.kernel
    def planes(to: bp.int32[:, :, :]):
        with bp.spawn((to.shape[2], to.shape[1], to.shape[0])):
            to[bp.z, bp.y, bp.x] = bp.x + 10 * bp.y + 100 * bp.z

    to = np.zeros((3, 4, 5), np.int32)
    planes(to)
    z, y, x = np.indices(to.shape)
    assert np.array_equal(to, x + 10 * y + 100 * z)


def check_reassigned_ranks():
    @bp.kernel
    def doubled(out: bp.int32[:], x: bp.int32[:]):
        n = len(x)
        with bp.spawn(n):
            v = x[bp.rank]
            bp.barrier(bp.RANK_REASSIGNED)
            with bp.require():
                bp.size = 2 * n
            bp.oldrank = bp.rank // 2
            out[bp.rank] = v

    @bp.kernel
    def forked(out: bp.int32[:], x: bp.int32[:]) -> int:
        total = 0
        with bp.spawn(len(x)):
            v = x[bp.rank]
            child = bp.fork(v)
            out[bp.rank] = 10 * v + child
            total = bp.size
        return total

    for n in (1, 5, 300):
        x = np.arange(n, dtype=np.int32) % 4
        out = np.zeros(2 * n, np.int32)
        doubled(out, x)
        assert np.array_equal(out, np.repeat(x, 2)), n
        out = np.zeros(4 * n, np.int32)
        expected = [10 * v + child for v in x for child in range(v)]
        assert forked(out, x) == len(expected) and out[: len(expected)].tolist() == expected, n


def longer(a, b):
    return a if abs(a) > abs(b) else b


def counted(x, bins, most):
    """Stores to an array that it is given."""
    for k in range(len(x)):
        bp.atomic_add(bins, x[k] % most, 1)


def check_memory_and_operators():
    @bp.kernel
    def sums(out: bp.float64[:], x: bp.float64[:], bins: bp.int32[:]):
        n = len(x)
        half = bp.zeros((n, 2), bp.float64)
        with bp.spawn(n):
            half[bp.rank, 0] = x[bp.rank]
            bp.atomic_add(bins, bp.rank % 3, 2)
            old = bp.atomic_max(bins, 3, bp.rank)
            bp.atomic_cas(bins, 4, 0, 7)
        most = 0.0
        with bp.spawn(n, block=64):
            v = half[bp.rank, 0] + half[bp.rank, 1]
            most = bp.reduce(longer, v, identity=0)
            a, b = bp.block.reduce("+", 1), bp.block.scan("+", 1)
            c, d = bp.block.scan("max", bp.rank, inclusive=True, total=True)
            out[bp.rank] = v + a * 1000 + b + (c - bp.rank) + (d < 0) + bp.block.count_if(v > 0) * 0
            if bp.block.any(v > 1e9) or not bp.block.all(v < 1e9):
                out[bp.rank] = -1
        first = x[0]
        x[1] = first + most
        return first, most, n

    for n in (2, 63, 64, 65, 1000):
        x, bins, out = np.linspace(-3, 2, n), np.zeros(5, np.int32), np.zeros(n)
        before = x.copy()
        first, most, count = sums(out, x, bins)
        blocks = np.minimum(64, n - np.arange(n) // 64 * 64)
        assert (first, most, count) == (before[0], -3.0, n) and x[1] == -6.0, n
        assert np.array_equal(out, before + blocks * 1000 + np.arange(n) % 64), n
        assert bins.tolist() == [2 * len(range(i, n, 3)) for i in range(3)] + [n - 1, 7], n


def first_of(x):
    """Of host code and of threads."""
    x[1] = x[0] + 1
    return x[1]


def check_host_code():
    @bp.kernel
    def rounds(x: bp.int32[:], bins: bp.int32[:], steps: int = 3):
        a = bp.empty(len(x), bp.int32)
        b = bp.zeros(len(x), bp.int32)
        with bp.spawn(len(x)):
            a[bp.rank] = x[bp.rank]
        for k in range(steps):
            with bp.spawn(len(x)):
                b[bp.rank] = a[bp.rank] + a[(bp.rank + 1) % len(x)]
            a, b = b, a
            if a[0] > 1000:
                break
        with bp.spawn(1):
            counted(a, bins, 4)
        second = first_of(bins)
        with bp.spawn(1):
            bins[1] += first_of(bins) - second
        with bp.spawn(len(x)):
            x[bp.rank] = a[bp.rank]
        return k, a[0]

    for steps in (1, 3, 40):
        x, bins = np.arange(10, dtype=np.int32), np.zeros(4, np.int32)
        expected = x.copy()
        for k in range(steps):
            expected = expected + np.roll(expected, -1)
            if expected[0] > 1000:
                break
        assert rounds(x, bins, steps=steps) == (k, expected[0]), steps
        counts = np.bincount(expected % 4, minlength=4)
        counts[1] = counts[0] + 1
        assert np.array_equal(x, expected) and np.array_equal(bins, counts), steps
    assert rounds(x, bins)[0] <= 2


def check_kernels_call_kernels():
    @bp.kernel
    def fill(x: bp.float32[:], value: bp.float32):
        with bp.spawn(len(x)):
            x[bp.rank] = value

    @bp.kernel
    def both(x: bp.float32[:], y: bp.float32[:]):
        fill(x, bp.float32(1))
        fill(y, bp.float32(2))

    x, y = np.zeros(5, np.float32), np.zeros(3, np.float32)
    both(x, y)
    assert x.tolist() == [1] * 5 and y.tolist() == [2] * 3


def check_effects_happen_once_and_in_order():
    def bump(x):
        old = x[0]
        x[0] += 1
        return old, x[0]

    def both(a, b):
        return a * 100 + b

    @bp.kernel
    def effects(o: bp.int64[:], x: bp.int64[:], u: bp.uint64[:]):
        with bp.spawn(1):
            o[0] = x[0] * 10 + bump(x)[0]
            o[1] = both(b=bp.atomic_add(x, 0, 1), a=bp.atomic_add(x, 0, 1))
            if bp.atomic_add(x, 1, 1) < u[0]:
                o[2] = x[1]
            a, b = (1, 2) if bp.atomic_add(x, 2, 1) < 3 else (3, 4)
            o[3] = a * 1000 + b * 100 + x[2]
            q, r = divmod(bp.atomic_add(x, 3, 1), 2)
            o[4] = 0 < 5 < x[3] + 5

    o, x, u = np.zeros(5, np.int64), np.array([1, 0, 0, 3]), np.array([9], np.uint64)
    effects(o, x, u)
    assert o.tolist() == [11, 302, 1, 1201, 1], o
    assert x.tolist() == [4, 1, 1, 4], x


def check_numbers_and_memory_of_numpy():
    outside = np.float64(0.1)

    @bp.kernel
    def numpys(o: bp.float64[:], x: bp.float32[:]):
        a = bp.zeros(len(x), np.float32)
        b = c = bp.zeros(shape=(len(x), 2), dtype=np.int32)
        d, e = bp.zeros(len(x), "float64"), bp.zeros(len(x))
        with bp.spawn(len(x)):
            s: np.float32 = 0
            s += np.float32(bp.rank) + np.float32(b[bp.rank, 1] + c[bp.rank, 0])
            o[bp.rank] = x[bp.rank] * outside + a[bp.rank] + s + d[bp.rank] + e[bp.rank]

    o, x = np.zeros(300), np.full(300, 0.1, np.float32)
    numpys(o, x)
    assert np.array_equal(o, x * outside + np.arange(300)), o


def check_compiling_in_threads_leaves_the_recursion_limit():
    before = sys.getrecursionlimit()

    def compile_some():
        for _ in range(4):

            def f(o: bp.int32[:]):
                with bp.spawn(len(o)):
                    o[bp.rank] = 1

            bp.kernel(f).compile()

    threads = [threading.Thread(target=compile_some) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sys.getrecursionlimit() == before


def check_names_of_all_kinds():
    from bsgp._kernel.language import CALLED

    names = sorted(CALLED - {"assert", "abs"}) + ["o__extent_0", "thread", "block", "float", "new"]
    lines = [f"            {name} = {i}" for i, name in enumerate(names)]
    text = "def atomic_add(o: bp.int64[:]):\n    with bp.spawn(len(o)):\n        if len(o) > 0:\n" + "\n".join(lines)
    text += f"\n            bp.atomic_add(o, bp.rank, {' + '.join(names)} + len(o))\n            o[bp.rank] += abs(-1) + np.sqrt(4.0) + bp.reduce('+', 1)\n"
    text = text.replace("        if len(o) > 0:\n", "").replace("            ", "        ")  # all in the spawn
    o = np.zeros(3, np.int64)
    bp.kernel(source_functions([text], "<names>")["atomic_add"])(o)
    assert o.tolist() == [sum(range(len(names))) + 3 + 1 + 2 + 3] * 3, o


def check_numbers_of_python_are_not_cut_before_they_are_compared():
    @bp.kernel(check=True)
    def least(o: bp.uint8[:], x: bp.uint8[:], s: bp.int16[:], n: int):
        with bp.spawn(len(o)):
            o[bp.rank] = min(x[bp.rank], n) + np.minimum(n, x[bp.rank]) * 0 + max(x[bp.rank], -n) * 0
            s[bp.rank] = np.clip(s[bp.rank], 0 * n - 70000, n + 70000)

    x, o, s = np.array([10, 100, 250], np.uint8), np.zeros(3, np.uint8), np.array([-300, 0, 9], np.int16)
    least(o, x, s, 300)
    assert o.tolist() == x.tolist() and s.tolist() == [-300, 0, 9], (o, s)

    @bp.kernel(check=True)
    def squares(x: bp.uint16[:]):
        with bp.spawn(len(x)):
            x[bp.rank] *= x[bp.rank]

    x = np.array([65531, 3], np.uint16)
    squares(x)
    assert x.tolist() == [25, 9], x


def check_one_array_for_two_parameters():
    @bp.kernel
    def both(x: bp.int32[:], y: bp.int32[:]):
        with bp.spawn(len(x)):
            x[bp.rank] = 1
        with bp.spawn(len(x)):
            y[bp.rank] += 1

    shared, own = np.zeros(3, np.int32), bp.zeros(3, dtype="int32")
    both(shared, shared)
    assert shared.tolist() == [2] * 3
    try:
        both(own, own)
    except ValueError as error:
        assert "both: argument 'y' is the same array as another argument" in str(error), error
    else:
        raise AssertionError("one array was written as two")


def check_what_changes_outside():
    class settings:
        gain = 2

    @bp.kernel
    def gained(o: bp.int32[:]):
        with bp.spawn(len(o)):
            o[bp.rank] = settings.gain

    o = np.zeros(2, np.int32)
    gained(o)
    settings.gain = 3
    try:
        gained(o)
    except TypeError as error:
        assert "'gain' was 2 when the kernel was compiled, and now it is 3" in str(error)
    else:
        raise AssertionError("a changed attribute was not noticed")


def warnings_of(function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        bp.kernel(function).compile()
    return " ".join(str(each.message) for each in found)


def check_warnings():
    def unset(o: bp.int32[:]):
        with bp.spawn(len(o)):
            for k in range(o[bp.rank]):
                last = k
            if bp.rank > 1:
                first = 1
            for k in range(3):
                sure = k
            o[bp.rank] = last + first + sure

    text = warnings_of(unset)
    assert "'last' may have no value here" in text and "'first' may have no value here" in text and "'sure'" not in text, text

    def narrow(o: bp.int32[:], b: bp.uint8[:]) -> int:
        total = 0
        with bp.spawn(len(o)):
            s = 0
            for k in range(9):
                s += b[bp.rank]
            o[bp.rank] = s
            total = bp.reduce("+", b[bp.rank])
        return total

    text = warnings_of(narrow)
    assert "'s' is uint8" in text and "s: bp.int64 = 0" in text and "bp.int64(x) sums in 64 bits" in text, text

    def shared_place(o: bp.int32[:]) -> int:
        with bp.spawn(len(o)):
            o[0] += 1
        return o.size

    text = warnings_of(shared_place)
    assert "bp.atomic_add(x, i, v)" in text and "host" not in text, text


def check_arguments():
    @bp.kernel
    def total(x: bp.float32[:, :], weight: float = 2) -> float:
        result = 0.0
        with bp.spawn(x.size):
            result = bp.reduce("+", x[bp.rank // x.shape[1], bp.rank % x.shape[1]] * weight)
        return result

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    x.flags.writeable = False
    assert total(x) == 30 and total(x, weight=1.0) == 15 and total(bp.asarray(x), 1) == 15 and total(x=x) == 30
    for wrong, words in (
        (x[:, ::2], "row by row"), (x.astype(np.float64), "float64"), (x[0], "has 1 axes, the parameter has 2"), (None, "is None"), (3.0, "is float"),
    ):  # fmt: skip
        try:
            total(wrong)
        except (TypeError, ValueError) as error:
            assert words in str(error) and "total: argument 'x'" in str(error), error
        else:
            raise AssertionError(words)


def check_math_functions():
    """Within units in the last place: those of docs/math.md are at most 2 for floats of 32 bits, and NumPy has its own."""
    for T in (bp.float32, bp.float64, bp.int32):
        for name in (
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sin",
            "cos",
            "tan",
            "arcsin",
            "arccos",
            "arctan",
            "sinh",
            "cosh",
            "tanh",
            "arcsinh",
            "cbrt",
        ):
            U = bp.float64 if T is bp.int32 else T
            f = getattr(np, name)

            def apply(out: U[:], x: T[:]):
                with bp.spawn(len(x)):
                    out[bp.rank] = f(x[bp.rank])

            x = (np.linspace(0.01, 0.99, 257) * (1 if T is not bp.int32 else 1)).astype(T.name)
            out = np.zeros(x.size, U.name)
            bp.kernel(apply)(out, x)
            with np.errstate(all="ignore"):
                expected = f(x)
            close = np.abs(out - expected) <= 8 * np.spacing(np.abs(expected))
            assert np.all(close | (out == expected) | (np.isnan(out) & np.isnan(expected))), (name, T, out[~close], expected[~close])

    @bp.kernel
    def of_python(x: float, n: int) -> float:
        return (
            math.sin(x) * math.pi
            + math.floor(x)
            + round(x)
            + math.pow(x, 2)
            + math.hypot(3, 4)
            + abs(n)
            + divmod(n, 3)[1]
            + math.fmod(x, 2)
        )

    for x, n in ((1.5, -4), (2.5, 7), (-3.25, 0)):
        expected = math.sin(x) * math.pi + math.floor(x) + round(x) + x**2 + 5 + abs(n) + n % 3 + math.fmod(x, 2)
        assert math.isclose(of_python(x, n), expected, rel_tol=1e-14), (x, n)


def values(T, size, seed):
    random = np.random.default_rng(seed)
    x = random.integers(0, 6, size)
    if T.kind == "signed integer" or "float" in T.name:
        x = x - 2
    x = x.astype(T.name)
    return x + np.dtype(T.name).type(0.25) * (x > 0) if "float" in T.name else x


def results(run, T, U, size, targets=None):
    x, y = values(T, size, 1), values(T, size, 2)
    if T is not bp.bool:  # divisors and shifts
        y = (np.abs(values(T, size, 2)).astype(np.int64) % 5 + 1).astype(T.name)
    out = np.zeros(size, U.name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        made = run(out, x, y)
    return out, x, y, made


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and (a.tobytes() == b.tobytes() or bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f")))
    return a == b


def compare(function, T, U, what):
    python = kernel_interpreter.interpreted(function, {"bp": NumpyWords()})
    for target in (None, "reference"):
        kernel = bp.kernel(fp="strict", target=target)(function)
        for size in SIZES if target is None else SIZES[-2:]:
            ours = results(kernel, T, U, size)
            theirs = results(python, T, U, size)
            if not size:
                ours, theirs = ours[:3], theirs[:3]
            assert all(map(same, ours, theirs)), f"{what}, {T.name}, {size}, {target}:\n{ours}\n{theirs}"


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("check_") and (len(sys.argv) < 2 or sys.argv[1] in name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check()
    print("ok")
