"""Scatter, histogram, and reductions and scans of segments, of all types, beside NumPy; arrays one behind the other."""
import sys
import warnings

import arrays as A
import numpy as np

warnings.filterwarnings("ignore")
failures, comparisons = [], 0


def same(name, got, want):
    global comparisons
    comparisons += 1
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype or not np.array_equal(got, want, equal_nan=want.dtype.kind in "fc"):
        failures.append(f"{name}: {got.dtype} {got.shape} {got.ravel()[:8]} in place of {want.dtype} {want.shape} {want.ravel()[:8]}")


def values_of(random, shape, dtype):
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype.startswith("complex"):
        return (random.integers(-3, 4, shape) + 1j * random.integers(-3, 4, shape)).astype(dtype)
    return random.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)


def scatters(random, dtype):
    ways = {"set": None, "add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}
    for shape, places, width in (((1,), (3,), ()), ((7,), (0,), ()), ((7,), (50,), ()), ((1000,), (30000,), ()), ((5, 3), (20,), (3,)), ((40, 2, 3), (6, 9), (2, 3))):
        x, u = values_of(random, shape, dtype), values_of(random, places + width, dtype)
        i = random.integers(-shape[0], shape[0], places).astype(random.choice(["int64", "int32", "int8"]) if shape[0] < 100 else "int64")
        for how, ufunc in ways.items():
            if dtype.startswith("complex") and how in ("min", "max"):
                continue
            if how == "multiply" and (i.size > 100 or dtype == "bool"):
                continue
            want = x.copy()
            if ufunc is None:
                want[i] = u
            elif dtype == "float16" and how == "add":
                wide = x.astype("f4")
                ufunc.at(wide, i, u.astype("f4"))
                want = wide.astype("f2")
            else:
                ufunc.at(want, i, u)
            same(f"scatter {how} {dtype} {shape} {places}", A.from_numpy(x).scatter(A.from_numpy(i), A.from_numpy(u), how).numpy(), want)


def updates_of_one_number(random):
    x, i = np.zeros(300, "i8"), random.integers(0, 300, 100_000)
    same("counts", A.from_numpy(x).scatter(A.from_numpy(i), A.scalar(1, "int64", 1), "add").numpy(), np.bincount(i, minlength=300))
    same("a row for all", A.from_numpy(np.zeros((4, 3), "f4")).scatter(A.from_numpy(np.array([1, 1, 3])), A.from_numpy(np.arange(3, dtype="f4")), "add").numpy(),
         np.array([[0, 0, 0], [0, 2, 4], [0, 0, 0], [0, 1, 2]], "f4"))


def histograms(random):
    for dtype in ("float32", "float64", "int32", "uint8", "float16", "bool"):
        for shape in ((0,), (1,), (10,), (1000,), (300, 70)):
            for bins, low, high in ((1, 0.0, 1.0), (10, 0.0, 1.0), (7, -0.3, 0.9), (256, 0.0, 256.0), (3, 1.0, 1.3)):
                x = random.choice([0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.1, 1.2, 1.3, -0.3, 5, 77, 255, 256], shape)
                x = np.where(random.random(shape) < 0.5, random.random(shape), x).astype(dtype)
                if dtype.startswith("float"):
                    x = np.where(random.random(shape) < 0.1, np.array([np.nan, np.inf, -np.inf], dtype)[random.integers(0, 3, shape)], x)
                inside = x[(x >= low) & (x <= high)].astype("f8")
                same(f"histogram {dtype} {shape} {bins} {low} {high}", A.from_numpy(x).histogram(bins, low, high).numpy(), np.histogram(inside, bins, (low, high))[0])


def segments(random, dtype):
    for count in (0, 1, 5, 300, 40_000):
        x = values_of(random, count, dtype)
        a = A.from_numpy(x)
        for offsets in ([0, count], [0], [0, 0, count // 2, count // 2, count], np.sort(random.integers(0, count + 1, 100))):
            o = A.from_numpy(np.array(offsets, "i8"))
            for name in ("sum", "prod", "min", "max", "all", "any"):
                ordered = name in ("min", "max")
                if ordered and (dtype.startswith("complex") or (np.diff(offsets) == 0).any()):
                    continue
                got = a.segment_reduce(name, o).numpy()
                for i in range(min(len(offsets) - 1, 12)):
                    begin, end = int(offsets[i]), int(offsets[i + 1])
                    same(f"segment {name} {dtype} {count} {i}", got[i], a.section([begin], [end - begin], [1]).fold(name).numpy()[()])
        heads = random.random(count) < 0.01
        for name, ufunc in (("cumulative_sum", np.add), ("cumulative_prod", np.multiply), ("cumulative_min", np.minimum), ("cumulative_max", np.maximum)):
            if dtype.startswith("complex") and name in ("cumulative_min", "cumulative_max"):
                continue
            wide = x.dtype if x.dtype.kind in "fc" or name.endswith(("min", "max")) else "u8" if x.dtype.kind == "u" else "i8"
            want, starts = x.astype(wide), np.flatnonzero(np.concatenate([[True], heads[1:]])) if count else []
            for begin, end in zip(starts, [*starts[1:], count]):
                if dtype == "float16":
                    want[begin:end] = ufunc.accumulate(x[begin:end].astype("f4")).astype("f2")
                else:
                    want[begin:end] = ufunc.accumulate(want[begin:end])
            if not dtype.startswith("complex") or name == "cumulative_sum" or count < 10:
                same(f"{name} of segments {dtype} {count}", a.segment_scan(name, A.from_numpy(heads)).numpy(), want)


def joined(random, dtype):
    for shape, axis in (((3,), 0), ((0,), 0), ((2, 5), 1), ((2, 5), -2), ((3, 1, 4), 1)):
        parts = []
        for k in range(7):
            extents = list(shape)
            extents[axis] = int(random.integers(0, 6))
            parts.append(values_of(random, extents, dtype))
        for count in (1, 2, 3, 4, 7):
            same(f"concatenate {dtype} {shape} {axis} x {count}", A.concatenate([A.from_numpy(p) for p in parts[:count]], axis).numpy(), np.concatenate(parts[:count], axis))
    x = values_of(random, (3, 4), dtype)
    same(f"stretch {dtype}", A.from_numpy(x).stretch([2, 3]).numpy(), x.repeat(2, 0).repeat(3, 1))
    same(f"component {dtype}", A.from_numpy(x).component(1, -2).numpy(), x[:, -2])


def components_of_vectors_are_what_they_were_made_of():
    x = A.from_numpy(np.arange(5000, dtype="f4"))
    parts = [A.apply("multiply", x, A.scalar(k, "float64", 1)) for k in range(4)]
    vector = A.concatenate([part.add_dimension(1) for part in parts], 1)
    counts, _ = A.explain(A.apply("add", vector.component(1, 2), vector.component(1, 3)))
    if (counts.kernels, counts.operations, counts.bytes_written) != (1, 3, 20000):
        failures.append(f"components: {counts.kernels} kernels, {counts.operations} operations, {counts.bytes_written} bytes")


random = np.random.default_rng(7)
for dtype in A.TYPES:
    scatters(random, dtype), segments(random, dtype), joined(random, dtype)
updates_of_one_number(random), histograms(random), components_of_vectors_are_what_they_were_made_of()
print("\n".join(failures[:20]))
print(f"{comparisons} comparisons, {len(failures)} differences")
sys.exit(bool(failures))
