"""Operations on elements, and operators, against array_api_strict: types, special values, shapes, numbers beside arrays."""

import operator

import array_api_strict as xp
import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, BOOL, COMPLEX, FLOATING, FLOATS, INTEGERS, NUMERIC, REAL, checked, fixed, same

UNARY = {
    "abs": NUMERIC, "acos": FLOATING, "acosh": FLOATING, "asin": FLOATING, "asinh": FLOATING, "atan": FLOATING, "atanh": FLOATING,
    "bitwise_invert": BOOL + INTEGERS, "ceil": REAL, "conj": NUMERIC, "cos": FLOATING, "cosh": FLOATING, "exp": FLOATING, "expm1": FLOATING,
    "floor": REAL, "imag": COMPLEX, "isfinite": NUMERIC, "isinf": NUMERIC, "isnan": NUMERIC, "log": FLOATING, "log10": FLOATING,
    "log1p": FLOATING, "log2": FLOATING, "logical_not": BOOL, "negative": NUMERIC, "positive": NUMERIC, "real": NUMERIC,
    "reciprocal": FLOATING, "round": NUMERIC, "sign": NUMERIC, "signbit": FLOATS, "sin": FLOATING, "sinh": FLOATING, "sqrt": FLOATING,
    "square": NUMERIC, "tan": FLOATING, "tanh": FLOATING, "trunc": REAL,
}  # fmt: skip
BINARY = {
    "add": NUMERIC, "atan2": FLOATS, "bitwise_and": BOOL + INTEGERS, "bitwise_left_shift": INTEGERS, "bitwise_or": BOOL + INTEGERS,
    "bitwise_right_shift": INTEGERS, "bitwise_xor": BOOL + INTEGERS, "copysign": FLOATS, "divide": FLOATING, "equal": ALL,
    "floor_divide": REAL, "greater": REAL, "greater_equal": REAL, "hypot": FLOATS, "less": REAL, "less_equal": REAL, "logaddexp": FLOATS,
    "logical_and": BOOL, "logical_or": BOOL, "logical_xor": BOOL, "maximum": REAL, "minimum": REAL, "multiply": NUMERIC,
    "nextafter": FLOATS, "not_equal": ALL, "pow": NUMERIC, "remainder": REAL, "subtract": NUMERIC,
}  # fmt: skip
OPERATORS = {
    "add": NUMERIC, "sub": NUMERIC, "mul": NUMERIC, "truediv": FLOATING, "floordiv": REAL, "mod": REAL, "pow": NUMERIC,
    "and_": BOOL + INTEGERS, "or_": BOOL + INTEGERS, "xor": BOOL + INTEGERS, "lshift": INTEGERS, "rshift": INTEGERS, "eq": ALL, "ne": ALL,
    "lt": REAL, "le": REAL, "gt": REAL, "ge": REAL,
}  # fmt: skip
# Functions that are not rounded exactly: how many steps they may be from NumPy's results.
ULPS = {name: 4 for name in ("acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh tan tanh atan2 hypot "
                             "logaddexp pow reciprocal divide truediv abs sqrt sign").split()}  # fmt: skip


def ulps_of(name, dtype):
    if name in ("abs", "sqrt", "divide", "truediv", "reciprocal", "sign") and dtype not in COMPLEX:
        return 0
    if name == "logaddexp":  # the sum cancels
        return 512
    if name == "pow" and dtype in COMPLEX:
        return 64
    return ULPS.get(name, 0) * (4 if dtype in COMPLEX else 1)


def check_unary_special_values():
    failures = checks.Failures()
    for name, dtypes in UNARY.items():
        for dtype in dtypes:
            values = fixed(dtype)
            failures.run(f"{name} {dtype}", one_unary, name, dtype, values)
            failures.run(f"{name} {dtype} 0-d", one_unary, name, dtype, values[1])
    failures.report()


def one_unary(name, dtype, values):
    if dtype in COMPLEX and name in ("expm1", "sign"):  # NumPy makes NaN of infinite numbers
        values = values[np.isfinite(values)] if values.ndim else values
    want = getattr(xp, name)(xp.asarray(values))
    same(getattr(bp, name)(bp.asarray(values)), want, ulps_of(name, dtype), zeros=dtype not in COMPLEX)


def pairs(name, dtype):
    values = fixed(dtype)
    left, right = np.repeat(values, values.size), np.tile(values, values.size)
    bits = 8 * np.dtype(dtype).itemsize
    keep = np.ones(left.shape, bool)
    if name in ("bitwise_left_shift", "bitwise_right_shift", "lshift", "rshift"):
        keep = (right >= 0) & (right < bits)
    if name == "pow" and dtype in INTEGERS:
        keep = right >= 0
    if name in ("floor_divide", "remainder", "floordiv", "mod") and dtype in INTEGERS:
        keep = right != 0
    if dtype in COMPLEX and name in ("pow",):
        keep = np.isfinite(left) & np.isfinite(right)
    return left[keep], right[keep]


def check_binary_special_values():
    failures = checks.Failures()
    for name, dtypes in BINARY.items():
        for dtype in dtypes:
            failures.run(f"{name} {dtype}", one_binary, getattr(bp, name), getattr(xp, name), name, dtype)
    for name, dtypes in OPERATORS.items():
        for dtype in dtypes:
            function = getattr(operator, name)
            failures.run(f"operator {name} {dtype}", one_binary, function, function, name, dtype)
    failures.report()


def one_binary(ours, theirs, name, dtype):
    left, right = pairs(name, dtype)
    want = theirs(xp.asarray(left), xp.asarray(right))
    same(ours(bp.asarray(left), bp.asarray(right)), want, ulps_of(name, dtype), zeros=dtype not in COMPLEX)


@checked(150, name=st.sampled_from(sorted(BINARY)), types=st.tuples(st.integers(0, 99), st.integers(0, 99)), shapes=checks.broadcastable(),
         seed=st.integers(0, 1000))  # fmt: skip
def check_binary_shapes_and_types(name, types, shapes, seed):
    dtypes = BINARY[name]
    left = checks.random(dtypes[types[0] % len(dtypes)], shapes[0], seed)
    right = checks.random(dtypes[types[1] % len(dtypes)], shapes[1], seed + 1)
    if left.dtype.kind in "iu" or right.dtype.kind in "iu":
        if name in ("bitwise_left_shift", "bitwise_right_shift"):
            right = right % np.asarray(8, right.dtype)
        if name in ("pow", "floor_divide", "remainder") and right.dtype.kind in "iu":
            right = np.maximum(right % np.asarray(5, right.dtype), np.asarray(1, right.dtype))
    want = checks.attempt(getattr(xp, name), xp.asarray(left), xp.asarray(right))
    if isinstance(want, Exception):  # the standard leaves it open
        return
    ulps = ulps_of(name, str(left.dtype)) + ulps_of(name, str(right.dtype))
    same(getattr(bp, name)(bp.asarray(left), bp.asarray(right)), want, ulps, zeros=want._array.dtype.kind != "c")


def numbers_beside(dtype, name):
    """Numbers of Python that the standard allows beside an array of the type."""
    if dtype == "bool":
        return [True, False]
    if dtype in INTEGERS:
        return [1, 2, 3] if name in ("lshift", "rshift", "pow", "floordiv", "mod") else [0, 1, 3, 100] + ([-5] if dtype[0] == "i" else [])
    return [0, 1, 2.5, -3, float("inf"), float("nan"), 1e300] + ([2 - 1j] if dtype in COMPLEX else [])


def check_operators_with_numbers():
    failures = checks.Failures()
    for name, dtypes in OPERATORS.items():
        function = getattr(operator, name)
        for dtype in dtypes:
            values = checks.random(dtype, (2, 3), 1)
            if dtype in INTEGERS and name in ("lshift", "rshift", "pow", "floordiv", "mod"):
                values = np.abs(values) % np.asarray(5, dtype) + np.asarray(1, dtype)
            for number in numbers_beside(dtype, name):
                failures.run(f"{name} {dtype} {number}", one_with_number, function, name, dtype, values, number, False)
                failures.run(f"reflected {name} {dtype} {number}", one_with_number, function, name, dtype, values, number, True)
                failures.run(f"in place {name} {dtype} {number}", in_place, name, dtype, values, number)
    failures.report()


def one_with_number(function, name, dtype, values, number, reflected):
    def call(array):
        return function(number, array) if reflected else function(array, number)

    want = checks.attempt(call, xp.asarray(values))
    if not isinstance(want, Exception):
        same(call(bp.asarray(values)), want, ulps_of(name, dtype), zeros=dtype not in COMPLEX)


def in_place(name, dtype, values, other):
    function = getattr(operator, "i" + name.rstrip("_"), None)
    if function is None:
        return
    want = checks.attempt(function, xp.asarray(values, copy=True), other)
    if isinstance(want, Exception):
        return
    array = before = bp.asarray(values)
    array = function(array, other)
    same(array, want, ulps_of(name, dtype), zeros=dtype not in COMPLEX)
    same(before, values)


def check_functions_with_numbers():
    """A number stands on either side of a function."""
    failures = checks.Failures()
    for name, dtypes in BINARY.items():
        for dtype in dtypes:
            values = checks.random(dtype, (3,), 2)
            if dtype in INTEGERS:
                values = np.abs(values) % np.asarray(4, dtype)
            number = True if dtype == "bool" else 2
            for arguments in ((values, number), (number, values)):
                failures.run(f"{name} {dtype} {arguments}", function_with_number, name, dtype, arguments)
    failures.report()


def function_with_number(name, dtype, arguments):
    if dtype in INTEGERS and name in ("floor_divide", "remainder") and arguments[0] is not arguments[-1] and isinstance(arguments[0], int):
        arguments = (arguments[0], arguments[1] + np.asarray(1, dtype))
    want = checks.attempt(getattr(xp, name), *[xp.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments])
    if isinstance(want, Exception):
        return
    same(getattr(bp, name)(*[bp.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]), want, ulps_of(name, dtype),
         zeros=dtype not in COMPLEX)  # fmt: skip


def check_number_too_large_for_the_type():
    for dtype in INTEGERS:
        array = bp.asarray(checks.random(dtype, (3,), 1))
        limits = bp.iinfo(dtype)
        for number in (limits.max + 1, limits.min - 1):
            checks.raises(OverflowError, lambda: array + number)
            checks.raises(OverflowError, lambda: number * array)
            checks.raises(OverflowError, lambda: bp.add(array, number))


def check_matmul_operator():
    rng = np.random.default_rng(1)
    for dtype in NUMERIC:
        for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2))]:
            left, right = (rng.integers(0, 5, shape).astype(dtype) for shape in (a, b))
            same(bp.asarray(left) @ bp.asarray(right), xp.asarray(left) @ xp.asarray(right))
    checks.raises((TypeError, ValueError), lambda: bp.asarray([1, 2]) @ 2)
    checks.raises((TypeError, ValueError), lambda: 2 @ bp.asarray([1, 2]))
    checks.raises(ValueError, lambda: bp.asarray([1, 2]) @ bp.asarray(3))


def check_clip():
    failures = checks.Failures()
    for dtype in REAL:
        values = checks.random(dtype, (4, 5), 7)
        low, high = (1, 5) if dtype in INTEGERS else (-1.5, 2.0)
        bounds = [(None, None), (low, None), (None, high), (low, high), (high, low)]
        arrays = (np.asarray(low, dtype), np.full((4, 1), high, dtype), np.full((4, 5), low, dtype))
        bounds += [(arrays[0], None), (arrays[0], arrays[1]), (None, arrays[2]), (arrays[2], high)]
        for pair in bounds:
            failures.run(f"clip {dtype} {pair}", one_clip, values, pair)
    failures.report()


def one_clip(values, pair):
    def call(module):
        given = [module.asarray(each) if isinstance(each, np.ndarray) else each for each in pair]
        return module.clip(module.asarray(values), *given)

    want = checks.attempt(call, xp)
    if not isinstance(want, Exception):
        same(call(bp), want)


if __name__ == "__main__":
    checks.main(__name__)
