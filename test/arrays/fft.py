"""Fourier transforms give what NumPy gives, in the precision of their operands, and the same bits on any number of threads."""
import itertools
import sys

import arrays as A
import numpy as np

RANDOM = np.random.default_rng(7)
TYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(1,), (2,), (3,), (8,), (30,), (97,), (1030,), (1009,), (4096,), (3, 4), (4, 1), (5, 7, 6), (0, 5), (2, 1030), (1030, 3), (300, 64), (2, 3, 4, 5)]
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
found = []


def values(shape, dtype):
    if dtype in ("bool", "int32"):
        return RANDOM.integers(0, 2, shape).astype(dtype)
    made = RANDOM.normal(size=shape)
    return (made + 1j * RANDOM.normal(size=shape) if dtype.startswith("c") else made).astype(dtype)


def same(what, got, want, single):
    """NumPy before 2 computes all in double precision."""
    dtype = {("c", True): "c8", ("c", False): "c16", ("f", True): "f4", ("f", False): "f8"}[want.dtype.kind, single]
    if got.shape != want.shape or got.dtype != dtype:
        found.append(f"{what}: {got.shape} {got.dtype} in place of {want.shape} {np.dtype(dtype)}")
    elif got.size and not np.abs(got - want).max() <= (1e-6 if single else 1e-14) * (np.abs(want).max() + 1):
        found.append(f"{what}: {np.abs(got - want).max()} off")


def transform(name, a, n=None, axis=-1, norm="backward"):
    return A.make("fft", A.FFTS[name], a, None if n is None else A.longs([n]), axis, A.FFT_NORMS[norm])


def several(name, a, s=None, axes=None, norm="backward"):
    count = len(axes) if axes is not None else len(s) if s is not None else 0
    return A.make("fftn", A.FFTS[name[:-1]], a, count, None if s is None else A.longs(s), None if axes is None else A.ints(axes), A.FFT_NORMS[norm])


def takes(name, dtype):
    return not (dtype.startswith("c") and name.startswith(("rfft", "ihfft")))


def one_axis():
    for shape, dtype, name in itertools.product(SHAPES, TYPES + ["float16", "int32", "bool"], NAMES):
        if not takes(name, dtype):
            continue
        x = values(shape, dtype)
        a, single = A.from_numpy(x), dtype in ("float16", "float32", "complex64")
        for axis in {-1, 0, len(shape) // 2}:
            extent = shape[axis]
            if extent < (2 if name in ("irfft", "hfft") else 1):
                continue
            for n in (None, 1, 5, extent, extent + 1, 2 * extent):
                norm = ("backward", "ortho", "forward")[RANDOM.integers(3)]
                want = getattr(np.fft, name)(x.astype("f4" if dtype == "float16" else x.dtype), n, axis, norm)
                same(f"{name} {shape} {dtype} n {n} axis {axis} {norm}", transform(name, a, n, axis, norm).numpy(), want, single)


def more_axes():
    cases = [((3, 4), None, None), ((3, 4), None, (0,)), ((5, 6, 7), (4, 8), None), ((5, 6, 7), (4, 8), (2, 0)), ((5, 6, 7), None, (-1, 0)), ((2, 3, 4, 5), None, (1, 3, 0)),
             ((40, 50), (64, 33), (0, 1)), ((1030, 9), None, None), ((0, 4, 6), None, (1, 2)), ((4, 1, 5), None, None)]
    for (shape, s, axes), dtype, name in itertools.product(cases, TYPES, ("fftn", "ifftn", "rfftn", "irfftn")):
        if not takes(name, dtype):
            continue
        x = values(shape, dtype)
        used = axes or range(-len(s or shape), 0)
        norm = ("backward", "ortho", "forward")[RANDOM.integers(3)]
        want = getattr(np.fft, name)(x, s or [*[x.shape[axis] for axis in used[:-1]], 2 * (x.shape[used[-1]] - 1) if name == "irfftn" else x.shape[used[-1]]], used, norm)
        same(f"{name} {shape} {s} {axes} {dtype} {norm}", several(name, A.from_numpy(x), s, axes, norm).numpy(), want, dtype in ("float32", "complex64"))
    x = values((), "complex64")
    same("fftn of a number", several("fftn", A.from_numpy(x)).numpy(), x, True)


def frequencies():
    for n, d in ((1, 1.0), (2, 0.5), (7, 0.1), (8, 3.0), (1001, 0.25)):
        for half, name in enumerate(("fftfreq", "rfftfreq")):
            for dtype in ("float32", "float64"):
                got = A.make("fftfreq", A.ctypes.c_int64(n), A.ctypes.c_double(d), half, A.TYPES.index(dtype)).numpy()
                want = getattr(np.fft, name)(n, d).astype(dtype)
                if got.tobytes() != want.tobytes():
                    found.append(f"{name} {n} {d}: {got}")
    for shape in ((1,), (4,), (5,), (3, 4), (2, 5, 4), (0, 3), (1030,)):
        for axes in (None, (0,), (-1,), tuple(range(len(shape)))):
            x = values(shape, "int32")
            arguments = (-1, None) if axes is None else (len(axes), A.ints(axes))
            for inverse, name in enumerate(("fftshift", "ifftshift")):
                got = A.make("fftshift", A.from_numpy(x), *arguments, inverse).numpy()
                if not np.array_equal(got, getattr(np.fft, name)(x, axes)):
                    found.append(f"{name} {shape} {axes}: {got}")


def composed():
    """Operands that are computed first, parameters with unknown extents, and any number of threads."""
    x, y = values((70, 33), "float32"), values((70, 33), "float32")
    a, b = A.from_numpy(x), A.from_numpy(y)
    product = A.apply("multiply", transform("rfft", a), A.apply("conj", transform("rfft", b)))
    want = np.fft.irfft(np.fft.rfft(x) * np.conj(np.fft.rfft(y)), 33)
    same("a correlation", transform("irfft", product, 33).numpy(), want, True)
    p = A.parameter("float64", [-1, -1])
    function = A.Function([p], [transform("fft", p), transform("irfft", transform("rfft", p)), several("rfftn", p)])
    for shape in ((3, 8), (1, 30), (50, 64)):
        x = values(shape, "float64")
        for got, want in zip(function(A.from_numpy(x)), (np.fft.fft(x), x, np.fft.rfftn(x))):
            same(f"of a parameter {shape}", got.numpy(), want, False)
    x = values((40, 120, 9), "complex64")
    bits = set()
    for threads in (1, 2, 3):
        A.options(threads=threads)
        bits.add(several("fftn", A.from_numpy(x)).numpy().tobytes())
    A.options()
    if len(bits) != 1:
        found.append("the bits depend on the number of threads")


for check in (one_axis, more_axes, frequencies, composed):
    check()
print("\n".join(found[:20]))
print(f"{len(found)} differences")
sys.exit(bool(found))
