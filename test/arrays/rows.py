"""Sorting, scans, argmin and argmax along each axis, means and products, beside NumPy."""
import sys
import warnings

import arrays as A
import numpy as np

warnings.filterwarnings("ignore")
SHAPES = [(1,), (2,), (7,), (1000,), (16384,), (20000,), (3, 5), (5, 1), (2, 20001), (300, 70), (2, 3, 4), (0, 3), (70000, 3)]
failures = []


def values_of(random, shape, dtype):
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype.startswith("complex"):
        return (random.integers(-50, 50, shape) + random.integers(-50, 50, shape) * 1j).astype(dtype)
    if dtype.startswith("float"):
        special = random.choice([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0], shape)
        return np.where(random.random(shape) < 0.8, random.normal(0, 2, shape), special).astype(dtype)
    return random.integers(0, 100, shape).astype(dtype) if dtype.startswith("u") else random.integers(-50, 50, shape).astype(dtype)


def compare(name, got, want, tolerance=0.0):
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        failures.append(f"{name}: {got.shape} {got.dtype} in place of {want.shape} {want.dtype}")
    elif not np.allclose(got.astype("c16"), want.astype("c16"), rtol=tolerance, atol=tolerance, equal_nan=True):
        failures.append(f"{name}: {got.ravel()[:8]} in place of {want.ravel()[:8]}")


def along(a, x, axis, name):
    if x.dtype.kind == "c":
        units = np.array([1, -1, 1j, -1j], x.dtype)[x.real.astype(int) % 4]
        compare(f"cumulative_sum {name}", a.rows("cumulative_sum", axis).numpy(), np.cumsum(x, axis))
        compare(f"cumulative_prod {name}", A.from_numpy(units).rows("cumulative_prod", axis).numpy(), np.cumprod(units, axis))
        return
    compare(f"sort {name}", a.rows("sort", axis).numpy(), np.sort(x, axis, kind="stable"))
    compare(f"argsort {name}", a.rows("argsort", axis).numpy(), np.argsort(x, axis, kind="stable"))
    if x.shape[axis]:
        compare(f"argmin {name}", a.rows("argmin", axis).numpy(), np.argmin(x, axis))
        compare(f"cumulative_min {name}", a.rows("cumulative_min", axis).numpy(), np.minimum.accumulate(x, axis))
        compare(f"cumulative_max {name}", a.rows("cumulative_max", axis).numpy(), np.maximum.accumulate(x, axis))
        compare(f"argmax {name}", a.rows("argmax", axis, 1).numpy(), np.argmax(x, axis, keepdims=True))
    if x.dtype.kind in "iub":
        wide = "u8" if x.dtype.kind == "u" else "i8"
        compare(f"cumulative_sum {name}", a.rows("cumulative_sum", axis).numpy(), np.cumsum(x, axis, dtype=wide))
        compare(f"cumulative_prod {name}", a.rows("cumulative_prod", axis).numpy(), np.cumprod(x, axis, dtype=wide))


def scans_of_floats(random):
    for dtype, tolerance in (("float32", 1e-4), ("float64", 1e-10), ("float16", 1e-1)):
        for shape in ((100,), (3, 100), (50000,), (2, 30000)):
            if dtype == "float16" and shape[-1] > 100:
                continue
            x = random.random(shape).astype(dtype)
            compare(f"cumulative_sum {dtype} {shape}", A.from_numpy(x).rows("cumulative_sum").numpy(), np.cumsum(x, -1), tolerance * shape[-1])
            y = (1 + (x - 0.5) / 1000).astype(dtype)
            compare(f"cumulative_prod {dtype} {shape}", A.from_numpy(y).rows("cumulative_prod").numpy(), np.cumprod(y, -1), tolerance * 100)


def means_and_products(random):
    for dtype in A.TYPES:
        x = np.abs(np.nan_to_num(values_of(random, (30, 40, 5), dtype), posinf=3, neginf=-3))
        for axes in (None, [0], [1, 2], []):
            want = np.mean(x, None if axes is None else tuple(axes))
            compare(f"mean {dtype} {axes}", A.from_numpy(x).mean(axes).numpy(), want, 2e-3 if dtype == "float16" else 1e-5)
    for left, right in (((5,), (5,)), ((3, 5), (5,)), ((5,), (5, 4)), ((3, 5), (5, 4)), ((2, 3, 5), (5, 4, 2)), ((70, 300), (300, 600)), ((3, 0), (0, 4))):
        for dtype, unit in (("f4", 0), ("c8", 1j), ("c16", 1j)):
            x, y = ((random.integers(-5, 6, shape) + unit * random.integers(-5, 6, shape)).astype(dtype) for shape in (left, right))
            compare(f"inner {dtype} {left} {right}", A.from_numpy(x).inner(A.from_numpy(y)).numpy(), np.tensordot(x, y, 1).astype(dtype))
            compare(f"outer {dtype} {left} {right}", A.from_numpy(x[..., :3]).outer(A.from_numpy(y[..., :3])).numpy(),
                    np.multiply.outer(x[..., :3], y[..., :3]))


def philox(counter, key):
    """Philox 4x32-10 of uint64 counters: the low two words of each block."""
    mask = np.uint64(0xFFFFFFFF)
    c = [counter & mask, counter >> np.uint64(32), counter * np.uint64(0), counter * np.uint64(0)]
    k = [np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)]
    for _ in range(10):
        low, high = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(high >> np.uint64(32)) ^ c[1] ^ k[0], high & mask, (low >> np.uint64(32)) ^ c[3] ^ k[1], low & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return c[1] << np.uint64(32) | c[0]


def random_numbers():
    for shape in ((), (5,), (3, 700), (2, 3, 4), (0, 2)):
        counter = np.arange(int(np.prod(shape)), dtype="u8").reshape(shape)
        for key in (0, 1, 0xFEDCBA9876543210):
            if (A.random(key, shape).numpy() != philox(counter, key)).any():
                failures.append(f"random numbers of {key} and {shape}")


def counted(random):
    for dtype in A.TYPES:
        for shape in SHAPES:
            x, flags = values_of(random, shape, dtype), random.random(shape) < 0.4
            compare(f"compress {dtype} {shape}", A.from_numpy(x).compress(A.from_numpy(flags)).numpy(), x[flags])
            if x.dtype.kind == "c":
                continue
            compare(f"unique {dtype} {shape}", A.from_numpy(x).unique().numpy(), np.unique(x, equal_nan=False))


def main():
    random = np.random.default_rng(3)
    for dtype in A.TYPES:
        for shape in SHAPES:
            x = values_of(random, shape, dtype)
            for axis in range(len(shape)):
                along(A.from_numpy(x), x, axis, f"{dtype} {shape} {axis}")
            if x.size and x.dtype.kind != "c":
                compare(f"argmax {dtype} {shape} flat", A.from_numpy(x).rows("argmax", None).numpy(), np.argmax(x))
    scans_of_floats(random)
    means_and_products(random)
    random_numbers()
    counted(random)
    print("\n".join(failures[:30]))
    print(f"{len(failures)} differences")
    return bool(failures)


sys.exit(main())
