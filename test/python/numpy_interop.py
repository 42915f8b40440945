"""Arrays from and to NumPy and other holders of memory: views, orders, buffers, DLPack, operators, numbers, texts."""

import array
import copy
import ctypes
import gc
import operator
import pickle

import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, COMPLEX, INTEGERS, NUMERIC, checked, raises, same

EVERY = [*ALL, "float16"]


def views(x):
    """NumPy arrays of the same kind whose elements are not in row order, or not aligned."""
    made = [x, np.asfortranarray(x), x.T, np.flip(x), x[..., ::2], x[::-1], np.broadcast_to(x, (2, *x.shape)), x[..., None].swapaxes(0, -1), x[:0], np.array(x[(0,) * x.ndim])]
    odd = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape) if x.dtype != bool else x
    odd[...] = x
    return [*made, odd]


def check_views():
    failures = checks.Failures()
    for dtype in EVERY:
        x = np.arange(24).reshape(2, 3, 4).astype(dtype)
        for i, view in enumerate(views(x)):
            for copied in (None, True):
                failures.run(f"{dtype} view {i}", lambda: same(bp.asarray(view, copy=copied), view))
            view = view.view()
            view.flags.writeable = False
            failures.run(f"{dtype} view {i} read-only", lambda: same(bp.asarray(view), view))
            failures.run(f"{dtype} view {i} operand", lambda: same(bp.asarray(view) + bp.asarray(view), view + view))
            failures.run(f"{dtype} view {i} dlpack", from_dlpack, view)
    failures.report()


def from_dlpack(view):
    if not (view.flags.writeable or np.lib.NumpyVersion(np.__version__) >= "2.1.0"):
        return
    capsule = checks.attempt(view.__dlpack__)
    if not isinstance(capsule, Exception):
        same(bp.from_dlpack(view), view)


def check_copies_and_sharing():
    for dtype in EVERY:
        x = np.ones(100, dtype)
        copied, shared = bp.asarray(x), bp.asarray(x, copy=False)
        x[0] = 0
        assert copied[0] == 1 and shared[0] == 0, dtype
        fixed = np.ones(100, dtype)
        fixed.flags.writeable = False
        held = bp.asarray(fixed)
        assert np.shares_memory(np.asarray(held), fixed) and not np.shares_memory(np.asarray(bp.asarray(fixed, copy=True)), fixed)
        made = np.asarray(held)
        assert not made.flags.writeable
        changed = np.array(held)
        changed[0] = 0
        assert held[0] == 1
    raises(ValueError, bp.asarray, np.ones((3, 4)).T, copy=False)
    raises(ValueError, bp.asarray, np.ones(3), dtype="int8", copy=False)
    kept = bp.asarray(np.arange(5), copy=False)
    gc.collect()
    same(kept, np.arange(5))


def check_what_numpy_reads():
    for dtype in EVERY:
        for shape in checks.SHAPES:
            want = checks.random("int8", shape, 1).astype(dtype)
            x = bp.asarray(want)
            for made in (np.asarray(x), np.array(x), x.numpy(), np.from_dlpack(x), np.asarray(memoryview(x)) if shape and 0 not in shape else want):
                assert made.dtype == want.dtype and made.shape == want.shape and np.array_equal(made, want), (dtype, shape)
            assert x.tolist() == want.tolist()
    assert np.asarray(bp.asarray([1, 2]), dtype="float32").dtype == "float32"
    assert np.array_equal(np.concatenate([bp.asarray([1, 2]), np.asarray([3])]), [1, 2, 3])
    assert np.sum(np.asarray(bp.arange(10))) == 45
    x = bp.asarray(np.arange(3.0))
    description = x.__array_interface__
    assert description["shape"] == (3,) and description["typestr"] == "<f8" and description["data"][1] is True and description["version"] == 3
    held = np.asarray(x)
    del x
    gc.collect()
    assert held.tolist() == [0, 1, 2]


def check_buffers():
    for code in "bBhHiIlLqQfd":
        values = array.array(code, [1, 2, 3])
        x = bp.asarray(values)
        same(x, np.asarray(values))
        assert str(x.dtype) == np.asarray(values).dtype.name
        if code != "B":
            assert memoryview(x).format in (code, "l", "L") and memoryview(x).tolist() == [1, 2, 3] and memoryview(x).readonly
    same(bp.asarray(bytearray(b"\x01\x02")), np.asarray([1, 2], "uint8"))
    same(bp.asarray(memoryview(b"\x01\x02\x03")[::2]), np.asarray([1, 3], "uint8"))
    same(bp.asarray(memoryview(np.arange(6).reshape(2, 3))), np.arange(6).reshape(2, 3))
    same(bp.asarray((ctypes.c_int32 * 3)(1, 2, 3)), np.asarray([1, 2, 3], "int32"))
    same(bp.asarray((ctypes.c_double * 2)(1, 2)), np.asarray([1.0, 2.0]))
    matrix = memoryview(bp.ones((2, 3), dtype="int16"))
    assert matrix.shape == (2, 3) and matrix.strides == (6, 2) and matrix.itemsize == 2 and matrix.nbytes == 12 and matrix.c_contiguous
    assert bytes(bp.asarray([1, 2], dtype="uint8")) == b"\x01\x02"
    raises((TypeError, BufferError), lambda: (ctypes.c_char * 3).from_buffer(bp.ones(3, dtype="uint8")))
    writable = bytearray(b"abc")
    shared = bp.asarray(writable, copy=False)
    raises(BufferError, writable.append, 1)
    del shared
    gc.collect()
    bp.eval(bp.ones(1))
    writable.append(1)


def check_refused():
    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    for wrong in (np.asarray(["a"]), np.asarray([b"a"]), np.asarray([None]), records, np.asarray(["2020-01-01"], "M8[D]"), np.asarray([1], "m8[s]"),
                  np.arange(3, dtype=">i4"), np.arange(3, dtype=">f8"), np.asarray([1, 2], "longdouble"), np.asarray([1], "clongdouble"), np.asarray([2**70])):  # fmt: skip
        text = raises(TypeError, bp.asarray, wrong)
        assert "help:" in text, text
        raises(TypeError, lambda: bp.ones(wrong.shape) + wrong)
        raises(TypeError, bp.add, bp.ones(wrong.shape), wrong)
        raises(TypeError, bp.sum, wrong)
    same(bp.asarray(records["b"]), records["b"])
    raises(ValueError, bp.asarray, np.ones((1,) * 9))


def check_dlpack():
    for dtype in ALL:
        want = checks.random("int8", (2, 3), 1).astype(dtype)
        x = bp.asarray(want)
        assert x.__dlpack_device__() == (1, 0)
        for copied in (None, True, False):
            for version in (None, (0, 8), (1, 0), (1, 1), (2, 0)):
                for device in (None, (1, 0)):
                    capsule = x.__dlpack__(copy=copied, max_version=version, dl_device=device)
                    assert ("dltensor_versioned" in repr(capsule)) == (version is not None and version >= (1, 0))
            same(bp.from_dlpack(x, copy=copied), want)
            same(bp.from_dlpack(x, copy=copied, device=x.device), want)
            if copied is not False:
                same(bp.from_dlpack(want, copy=copied), want)
        made = np.from_dlpack(x)
        assert np.array_equal(made, want) and not made.flags.writeable
        assert np.from_dlpack(x, copy=True).flags.writeable
        for shape in ((), (0,), (2, 0), (1, 1, 3)):
            same(bp.from_dlpack(np.ones(shape, dtype)), np.ones(shape, dtype))
            assert np.array_equal(np.from_dlpack(bp.ones(shape, dtype=dtype)), np.ones(shape, dtype))
    x = np.arange(10.0)
    copied, shared = bp.from_dlpack(x), bp.from_dlpack(x, copy=False)
    x[0] = 7
    assert copied[0] == 0 and shared[0] == 7
    raises(BufferError, x_on_another_device().__dlpack__, dl_device=(2, 0))
    raises((BufferError, ValueError), bp.from_dlpack, np.ones((3, 4)).T, copy=False)
    raises(ValueError, bp.from_dlpack, np.ones(3), device="mars")
    raises((AttributeError, TypeError), bp.from_dlpack, 3)
    capsule = bp.ones(3).__dlpack__()

    class Holder:
        def __dlpack__(self, **_):
            return capsule

        def __dlpack_device__(self):
            return (1, 0)

    same(bp.from_dlpack(Holder()), np.ones(3))
    raises((ValueError, BufferError, TypeError), bp.from_dlpack, Holder())  # the capsule has been taken


def x_on_another_device():
    return bp.ones(3)


class Older:
    """A holder of before version 1, whose __dlpack__ has no arguments but the stream."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, stream=None):
        return self.held.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def check_dlpack_of_before_version_1():
    want = np.arange(6.0).reshape(2, 3)
    for view in (want, want.T, want[:, ::-1], want[0], want[:, 1:2]):
        same(bp.from_dlpack(Older(view)), view)
    made = bp.from_dlpack(Older(want))
    want[0, 0] = 5
    assert made[0, 0] == 0


OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor", "lshift", "rshift"]


ORDERS = [operator.lt, operator.le, operator.gt, operator.ge]
NOT_OF_BOOLS = [operator.floordiv, operator.mod, operator.pow, operator.lshift, operator.rshift]


def numpy_scalars():
    return [np.float32(2), np.float64(3), np.int8(2), np.uint64(3), np.int64(1), np.bool_(True), np.complex64(2), np.float16(1.5)]


def check_operators_beside_numpy():
    """The result is an array of the package, of NumPy's type, whichever side it is on."""
    failures = checks.Failures()
    for name in OPERATORS:
        function = getattr(operator, name)
        for dtype in EVERY:
            x = np.asarray([1, 2, 3]).astype(dtype)
            for other in [*numpy_scalars(), np.asarray([1, 2, 3]), np.asarray([[1.0], [2.0]]), np.asarray(2, "float32"), [1, 2, 3], (1.5, 2.5, 1.0), 2, 2.0, True]:
                for sides in ((x, other), (other, x)):
                    failures.run(f"{name} {dtype} {other!r} {sides[0] is x}", beside_numpy, function, sides, x)
    failures.report()


def beside_numpy(function, sides, x):
    kinds = [np.asarray(each).dtype.kind for each in sides]
    if function in ORDERS and "c" in kinds or function in NOT_OF_BOOLS and "b" in kinds:  # the standard has them not
        return
    want = checks.attempt(function, *sides)
    mine = [bp.asarray(each) if each is x else each for each in sides]
    if isinstance(want, Exception):
        raises((type(want), TypeError), function, *mine)
        return
    made = function(*mine)
    same(made, np.asarray(want), ulps=4, near=1e-3 if np.asarray(want).dtype == "float16" else 1e-6 if np.asarray(want).dtype.kind == "c" else 0)


def check_in_place_beside_numpy():
    x = bp.asarray([1.0, 2.0])
    x += np.asarray([1.0, 2.0])
    same(x, np.asarray([2.0, 4.0]))
    y = np.asarray([1.0, 2.0])
    raises(TypeError, operator.iadd, y, bp.asarray([1.0, 2.0]))  # NumPy leaves y + x to the package, and y += x to nobody
    matrix = np.ones((2, 2)) @ bp.ones((2, 2))
    same(matrix, np.full((2, 2), 2.0))
    same(bp.ones((2, 2)) @ np.ones((2, 2)), np.full((2, 2), 2.0))


def check_functions_of_numpy_arrays():
    x = np.asarray([[1.5, -2.0], [0.0, 4.0]])
    same(bp.sum(x), np.sum(x)), same(bp.sin(x), np.sin(x), ulps=4), same(bp.add(x, 1), x + 1), same(bp.concat([x, x.tolist()]), np.concatenate([x, x]))
    same(bp.where(x > 0, x, 0), np.where(x > 0, x, 0)), same(bp.maximum(x, np.float32(1)), np.maximum(x, np.float32(1)))
    same(bp.matmul(x, x), x @ x), same(bp.take(x[0], np.asarray([1, 0])), x[0][[1, 0]]), same(bp.sort(x), np.sort(x))
    for number in numpy_scalars():
        same(bp.asarray(number), np.asarray(number))
        same(bp.add(number, number), np.add(number, number))
        same(bp.full((2,), number), np.full((2,), number))
        same(bp.zeros(np.int64(3)), np.zeros(3))
    assert bp.asarray(np.float32(1)).dtype == bp.float32
    same(bp.ones((np.int32(2), np.int64(3))), np.ones((2, 3)))


def check_functions_of_numpy():
    """NumPy's functions that call methods of their argument give arrays of the package."""
    x = np.asarray([[1.5, -2.0, 3.0], [0.0, 4.0, 1.0]])
    a = bp.asarray(x)
    for name in ("sum", "prod", "min", "max", "all", "any", "mean", "std", "var", "argmin", "argmax", "cumsum", "cumprod", "squeeze", "transpose", "conj"):
        function = getattr(np, name)
        want = function(x)
        made = function(a) if name != "conj" else a.conjugate()
        assert isinstance(made, bp.Array), name
        same(made, np.asarray(want), ulps=4)
        if name in ("sum", "max", "mean", "std", "argmax", "cumsum"):
            same(function(a, axis=1), function(x, axis=1), ulps=4)
    same(np.std(a, ddof=1), np.asarray(np.std(x, ddof=1)), ulps=4), same(a.var(ddof=1), np.asarray(x.var(ddof=1)), ulps=4)
    same(np.sum(a, dtype="float32"), np.asarray(np.sum(x, dtype="float32"))), same(a.sum(0, "float32"), x.sum(0, "float32"))
    raises(TypeError, np.sum, a, 0, None, np.zeros(3))
    same(divmod(a, 2), divmod(x, 2)), same(divmod(7, bp.asarray([2, 3])), divmod(7, np.asarray([2, 3])))
    for mine, want in zip(reversed(a), reversed(x)):
        same(mine, want)
    np.testing.assert_allclose(a, x)
    assert np.allclose(a, x) and np.array_equal(np.where(x > 0, a, 0), np.where(x > 0, x, 0)) and np.dot(a[0], a[0]) == np.dot(x[0], x[0])
    raises(TypeError, np.sin, a)  # ufuncs leave arrays of the package to it


def check_texts():
    """repr, str and format are NumPy's."""
    values = [checks.random(dtype, shape, 3) for dtype in EVERY for shape in [(), (0,), (3,), (2, 3), (2, 0), (2, 2, 2), (2000,)]]
    values += [np.asarray(1e-10), np.asarray([1e10, 1e-10]), np.asarray([np.nan, np.inf]), np.asarray(-0.0)]
    for want in values:
        x = bp.asarray(want)
        assert repr(x) == repr(want) and str(x) == str(want) and f"{x}" == f"{want}", (repr(x), repr(want))
    assert f"{bp.asarray(3.14159):.2f}" == "3.14" and f"{bp.asarray(7):4d}" == "   7" and f"{bp.asarray(255):x}" == "ff"
    raises(TypeError, format, bp.ones(3), ".2f")
    with np.printoptions(precision=2):
        assert repr(bp.asarray([3.14159])) == "array([3.14])"
    assert repr(bp.float32) == "bsgp.float32" and str(bp.float32) == "float32" and "cpu" in repr(bp.ones(1).device)


def check_pickles_and_copies():
    for dtype in EVERY:
        for shape in ((), (0, 2), (2, 3)):
            x = bp.ones(shape, dtype=dtype) + bp.ones(shape, dtype=dtype)
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                same(pickle.loads(pickle.dumps(x, protocol)), np.asarray(x))
            for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"a": [x]})["a"][0], x.copy()):
                same(made, np.asarray(x))
                assert made is not x
        assert pickle.loads(pickle.dumps(getattr(bp, dtype.replace("bool", "bool_")))) is getattr(bp, dtype.replace("bool", "bool_"))
        assert copy.deepcopy(getattr(bp, dtype)) is getattr(bp, dtype)
    twice = bp.ones(2)
    first, second = copy.deepcopy([twice, twice])
    assert first is second, "one object stays one"
    device = bp.ones(1).device
    assert pickle.loads(pickle.dumps(device)) == device and copy.deepcopy(device) == device


def check_attributes():
    for dtype in EVERY:
        for shape in checks.SHAPES:
            x, want = bp.zeros(shape, dtype=dtype), np.zeros(shape, dtype)
            assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize) == (want.shape, want.ndim, want.size, want.nbytes, want.itemsize)
            same(x.T, want.T), same(x.real, want.real), same(x.imag, want.imag) if dtype in COMPLEX else None
            if want.size == 1:
                assert x.item() == want.item() and type(x.item()) is type(want.item())
    for name in ("shape", "dtype", "ndim", "size", "T", "device"):
        raises(AttributeError, setattr, bp.ones((2, 2)), name, (4,))
    raises((TypeError, ValueError), bp.ones(3).item)
    raises(TypeError, bp.Array)


@checked(100, x=checks.arrays(NUMERIC), seed=st.integers(0, 1000))
def check_methods(x, seed):
    a = bp.asarray(x)
    near = 1e-5 if x.dtype.name in ("float32", "complex64") else 1e-12
    finite = np.where(np.isfinite(x), x, 1)
    for name in ("sum", "prod", "mean", "all", "any"):
        same(getattr(bp.asarray(finite), name)(), getattr(finite, name)(), ulps=16, near=near, zeros=False)
    same(a.ravel(), x.ravel()), same(a.flatten(), x.flatten()), same(a.transpose(), x.transpose()), same(a.copy(), x), same(a.squeeze(), x.squeeze())
    same(a.conj(), x.conj()), same(a.round(), x.round()), same(a.reshape(-1), x.reshape(-1)), same(a.reshape((-1, 1)), x.reshape(-1, 1))
    same(bp.asarray(finite).cumsum(), finite.cumsum(), ulps=16, near=near, zeros=False)
    if x.ndim:
        same(a.nonzero(), x.nonzero()), same(a.repeat(2), x.repeat(2)), same(a.swapaxes(0, -1), x.swapaxes(0, -1))
        same(bp.asarray(finite).cumsum(axis=0), finite.cumsum(axis=0), ulps=16, near=near, zeros=False)
    if x.ndim and x.size and x.dtype.kind != "c":
        same(a.max(), x.max(), zeros=False), same(a.min(axis=0), x.min(axis=0), zeros=False), same(a.argmax(), np.asarray(x.argmax())), same(a.clip(1, 3), x.clip(1, 3))
    for dtype in ("complex128", "complex64") if x.dtype.kind == "c" else ("float32", "complex128", "bool"):
        same(a.astype(dtype), x.astype(dtype))


if __name__ == "__main__":
    checks.main(__name__)
