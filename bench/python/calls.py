"""Times of calls from Python, in one process. Usage: calls.py [--quick]

Each row is the least of several rounds of many calls, ours and those of peers in turns."""
import ctypes
import sys
import time
import warnings

import bsgp as bp
import numpy as np

warnings.filterwarnings("ignore")
QUICK = "--quick" in sys.argv
ROUNDS = 5 if QUICK else 15


def optional(name):
    try:
        return __import__(name)
    except Exception:
        return None


jax, drjit = optional("jax"), optional("drjit")
if drjit:
    try:
        import drjit.llvm as dr

        dr.Float([1, 2]) + 1
    except Exception:
        drjit = None


def microseconds(peers, calls):
    """peers: name → a function. The least time of a call of each."""
    for call in peers.values():
        call()
    least = {name: float("inf") for name in peers}
    for _ in range(ROUNDS):
        for name, call in peers.items():
            began = time.perf_counter()
            for _ in range(calls):
                call()
            least[name] = min(least[name], (time.perf_counter() - began) / calls * 1e6)
    return least


def row(name, peers, calls=2000):
    least = microseconds(peers, calls)
    print(f"{name:<44}" + "  ".join(f"{peer} {value:.2f}" for peer, value in least.items()), flush=True)


x, y = np.linspace(1, 2, 16, dtype=np.float32), np.linspace(2, 3, 16, dtype=np.float32)
p, q = bp.asarray(x), bp.asarray(y)
if drjit:
    dx, dy = dr.Float(x), dr.Float(y)


def ten(a, b):
    for _ in range(5):
        a = a * b + b
    return a


def traced_drjit():
    made = ten(dx, dy)
    dr.eval(made)


print("microseconds a call, n = 16, float32")
row("an empty loop (taken off below)", {"": lambda: p})
empty = microseconds({"": lambda: p}, 20000)[""]
one = microseconds({"bsgp": lambda: p + q, "scalar": lambda: p * 2.0, "NumPy": lambda: x + y}, 20000)
print(f"{'one operation, not computed':<44}bsgp {one['bsgp'] - empty:.3f}  with a number {one['scalar'] - empty:.3f}  (NumPy computes it: {one['NumPy'] - empty:.3f})")
peers = {"bsgp": lambda: bp.eval(ten(p, q)), "NumPy": lambda: ten(x, y)}
if drjit:
    import drjit as _drjit

    peers["Dr.Jit"] = lambda: _drjit.eval(ten(dx, dy))
row("ten operations, traced and computed", peers)

bound = bp.jit(ten)
a, b = bp.Parameter(16, "float32"), bp.Parameter(16, "float32")
function = bp.Function([a, b], ten(a, b))
peers = {"bsgp.jit": lambda: bound(p, q), "bsgp.Function": lambda: function(p, q)}
if jax:
    import jax.numpy as jnp

    jitted, jx, jy = jax.jit(ten), jnp.asarray(x), jnp.asarray(y)
    peers["JAX"] = lambda: jitted(jx, jy)
if drjit:
    frozen = _drjit.freeze(ten)
    peers["Dr.Jit frozen"] = lambda: frozen(dx, dy)
row("the same, made once", peers)
row("asarray of 16 elements", {"bsgp": lambda: bp.asarray(x)})
row("numpy.asarray of an array", {"bsgp": lambda: np.asarray(p)})
row("a[3]", {"bsgp": lambda: p[3], "NumPy": lambda: x[3]})
row("a[1:9]", {"bsgp": lambda: p[1:9], "NumPy": lambda: x[1:9]})

KERNEL = "export void axpy(float* x, const float* y, float* z, int n, float k) { spawn (n) { i = thread.rank; z[i] = x[i] * k + y[i]; } }"


def compiled(text):
    began, cpu = time.perf_counter(), time.process_time()
    made = bp.compile(text)
    return made, f"{(time.process_time() - cpu) * 1e3:.2f} ms of CPU, {(time.perf_counter() - began) * 1e3:.2f} ms"


module, first = compiled(KERNEL)
_, second = compiled(KERNEL.replace("axpy", "other"))
print(f"\na text to a callable: the first of a process {first}; another one {second}")
z = np.zeros(16, np.float32)
row("a kernel with three arrays, n = 16", {"bsgp": lambda: module.axpy(x, y, z, 16, 2.0)})
lib = ctypes.CDLL(None)
lib.abs.argtypes = [ctypes.c_void_p]
row("one call by ctypes with a pointer", {"ctypes": lambda: lib.abs(5)})

u, v = np.random.default_rng(1).random((2, 1_000_000), dtype=np.float32)
pu, pv = bp.asarray(u), bp.asarray(v)


def expression(xp, a, b):
    return xp.sqrt(a * a + b * b) * 0.5 + xp.exp(-a) * xp.maximum(a, b)


large = bp.jit(lambda a, b: expression(bp, a, b))
print("\nsqrt(x² + y²) / 2 + exp(-x) max(x, y), float32, 1 M")
row("microseconds", {"bsgp.jit": lambda: large(pu, pv), "traced": lambda: expression(bp, pu, pv).eval(), "NumPy": lambda: expression(np, u, v)}, 10)
