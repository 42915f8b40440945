"""Small graphs on a target give the bits that they give on a CPU: sums whose order matters, rows of all lengths, borders, ranks, gathers.

Usage: targets.py reference|cuda
"""
import ctypes
import sys
import time

import arrays as A
import numpy as np

random = np.random.default_rng(3)
failures, compared = [], 0


def real(*shape, dtype="float32"):
    return random.normal(0, 1, shape).astype(dtype)


def special(n):
    """NaNs, infinities and zeros of both signs among few different numbers."""
    return random.choice(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, 0.5], "float32"), n)


def bits(values):
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values) # all NaNs are one
    return values.shape, values.dtype, values.tobytes()


def both(name, make, unfused=0):
    """make() gives a list of arrays."""
    global compared
    results = []
    for target in (TARGET, "cpu"):
        A.options(target=target, unfused=unfused)
        arrays = make()
        A.evaluate(*arrays)
        results.append([a.numpy() for a in arrays])
    A.options()
    compared += 1
    for i, (got, want) in enumerate(zip(*results)):
        if bits(got) != bits(want):
            different = np.flatnonzero((got != want) & ~((got != got) & (want != want))) if got.shape == want.shape else []
            failures.append(f"{name}, array {i}: {len(different)} elements differ, first at {different[:1]}: {got.ravel()[different[:1]]} in place of "
                            f"{want.ravel()[different[:1]]}")


def number(value, dtype="float32"):
    return A.scalar(value, dtype, 1)


def histogram(a, bins, low, high):
    return A.make("histogram", a.handle, ctypes.c_int64(bins), ctypes.c_double(low), ctypes.c_double(high))


def stretch(a, times):
    return A.make("stretch", a.handle, A.longs(times))


def sums():
    for n in (1, 63, 64, 65, 255, 257, 1000, 70_000, 1_100_000):
        x = A.from_numpy(real(n))
        both(f"sum of {n}", lambda: [x.fold("sum"), x.fold("prod"), x.fold("min"), x.fold("max"), x.cast("float64").fold("sum")])
    for shape, axes in (((300, 70), [0]), ((300, 70), [1]), ((5, 300, 7), [1]), ((5, 30, 7, 9), [0, 2]), ((2, 5000), [1]), ((1, 300), [0]), ((1, 300), [1]),
                        ((2, 1_050_000), [1]), ((3, 1, 4), [1])):
        x = A.from_numpy(real(*shape))
        both(f"sum of {shape} over {axes}", lambda: [x.fold("sum", axes), A.apply("exp", x).fold("max", axes, 1)])
    zeros, odd = A.from_numpy(np.full(300, -0.0, "float32")), A.from_numpy(special(500).reshape(50, 10))
    both("sums of zeros and NaNs", lambda: [zeros.fold("sum"), zeros.reshape((30, 10)).fold("sum", [1]), odd.fold("min"), odd.fold("max", [0]), odd.fold("min", [1])])
    flags, small = A.from_numpy(random.random((40, 300)) < 0.99), A.from_numpy(random.integers(-128, 128, (40, 300)).astype("int8"))
    both("folds of bools and integers", lambda: [flags.fold("all", [1]), flags.fold("any"), flags.fold("sum"), flags.fold("min", [0]), small.fold("prod"),
                                                 small.fold("min", [1]), small.fold("sum", [0])])
    halves = A.from_numpy(real(3, 50, dtype="float16"))
    both("means and halves", lambda: [small.mean(), halves.mean([1]), halves.fold("sum"), halves.fold("max", [0])])
    empty = A.from_numpy(np.zeros((0, 3), "float32"))
    both("folds of nothing", lambda: [empty.fold("sum"), empty.fold("prod", [0]), empty.fold("all", [0]), empty.fold("sum", [1]), A.apply("exp", empty)])


def rows():
    for shape in ((1,), (7,), (3, 5), (2, 1025), (70, 300), (1500,), (20_000,), (2, 17_000)):
        reals, words = special(int(np.prod(shape))).reshape(shape), random.integers(-50, 50, shape).astype("int32")
        reals[..., : shape[-1] // 2] = real(*shape)[..., : shape[-1] // 2]
        x, y = A.from_numpy(reals), A.from_numpy(words)
        both(f"rows of {shape}", lambda: [a.rows(name) for a in (x, y) for name in A.ROWS])
    doubles = A.from_numpy(real(5, 3, dtype="float64"))
    both("columns", lambda: [y.rows("argmin", 0), doubles.rows("sort", 0), y.cast("uint64").rows("cumulative_prod"), A.from_numpy(real(4, 0)).rows("sort")])


def borders():
    x = A.from_numpy(real(9, 11))
    for border in ("clamp", "wrap", "value"):
        value = number(2) if border == "value" else None
        both(f"shifts, {border}", lambda: [x.shift([2, -3], border, value), x.shift([20, 1], border, value), x.extend([2, 1], [3, 15], border, value),
                                           x.section([8, 1], [4, 5], [-2, 2]).shift([1, 1], border, value).transpose([1, 0])])
    both("a blur", lambda: [A.apply("add", A.apply("add", x.shift([1, 0], "clamp"), x.shift([-1, 0], "clamp")), A.apply("multiply", x, number(2)))])
    both("repeated", lambda: [x.replicate((20, 5)), x.add_dimension(1, 3).fold("sum", [0]), x.drop_dimension(0), x.reshape((11, 9)), x.reshape((99,)).rows("sort")])
    eight = A.from_numpy(real(2, 3, 1, 2, 3, 2, 1, 2))
    both("eight axes", lambda: [eight.transpose([7, 1, 5, 3, 4, 2, 6, 0]), eight.fold("sum", [1, 4]), eight.shift([1] * 8, "wrap"), A.index((2,) * 8, 3)])


def places():
    x, at = A.from_numpy(real(6, 50)), A.from_numpy(random.integers(-50, 50, (4, 3)))
    both("gathers", lambda: [x.gather(at, 1), A.apply("negative", x).gather(A.from_numpy(np.array([5, -6])), 0), x.gather(at, 1).fold("sum", [0]), A.index((3, 4), 0)])
    both("random numbers", lambda: [A.random(77, (3, 500)), A.random(1, ())])
    both("products", lambda: [x.inner(x.transpose([1, 0])), x.outer(at.cast("float32"))])
    both("passes that the CPU makes", lambda: [A.apply("sqrt", histogram(A.apply("multiply", x, x), 7, 0, 4)),
                                               A.apply("abs", A.apply("multiply", x.cast("complex64"), x.cast("complex64"))).fold("sum", [0])])
    both("stretched", lambda: [stretch(x, [2, 3]), stretch(x.shift([1, 1], "wrap"), [3, 1]).fold("sum", [0])])
    both("a number alone", lambda: [A.apply("add", number(1), number(2)), A.scalar(3, "int8")])
    both("one by one", lambda: [A.apply("exp", A.apply("add", x, x)).fold("sum", [1])], 1)


def equal_numbers():
    """A value that is asked for twice, a part of it, and its reshape."""
    x = A.from_numpy(real(4, 6))

    def make():
        y = A.apply("exp", x)
        return [y, A.apply("exp", x), y.reshape((24,)), y.fold("sum"), A.apply("sqrt", y.reshape((2, 12)))]
    both("equal arrays", make)
    both("several kinds in a kernel", lambda: [A.apply("less", x, number(0)), A.apply("less", x, number(0)).fold("sum"), A.apply("abs", x).fold("max"),
                                               x.cast("int32"), x.cast("float16").fold("sum")])


def long_ones():
    x = A.from_numpy(real(100))
    arrays = [A.from_numpy(real(100)) for _ in range(60)]

    def make():
        y = x
        for i in range(300):
            y = A.apply("multiply" if i % 3 else "add", y, arrays[i % 60])
        return [y]
    both("300 operations, 60 arrays", make)
    many = [A.from_numpy(real(6)) for _ in range(400)]

    def chain():
        y = many[0]
        for i, a in enumerate(many[1:]):
            y = A.apply("add", y, A.apply("multiply", a, number(i)))
        return [y]
    both("1,200 arrays and numbers", chain)
    # One program of so many reductions would take minutes to compile; of eight, it serves all.
    before = A.statistics().compiled
    both("200 reductions", lambda: [a.reshape((2, 3)).fold("sum", [1]) for a in many[:200]] + [a.fold("max") for a in many[:200]])
    if A.statistics().compiled - before > 4:
        failures.append(f"{A.statistics().compiled - before} programs of 200 like reductions")


def functions():
    """One function, called on the target and on the CPU with arguments of several shapes."""
    a, b = A.parameter("float32", (-1, 4)), A.parameter("float32", (4,))
    y = A.apply("exp", A.apply("add", a, b))
    function = A.Function([a, b], [y, y.fold("sum", [0]), A.apply("sqrt", y.reshape((-1,)).rows("sort"))])
    for n in (3, 100, 3):
        arguments = [A.from_numpy(real(n, 4)), A.from_numpy(real(4))]
        both(f"a function of {n} rows", lambda: function(*arguments))


def mistakes():
    A.options(target=TARGET)
    for make, text in ((lambda: A.from_numpy(real(3)).gather(A.from_numpy(np.array([0, 3])), 0), "gather: index 3 in an axis of 3 elements"),
                       (lambda: A.apply("exp", A.from_numpy(real(2, 5)).gather(A.from_numpy(np.array([[-6]])), 1)).fold("sum", [0]),
                        "gather: index -6 in an axis of 5 elements")):
        try:
            make().numpy()
            failures.append(f"no mistake in place of {text}")
        except A.Error as error:
            if str(error) != text:
                failures.append(f"{error} in place of {text}")
    for name, text in (("tpu", "options: there is no target 'tpu'\n  help: there are cpu, reference and cuda"),):
        try:
            A.options(target=name)
            failures.append(f"there is a target {name}")
        except A.Error as error:
            if str(error) != text:
                failures.append(f"{error} in place of {text}")


def one_program_for_a_form():
    """Kernels that differ in shapes and numbers share a program."""
    A.options(target=TARGET)
    before = A.statistics().compiled
    for n in (10, 11, 500):
        for factor in (2, 3):
            A.apply("multiply", A.from_numpy(real(n, 4)).section([1, 0], [n - 2, 4], [1, 1]).transpose([1, 0]), number(factor)).numpy()
    made = A.statistics().compiled - before
    if made != 1:
        failures.append(f"{made} programs in place of 1 for one form")


TARGET = sys.argv[1]
for check in (sums, rows, borders, places, equal_numbers, long_ones, functions, mistakes, one_program_for_a_form):
    begin = time.time()
    check()
    print(f"{check.__name__}: {time.time() - begin:.1f} s", file=sys.stderr)
print("\n".join(failures))
print(f"{compared} graphs on {TARGET}, {A.statistics().compiled} programs, {len(failures)} differences")
sys.exit(bool(failures))
