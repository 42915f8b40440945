"""Functions that make arrays, types, what the package says of itself, and signatures, against array_api_strict."""

import inspect
import math

import array_api_strict as xp
import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, COMPLEX, FLOATS, INTEGERS, NUMERIC, REAL, agree, checked, raises, same

SHAPES = [5, 0, *checks.SHAPES]


def name_of(dtype):
    return str(dtype).split(".")[-1]


def dtype_of(module, name):
    return None if name is None else getattr(module, name)


def check_filled():
    failures = checks.Failures()
    for shape in SHAPES:
        for dtype in [None, *ALL]:
            for name in ("zeros", "ones"):
                failures.run(f"{name} {shape} {dtype}", agree, lambda m: getattr(m, name)(shape, dtype=dtype_of(m, dtype)))
            made = bp.empty(shape, dtype=dtype_of(bp, dtype))
            assert made.shape == xp.empty(shape).shape and str(made.dtype) == (dtype or "float64")
    for fill in (True, 0, -3, 2**40, 1.5, math.nan, -math.inf, 2 - 1j):
        for dtype in [None, *ALL]:
            if (isinstance(fill, complex) and dtype in (*REAL, "bool")) or fill in (math.nan, -math.inf) and dtype not in (None, *FLOATS, *COMPLEX):
                continue
            failures.run(f"full {fill} {dtype}", agree, lambda m: m.full((2, 3), fill, dtype=dtype_of(m, dtype)))
            for of in ALL if dtype or isinstance(fill, (bool, int)) else COMPLEX:
                failures.run(f"full_like {fill} {dtype} {of}", agree, lambda m, x: m.full_like(x, fill, dtype=dtype_of(m, dtype)), np.ones((2, 1), of))
    for of in ALL:
        for dtype in [None, *ALL]:
            for name in ("zeros_like", "ones_like"):
                failures.run(f"{name} {of} {dtype}", agree, lambda m, x: getattr(m, name)(x, dtype=dtype_of(m, dtype)), np.ones((3, 0, 2), of))
            same(bp.empty_like(bp.ones((2, 3), dtype=of), dtype=dtype_of(bp, dtype)), np.zeros((2, 3), dtype or of))
    failures.report()


numbers = st.one_of(st.integers(-50, 50), st.floats(-50, 50, allow_nan=False))


@checked(200, start=numbers, stop=st.none() | numbers, step=numbers.filter(lambda x: abs(x) > 0.05), dtype=st.sampled_from([None, *REAL]))
def check_arange(start, stop, step, dtype):
    if dtype in INTEGERS and any(isinstance(each, float) for each in (start, stop, step)):
        return
    if dtype and dtype[0] == "u":
        start, stop, step = abs(start), None if stop is None else abs(stop), abs(step)
    agree(lambda m: m.arange(start, stop, step, dtype=dtype_of(m, dtype)), ulps=64, near=1e-5 if dtype == "float32" else 1e-13)


def check_arange_ends():
    for arguments in [(5,), (0,), (-5,), (3, 3), (3, 1), (3, 1, -1), (1, 10, 3), (10, 1, -3), (0.0, 1.0, 0.1), (1, 2, 0.25), (2**62, 2**62 + 3), (-(2**63), -(2**63) + 2)]:
        agree(lambda m: m.arange(*arguments), ulps=4)
    same(bp.arange(2**64 - 2, 2**64, dtype=bp.uint64), np.arange(2**64 - 2, 2**64, dtype="uint64"))
    raises((ValueError, ZeroDivisionError), bp.arange, 0, 3, 0)


@checked(200, start=numbers, stop=numbers, num=st.integers(0, 20), dtype=st.sampled_from([None, *NUMERIC]), endpoint=st.booleans(), imaginary=st.booleans())
def check_linspace(start, stop, num, dtype, endpoint, imaginary):
    if dtype in INTEGERS:
        start, stop = int(start), int(stop)
        if dtype[0] == "u":
            start, stop = abs(start), abs(stop)
        imaginary = False
    if imaginary and dtype not in FLOATS:
        stop = stop + 1j
    agree(lambda m: m.linspace(start, stop, num, dtype=dtype_of(m, dtype), endpoint=endpoint), ulps=4, near=1e-6 if dtype in ("float32", "complex64") else 1e-14, zeros=False)
    made = bp.linspace(start, stop, num, dtype=dtype_of(bp, dtype), endpoint=endpoint)
    if num:
        assert made[0] == bp.asarray(start, dtype=made.dtype)
    if not endpoint:
        assert bp.all(made == bp.linspace(start, stop, num + 1, dtype=dtype_of(bp, dtype))[:-1])


def check_linspace_of_large_whole_numbers():
    for dtype, start, stop in (("int64", -(2**63), 2**63 - 1), ("int64", 2**53 + 1, 2**60 + 1), ("uint64", 0, 2**64 - 1), ("uint64", 2**64 - 1, 0)):
        made = bp.linspace(start, stop, 4, dtype=dtype)
        assert int(made[0]) == start and int(made[-1]) == stop, made


@checked(100, rows=st.integers(0, 5), columns=st.none() | st.integers(0, 5), k=st.integers(-7, 7), dtype=st.sampled_from([None, *ALL]))
def check_eye(rows, columns, k, dtype):
    agree(lambda m: m.eye(rows, columns, k=k, dtype=dtype_of(m, dtype)))


@checked(60, x=checks.arrays(shapes=[(3, 3), (2, 5), (4, 0), (0, 4), (2, 3, 4), (2, 2, 2, 3)]), k=st.integers(-6, 6))
def check_triangles(x, k):
    agree(lambda m, x: m.tril(x, k=k), x)
    agree(lambda m, x: m.triu(x, k=k), x)


@checked(40, extents=st.lists(st.integers(0, 4), min_size=1, max_size=4), dtype=st.sampled_from(NUMERIC), indexing=st.sampled_from(["xy", "ij"]))
def check_meshgrid(extents, dtype, indexing):
    lines = [checks.random(dtype, (extent,), extent) for extent in extents]
    agree(lambda m, *lines: m.meshgrid(*lines, indexing=indexing), *lines)


def check_asarray_of_lists():
    lists = [True, 3, 2.5, 1j, [], [[]], [[], []], [1, 2], [1, 2.5], [True, False], [1, 2j], [[1, 2], [3, 4]], ((1, 2), [3, 4]), [[[1.5]]], [True, 2], [2**40, 1], range(3)]
    failures = checks.Failures()
    for value in lists:
        want = np.asarray(value)
        failures.run(f"asarray {value}", same_as_numpy, value, None, want)
        for dtype in NUMERIC if np.asarray(value).dtype.kind not in "c" else COMPLEX:
            failures.run(f"asarray {value} {dtype}", agree, lambda m: m.asarray(value, dtype=dtype_of(m, dtype)))
    failures.report()
    same(bp.asarray([2**64 - 1]), np.asarray([2**64 - 1]))
    raises(OverflowError, bp.asarray, 2**64)
    raises((OverflowError, TypeError), bp.asarray, [2**64])
    raises(OverflowError, bp.asarray, 300, dtype=bp.int8)
    raises(OverflowError, bp.asarray, [300], dtype=bp.int8)
    raises(OverflowError, bp.asarray, -1, dtype=bp.uint8)
    raises(ValueError, bp.asarray, [[1, 2], [3]])
    raises(ValueError, bp.asarray, [1, 2], copy=False)
    raises(ValueError, bp.asarray, 1, copy=False)
    for wrong in ("text", b"text", None, object(), {1: 2}, {1}, ["a"], [None]):
        raises(TypeError, bp.asarray, wrong)


def same_as_numpy(value, dtype, want):
    same(bp.asarray(value, dtype=dtype), want)


def check_asarray_copies():
    """An array that was copied does not change with its origin, nor the origin with it."""
    for dtype in ALL:
        x = bp.ones((2, 3), dtype=dtype)
        copied, same_one, shared = bp.asarray(x, copy=True), bp.asarray(x), bp.asarray(x, copy=False)
        assert same_one is x and shared is x and copied is not x
        x[0, 0] = False if dtype == "bool" else 0
        assert not bp.all(copied == x) and bp.all(copied == 1)
        copied[1, 1] = 0 if dtype != "bool" else False
        assert x[1, 1] == 1
    raises(ValueError, bp.asarray, bp.ones(3), dtype=bp.int8, copy=False)
    kept = bp.ones(3)
    assert bp.astype(kept, bp.float64, copy=False) is kept and bp.astype(kept, bp.float64) is not kept


def check_types():
    for name in ALL:
        dtype, other = getattr(bp, name), getattr(xp, name)
        assert dtype == dtype and dtype == name and hash(dtype) == hash(getattr(bp, name)) and {dtype: 1}[dtype] == 1
        assert all((dtype == getattr(bp, each)) == (name == each) for each in ALL)
        assert dtype != 3 and dtype != "float" + "128" and dtype is not None and not dtype == None  # noqa: E711
        assert np.dtype(dtype) == np.dtype(name) and dtype == np.dtype(name) and np.dtype(name) == dtype
        for kind in ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", ("bool", "integral"), ()]:
            made = bp.isdtype(dtype, kind)
            assert type(made) is bool and made == xp.isdtype(other, kind), (name, kind)
        for each in ALL:
            assert bp.isdtype(dtype, getattr(bp, each)) == (name == each)
            assert bp.can_cast(dtype, getattr(bp, each)) or not xp.can_cast(other, getattr(xp, each)), (name, each)
            assert bp.can_cast(dtype, getattr(bp, each)) == np.can_cast(name, each), (name, each)
            assert type(bp.can_cast(bp.ones((), dtype=dtype), getattr(bp, each))) is bool
            want = checks.attempt(xp.result_type, other, getattr(xp, each))
            if not isinstance(want, Exception):
                assert str(bp.result_type(dtype, getattr(bp, each))) == name_of(want)
                assert str(bp.result_type(bp.ones(3, dtype=dtype), getattr(bp, each), bp.ones((), dtype=dtype))) == name_of(want)
        for number in (True, 1, 1.5, 1j):
            want = checks.attempt(xp.result_type, other, number)
            if not isinstance(want, Exception):
                assert str(bp.result_type(dtype, number)) == str(bp.result_type(number, dtype)) == name_of(want), (name, number)
    raises(ValueError, bp.result_type)
    raises((ValueError, TypeError), bp.isdtype, bp.float32, "no kind")


def check_limits():
    for name in ("float16", *FLOATS, *COMPLEX):
        made, want = bp.finfo(getattr(bp, name)), np.finfo(name)
        for attribute in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(made, attribute)) is float and getattr(made, attribute) == float(getattr(want, attribute)), (name, attribute)
        assert type(made.bits) is int and made.bits == want.bits and made.dtype == want.dtype and bp.finfo(bp.ones(2, dtype=name)).bits == want.bits
    for name in INTEGERS:
        made, want = bp.iinfo(getattr(bp, name)), np.iinfo(name)
        assert all(type(getattr(made, each)) is int and getattr(made, each) == getattr(want, each) for each in ("bits", "max", "min"))
        assert made.dtype == getattr(bp, name) and bp.iinfo(bp.ones(2, dtype=name)).max == want.max
    raises((TypeError, ValueError), bp.finfo, bp.int8)
    raises((TypeError, ValueError), bp.iinfo, bp.float32)


def check_astype():
    failures = checks.Failures()
    for of in ALL:
        for to in ALL:
            if of in COMPLEX and to not in COMPLEX:
                continue
            values = checks.fixed(of)
            if of in FLOATS and to in INTEGERS:  # others are undefined
                values = values[np.isfinite(values) & (np.abs(values) < 100) & ((values >= 0) | (to[0] != "u"))]
            failures.run(f"astype {of} {to}", agree, lambda m, x: m.astype(x, dtype_of(m, to)), values)
    failures.report()
    raises(TypeError, bp.astype, bp.asarray([1j]), bp.float64)


def check_constants_and_names():
    for name in ("e", "pi", "inf", "nan"):
        assert type(getattr(bp, name)) is float
    assert (bp.e, bp.pi, bp.inf, bp.newaxis) == (math.e, math.pi, math.inf, None) and math.isnan(bp.nan)
    assert bp.__array_api_version__ == "2024.12"
    for module, ours in ((xp, bp), (xp.linalg, bp.linalg), (xp.fft, bp.fft)):
        for name in module.__all__:
            if name not in ("set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags", "ArrayAPIStrictFlags", "Device", "linalg", "fft", "__array_api_strict_version__"):  # fmt: skip
                assert hasattr(ours, name), f"no {name}"
        for name in ours.__all__ if hasattr(ours, "__all__") else ():
            assert hasattr(ours, name)


def check_information():
    info, want = bp.__array_namespace_info__(), xp.__array_namespace_info__()
    assert {key: type(value) for key, value in info.capabilities().items()} == {"boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": int}
    assert type(info.devices()) is list and info.default_device() in info.devices()
    for device in [None, *info.devices()]:
        assert {key: str(value) for key, value in info.default_dtypes(device=device).items()} == {key: name_of(value) for key, value in want.default_dtypes().items()}
        for kind in [None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", ("bool", "integral"), ()]:
            made = info.dtypes(device=device, kind=kind)
            assert list(made) == [str(each) for each in made.values()] and set(made) == set(want.dtypes(kind=kind)), kind
            for dtype in made.values():
                assert bp.empty(1, dtype=dtype, device=device).dtype == dtype


def check_namespace_of_an_array():
    x = bp.ones(2)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        assert x.__array_namespace__(api_version=version) is bp
    assert x.__array_namespace__() is bp
    for wrong in ("2001.12", "text"):
        raises(ValueError, x.__array_namespace__, api_version=wrong)


def check_devices():
    x = bp.ones(3)
    device = x.device
    assert x.to_device(device) is x and bp.zeros(2, device=device).device == device and bp.asarray([1], device=device).device == device
    assert device == bp.asarray(1).device and hash(device) == hash(bp.asarray(1).device)
    for function in (bp.zeros, bp.ones, bp.empty, bp.arange, bp.eye, bp.asarray):
        raises(ValueError, function, 3, device="mars")
    raises(ValueError, x.to_device, "mars")


def numbers_of(function):
    try:
        return inspect.signature(function)
    except ValueError:
        return None


KINDS = inspect.Parameter


def require_signature(name, ours, theirs):
    """As the standard's: the same names where they may be named, and parameters by name that are so, or may be positional, too."""
    mine, standard = inspect.signature(ours), inspect.signature(theirs)
    parameters = list(mine.parameters.values())
    wanted = list(standard.parameters.values())
    by_place = [each for each in wanted if each.kind != KINDS.KEYWORD_ONLY]
    assert len(parameters) >= len(by_place), f"{name}{mine}, not {standard}"
    for own, each in zip(parameters, by_place):
        if each.kind != KINDS.POSITIONAL_ONLY or own.kind in (KINDS.VAR_POSITIONAL, KINDS.VAR_KEYWORD):
            assert own.kind == each.kind and (own.name == each.name or each.kind == KINDS.VAR_POSITIONAL), f"{name}{mine}, not {standard}"
        assert own.default is not KINDS.empty or each.default is KINDS.empty, f"{name}: no default of {each.name} in {mine}, not {standard}"
    for each in wanted:
        if each.kind != KINDS.KEYWORD_ONLY:
            continue
        assert each.name in mine.parameters, f"{name}{mine}, not {standard}"
        own = mine.parameters[each.name]
        assert own.kind in (KINDS.KEYWORD_ONLY, KINDS.POSITIONAL_OR_KEYWORD), f"{name}{mine}, not {standard}"
        if each.default is not KINDS.empty and "UNDEF" not in str(each.default):
            assert own.default == each.default or (each.default == 0.0 and own.default == 0), f"{name}: {each.name}={own.default}, not {each.default}"


def check_signatures():
    failures = checks.Failures()
    for module, ours in ((xp, bp), (xp.linalg, bp.linalg), (xp.fft, bp.fft)):
        for name in module.__all__:
            theirs = getattr(module, name)
            if inspect.isfunction(theirs) and not name.endswith("_flags"):
                failures.run(name, require_signature, name, getattr(ours, name), theirs)
    failures.report()
    assert list(inspect.signature(bp.finfo).parameters) == ["type"] and list(inspect.signature(bp.iinfo).parameters) == ["type"]


def to_device(device, /, *, stream=None):
    """As the standard has it; array_api_strict lets the stream be positional."""


def check_signatures_of_methods():
    failures = checks.Failures()
    ours, theirs = bp.ones(2), xp.ones(2)
    for name in dir(xp.ones(2)):
        method = getattr(type(theirs), name, None)
        is_of_standard = not name.startswith("_") or (name.startswith("__") and not hasattr(object, name) and not name.startswith("__i"))
        if not inspect.isfunction(method) or not is_of_standard or name in ("__array__", "__buffer__"):
            continue
        assert hasattr(ours, name), name
        if numbers_of(getattr(ours, name)):
            failures.run(name, require_signature, name, getattr(ours, name), to_device if name == "to_device" else getattr(theirs, name))
    failures.report()
    for name in ("dtype", "device", "mT", "ndim", "shape", "size", "T"):
        assert hasattr(bp.ones((2, 2)), name)


def check_operators_by_name():
    """The methods themselves, as a program may call them."""
    x = bp.asarray([1, 2])
    assert x.__add__(object()) is NotImplemented and x.__eq__(object()) is NotImplemented
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
        same(getattr(x, f"__{name}__")(x), getattr(np.asarray([1, 2]), f"__{name}__")(np.asarray([1, 2])))
        same(getattr(x, f"__r{name}__")(3), getattr(np.asarray([1, 2]), f"__r{name}__")(3))
    same(x.__abs__(), np.asarray([1, 2])), same(x.__neg__(), np.asarray([-1, -2])), same(x.__pos__(), np.asarray([1, 2]))
    same(x.__invert__(), np.asarray([-2, -3])), same(x.__matmul__(x), np.asarray(5)), same(x.__rmatmul__(x), np.asarray(5))


def check_numbers_of_python():
    """bool, int, float, complex and index of arrays: results and exceptions."""
    for dtype in ALL:
        one = bp.ones((), dtype=dtype)
        assert bool(one) is True and type(one.__bool__()) is bool
        assert complex(one) == 1 and type(one.__complex__()) is complex
        if dtype in COMPLEX:
            raises(TypeError, float, one), raises(TypeError, int, one)
        else:
            assert int(one) == 1 and type(int(one)) is int and float(one) == 1 and type(float(one)) is float
        if dtype in INTEGERS:
            assert one.__index__() == 1 and [7, 8][one] == 8
            limits = bp.iinfo(getattr(bp, dtype))
            assert int(bp.asarray(limits.max, dtype=dtype)) == limits.max and int(bp.asarray(limits.min, dtype=dtype)) == limits.min
        else:
            raises(TypeError, one.__index__)
        several, none = bp.ones(2, dtype=dtype), bp.ones(0, dtype=dtype)
        for array in (several, none):
            raises(ValueError, bool, array)
            raises(TypeError, int, array), raises(TypeError, float, array), raises(TypeError, complex, array)
            raises(TypeError, array.__index__)
    for value in (math.nan, math.inf, -math.inf):
        array = bp.asarray(value)
        assert bool(array) is True
        raises(ValueError if math.isnan(value) else OverflowError, int, array)
    assert bool(bp.asarray(-0.0)) is False and bool(bp.asarray(0j)) is False and str(float(bp.asarray(-0.0))) == "-0.0"
    assert int(bp.asarray(-2.7)) == -2 and int(bp.asarray(1e300)) == int(1e300)
    raises(TypeError, len, bp.asarray(1)), raises(TypeError, hash, bp.asarray(1)), raises(TypeError, iter, bp.asarray(1))
    assert len(bp.ones((4, 2))) == 4


if __name__ == "__main__":
    checks.main(__name__)
