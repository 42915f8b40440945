"""Products of matrices and linear algebra give what NumPy gives; where results are not unique, their products are the matrix again."""
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1" # NumPy's; arrays say how many they use
import arrays as A
import numpy as np

RANDOM = np.random.default_rng(5)
FLOATS = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(0, 0), (1, 1), (2, 2), (3, 3), (17, 17), (3, 5), (5, 3), (0, 3), (3, 0), (1, 7), (7, 1), (0, 4, 4), (5, 4, 4), (2, 3, 6, 4), (1030, 2, 2),
          (70, 40), (40, 70), (2, 65, 65)]
SQUARE = [shape for shape in SHAPES if shape[-1] == shape[-2]] + [(130, 130)]
found = []


def values(shape, dtype):
    if dtype == "bool" or dtype[0] in "iu":
        return RANDOM.integers(-99 if dtype[0] == "i" else 0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    made = RANDOM.normal(size=shape)
    return (made + 1j * RANDOM.normal(size=shape) if dtype.startswith("c") else made).astype(dtype)


def limit(dtype):
    return {"e": 2e-2, "f": 2e-4, "F": 2e-4}.get(np.dtype(dtype).char, 1e-10)


def same(what, got, want, scale=1.0, dtype=None):
    want = np.asarray(want, dtype)
    if got.shape != want.shape or got.dtype != want.dtype:
        found.append(f"{what}: {got.shape} {got.dtype}, NumPy has {want.shape} {want.dtype}")
    elif got.dtype.kind not in "fc":
        if not np.array_equal(got, want):
            found.append(f"{what}: {got}, NumPy has {want}")
    else:
        allowed = limit(got.dtype) * scale * (1 + np.abs(want, dtype="f8" if want.dtype.kind == "f" else None))
        with np.errstate(invalid="ignore"):
            off = ~((np.abs(got - want) <= allowed) | (got == want) | (np.isnan(got) & np.isnan(want)))
        if off.any():
            found.append(f"{what}: {got[off].ravel()[:3]}, NumPy has {want[off].ravel()[:3]}")


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def whole(what, got, shape, dtype):
    if got.shape != shape or got.dtype != dtype:
        found.append(f"{what}: {got.shape} {got.dtype} in place of {shape} {dtype}")


# ---- products ----

PRODUCTS = [((3,), (3,)), ((0,), (0,)), ((5000,), (5000,)), ((3,), (3, 4)), ((4, 3), (3,)), ((2, 4, 3), (3,)), ((3,), (5, 3, 2)), ((0, 3), (3, 2)),
            ((3, 0), (0, 2)), ((0, 0), (0, 0)), ((1, 1), (1, 1)), ((2, 3), (3, 4)), ((17, 19), (19, 23)), ((33, 64), (64, 31)), ((65, 257), (257, 66)),
            ((1, 300), (300, 40)), ((40, 300), (300, 1)), ((2, 3, 4), (4, 5)), ((7, 30, 20), (20, 9)), ((2, 1, 8, 9), (3, 9, 7)), ((0, 3, 4), (4, 5)),
            ((1030, 4, 4), (1030, 4, 4)), ((3, 20, 30), (1, 30, 10)), ((2, 2, 1, 1, 2, 1, 2, 3), (3, 2)), ((1100, 20), (20, 1)), ((200, 150), (150, 170)),
            ((1, 300), (300, 1)), ((20, 1), (1, 300)), ((3, 0, 40), (40, 30)), ((5, 40, 0), (5, 0, 30))]


def products():
    for a, b in PRODUCTS:
        for dtype in FLOATS + ["float16", "int32", "uint8", "int64", "bool"]:
            x, y = values(a, dtype), values(b, dtype)
            for exact in (0, 1):
                A.options(exact=exact)
                same(f"matmul {a} {b} {dtype} exact {exact}", A.from_numpy(x).matmul(A.from_numpy(y)).numpy(), np.matmul(x, y), 20)
    A.options()
    for pair in (("float32", "float64"), ("int16", "float32"), ("float64", "complex64"), ("int8", "uint8"), ("bool", "int32")):
        x, y = values((30, 40), pair[0]), values((40, 20), pair[1])
        same(f"matmul {pair}", A.from_numpy(x).matmul(A.from_numpy(y)).numpy(), np.matmul(x, y), 20)


def transposed_products():
    """Operands that are transposed, also in a batch, and those that are computed first."""
    for dtype in ("float32", "complex128", "int32"):
        for exact in (0, 1):
            A.options(exact=exact)
            x, y, z = values((40, 30), dtype), values((20, 40), dtype), values((6, 40, 20), dtype)
            a, b, c = map(A.from_numpy, (x, y, z))
            same("x' y'", a.transpose([1, 0]).matmul(b.transpose([1, 0])).numpy(), x.T @ y.T, 20)
            same("x' z", a.transpose([1, 0]).matmul(c).numpy(), x.T @ z, 20)
            same("z' x", c.transpose([0, 2, 1]).matmul(a).numpy(), z.swapaxes(1, 2) @ x, 20)
            same("y x[::2]", b.matmul(a).numpy(), y @ x, 20)
            same("(x + x)' x", A.apply("add", a, a).transpose([1, 0]).matmul(a).numpy(), (x + x).T @ x, 20)
    A.options()


def bits():
    """With exact, a product is the sum of products; without, the library may round otherwise, and small ones are the same."""
    for m, k, n in ((1, 1, 1), (5, 7, 3), (20, 700, 130), (3, 64, 200), (2, 257, 300), (4, 100, 1), (1, 5000, 9), (30, 30, 30)):
        for dtype in FLOATS:
            x, y = values((m, k), dtype), values((k, n), dtype)
            a, b = A.from_numpy(x), A.from_numpy(y)
            terms = A.apply("multiply", a.add_dimension(2), b.add_dimension(0))
            want = terms.fold("sum", [1]).numpy()
            A.options(exact=1)
            for name in ("matmul", "inner"):
                got = getattr(a, name)(b).numpy()
                if got.tobytes() != want.tobytes():
                    found.append(f"exact {name} {(m, k, n)} {dtype}: {np.abs(got - want).max()} away from the sum")
            A.options(threads=1, exact=1)
            if a.matmul(b).numpy().tobytes() != want.tobytes():
                found.append(f"exact {(m, k, n)} {dtype} on one thread")
            A.options()
            same(f"inner {(m, k, n)} {dtype}", a.inner(b).numpy(), x @ y, 50)
    a, b = A.from_numpy(values((30, 40, 50), "float32")), A.from_numpy(values((50, 6, 7), "float32"))
    same("inner of more axes", a.inner(b).numpy(), np.tensordot(a.numpy(), b.numpy(), 1), 50)


def dots():
    for a, b, axis in (((3,), (3,), -1), ((4, 3), (3,), -1), ((4, 3), (2, 4, 3), -2), ((0,), (0,), -1), ((5, 0), (5, 0), -1), ((2000, 3), (2000, 3), -2)):
        for dtype in FLOATS + ["float16", "int8", "bool"]:
            x, y = values(a, dtype), values(b, dtype)
            want = np.sum(np.multiply(np.conj(x) if dtype[0] == "c" else x, y), axis=axis, dtype=x.dtype if dtype != "float16" else "f4")
            same(f"vecdot {a} {b} {axis} {dtype}", A.make("vecdot", A.from_numpy(x), A.from_numpy(y), axis).numpy(), want, 30, dtype)
    for a, b, axes in (((3, 4, 5), (4, 3, 2), ([1, 0], [0, 1])), ((3, 4, 5), (5, 4, 2), ([1, 2], [1, 0])), ((3, 4), (5, 6), ([], [])), ((2, 3), (2, 3), ([0, 1], [0, 1])),
                       ((20, 30, 4), (7, 30, 20), ([-3, -2], [2, 1])), ((0, 3), (3, 2), ([1], [0])), ((3,), (3,), ([0], [0]))):
        for dtype in FLOATS + ["int32"]:
            x, y = values(a, dtype), values(b, dtype)
            got = A.make("tensordot", A.from_numpy(x), A.from_numpy(y), len(axes[0]), A.ints(axes[0]), A.ints(axes[1])).numpy()
            same(f"tensordot {a} {b} {axes} {dtype}", got, np.tensordot(x, y, axes), 30)


# ---- composed ----

def composed():
    for shape in SHAPES:
        for dtype in FLOATS + ["int32", "bool"]:
            x = values(shape, dtype)
            a = A.from_numpy(x)
            same(f"matrix_transpose {shape}", A.make("matrix_transpose", a).numpy(), x.swapaxes(-1, -2))
            for offset in (0, 1, -1, 3, -4, 99, -99):
                long = A.ctypes.c_int64(offset)
                same(f"diagonal {shape} {offset}", A.make("diagonal", a, long).numpy(), np.diagonal(x, offset, -2, -1))
                same(f"trace {shape} {offset} {dtype}", A.make("trace", a, long).numpy(), np.trace(x, offset, -2, -1), 10)
    for a, b, axis in (((3,), (3,), -1), ((4, 3), (4, 3), 1), ((3, 5), (3, 5), 0), ((2, 4, 3), (3,), -1), ((3, 1), (2, 3, 7), -2), ((0, 3), (3,), -1)):
        for dtype in FLOATS + ["int16"]:
            x, y = values(a, dtype), values(b, dtype)
            along = {"axis": axis} if axis >= 0 else {"axisa": axis, "axisb": axis, "axisc": axis}
            same(f"cross {a} {b} {axis} {dtype}", A.make("cross", A.from_numpy(x), A.from_numpy(y), axis).numpy(), np.cross(x, y, **along))
    x, y = values(5, "float32"), values(7, "float32")
    same("outer", A.make("outer", A.from_numpy(x), A.from_numpy(y)).numpy(), np.outer(x, y))
    for dtype in FLOATS + ["int64"]:
        for shape in ((1, 1), (3, 3), (4, 3, 3), (0, 3, 3), (20, 20)):
            x = values(shape, dtype) if dtype[0] != "i" else RANDOM.integers(-2, 3, shape)
            for power in (0, 1, 2, 3, 7) + (() if dtype == "int64" else (-1, -2)):
                got = A.make("matrix_power", A.from_numpy(x), A.ctypes.c_int64(power)).numpy()
                want = np.linalg.matrix_power(x, power) if x.size else np.zeros(shape, dtype)
                same(f"matrix_power {shape} {dtype} {power}", got, want, 1e3 * max(1, np.abs(want).max(initial=0)))


def norms():
    for dtype in FLOATS + ["float16"]:
        for shape in ((5,), (3, 4), (2, 3, 4), (1, 1), (4, 0, 3), (2000,)):
            x = values(shape, dtype)
            a = A.from_numpy(x)
            wide = x.astype("f4") if dtype == "float16" else x
            for order in (2, 1, 0, 3, -1, 0.5, np.inf, -np.inf):
                for axes in (None, [0], [-1]):
                    if np.isinf(order) and (x.shape[axes[0]] if axes else x.size) == 0:
                        continue
                    arguments = (-1, None) if axes is None else (1, A.ints(axes))
                    got = A.make("vector_norm", a, *arguments, int(axes == [0]), A.ctypes.c_double(order)).numpy()
                    flat = wide.ravel() if axes is None else wide
                    with np.errstate(divide="ignore", over="ignore"):
                        want = np.linalg.norm(flat, order, axis=axes[0] if axes else 0, keepdims=axes == [0]).astype(x.real.dtype)
                    same(f"vector_norm {shape} {dtype} {order} {axes}", got, want, 5)
    for dtype in FLOATS:
        for shape in ((3, 4), (1, 1), (6, 2, 3), (40, 30), (0, 3, 3)):
            x = values(shape, dtype)
            for name, number in A.NORMS.items():
                for keep in (0, 1):
                    got = A.make("matrix_norm", A.from_numpy(x), keep, number).numpy()
                    same(f"matrix_norm {shape} {dtype} {name}", got, np.linalg.norm(x, name, (-2, -1), bool(keep)).astype(x.real.dtype), 5)


# ---- by LAPACK ----

def positive(shape, dtype):
    x = values(shape, dtype)
    return (x @ adjoint(x) + np.eye(shape[-1]) * shape[-1]).astype(dtype)


def factors():
    for shape in SQUARE:
        for dtype in FLOATS:
            x, n = values(shape, dtype), shape[-1]
            x = (x + 3 * np.eye(n)).astype(dtype)
            a, p = A.from_numpy(x), positive(shape, dtype)
            for upper in (0, 1):
                below = np.triu(np.full(shape, 1e9, dtype), 1) if not upper else np.tril(np.full(shape, 1e9, dtype), -1)
                got = A.make("cholesky", A.from_numpy(p + below), upper).numpy()
                lower = np.linalg.cholesky(p)
                same(f"cholesky {shape} {dtype}", got, adjoint(lower) if upper else lower, 10)
            with np.errstate(over="ignore"):
                want = np.linalg.det(x) if x.size else np.ones(shape[:-2], dtype)
            same(f"det {shape} {dtype}", A.make("det", a).numpy(), want, 50 * max(1, np.abs(want).max(initial=0)))
            sign, log = A.make_all("slogdet", 2, a)
            wanted = np.linalg.slogdet(x)
            same(f"slogdet {shape} {dtype}, sign", sign.numpy(), wanted[0], 50)
            same(f"slogdet {shape} {dtype}, log", log.numpy(), wanted[1], 50)
            conditions = np.linalg.cond(x).max(initial=1) if x.size else 1
            inverse = np.linalg.inv(x)
            same(f"inv {shape} {dtype}", A.make("inv", a).numpy(), inverse, 10 * conditions)
            for right in ((n,), shape[:-2] + (n, 3), (n, 1), shape[:-1] + (0,)):
                b = values(right, dtype)
                want = (inverse @ (b if len(right) > 1 else b[:, None])).astype(dtype)
                want = want if len(right) > 1 else want[..., 0]
                same(f"solve {shape} {right} {dtype}", A.make("solve", a, A.from_numpy(b)).numpy(), want, 20 * conditions)
    x, b = positive((3, 1, 4, 4), "float64"), values((5, 4, 2), "float32")
    same("solve, broadcast", A.make("solve", A.from_numpy(x), A.from_numpy(b)).numpy(), np.linalg.inv(x) @ b, 20)
    same("det of a singular matrix", A.make("det", A.from_numpy(np.ones((3, 3)))).numpy(), 0.0)
    sign, log = A.make_all("slogdet", 2, A.from_numpy(np.zeros((2, 2))))
    same("slogdet of a singular matrix", np.array([sign.numpy(), log.numpy()]), [0, -np.inf])
    half = positive((4, 4), "float32").astype("float16")
    same("inv of float16", A.make("inv", A.from_numpy(half)).numpy(), np.linalg.inv(half.astype("f4")).astype("f2"))


def triangular(x, lower=False):
    return np.array_equal(x, np.tril(x) if lower else np.triu(x))


def decompositions():
    for shape in SHAPES + [(130, 130)]:
        m, n, k = *shape[-2:], min(shape[-2:])
        for dtype in FLOATS:
            x, lead, real = values(shape, dtype), shape[:-2], np.dtype(dtype).type(0).real.dtype
            a, eye = A.from_numpy(x), lambda size: np.broadcast_to(np.eye(size, dtype=dtype), lead + (size, size))
            for full in (0, 1):
                q, r = (part.numpy() for part in A.make_all("qr", 2, a, full))
                whole(f"qr {shape} {full}", q, lead + (m, m if full else k), dtype)
                whole(f"qr {shape} {full}", r, lead + (m if full else k, n), dtype)
                same(f"q r {shape} {dtype} {full}", q @ r, x, 20)
                same(f"q'q {shape} {dtype} {full}", adjoint(q) @ q, eye(q.shape[-1]), 20)
                if not triangular(r):
                    found.append(f"qr {shape} {dtype} {full}: r is not triangular")
                u, s, vh = (part.numpy() for part in A.make_all("svd", 3, a, full))
                whole(f"svd {shape} {full}", u, lead + (m, m if full else k), dtype)
                whole(f"svd {shape} {full}", vh, lead + (n if full else k, n), dtype)
                same(f"svd {shape} {dtype} {full}, s", s, np.linalg.svd(x, compute_uv=False) if x.size else np.zeros(lead + (k,), real), 20)
                same(f"u s vh {shape} {dtype} {full}", (u[..., :k] * s[..., None, :]).astype(dtype) @ vh[..., :k, :], x, 40)
                same(f"u'u {shape} {dtype} {full}", adjoint(u) @ u, eye(u.shape[-1]), 40)
                same(f"v'v {shape} {dtype} {full}", vh @ adjoint(vh), eye(vh.shape[-2]), 40)
            same(f"svdvals {shape} {dtype}", A.make("svdvals", a).numpy(), s, 20)


def eigenvalues():
    for shape in SQUARE:
        for dtype in FLOATS:
            x, real = values(shape, dtype), np.dtype(dtype).type(0).real.dtype
            h = (x + adjoint(x)).astype(dtype)
            ignored = np.triu(np.full(shape, 1e9, dtype), 1)
            values_, vectors = (part.numpy() for part in A.make_all("eigh", 2, A.from_numpy(h + ignored)))
            same(f"eigh {shape} {dtype}", values_, np.linalg.eigvalsh(h), 50, real)
            same(f"h v {shape} {dtype}", h @ vectors, (vectors * values_[..., None, :]).astype(dtype), 100)
            same(f"v'v {shape} {dtype}", adjoint(vectors) @ vectors, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape), 50)
            same(f"eigvalsh {shape} {dtype}", A.make("eigvalsh", A.from_numpy(h)).numpy(), values_, 50)
            complex_type = np.result_type(dtype, "complex64")
            values_, vectors = (part.numpy() for part in A.make_all("eig", 2, A.from_numpy(x)))
            whole(f"eig {shape}", values_, shape[:-1], complex_type)
            same(f"x v {shape} {dtype}", x @ vectors, (vectors * values_[..., None, :]).astype(complex_type), 100)
            same(f"|v| {shape} {dtype}", np.linalg.norm(vectors, axis=-2), np.ones(shape[:-1], real), 10)
            sums = A.make("eigvals", A.from_numpy(x)).numpy().sum(-1)
            same(f"eigvals {shape} {dtype}", sums, np.trace(x, 0, -2, -1).astype(complex_type), 100)


def ranks():
    for shape in SHAPES:
        for dtype in FLOATS:
            x = values(shape, dtype)
            if x.size and shape[-2] > 1:
                x[..., 1, :] = 2 * x[..., 0, :]
            a = A.from_numpy(x)
            want = np.linalg.matrix_rank(x) if x.size else np.zeros(shape[:-2], "i8")
            same(f"matrix_rank {shape} {dtype}", A.make("matrix_rank", a, None).numpy(), want)
            rcond = max(shape[-2:]) * np.finfo(dtype).eps
            inverse = np.linalg.pinv(x, rcond).astype(dtype)
            scale = 20 * max(1, np.abs(inverse).max(initial=0)) ** 2
            same(f"pinv {shape} {dtype}", A.make("pinv", a, None).numpy(), inverse, scale)
            for right in ((shape[-2],), (shape[-2], 2)):
                b = values(right, dtype)
                same(f"lstsq {shape} {right} {dtype}", A.make("lstsq", a, A.from_numpy(b), None).numpy(), inverse @ b, scale * 10)
    x = np.diag([1, 1e-3, 1e-6]).astype("f8")
    tolerance = A.scalar(1e-4, "float64")
    same("matrix_rank, rtol", A.make("matrix_rank", A.from_numpy(x), tolerance).numpy(), 2, dtype="i8")
    each = A.from_numpy(np.array([1e-2, 1e-7]))
    same("matrix_rank, an rtol for each", A.make("matrix_rank", A.from_numpy(np.stack([x, x])), each).numpy(), [1, 3], dtype="i8")
    same("pinv, rtol", A.make("pinv", A.from_numpy(x), tolerance).numpy(), np.linalg.pinv(x, 1e-4))


# ---- functions, threads, forks ----

def functions():
    """Of parameters with unknown extents."""
    p, v = A.parameter("float64", [-1, -1]), A.parameter("float64", [-1])
    q, r = A.make_all("qr", 2, p, 0)
    u, s, vh = A.make_all("svd", 3, p, 0)
    square = p.transpose([1, 0]).matmul(p)
    solved = A.make("solve", square, p.transpose([1, 0]).matmul(v))
    function = A.Function([p, v], [q.matmul(r), s, solved, p.transpose([1, 0]).matmul(v)])
    for m, n in ((5, 3), (70, 4), (300, 40)):
        x, y = values((m, n), "float64"), values(m, "float64")
        got = [array.numpy() for array in function(A.from_numpy(x), A.from_numpy(y))]
        for name, one, want in zip(("q r", "s", "solve", "x' y"), got, (x, np.linalg.svd(x, compute_uv=False), np.linalg.lstsq(x, y, None)[0], x.T @ y)):
            same(f"{name} of parameters {(m, n)}", one, want, 1e3)
    kernels = A.statistics().kernels
    A.Function([p], A.make_all("qr", 2, p, 0))(A.from_numpy(values((9, 4), "float64")))
    if A.statistics().kernels - kernels != 3:
        found.append(f"{A.statistics().kernels - kernels} kernels for both parts of a qr of a parameter")
    q, r = A.make_all("qr", 2, A.from_numpy(values((9, 4), "float64")), 0)
    kernels = A.statistics().kernels
    A.evaluate(q), A.evaluate(r)
    if A.statistics().kernels - kernels != 3:
        found.append(f"{A.statistics().kernels - kernels} kernels for both parts of a qr")


def threads():
    x, batch = values((300, 300), "float64"), values((50, 20, 20), "float32")
    for count in (1, 2, 3):
        A.options(threads=count)
        same(f"on {count} threads", A.from_numpy(x).matmul(A.from_numpy(x)).numpy(), x @ x, 50)
        same(f"a batch on {count} threads", A.make("inv", A.from_numpy(batch)).numpy(), np.linalg.inv(batch), 1e4)
    A.options()
    child = os.fork()
    if child == 0:
        good = np.allclose(A.from_numpy(x).matmul(A.from_numpy(x)).numpy(), x @ x) and np.allclose(A.make("det", A.from_numpy(x)).numpy(), np.linalg.det(x))
        os._exit(0 if good else 1)
    if os.waitpid(child, 0)[1] != 0:
        found.append("a forked child")


for check in (products, transposed_products, bits, dots, composed, norms, factors, decompositions, eigenvalues, ranks, functions, threads):
    check()
print("\n".join(found[:20]))
print(f"{len(found)} differences")
sys.exit(bool(found))
