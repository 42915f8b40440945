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
    halves = random.normal(size=(70, 300)).astype("f2") # are combined as floats and rounded once
    got, want = A.from_numpy(halves).fold("sum", [1]).numpy(), np.apply_along_axis(of_language, 1, halves.astype("f4")).astype("f2")
    if got.dtype != np.float16 or got.tobytes() != want.tobytes():
        yield f"halves: {got[:3]}, the language has {want[:3]}"
    if (got := A.from_numpy(halves).fold("max").numpy()) != halves.max():
        yield f"the greatest half is {got}"


found = list(differences())
print("\n".join(found[:10]))
print(f"{len(found)} differences")
sys.exit(bool(found))
