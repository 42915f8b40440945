"""Each operation on elements for each type, over several shapes, beside NumPy; and all conversions. complex.py has those of complex numbers.

Usage: elements.py [compile|reference|cuda]; with "compile", by compiled code, over one shape; with a target, operations on it give the
bits that they give on a CPU, whatever the operands.
"""
import operator
import sys
import warnings

import arrays as A
import numpy as np

warnings.filterwarnings("ignore")
SHAPES = [(), (0,), (1,), (7,), (3, 5), (1023,), (1025,), (2, 0, 3), (4, 257), (2, 3, 4, 5)]
INTEGERS, FLOATS, COMPLEX = A.TYPES[1:9], A.TYPES[9:12], A.TYPES[12:]
NUMPY = {"bitwise_invert": "invert", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power",
         "atan2": "arctan2", "round": "rint", "abs": "absolute", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
         "divide": "true_divide"}
FLOAT_ONLY = set("reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc "
                 "divide atan2 hypot copysign fma angle".split())
NO_BOOLS = FLOAT_ONLY | set("negative abs sign square floor ceil trunc round isnan isinf isfinite signbit subtract floor_divide remainder pow".split())
BITS = set("bitwise_invert bitwise_and bitwise_or bitwise_xor".split())
SHIFTS = {"bitwise_left_shift", "bitwise_right_shift"}
LOGIC = set("logical_not logical_and logical_or logical_xor".split())
# In units of the last place; all others are exact.
ROUNDED = set("exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc pow atan2 hypot angle".split())
failures = []
compared = 0


def numbers(random, shape, dtype):
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype in COMPLEX:
        values = np.empty(shape, dtype)
        values.real, values.imag = (numbers(random, shape, values.real.dtype.name) for _ in range(2))
        return values
    if dtype in FLOATS:
        values = np.where(random.random(shape) < 0.7, random.normal(0, 3, shape), random.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5], shape))
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    small = random.integers(max(limits.min, -9), 10, shape)
    return np.where(random.random(shape) < 0.8, small, random.choice([limits.min, limits.max], shape)).astype(dtype)


def takes(name, dtype):
    if name == "random_bits" or dtype in COMPLEX: # rows.py, complex.py
        return False
    if name in LOGIC:
        return dtype == "bool"
    if name in BITS:
        return dtype not in FLOATS
    if name in SHIFTS:
        return dtype in INTEGERS
    return not (name in NO_BOOLS and dtype == "bool" and name not in FLOAT_ONLY)


def erf(x, complement):
    import math
    return np.vectorize(math.erfc if complement else math.erf, otypes=["f8"])(x.astype("f8")).astype(x.dtype)


def expected(name, operands):
    if name in FLOAT_ONLY and operands[0].dtype.name not in FLOATS:
        operands = [o.astype("f8") for o in operands]
    x = operands[0]
    if name in ("real", "conj"):
        return x
    if name == "angle":
        return np.arctan2(np.zeros_like(x), x)
    if name in ("erf", "erfc"):
        return erf(x, name == "erfc")
    if name == "fma":
        return None
    if name in ("floor", "ceil", "trunc", "round") and x.dtype.name not in FLOATS:
        return x
    if name == "signbit" and x.dtype.name not in FLOATS:
        return x < 0
    if name == "cond" or name == "select":
        return np.where(x > 0, operands[1], operands[2])
    return getattr(np, NUMPY.get(name, name))(*operands)


def differs(got, want, name):
    global compared
    compared += 1
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"shape {got.shape} or type {got.dtype} in place of {want.shape} {want.dtype}"
    if want.dtype.name not in FLOATS + COMPLEX:
        bad = got != want
    else:
        bad = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        if want.dtype.name in COMPLEX: # a part may be NaN
            bad = sum(~((g == w) | (np.isnan(g) & np.isnan(w))) for g, w in ((got.real, want.real), (got.imag, want.imag))) > 0
        if name in ROUNDED and bad.any():
            last = np.spacing(np.maximum(np.abs(want), np.finfo(want.dtype).tiny).astype(want.dtype)).astype("f8")
            bad &= ~(np.abs(got.astype("f8") - want.astype("f8")) <= (4 if want.dtype != "f2" else 1) * last)
    if not bad.any():
        return None
    at = tuple(i[0] for i in np.nonzero(np.atleast_1d(bad)))
    return f"{np.atleast_1d(got)[at]} in place of {np.atleast_1d(want)[at]} at {at}"


def one(name, dtype, shape, random):
    count = 1 if name in A.ONE else 2 if name in A.TWO else 3
    operands = [numbers(random, shape, dtype) for _ in range(count)]
    if name == "cond":
        operands[0] = numbers(random, shape, "bool")
    if name == "pow" and dtype not in FLOATS:
        operands[1] = np.abs(operands[1].astype("i8") % 7).astype(dtype)
    if name in SHIFTS:
        operands[1] = (operands[1].astype("i8") % (8 * np.dtype(dtype).itemsize)).astype(dtype)
    want = expected(name, operands)
    if want is None:
        return
    got = A.apply(name, *[A.from_numpy(o) for o in operands]).numpy()
    if why := differs(got, np.asarray(want), name):
        failures.append(f"{name} of {dtype} {shape}: {why}; operands {[o.ravel()[:3].tolist() for o in operands]}")


def all_operations():
    for name in A.OPERATIONS:
        random = np.random.default_rng(A.OPERATIONS[name])
        for dtype in A.TYPES:
            if takes(name, dtype):
                for shape in SHAPES:
                    one(name, dtype, shape, random)


def all_conversions():
    random = np.random.default_rng(99)
    for start in A.TYPES:
        for end in A.TYPES:
            if start in COMPLEX and end in INTEGERS + FLOATS: # mistakes.py
                continue
            values = numbers(random, (1500,), start)
            if start in FLOATS and end in INTEGERS: # saturates
                limits = np.iinfo(end)
                want = np.array([0 if v != v else limits.max if v == np.inf else limits.min if v == -np.inf else
                                 min(max(int(v), limits.min), limits.max) for v in values.astype("f8")], end)
            else:
                want = values.astype(end)
            if why := differs(A.from_numpy(values).cast(end).numpy(), want, "cast"):
                failures.append(f"{start} to {end}: {why}")


def all_types_of_results():
    for a in A.TYPES:
        for b in A.TYPES:
            got = A.apply("add", A.from_numpy(np.zeros(2, a)), A.from_numpy(np.zeros(2, b))).dtype
            if got != np.result_type(a, b).name:
                failures.append(f"{a} and {b}: {got}, NumPy has {np.result_type(a, b).name}")


def comparisons_are_exact():
    """Of integers whose types have no common one, and with numbers of the text that the array's type does not have."""
    signed = np.array([-2**63, -1, 0, 1, 2**53 + 1, 2**63 - 1])
    unsigned = np.array([0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1], "u8")
    relations = {"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge}
    for name, holds in relations.items():
        for x, y in ((signed, unsigned), (unsigned, signed)):
            want = np.array([[holds(a, b) for b in y.tolist()] for a in x.tolist()])
            if why := differs(A.apply(name, A.from_numpy(x[:, None]), A.from_numpy(y)).numpy(), want, name):
                failures.append(f"{name} {x.dtype} {y.dtype}: {why}")
        for dtype in A.TYPES[1:9]:
            x = np.array([np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max], dtype)
            for number in (-2**63, -2**31 - 1, -129, -1, 0, 1, 128, 256, 70000, 2**32, 2**63 - 1):
                weak = A.scalar(number, "int64", 1)
                want = np.array([holds(a, number) for a in x.tolist()])
                back = np.array([holds(number, a) for a in x.tolist()])
                for got, values in ((A.apply(name, A.from_numpy(x), weak), want), (A.apply(name, weak, A.from_numpy(x)), back)):
                    if why := differs(got.numpy(), values, name):
                        failures.append(f"{name} {dtype} {number}: {why}")


def bits(values):
    """Equal for equal bits; all NaNs are one."""
    if values.dtype.kind in "fc":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return values.tobytes()


def beside_cpu(target, make):
    """make() gives arrays by their names; all of them are one pass, which is made on the target and on the CPU."""
    global compared
    results = []
    for where in (target, "cpu"):
        A.options(target=where)
        arrays = make()
        A.evaluate(*arrays.values())
        results.append({name: array.numpy().ravel() for name, array in arrays.items()})
    for name, want in results[1].items():
        compared += 1
        got = results[0][name]
        if bits(got) != bits(want):
            at = next(i for i in range(want.size) if bits(got[i:i + 1]) != bits(want[i:i + 1]))
            failures.append(f"{name} on {target}: {got[at]} in place of {want[at]} at {at}")


def all_on(target):
    random = np.random.default_rng(7)
    types = [t for t in A.TYPES if t not in COMPLEX] # which the CPU computes
    for dtype in types:
        operands = [A.from_numpy(numbers(random, (333,), dtype)) for _ in range(3)]
        condition = A.from_numpy(numbers(random, (333,), "bool"))

        def operations():
            made = {}
            for name in A.OPERATIONS:
                if takes(name, dtype) or (name == "random_bits" and dtype == "uint64"):
                    count = 1 if name in A.ONE else 2 if name in A.TWO else 3
                    first = condition if name == "cond" else operands[0]
                    made[f"{name} of {dtype}"] = A.apply(name, *[first, *operands[1:]][:count])
            return made
        beside_cpu(target, operations)
        beside_cpu(target, lambda: {f"{dtype} to {end}": operands[0].cast(end) for end in types})
    if A.statistics().compiled < 2 * len(types):
        failures.append(f"{A.statistics().compiled} programs for {target}: the CPU made passes of it")


if sys.argv[1:] in (["reference"], ["cuda"]):
    all_on(sys.argv[1])
else:
    if sys.argv[1:] == ["compile"]:
        A.options(compile=1)
        SHAPES = [(1043,)]
    all_operations()
    all_conversions()
    all_types_of_results()
    comparisons_are_exact()
print("\n".join(failures[:40]))
print(f"{len(A.OPERATIONS)} operations, {compared} comparisons, {len(failures)} differences")
sys.exit(bool(failures))
