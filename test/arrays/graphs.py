"""Random graphs of operations and transformations: equal bits fused and unfused, on 1, 2, 3 threads, and as NumPy computes them.

Usage: graphs.py [compile | function | again] SEED [SEED ...]; with "compile", each is compiled, too; with "function", each is a function of
its leaves, whose extents are unknown here and there, and is called twice; with "again", small ones are evaluated again and again with other
values. Each makes a graph of up to 200 nodes. Values are small whole numbers, so that sums are exact in any order.
"""
import sys

import arrays as A
import numpy as np

TYPES = ["int32", "int64", "float32", "float64", "int16", "uint8", "bool", "complex64", "complex128"]


class Graph:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes = [] # (array, NumPy's)
        self.text = []
        self.parameters, self.arguments = [], []
        for _ in range(self.random.integers(2, 5)):
            self.leaf()

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def keep(self, array, values, text):
        if values.size > 60_000 or values.ndim > 5:
            return
        self.nodes.append((array, np.array(values, order="C")))
        self.text.append(text)

    def leaf(self):
        rank = self.random.integers(0, 4)
        shape = tuple(int(self.pick(0, 1, 2, 3, 5, 7, 8, 17, 33, 300, 1030)) if rank < 3 else int(self.pick(1, 2, 3, 5, 9)) for _ in range(rank))
        dtype = self.pick(*TYPES)
        values = ((self.random.integers(0, 9, shape) + ROUND) % (2 if dtype == "bool" else 9)).astype(dtype)
        if values.dtype.kind == "c":
            values = (values + self.random.integers(0, 9, shape) * 1j).astype(dtype)
        array = A.from_numpy(values)
        if MODE == "function":
            self.arguments.append(array)
            array = A.parameter(dtype, [-1 if self.random.random() < 0.2 else n for n in shape])
            self.parameters.append(array)
        self.keep(array, values, f"from {shape} {dtype}")

    def node(self):
        i = self.random.integers(max(0, len(self.nodes) - 12), len(self.nodes))
        return (*self.nodes[i], i)

    def bounded(self, array, values, text):
        """Keeps numbers small, so that they are exact in every type."""
        if values.dtype.kind == "c":
            array, values = self.bounded_parts(array, values)
        elif values.dtype != bool:
            limit = A.scalar(61, "int64", 1)
            array = A.apply("remainder", array, limit)
            values = np.remainder(values, np.array(61, values.dtype))
        self.keep(array, values, text)

    def bounded_parts(self, array, values):
        limit, unit = A.scalar(61, "int64", 1), A.scalar(1j, "complex128", 1)
        real, imag = (A.apply("remainder", A.apply(part, array), limit) for part in ("real", "imag"))
        part = values.real.dtype.type
        return (A.apply("add", real, A.apply("multiply", imag, unit)),
                np.remainder(values.real, part(61)) + np.remainder(values.imag, part(61)) * values.dtype.type(1j))

    def apply(self):
        (a, x, i), (b, y, j) = self.node(), self.node()
        name = self.pick("add", "subtract", "multiply", "minimum", "maximum", "equal", "less", "cond", "negative", "abs", "real", "imag", "conj")
        if name in ("real", "imag"):
            self.keep(A.apply(name, a), getattr(np, name)(x), f"{name} {i}")
            return
        if name == "conj" or (name == "abs" and x.dtype.kind == "c"):
            self.keep(A.apply("conj", a), x if x.dtype == bool else np.conj(x), f"conj {i}")
            return
        if name in ("negative", "abs"):
            if x.dtype != bool:
                self.bounded(A.apply(name, a), getattr(np, name)(x), f"{name} {i}")
            return
        try:
            shape = np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return
        dtype = np.result_type(np.empty(1, x.dtype), np.empty(1, y.dtype))
        if int(np.prod(shape)) > 60_000 or (dtype == bool and name == "subtract") or (dtype.kind == "c" and name in ("minimum", "maximum", "less")):
            return
        x, y = x.astype(dtype), y.astype(dtype)
        if name == "cond":
            c, z, k = self.node()
            try:
                np.broadcast_shapes(shape, z.shape)
            except ValueError:
                return
            if z.dtype == bool:
                self.keep(A.apply(name, c, a, b), np.where(z, x, y), f"cond {k} {i} {j}")
            return
        self.bounded(A.apply(name, a, b), getattr(np, name)(x, y), f"{name} {i} {j}")

    def cast(self):
        a, x, i = self.node()
        dtype = self.pick(*TYPES)
        if x.dtype.kind == "c" and dtype != "bool" and not dtype.startswith("complex"):
            return
        self.keep(a.cast(dtype), x.astype(dtype), f"{dtype} {i}")

    def fold(self):
        a, x, i = self.node()
        axes = [k for k in range(x.ndim) if self.random.random() < 0.5]
        name = self.pick("sum", "min", "max", "all", "any")
        if name in ("min", "max") and x.dtype.kind == "c" or name in ("min", "max") and any(x.shape[k] == 0 for k in axes):
            return
        keep = int(self.random.random() < 0.5)
        dtype = None if name != "sum" or x.dtype.kind in "fc" else "u8" if x.dtype.kind == "u" else "i8"
        arguments = {"dtype": dtype} if dtype else {}
        values = getattr(np, name)(x, axis=tuple(axes), keepdims=bool(keep), **arguments)
        self.bounded(a.fold(name, axes, keep), np.asarray(values), f"{name} {i} {axes} keep {keep}")

    def section(self):
        a, x, i = self.node()
        begin, count, stride, slices = [], [], [], []
        for n in x.shape:
            step = int(self.pick(1, 1, 2, 3, -1, -2))
            first = int(self.random.integers(0, n)) if n else 0
            room = 0 if n == 0 else (n - 1 - first) // step + 1 if step > 0 else first // -step + 1
            m = int(self.random.integers(0, room + 1)) if self.random.random() < 0.3 else room
            begin.append(first), count.append(m), stride.append(step)
            slices.append(first + step * np.arange(m))
        values = x[np.ix_(*slices)] if x.ndim else x
        self.keep(a.section(begin, count, stride), values, f"section {i} {begin} {count} {stride}")

    def slice(self):
        a, x, i = self.node()
        if not x.ndim:
            return
        axis, stride = int(self.random.integers(0, x.ndim)), int(self.pick(1, 1, 2, -1, -3))
        n = x.shape[axis]
        begin, end = (int(self.pick(*self.random.integers(-n - 2, n + 3, 3), 2**63 - 1, -(2**63))) for _ in range(2))
        at = (slice(None),) * axis + (slice(begin, end, stride),)
        self.keep(a.slice(axis, begin, end, stride), x[at], f"slice {i} axis {axis} {begin} {end} {stride}")

    def offsets(self, x):
        return [int(self.random.integers(-n - 2, n + 3)) if self.random.random() < 0.5 else int(self.pick(-1, 0, 1)) for n in x.shape]

    def shift(self):
        a, x, i = self.node()
        by, border = self.offsets(x), self.pick("clamp", "wrap", "value")
        if x.size == 0:
            return
        value = A.scalar(1, x.dtype.name, 0)
        places = [np.arange(n) - s for n, s in zip(x.shape, by)]
        self.keep(a.shift(by, border, value if border == "value" else None), self.at(x, places, border), f"shift {i} {by} {border}")

    def at(self, x, places, border):
        inside = [(p >= 0) & (p < n) for p, n in zip(places, x.shape)]
        if border == "wrap":
            places = [p % n for p, n in zip(places, x.shape)]
        else:
            places = [np.clip(p, 0, n - 1) for p, n in zip(places, x.shape)]
        values = x[np.ix_(*places)] if x.ndim else x
        if border != "value" or not x.ndim:
            return values
        mask = np.ones((), bool)
        for axis, m in enumerate(inside):
            mask = mask & m.reshape([-1 if k == axis else 1 for k in range(x.ndim)])
        return np.where(mask, values, np.array(1, x.dtype))

    def extend(self):
        a, x, i = self.node()
        if x.size == 0:
            return
        before, after = ([int(self.random.integers(0, 4)) for _ in x.shape] for _ in range(2))
        border = self.pick("clamp", "wrap", "value")
        places = [np.arange(n + b + c) - b for n, b, c in zip(x.shape, before, after)]
        value = A.scalar(1, x.dtype.name, 0) if border == "value" else None
        self.keep(a.extend(before, after, border, value), self.at(x, places, border), f"extend {i} {before} {after} {border}")

    def replicate(self):
        a, x, i = self.node()
        if x.size == 0 or x.size > 3000:
            return
        shape = [int(self.random.integers(0, 2 * n + 3)) for n in x.shape]
        self.keep(a.replicate(shape), self.at(x, [np.arange(n) for n in shape], "wrap"), f"replicate {i} {shape}")

    def transpose(self):
        a, x, i = self.node()
        order = [int(k) for k in self.random.permutation(x.ndim)]
        self.keep(a.transpose(order), x.transpose(order), f"transpose {i} {order}")

    def dimensions(self):
        a, x, i = self.node()
        if x.ndim and self.random.random() < 0.5:
            axis = int(self.random.integers(0, x.ndim))
            if x.shape[axis]:
                self.keep(a.drop_dimension(axis), x.take(0, axis), f"drop {i} {axis}")
        elif x.ndim < 5:
            axis, extent = int(self.random.integers(0, x.ndim + 1)), int(self.pick(1, 1, 2, 3))
            self.keep(a.add_dimension(axis, extent), np.repeat(np.expand_dims(x, axis), extent, axis), f"add {i} {axis} {extent}")

    def reshape(self):
        a, x, i = self.node()
        shape = list(x.shape)
        if len(shape) > 1 and self.random.random() < 0.6:
            k = int(self.random.integers(0, len(shape) - 1))
            shape[k:k + 2] = [shape[k] * shape[k + 1]]
        elif shape and shape[-1] % 2 == 0 and len(shape) < 5:
            shape[-1:] = [2, shape[-1] // 2]
        self.keep(a.reshape(shape), x.reshape(shape), f"reshape {i} {shape}")

    def gather(self):
        a, x, i = self.node()
        if x.ndim == 0 or x.size == 0:
            return
        axis = int(self.random.integers(0, x.ndim))
        indices = self.random.integers(-x.shape[axis], x.shape[axis], self.pick((0,), (7,), (19,), (), (3, 4), (2, 1, 3)))
        if x.ndim - 1 + indices.ndim > 5:
            return
        self.keep(a.gather(A.from_numpy(indices), axis), x.take(indices, axis), f"gather {i} {axis} {indices.shape}")

    def rows(self):
        a, x, i = self.node()
        if x.ndim == 0 or x.size == 0:
            return
        axis, name = int(self.random.integers(0, x.ndim)), self.pick("sort", "argsort", "argmin", "argmax", "cumulative_sum", "cumulative_min")
        if name != "cumulative_sum" and x.dtype.kind == "c":
            return
        if name == "cumulative_sum":
            wide = x.dtype if x.dtype.kind in "fc" else "u8" if x.dtype.kind == "u" else "i8"
            self.bounded(a.rows(name, axis), np.cumsum(x, axis, dtype=wide), f"{name} {i} {axis}")
            return
        if name == "cumulative_min":
            self.keep(a.rows(name, axis), np.minimum.accumulate(x, axis), f"{name} {i} {axis}")
            return
        arguments = {"kind": "stable"} if "sort" in name else {}
        self.keep(a.rows(name, axis), getattr(np, name)(x, axis, **arguments), f"{name} {i} {axis}")

    def matrices(self):
        """Values are whole numbers below 61: sums of products are exact."""
        (a, x, i), (b, y, j) = self.node(), self.node()
        if self.random.random() < 0.5 and x.ndim > 1:
            order = [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
            b, y, j = a.transpose(order), x.transpose(order), f"{i}'"
        try:
            if 0 in (x.ndim, y.ndim) or x.shape[-1] != y.shape[max(0, y.ndim - 2)]:
                return
            shape = (*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), *x.shape[-2:-1], *y.shape[-1:])
        except ValueError:
            return
        if int(np.prod(shape)) * max(x.shape[-1], 1) < 300_000:
            self.bounded(a.matmul(b), np.matmul(x, y), f"matmul {i} {j}")

    def scatter(self):
        (a, x, i), (b, y, j) = self.node(), self.node()
        if x.ndim == 0 or x.shape[0] == 0 or y.ndim != 0 or x.dtype != y.dtype:
            return
        how = self.pick("set", "add", "min", "max") if x.dtype.kind not in "bc" else "set"
        indices = self.random.integers(-x.shape[0], x.shape[0], self.pick((0,), (7,), (190,), (3, 4)))
        want = x.copy()
        ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum}.get(how)
        if ufunc:
            ufunc.at(want, indices, y)
        else:
            want[indices] = y
        self.bounded(a.scatter(A.from_numpy(indices), b, how), want, f"scatter {how} {i} {j} {indices.shape}")

    def stretch(self):
        a, x, i = self.node()
        times = [int(self.pick(1, 2, 3)) for _ in x.shape]
        values = x
        for axis, n in enumerate(times):
            values = np.repeat(values, n, axis)
        self.keep(a.stretch(times), values, f"stretch {i} {times}")

    def joined(self):
        (a, x, i), (b, y, j) = self.node(), self.node()
        if x.ndim == 0 or x.ndim != y.ndim:
            return
        axis = int(self.random.integers(0, x.ndim))
        if [n for k, n in enumerate(x.shape) if k != axis] != [n for k, n in enumerate(y.shape) if k != axis]:
            b, y, j = a, x, i
        count = int(self.pick(1, 2, 3, 5))
        self.keep(A.concatenate([a, b, a, b, b][:count], axis), np.concatenate([x, y, x, y, y][:count], axis), f"concatenate {i} {j} x {count} {axis}")

    def component(self):
        a, x, i = self.node()
        if x.ndim == 0 or x.size == 0:
            return
        axis = int(self.random.integers(0, x.ndim))
        at = int(self.random.integers(-x.shape[axis], x.shape[axis]))
        self.keep(a.component(axis, at), x.take(at, axis), f"component {i} {axis} {at}")

    def products(self):
        (a, x, i), (b, y, j) = self.node(), self.node()
        dtype = np.result_type(np.empty(1, x.dtype), np.empty(1, y.dtype))
        if x.size * y.size < 60_000 and x.ndim + y.ndim <= 5:
            self.bounded(a.outer(b), np.multiply.outer(x.astype(dtype), y.astype(dtype)), f"outer {i} {j}")

    def grow(self, count):
        kinds = [self.apply] * 6 + [self.fold, self.section, self.slice, self.shift, self.extend, self.replicate, self.transpose, self.dimensions, self.reshape,
                                    self.gather, self.rows, self.scatter, self.stretch, self.joined, self.component, self.products, self.matrices, self.matrices, self.cast, self.leaf]
        for _ in range(4 * count):
            if len(self.nodes) < count:
                try:
                    self.pick(*kinds)()
                except A.Error: # unknown extents do not go with any others
                    if not self.parameters:
                        raise
        return self

    def results(self, outputs):
        if MODE == "function":
            function = A.Function(self.parameters, [self.nodes[i][0] for i in outputs])
            function(*self.arguments)
            return [array.numpy() for array in function(*self.arguments)]
        A.evaluate(*[self.nodes[i][0] for i in outputs])
        return [self.nodes[i][0].numpy() for i in outputs]


def one(seed):
    global ROUND
    count = int(np.random.default_rng(seed).integers(5, 200 if MODE != "again" else 20))
    for round, (threads, unfused, compile, target) in enumerate(RUNS):
        ROUND = round if MODE == "again" else 0
        A.options(threads, unfused, compile, target, exact=1)
        graph = Graph(seed).grow(count) # the same one again, as nothing of it is computed yet
        outputs = sorted(set(graph.random.integers(0, len(graph.nodes), 6)) | {len(graph.nodes) - 1})
        for i, got in zip(outputs, graph.results(outputs)):
            want = graph.nodes[i][1]
            if got.shape != want.shape or got.dtype != want.dtype or got.tobytes() != want.tobytes():
                lines = "\n".join(f"  {k}: {t}" for k, t in enumerate(graph.text[:i + 1]))
                return f"seed {seed}, node {i}, {threads} threads, unfused {unfused}, compile {compile}, target {target}:\n{lines}\ngot\n{got}\nin place of\n{want}"
    return None


def main(seeds):
    for seed in seeds:
        if why := one(seed):
            print(why)
            return 1
    print(f"{len(seeds)} graphs are equal")
    return 0


def seeds_of(words):
    for word in words:
        first, _, last = word.partition("..")
        yield from range(int(first), int(last or first) + 1)


TARGETS = ("reference", "cuda")
words = sys.argv[1:]
TARGET = words.pop(0) if words[0] in TARGETS else "cpu"
MODE = words.pop(0) if words[0] in ("compile", "function", "again") else None
ROUND = 0
RUNS = [(0, 0, -1, "cpu"), (1, 0, -1, "cpu"), (2, 0, 0, "cpu"), (3, 0, 0, "cpu"), (1, 1, 0, "cpu"), (2, 0, 1 if MODE == "compile" else 0, "cpu")]
if MODE == "again":
    RUNS = [(0, 0, 0, "cpu")] * 3 + [(1, 0, 1, "cpu")] * 2 + [(2, 0, 0, "cpu")]
if TARGET != "cpu":
    RUNS = [(2, 0, 0, "cpu"), (0, 0, 0, TARGET)]
sys.exit(main(list(seeds_of(words))))
