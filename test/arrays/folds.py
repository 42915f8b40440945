"""Sums of floats have the bits of the language's reduce, along each axis and whatever is computed beside them."""
import ctypes
import sys

import arrays as A
import numpy as np

TEXT = """
export float total(device float* a, int n) {
  float s = 0;
  spawn (n) { s = reduce(+, a[thread.rank]); }
  return s;
}
"""
program, total = ctypes.c_void_p(), ctypes.c_void_p()
A.check(A.lib.bsgp_compile(TEXT.encode(), None, ctypes.byref(program)))
A.check(A.lib.bsgp_program_function(program, b"total", ctypes.byref(total)))
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_float))(total.value)


def of_language(values):
    values, out = np.ascontiguousarray(values), ctypes.c_float()
    A.check(call(None, values.ctypes.data, values.size, ctypes.byref(out)))
    return np.float32(out.value)


def differences():
    random = np.random.default_rng(1)
    for n in (1, 2, 33, 63, 64, 65, 255, 256, 257, 500, 1000, 5000, 4096 * 256, 4096 * 256 + 17, 3_000_001):
        values = random.normal(size=n).astype("f4")
        got, want = A.from_numpy(values).fold("sum").numpy()[()], of_language(values)
        if got.tobytes() != want.tobytes():
            yield f"{n} values: {got!r}, the language has {want!r}"
    for shape in ((3, 700), (700, 3), (300, 1500), (5, 300, 7), (2, 3, 1030), (1, 513, 1), (70, 9001), (2600, 4500)):
        values = random.normal(size=shape).astype("f4")
        for axis in range(len(shape)):
            got = A.from_numpy(values).fold("sum", [axis]).numpy()
            want = np.apply_along_axis(of_language, axis, values)
            if got.tobytes() != want.astype("f4").tobytes():
                yield f"{shape} along {axis}: {got.ravel()[:3]}, the language has {want.ravel()[:3]}"


def of_all_types():
    """Values are small whole numbers: each order of a sum gives the same."""
    random = np.random.default_rng(2)
    for dtype in A.TYPES:
        for shape in ((), (1,), (0, 3), (7,), (300,), (5, 70), (2, 3, 4), (3, 1100)):
            values = random.integers(0, 2, shape).astype(dtype)
            a = A.from_numpy(values)
            for name in ("sum", "prod", "min", "max", "all", "any"):
                ordered = name not in ("min", "max")
                if dtype.startswith("complex") and not ordered:
                    continue
                for axes in [None] + [[k] for k in range(len(shape))]:
                    if not ordered and (values.size == 0 if axes is None else shape[axes[0]] == 0):
                        continue
                    wide = {"f": values.dtype, "c": values.dtype, "u": "u8"}.get(values.dtype.kind, "i8")
                    arguments = {"dtype": wide} if name in ("sum", "prod") else {}
                    want = np.asarray(getattr(np, name)(values, axis=None if axes is None else axes[0], **arguments))
                    got = a.fold(name, axes).numpy()
                    if got.dtype != want.dtype or got.shape != want.shape or not np.array_equal(got, want):
                        yield f"{name} {dtype} {shape} along {axes}: {got} {got.dtype} in place of {want} {want.dtype}"


found = list(differences()) + list(of_all_types())
print("\n".join(found[:10]))
print(f"{len(found)} differences")
sys.exit(bool(found))
