"""linalg against NumPy and array_api_strict: values where they are determined, else the properties that define the results."""

import array_api_strict as xp
import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import COMPLEX, FLOATING, FLOATS, INTEGERS, NUMERIC, agree, checked, raises, same

number = st.integers(0, 10_000)
BATCHES = [(), (2,), (0,), (2, 3)]


def near_of(dtype):
    return 2e-4 if dtype in ("float32", "complex64") else 1e-10


def matrix(dtype, shape, seed):
    """Numbers of which products of a few fit into the type, and matrices that are far from singular."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)
    made = rng.normal(size=shape)
    if dtype in COMPLEX:
        made = made + 1j * rng.normal(size=shape)
    return np.asarray(made).astype(dtype)


def square(dtype, batch, n, seed):
    return matrix(dtype, (*batch, n, n), seed) + np.eye(n).astype(dtype) * 3


def positive_definite(dtype, batch, n, seed):
    x = matrix(dtype, (*batch, n, n), seed)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(n).astype(dtype)).astype(dtype)


@checked(200, types=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)), batch=st.sampled_from([((), ()), ((2,), ()), ((2, 1), (3,)), ((0,), ()), ((1,), (4,))]),
         extents=st.tuples(*[st.integers(0, 4)] * 3), seed=number)  # fmt: skip
def check_matmul(types, batch, extents, seed):
    n, k, m = extents
    a, b = matrix(types[0], (*batch[0], n, k), seed), matrix(types[1], (*batch[1], k, m), seed + 1)
    near = max(near_of(each) for each in types)
    for call in (lambda m, a, b: m.matmul(a, b), lambda m, a, b: a @ b, lambda m, a, b: m.linalg.matmul(a, b)):
        agree(call, a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.matmul(a[..., 0, :], b) if a.shape[-2] and a.ndim == 2 else a, a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.matmul(a, b[..., :, 0]) if b.shape[-1] and b.ndim == 2 else a, a, b, ulps=8, near=near, zeros=False)
    raises(ValueError, bp.matmul, bp.ones((2, 3)), bp.ones((2, 3)))
    raises(ValueError, bp.matmul, bp.ones((2, 3)), bp.asarray(1.0))


@checked(200, types=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)), shapes=checks.broadcastable(), k=st.integers(0, 4), seed=number)
def check_vecdot_and_outer(types, shapes, k, seed):
    near = max(near_of(each) for each in types)
    a, b = matrix(types[0], (*shapes[0], k), seed), matrix(types[1], (*shapes[1], k), seed + 1)
    agree(lambda m, a, b: m.vecdot(a, b), a, b, ulps=8, near=near, zeros=False)
    axis = -1 - seed % min(a.ndim, b.ndim)
    agree(lambda m, a, b: m.linalg.vecdot(a, b, axis=axis), a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.linalg.outer(m.reshape(a, (-1,)), m.reshape(b, (-1,))), a, b, ulps=8, near=near, zeros=False)
    a, b = matrix(types[0], (*shapes[0], 3), seed), matrix(types[1], (*shapes[1], 3), seed + 1)
    agree(lambda m, a, b: m.linalg.cross(a, b), a, b, ulps=8, near=near, zeros=False)


@checked(150, types=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)), extents=st.tuples(*[st.integers(0, 3)] * 4), seed=number)
def check_tensordot(types, extents, seed):
    near = max(near_of(each) for each in types)
    i, j, k, n = extents
    a, b = matrix(types[0], (i, j, k), seed), matrix(types[1], (j, k, n), seed + 1)
    agree(lambda m, a, b: m.tensordot(a, b), a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.tensordot(a, b, axes=2), a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.tensordot(a, b, axes=((1, 2), (0, 1))), a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.tensordot(a, b, axes=((-1,), (-2,))), a, b, ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.tensordot(a, b, axes=0), a[:1, :1], b[:1, :1], ulps=8, near=near, zeros=False)
    agree(lambda m, a, b: m.linalg.tensordot(a, b, axes=([2, 1], [1, 0])), a, b, ulps=8, near=near, zeros=False)


@checked(100, dtype=st.sampled_from(NUMERIC), batch=st.sampled_from(BATCHES), extents=st.tuples(st.integers(0, 4), st.integers(0, 4)), offset=st.integers(-5, 5), seed=number)
def check_diagonal_and_trace(dtype, batch, extents, offset, seed):
    x = matrix(dtype, (*batch, *extents), seed)
    agree(lambda m, x: m.linalg.diagonal(x, offset=offset), x)
    agree(lambda m, x: m.linalg.trace(x, offset=offset), x, near=near_of(dtype), zeros=False)
    agree(lambda m, x: m.linalg.trace(x, dtype=getattr(m, dtype)), x, near=near_of(dtype), zeros=False)
    agree(lambda m, x: m.linalg.matrix_transpose(x), x)


@checked(150, dtype=st.sampled_from(FLOATING), shape=st.sampled_from([(), (3,), (0,), (2, 3), (3, 4, 2)]), order=st.sampled_from([0, 1, 2, 3, -1, -2, 0.5, np.inf, -np.inf]), keep=st.booleans(), seed=number)
def check_vector_norm(dtype, shape, order, keep, seed):
    x = matrix(dtype, shape, seed)
    rng = np.random.default_rng(seed)
    axes = [None] + list(range(-len(shape), len(shape))) + ([(0, 1), (-1, 0)] if len(shape) > 1 else [])
    axis = axes[rng.integers(len(axes))]
    agree(lambda m, x: m.linalg.vector_norm(x, axis=axis, keepdims=keep, ord=order), x, ulps=64, near=near_of(dtype))


@checked(100, dtype=st.sampled_from(FLOATING), batch=st.sampled_from(BATCHES), extents=st.tuples(st.integers(1, 4), st.integers(1, 4)), order=st.sampled_from(["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]), keep=st.booleans(), seed=number)  # fmt: skip
def check_matrix_norm(dtype, batch, extents, order, keep, seed):
    x = matrix(dtype, (*batch, *extents), seed)
    agree(lambda m, x: m.linalg.matrix_norm(x, keepdims=keep, ord=order), x, ulps=64, near=near_of(dtype))


@checked(150, dtype=st.sampled_from(FLOATING), batch=st.sampled_from(BATCHES), n=st.integers(0, 4), columns=st.integers(0, 3), seed=number)
def check_of_square_matrices(dtype, batch, n, columns, seed):
    x, near = square(dtype, batch, n, seed), near_of(dtype)
    agree(lambda m, x: m.linalg.det(x), x, ulps=64, near=near)
    agree(lambda m, x: m.linalg.slogdet(x), x, ulps=64, near=near)
    agree(lambda m, x: m.linalg.inv(x), x, ulps=64, near=near, zeros=False)
    agree(lambda m, x: m.linalg.matrix_power(x, seed % 6 - 2), x, ulps=64, near=100 * near, zeros=False)
    b = matrix(dtype, (*batch, n, columns), seed + 1)
    agree(lambda m, x, b: m.linalg.solve(x, b), x, b, ulps=64, near=near, zeros=False)
    b = matrix(dtype, (n,), seed + 2)
    agree(lambda m, x, b: m.linalg.solve(x, b), x, b, ulps=64, near=near, zeros=False)
    p = positive_definite(dtype, batch, n, seed)
    agree(lambda m, x: m.linalg.cholesky(x), p, ulps=64, near=near, zeros=False)
    agree(lambda m, x: m.linalg.cholesky(x, upper=True), p, ulps=64, near=near, zeros=False)
    agree(lambda m, x: m.linalg.eigvalsh(x), p, ulps=64, near=10 * near)


def close(got, want, near):
    checks.equal_values(np.atleast_1d(np.asarray(got)), np.atleast_1d(np.asarray(want)), 64, False, near)


@checked(100, dtype=st.sampled_from(FLOATING), batch=st.sampled_from(BATCHES), n=st.integers(0, 4), seed=number)
def check_eigenvectors(dtype, batch, n, seed):
    p = positive_definite(dtype, batch, n, seed)
    made, want = bp.linalg.eigh(bp.asarray(p)), xp.linalg.eigh(xp.asarray(p))
    assert made._fields == want._fields == ("eigenvalues", "eigenvectors")
    assert [(each.shape, str(each.dtype)) for each in made] == [(each.shape, str(each.dtype).split(".")[-1]) for each in want]
    values, vectors = (np.asarray(each) for each in made)
    close(p @ vectors, vectors * values[..., None, :], 100 * near_of(dtype))
    x = matrix(dtype, (*batch, n, n), seed)
    made = bp.linalg.eig(bp.asarray(x))
    assert made._fields == ("eigenvalues", "eigenvectors")
    values, vectors = (np.asarray(each) for each in made)
    assert values.dtype.kind == vectors.dtype.kind == "c" and values.shape == (*batch, n)
    close(x @ vectors, vectors * values[..., None, :], 100 * near_of(dtype))
    same(bp.sort(bp.abs(bp.linalg.eigvals(bp.asarray(x)))), np.sort(np.abs(values)), ulps=64, near=100 * near_of(dtype))


@checked(100, dtype=st.sampled_from(FLOATING), batch=st.sampled_from(BATCHES), extents=st.tuples(st.integers(0, 4), st.integers(0, 4)), seed=number)
def check_decompositions(dtype, batch, extents, seed):
    x, near = matrix(dtype, (*batch, *extents), seed), 100 * near_of(dtype)
    for mode in ("reduced", "complete"):
        made, want = bp.linalg.qr(bp.asarray(x), mode=mode), xp.linalg.qr(xp.asarray(x), mode=mode)
        assert made._fields == want._fields == ("Q", "R")
        assert [(each.shape, str(each.dtype)) for each in made] == [(each.shape, str(each.dtype).split(".")[-1]) for each in want], mode
        q, r = (np.asarray(each) for each in made)
        close(q @ r, x, near)
        close(r, np.triu(r), 0)
        close(np.conj(np.swapaxes(q, -1, -2)) @ q, np.broadcast_to(np.eye(q.shape[-1], dtype=dtype), (*batch, q.shape[-1], q.shape[-1])), near)
    for full in (True, False):
        made, want = bp.linalg.svd(bp.asarray(x), full_matrices=full), xp.linalg.svd(xp.asarray(x), full_matrices=full)
        assert made._fields == want._fields == ("U", "S", "Vh")
        assert [(each.shape, str(each.dtype)) for each in made] == [(each.shape, str(each.dtype).split(".")[-1]) for each in want], full
        u, s, vh = (np.asarray(each) for each in made)
        k = s.shape[-1]
        close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, near)
    agree(lambda m, x: m.linalg.svdvals(x), x, ulps=64, near=near)
    if min(extents):
        agree(lambda m, x: m.linalg.matrix_rank(x), x)
        low = (x[..., :, :1] @ x[..., :1, :]).astype(dtype)
        agree(lambda m, x: m.linalg.matrix_rank(x), low)
        agree(lambda m, x: m.linalg.matrix_rank(x, rtol=0.5), x)
        agree(lambda m, x: m.linalg.pinv(x), x, ulps=64, near=10 * near, zeros=False)
        agree(lambda m, x: m.linalg.pinv(x, rtol=1e-3), x, ulps=64, near=10 * near, zeros=False)


def check_mistakes():
    failures = checks.Failures()
    for name in ("det", "inv", "slogdet", "cholesky", "eigh", "eigvalsh", "eig", "eigvals"):
        function = getattr(bp.linalg, name)
        for shape in ((2, 3), (3,), ()):
            failures.run(f"{name} {shape}", raises, ValueError, lambda: bp.eval(function(bp.ones(shape))))
    for name in ("svd", "qr", "svdvals", "pinv"):
        failures.run(name, raises, ValueError, lambda: getattr(bp.linalg, name)(bp.ones(3)))
    failures.run("inv", raises, bp.linalg.LinAlgError, lambda: bp.eval(bp.linalg.inv(bp.zeros((2, 2)))))
    failures.run("solve", raises, bp.linalg.LinAlgError, lambda: bp.eval(bp.linalg.solve(bp.zeros((2, 2)), bp.ones(2))))
    failures.run("cholesky", raises, bp.linalg.LinAlgError, lambda: bp.eval(bp.linalg.cholesky(-bp.eye(2))))
    failures.run("cross", raises, ValueError, lambda: bp.linalg.cross(bp.ones(4), bp.ones(4)))
    failures.run("solve shapes", raises, ValueError, lambda: bp.linalg.solve(bp.ones((2, 2)), bp.ones(3)))
    failures.run("power", raises, TypeError, lambda: bp.linalg.matrix_power(bp.eye(2), 0.5))
    failures.report()


if __name__ == "__main__":
    checks.main(__name__)
