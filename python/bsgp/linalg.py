"""Linear algebra: the array API standard's extension `linalg`.

Matrices are the last two axes; leading axes are a batch. Numbers are of floating-point or complex types, and computed by LAPACK (OpenBLAS)
where a decomposition is needed. A failure that depends on values, LinAlgError, comes when the result is computed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from . import _core
from ._convert import Array, given
from ._core import LinAlgError
from ._dtypes import as_dtype
from ._manipulation import axes_of, axis_of, matrix_transpose
from ._places import placed

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]


class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EigResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array


@placed
def matmul(x1: Any, x2: Any, /) -> Array:
    """Products of matrices; an operand with one axis is a row (x1) or a column (x2). Leading axes are broadcast."""
    return _core.matmul(given(x1), given(x2))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Sums of conj(x1) * x2 along an axis, counted from the last; other axes are broadcast."""
    x1, x2 = given(x1), given(x2)
    number = axis_of("vecdot", axis, min(x1.ndim, x2.ndim))
    if axis >= 0 and x1.ndim != x2.ndim:
        raise _core.AxisError(f"vecdot: axis {axis} of arrays with {x1.ndim} and {x2.ndim} axes\n  help: it is counted from the last: -1")
    return _core.vecdot(x1, x2, number - min(x1.ndim, x2.ndim))


@placed
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    """Sums of products over the last `axes` axes of x1 and the first of x2; or over two tuples of axes, in pairs."""
    x1, x2 = given(x1), given(x2)
    if isinstance(axes, int):
        if axes < 0 or axes > min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: {axes} axes of arrays of shapes {x1.shape} and {x2.shape}")
        return _core.tensordot(x1, x2, [i - axes for i in range(axes)], list(range(axes)))
    first, second = axes
    return _core.tensordot(x1, x2, axes_of("tensordot", first, x1.ndim), axes_of("tensordot", second, x2.ndim))


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Elements (i, i + offset) of matrices as a last axis."""
    return _core.diagonal(given(x), offset)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal of matrices. dtype: as in sum."""
    x = given(x)
    if dtype is None:
        return _core.trace(x, offset)
    code = as_dtype(dtype).code
    return _core.cast(_core.trace(_core.cast(x, code), offset), code)


def outer(x1: Any, x2: Any, /) -> Array:
    """Each element of x1 times each one of x2; both have one axis."""
    return _core.outer(given(x1), given(x2))


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Cross products of vectors of three elements along an axis; other axes are broadcast."""
    return _core.cross(given(x1), given(x2), axis)


@placed
def matrix_power(x: Any, n: int, /) -> Array:
    """The product of n equal square matrices; below 0: of their inverses."""
    return _core.matrix_power(given(x), n)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Over axes, None: all: the sum of abs(x) to the power of ord, to the power of 1 / ord; inf, -inf: the greatest and the least; 0: how many are not 0."""
    x = given(x)
    axes = None if axis is None else axes_of("vector_norm", axis, x.ndim)
    if ord == math.inf and 0 in (x.shape if axes is None else [x.shape[i] for i in axes]):
        ord = 1  # of no elements 0
    return _core.vector_norm(x, axes, keepdims, float(ord))


_NORMS = {"fro": 0, "nuc": 1, 1: 2, -1: 3, 2: 4, -2: 5, math.inf: 6, -math.inf: 7}


@placed
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """A real number for each matrix. ord: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    if ord not in _NORMS:
        raise ValueError(f"matrix_norm: there is no ord {ord!r}\n  help: it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    return _core.matrix_norm(given(x), keepdims, _NORMS[ord])


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """NumPy's norm: vector_norm of one axis or all, matrix_norm of two axes where ord is given."""
    x = given(x)
    if ord is None or (axis is not None and not isinstance(axis, tuple)) or (axis is None and x.ndim == 1):
        return vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if axis not in (None, (-2, -1)) or (axis is None and x.ndim != 2):
        raise ValueError(f"norm: ord={ord!r} over axes {axis} of an array of shape {x.shape}\n  help: matrix_norm is over the last two axes")
    return matrix_norm(x, ord=ord, keepdims=keepdims)


@placed
def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """The lower factor L of x = L L', or the upper one U of x = U' U. LinAlgError of matrices that are not positive definite."""
    return _core.cholesky(given(x), upper)


@placed
def det(x: Any, /) -> Array:
    """The determinants of square matrices."""
    return _core.det(given(x))


@placed
def slogdet(x: Any, /) -> SlogdetResult:
    """The determinants as their signs and the logarithms of their magnitudes."""
    return SlogdetResult(*_core.slogdet(given(x)))


@placed
def inv(x: Any, /) -> Array:
    """The inverses of square matrices. LinAlgError of singular ones."""
    return _core.inv(given(x))


@placed
def solve(x1: Any, x2: Any, /) -> Array:
    """x of x1 x = x2; x2 is a vector, with one axis, or matrices with as many rows. LinAlgError of singular matrices."""
    return _core.solve(given(x1), given(x2))


@placed
def eigh(x: Any, /) -> EighResult:
    """Ascending eigenvalues, and eigenvectors as columns, of symmetric or Hermitian matrices, whose lower triangle is read."""
    return EighResult(*_core.eigh(given(x)))


@placed
def eigvalsh(x: Any, /) -> Array:
    """Ascending eigenvalues of symmetric or Hermitian matrices, whose lower triangle is read."""
    return _core.eigvalsh(given(x))


@placed
def eig(x: Any, /) -> EigResult:
    """Complex eigenvalues, in no order, and eigenvectors as columns, of square matrices."""
    return EigResult(*_core.eig(given(x)))


@placed
def eigvals(x: Any, /) -> Array:
    """Complex eigenvalues of square matrices, in no order."""
    return _core.eigvals(given(x))


@placed
def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Q with orthonormal columns and an upper triangular R, x = Q R. mode: "reduced": min(m, n) columns; "complete": m."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is {mode!r}; it may be 'reduced' or 'complete'")
    return QRResult(*_core.qr(given(x), mode == "complete"))


@placed
def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """x = U diag(S) Vh, with descending singular values. full_matrices: U and Vh are square."""
    return SVDResult(*_core.svd(given(x), full_matrices))


@placed
def svdvals(x: Any, /) -> Array:
    """The singular values, descending."""
    return _core.svdvals(given(x))


def _tolerance(rtol: Any) -> Any:
    return None if rtol is None else given(rtol)


@placed
def matrix_rank(x: Any, /, *, rtol: Any = None) -> Array:
    """How many singular values are above rtol times the greatest; None: the greater extent times the type's epsilon. int64."""
    return _core.matrix_rank(given(x), _tolerance(rtol))


@placed
def pinv(x: Any, /, *, rtol: Any = None) -> Array:
    """The pseudoinverses (Moore, Penrose). rtol: as in matrix_rank."""
    return _core.pinv(given(x), _tolerance(rtol))


@placed
def lstsq(x1: Any, x2: Any, /, *, rtol: Any = None) -> Array:
    """x with the least |x1 x - x2|, and of these the least |x|: pinv(x1) x2. NumPy's lstsq returns it first of a tuple."""
    return _core.lstsq(given(x1), given(x2), _tolerance(rtol))
