"""Complex numbers beside NumPy: operations over several shapes, special values and branch cuts, reductions, types of mixes.

Usage: complex.py [compile]; with "compile", where code is compiled for what is not complex.
"""
import sys
import warnings

import arrays as A
import numpy as np

warnings.filterwarnings("ignore")
SHAPES = [(), (0,), (1,), (7,), (3, 5), (1023,), (1025,), (2, 0, 3), (4, 257), (2, 3, 4, 5)]
TYPES = ["complex64", "complex128"]
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power", "round": "rint",
         "divide": "true_divide", "conj": "conjugate"}
EXACT = "negative round add subtract multiply divide square reciprocal equal not_equal isnan isinf isfinite real imag conj".split()
FUNCTIONS = "sqrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow".split()
# NumPy's have other special values, or are far off near 0.
OTHER_SPECIAL = ["expm1", "log1p", "sign", "abs", "angle"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 30.0, np.inf, -np.inf, np.nan]
failures = []
compared = 0


def combined(real, imag):
    real, imag = np.broadcast_arrays(real, imag)
    values = np.empty(real.shape, {"float32": "c8", "float64": "c16"}.get(real.dtype.name, np.clongdouble))
    values.real, values.imag = real, imag
    return values


def numbers(random, shape, dtype, special=0.3):
    part = np.zeros(1, dtype).real.dtype
    parts = [np.where(random.random(shape) < special, random.choice(SPECIAL, shape), random.normal(0, 3, shape)).astype(part) for _ in range(2)]
    return combined(*parts)


def same(got, want):
    """Equal numbers, with the signs of zeros, or both NaN."""
    return ((got == want) & (np.signbit(got) == np.signbit(want))) | (np.isnan(got) & np.isnan(want))


def parts(x):
    return (x.real, x.imag) if x.dtype.kind == "c" else (x, x)


def compare(what, got, want, wide=None, units=0):
    """Parts are the same; with units, finite numbers are within as many of the last place of `wide`'s magnitude."""
    global compared
    compared += 1
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        failures.append(f"{what}: {got.shape} {got.dtype} in place of {want.shape} {want.dtype}")
        return
    if want.dtype.kind == "b":
        good = got == want
    else:
        good = np.logical_and.reduce([same(g, w) for g, w in zip(parts(got), parts(want))])
    if units:
        size = np.maximum(np.abs(want), np.finfo(want.dtype).tiny)
        good |= np.isfinite(got) & np.isfinite(want) & (np.abs(got - wide) <= units * np.spacing(size))
    if not good.all():
        at = tuple(i[0] for i in np.nonzero(np.atleast_1d(~good)))
        failures.append(f"{what}: {np.atleast_1d(got)[at]} in place of {np.atleast_1d(want)[at]} at {at}")


def product(x, y):
    """NumPy's, where it does not use fma."""
    return combined(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def applied(name, operands):
    return A.apply(name, *[A.from_numpy(o) for o in operands]).numpy()


def exactly(name, x, y):
    operands = [x, y] if name in A.TWO else [x]
    if name in ("multiply", "square"):
        want = product(x, operands[-1])
    elif name in ("real", "imag"):
        want = getattr(x, name)
    else:
        want = getattr(np, NUMPY.get(name, name))(*operands)
    compare(f"{name} of {x.dtype} {x.shape}", applied(name, operands), want)


def function(name, x, y):
    """complex64 beside complex128, and complex128 beside longdouble; the special values are those of complex128."""
    operands = [x, y] if name == "pow" else [x]
    call = getattr(np, NUMPY.get(name, name))
    want = np.asarray(call(*[o.astype("c16") for o in operands]))
    wide = want if x.dtype == "c8" else call(*[o.astype(np.clongdouble) for o in operands])
    compare(f"{name} of {x.dtype} {x.shape}", applied(name, operands), want.astype(x.dtype), wide, 4 if name not in ("pow", "exp2") else 32)


def operations():
    random = np.random.default_rng(1)
    for dtype in TYPES:
        for shape in SHAPES:
            x, y = numbers(random, shape, dtype), numbers(random, shape, dtype)
            for name in EXACT:
                exactly(name, x, y)
            for name in FUNCTIONS[:-1]:
                function(name, x, None)
            function("pow", np.where(x == 0, x.dtype.type(2), x), numbers(random, shape, dtype, 0)) # NumPy 1 has NaN for powers of 0
            flags = random.random(shape) < 0.5
            compare(f"cond of {dtype} {shape}", applied("cond", [flags, x, y]), np.where(flags, x, y))
            compare(f"select of {dtype} {shape}", applied("select", [x.real, x, y]), np.where(x.real > 0, x, y))


def special_values():
    """All pairs of special parts; a row of arguments on each side of each branch cut."""
    grid = combined(*np.meshgrid(SPECIAL, SPECIAL))
    cut = np.linspace(-3, 3, 25)
    cuts = np.concatenate([combined(cut, zero) for zero in (0.0, -0.0)] + [combined(np.array(zero), cut) for zero in (0.0, -0.0)])
    for dtype in TYPES:
        for name in FUNCTIONS[:-1]:
            function(name, grid.astype(dtype), None)
            function(name, cuts.astype(dtype), None)
        for exponent in (-3, -1, 0, 1, 2, 3, 7, 0.5, 1j, 2 - 1j):
            some = cuts[cuts != 0].astype(dtype)
            function("pow", some, np.full_like(some, exponent))
        compare("powers of 0", applied("pow", [np.zeros(3, dtype), np.array([2 - 1j, 0, 3], dtype)]), np.array([0, 1, 0], dtype))
        compare("a power of 0", np.isnan(applied("pow", [np.zeros(1, dtype), np.array([-1], dtype)])), np.array([True]))


def special_functions():
    """expm1 and log1p keep what exp and log lose near 0."""
    random = np.random.default_rng(2)
    small = numbers(random, 500, "complex128", 0) * 10.0 ** random.integers(-12, 1, 500)
    wide = small.astype(np.clongdouble)
    half = np.sin(wide.imag / 2)
    exact = combined(np.expm1(wide.real) * np.cos(wide.imag) - 2 * half * half, np.exp(wide.real) * np.sin(wide.imag))
    compare("expm1", applied("expm1", [small]), exact.astype("c16"), exact, 4)
    x, y = wide.real, wide.imag
    exact = combined(np.log1p(x * (2 + x) + y * y) / 2, np.arctan2(y, 1 + x))
    compare("log1p", applied("log1p", [small]), exact.astype("c16"), exact, 4)
    inf, nan = np.inf, np.nan
    for name, argument, want in (("expm1", complex(inf, 0), complex(inf, 0)), ("expm1", complex(-inf, 1), complex(-1, 0)), ("expm1", 0j, 0j),
                                 ("expm1", complex(nan, 0), complex(nan, 0)), ("log1p", complex(-1, 0), complex(-inf, 0)), ("log1p", complex(-0.0, 0), complex(0, 0)),
                                 ("log1p", complex(inf, nan), complex(inf, nan)), ("log1p", complex(-inf, 1), complex(inf, np.pi))):
        for dtype in TYPES:
            compare(f"{name} of {argument}", applied(name, [np.array(argument, dtype)]), np.array(want, dtype))


def magnitudes():
    """abs, angle and sign neither overflow nor lose small numbers."""
    random, inf, nan = np.random.default_rng(3), np.inf, np.nan
    for dtype, most in (("complex64", 37), ("complex128", 307)):
        part = np.zeros(1, dtype).real.dtype
        x = (random.normal(size=4000) + 1j * random.normal(size=4000)) * 10.0 ** random.integers(-most, most + 1, 4000)
        x = x.astype(dtype)
        size = np.hypot(x.real.astype(np.longdouble), x.imag.astype(np.longdouble))
        compare(f"abs {dtype}", applied("abs", [x]), size.astype(part), size, 2)
        angle = np.arctan2(x.imag.astype("f8"), x.real.astype("f8"))
        compare(f"angle {dtype}", applied("angle", [x]), angle.astype(part), angle, 4)
        sign = x.astype(np.clongdouble) / size
        compare(f"sign {dtype}", applied("sign", [x]), sign.astype(dtype), sign, 2)
        x = np.array([complex(*pair) for pair in ((inf, nan), (nan, -inf), (nan, 1), (-inf, 3), (2, -inf), (inf, inf), (-0.0, -0.0), (-3, 4), (5e-324, 0))], dtype)
        compare(f"abs {dtype}", applied("abs", [x]), np.hypot(x.real, x.imag))
        undefined, none = complex(nan, nan), 0j
        want = [1, -1j, undefined, -1, -1j, undefined, none, -0.6 + 0.8j, none if dtype == "complex64" else 1]
        compare(f"sign {dtype}", applied("sign", [x]) + 0, np.array(want, dtype) + 0)


def reductions():
    """Each part of a sum has the bits of the sum of that part; products of units are exact."""
    random = np.random.default_rng(4)
    for dtype in TYPES:
        for shape in ((), (1,), (63,), (1025,), (0,), (300, 1500), (5, 300, 7), (3, 0), (70, 9001), (1_000_003,)):
            x = numbers(random, shape, dtype, 0)
            a = A.from_numpy(x)
            for axes in [None] + [[axis] for axis in range(len(shape))]:
                sums = [A.from_numpy(np.ascontiguousarray(part)).fold("sum", axes).numpy() for part in parts(x)]
                compare(f"sum of {dtype} {shape} {axes}", a.fold("sum", axes).numpy(), combined(*sums).astype(dtype))
                axis = None if axes is None else axes[0]
                mean = a.mean(axes).numpy()
                compare(f"mean of {dtype} {shape} {axes}", mean, np.mean(x, axis), np.mean(x.astype("c16"), axis), 1000)
                units = np.array([1, -1, 1j, -1j], dtype)[random.integers(0, 4, shape)]
                compare(f"prod of {dtype} {shape} {axes}", A.from_numpy(units).fold("prod", axes).numpy() + 0, np.prod(units, axis) + 0)
                some = np.where(random.random(shape) < 0.9, units, 0)
                for name in ("all", "any"):
                    compare(f"{name} of {dtype} {shape} {axes}", A.from_numpy(some).fold(name, axes).numpy(), getattr(np, name)(some, axis))


def types_of_mixes():
    """NumPy 2's, of an array and a number of the text."""
    unit = A.scalar(1j, "complex128", 1)
    for dtype in A.TYPES:
        want = "complex64" if dtype in ("float16", "float32", "complex64") else "complex128"
        got = A.apply("add", A.from_numpy(np.ones(3, dtype)), unit)
        compare(f"{dtype} + 1j", got.numpy(), np.full(3, 1 + 1j, want))
    for weak, kind in ((True, "bool"), (2, "int64"), (0.1, "float64"), (0.1j, "complex128")):
        for dtype in TYPES:
            got = A.apply("add", A.from_numpy(np.zeros(3, dtype)), A.scalar(weak, kind, 1))
            compare(f"{dtype} + {weak}", got.numpy(), np.full(3, weak, dtype))
    both = A.apply("multiply", A.scalar(2.5, "float64", 1), unit)
    compare("2.5 * 1j of numbers alone", both.numpy(), np.array(2.5j))
    compare("and with float32", A.apply("add", A.from_numpy(np.ones(2, "f4")), both).numpy(), np.full(2, 1 + 2.5j, "c8"))
    compare("abs of a number", A.apply("add", A.from_numpy(np.ones(2, "f4")), A.apply("abs", both)).numpy(), np.full(2, 3.5, "f4"))


def wide_numbers():
    """Numbers that differ in the imaginary part alone are not one; each is right beside elements of other sizes."""
    x, flags = A.from_numpy(np.arange(3000, dtype="f8")), A.from_numpy(np.arange(3000) % 3 == 0)
    both = [A.apply("add", A.apply("multiply", x, x), A.scalar(number, "complex128")) for number in (5 + 1j, 5 + 2j)]
    chosen = A.apply("cond", flags, *both)
    A.evaluate(chosen, *both)
    squares = np.arange(3000.0) ** 2
    for got, number in zip(both, (5 + 1j, 5 + 2j)):
        compare(f"+ {number}", got.numpy(), squares + number)
    compare("both", chosen.numpy(), squares + np.where(np.arange(3000) % 3 == 0, 5 + 1j, 5 + 2j))
    compare("compress", both[0].compress(flags).numpy(), (squares + 5 + 1j)[::3])
    compare("gather", both[0].gather(A.from_numpy(np.array([2999, 0, -2])), 0).numpy(), (squares + 5 + 1j)[[2999, 0, -2]])


if sys.argv[1:] == ["compile"]:
    A.options(compile=1)
    SHAPES = [(1043,)]
operations()
special_values()
special_functions()
magnitudes()
reductions()
types_of_mixes()
wide_numbers()
print("\n".join(failures[:40]))
print(f"{compared} comparisons, {len(failures)} differences")
sys.exit(bool(failures))
