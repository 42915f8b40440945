"""Times arrays beside NumPy, numexpr, Numba, JAX and Dr.Jit; run by arrays_bench.py in an environment that has what can be installed of them.

Usage: compare.py [--quick]. Every peer computes the same, in turns; a row has medians, and theirs over ours. What peers compile once
is a function of parameters here.
"""
import statistics
import sys
import time
import warnings

import arrays as A
import numpy as np

warnings.filterwarnings("ignore")
QUICK = "--quick" in sys.argv
ROUNDS = 7 if QUICK else 25


def optional(name):
    try:
        return __import__(name)
    except Exception:
        return None


numexpr, numba, jax, drjit = optional("numexpr"), optional("numba"), optional("jax"), optional("drjit")
if jax:
    import jax.numpy as jnp
if drjit:
    try:
        import drjit.llvm as dr
        dr.Float([1, 2]) + 1
    except Exception:
        drjit = None


def median_ms(call):
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1e3


def row(name, peers, same=1e-3):
    """peers: name → a function that returns its result as NumPy's, or None."""
    results = {}
    for peer, call in list(peers.items()):
        try:
            call()
            results[peer] = np.asarray(call())
        except Exception as error:
            print(f"  {peer} is left out of {name}: {str(error).splitlines()[0][:100]}")
            del peers[peer]
    wrong = [peer for peer, result in results.items() if not np.allclose(result, results["arrays"], rtol=same, atol=same * np.abs(results["arrays"]).max())]
    times = {peer: [] for peer in peers}
    for _ in range(ROUNDS):
        for peer, call in peers.items():
            times[peer].append(min(median_ms(call), median_ms(call))) # threads of another peer may just have slept
    ours = times["arrays"]
    cells = []
    for peer in ("NumPy", "numexpr", "Numba", "JAX", "Dr.Jit"):
        if peer in times:
            ratio = statistics.median(theirs / mine for theirs, mine in zip(times[peer], ours))
            cells.append(f"{statistics.median(times[peer]):.3f} ({ratio:.2f}{', wrong' if peer in wrong else ''})")
        else:
            cells.append("")
    print(f"| {name} | {statistics.median(ours):.3f} | " + " | ".join(cells) + " |", flush=True)


def ours(*arrays):
    A.evaluate(*arrays)
    return arrays[0]


def bound(build, *arrays):
    """What build(*arrays) gives, made once as a function of parameters, as peers compile theirs once."""
    parameters = [A.parameter(array.dtype, array.shape) for array in arrays]
    function = A.Function(parameters, [build(*parameters)])
    return lambda: function(*arrays)[0].data()


def expression(n):
    random = np.random.default_rng(1)
    x, y = random.random(n, "f4"), random.random(n, "f4")
    half, op = A.scalar(0.5, "float64", 1), A.apply

    def build(a, b):
        root = op("sqrt", op("add", op("square", a), op("square", b)))
        return op("add", op("multiply", root, half), op("multiply", op("exp", op("negative", a)), op("cond", op("greater", a, b), a, b)))

    mine = bound(build, A.from_numpy(x), A.from_numpy(y))

    def numpys():
        return np.sqrt(x * x + y * y) * np.float32(.5) + np.exp(-x) * np.where(x > y, x, y)

    peers = {"arrays": mine, "NumPy": numpys}
    if numexpr:
        peers["numexpr"] = lambda: numexpr.evaluate("sqrt(x*x + y*y) * h + exp(-x) * where(x > y, x, y)", {"x": x, "y": y, "h": np.float32(.5)})
    if numba:
        @numba.njit(parallel=True, fastmath=False)
        def loop(x, y):
            out = np.empty_like(x)
            for i in numba.prange(x.size):
                out[i] = np.sqrt(x[i] * x[i] + y[i] * y[i]) * np.float32(.5) + np.exp(-x[i]) * (x[i] if x[i] > y[i] else y[i])
            return out
        peers["Numba"] = lambda: loop(x, y)
    if jax:
        jitted = jax.jit(lambda x, y: jnp.sqrt(x * x + y * y) * .5 + jnp.exp(-x) * jnp.where(x > y, x, y))
        jx, jy = jnp.asarray(x), jnp.asarray(y)
        peers["JAX"] = lambda: jitted(jx, jy).block_until_ready()
    if drjit:
        dx, dy = dr.Float(x), dr.Float(y)

        def traced():
            out = drjit.sqrt(dx * dx + dy * dy) * .5 + drjit.exp(-dx) * drjit.select(dx > dy, dx, dy)
            drjit.eval(out)
            drjit.sync_thread()
            return out
        peers["Dr.Jit"] = traced
    row(f"sqrt(x²+y²)·½ + exp(−x)·max(x, y), f32, {n:,}", peers)


def sums(n, axis):
    x = np.random.default_rng(2).random((n, n), "f4")
    mine = bound(lambda a: A.apply("multiply", A.apply("add", a, a), a).fold("sum", [axis]), A.from_numpy(x))
    peers = {"arrays": mine, "NumPy": lambda: x.sum(axis)}
    if jax:
        jitted, jx = jax.jit(lambda x: ((x + x) * x).sum(axis)), jnp.asarray(x)
        peers["JAX"] = lambda: jitted(jx).block_until_ready()
    row(f"sum of (x + x)·x along axis {axis}, {n}²; NumPy: of x alone", peers, same=9)


def convolution(n):
    x = np.random.default_rng(3).random((n, n), "f4")
    w = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]).astype("f4") / 256
    weights = [[A.scalar(w[i, j], "float32") for j in range(5)] for i in range(5)]

    def build(a):
        total = None
        for i in range(5):
            for j in range(5):
                term = A.apply("multiply", a.shift([2 - i, 2 - j], "clamp"), weights[i][j])
                total = A.apply("add", total, term) if total else term
        return total

    mine = bound(build, A.from_numpy(x))

    def numpys():
        padded, out = np.pad(x, 2, mode="edge"), np.zeros_like(x)
        for i in range(5):
            for j in range(5):
                out += padded[i:i + n, j:j + n] * w[i, j]
        return out

    peers = {"arrays": mine, "NumPy": numpys}
    if numba:
        @numba.njit(parallel=True)
        def loop(p, w):
            out = np.empty((p.shape[0] - 4, p.shape[1] - 4), np.float32)
            for y in numba.prange(out.shape[0]):
                for x in range(out.shape[1]):
                    s = np.float32(0)
                    for i in range(5):
                        for j in range(5):
                            s += p[y + i, x + j] * w[i, j]
                    out[y, x] = s
            return out
        peers["Numba"] = lambda: loop(np.pad(x, 2, mode="edge"), w)
    if jax:
        kernel, jx = jnp.asarray(w)[None, None], jnp.asarray(x)
        jitted = jax.jit(lambda x: jax.lax.conv(jnp.pad(x, 2, mode="edge")[None, None], kernel, (1, 1), "VALID")[0, 0])
        peers["JAX"] = lambda: jitted(jx).block_until_ready()
    row(f"5x5 convolution, {n}²", peers)


def life(n):
    x = (np.random.default_rng(4).random((n, n)) < 0.3).astype("f4")
    two, three, one, zero = (A.scalar(v, "float32") for v in (2, 3, 1, 0))
    around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]

    def build(a):
        count = None
        for by in around:
            count = A.apply("add", count, a.shift(by, "wrap")) if count else a.shift(by, "wrap")
        lives = A.apply("logical_or", A.apply("equal", count, three), A.apply("logical_and", A.apply("equal", count, two), A.apply("equal", a, one)))
        return lives.cast("float32")

    mine = bound(build, A.from_numpy(x))

    def with_numpy(np, x):
        count = sum(np.roll(x, by, (0, 1)) for by in around)
        return ((count == 3) | ((count == 2) & (x == 1))).astype("float32")

    peers = {"arrays": mine, "NumPy": lambda: with_numpy(np, x)}
    if numba:
        @numba.njit(parallel=True)
        def loop(x):
            h, w = x.shape
            out = np.empty_like(x)
            for i in numba.prange(h):
                for j in range(w):
                    c = np.float32(0)
                    for di in (-1, 0, 1):
                        for dj in (-1, 0, 1):
                            if di != 0 or dj != 0:
                                c += x[(i + di) % h, (j + dj) % w]
                    out[i, j] = 1 if c == 3 or (c == 2 and x[i, j] == 1) else 0
            return out
        peers["Numba"] = lambda: loop(x)
    if jax:
        jitted, jx = jax.jit(lambda x: with_numpy(jnp, x)), jnp.asarray(x)
        peers["JAX"] = lambda: jitted(jx).block_until_ready()
    row(f"Life, {n}²", peers)


def rows(name, numpys, dtype, n, same=1e-3):
    x = (np.random.default_rng(5).random(n) * 1000).astype(dtype)
    a = A.from_numpy(x)
    row(f"{name}, {dtype}, {n:,}", {"arrays": lambda: ours(a.rows(name)).data(), "NumPy": lambda: numpys(x)}, same)


def versions():
    found = [f"{name} {module.__version__}" for name, module in (("NumPy", np), ("numexpr", numexpr), ("Numba", numba), ("JAX", jax), ("Dr.Jit", drjit)) if module]
    print("peers:", ", ".join(found))


versions()
print("ms, and theirs over ours: above 1 ours is faster\n")
print("| | arrays | NumPy | numexpr | Numba | JAX | Dr.Jit |\n|---|---|---|---|---|---|---|")
expression(1 << 20)
expression(1 << 20 if QUICK else 1 << 24)
for axis in (0, 1):
    sums(1000, axis)
    sums(4096, axis)
convolution(1000)
life(1000)
rows("cumulative_sum", lambda x: np.cumsum(x, dtype=x.dtype), "float32", 1 << 20)
rows("cumulative_sum", np.cumsum, "int64", 1 << 20)
rows("sort", np.sort, "float32", 1_000_000)
rows("argsort", np.argsort, "float32", 1_000_000, same=9)
