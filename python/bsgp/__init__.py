"""Arrays and kernels of BSGP, for Python.

Arrays are values that are computed when they are read, whole expressions at once, on all processors:

    >>> import bsgp as bp
    >>> x = bp.linspace(0, 1, 5)
    >>> bp.sum(bp.sqrt(x) * 2 + 1)
    array(11.14626437)

The functions are those of the array API standard (https://data-apis.org/array-api/2024.12/), many of NumPy's, and those of Accelerator.
`bsgp.compile` makes Python functions of a program of the language. docs/python.md is the tutorial.
"""

from __future__ import annotations

import importlib
import sys
from math import e, inf, nan, pi
from typing import Any

from . import _core
from ._core import (
    Array, AxisError, Error, abs, acos, acosh, add, angle, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert, bitwise_left_shift,
    bitwise_or, bitwise_right_shift, bitwise_xor, cbrt, ceil, cond, conj, copysign, cos, cosh, divide, equal, erf, erfc, exp, exp2, expm1,
    floor, floor_divide, fma, greater, greater_equal, hypot, imag, isfinite, isinf, isnan, less, less_equal, log, log10, log1p, log2,
    logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative, not_equal, pow, real, reciprocal, remainder,
    round, select, sign, signbit, sin, sinh, sqrt, square, subtract, tan, tanh, trunc,
)  # fmt: skip
from ._dtypes import (
    DType, bool_, can_cast, complex64, complex128, finfo, float16, float32, float64, iinfo, int8, int16, int32, int64, isdtype, result_type,
    uint8, uint16, uint32, uint64,
)  # fmt: skip
from ._convert import Device, asarray
from ._dlpack import from_dlpack
from ._creation import (
    arange, empty, empty_like, eye, full, full_like, linspace, meshgrid, ones, ones_like, tril, triu, zeros, zeros_like,
)  # fmt: skip
from ._manipulation import (
    astype, broadcast_arrays, broadcast_shapes, broadcast_to, concat, diff, expand_dims, flip, matrix_transpose, moveaxis, permute_dims, repeat,
    reshape, roll, squeeze, stack, tile, unstack,
)  # fmt: skip
from ._indexing import take, take_along_axis
from ._reductions import (
    all, any, argmax, argmin, count_nonzero, cumulative_max, cumulative_min, cumulative_prod, cumulative_sum, histogram, max, mean, min, prod,
    segment_reduce, segment_scan, std, sum, var,
)  # fmt: skip
from ._searching import (
    allclose, argsort, array_equal, clip, isclose, isin, logaddexp, nextafter, nonzero, positive, searchsorted, sort, unique_all, unique_counts,
    unique_inverse, unique_values, where,
)  # fmt: skip
from ._accelerator import (
    add_dimension, component, drop_dimension, expand, gather, index, inner_product, outer_product, replicate, rotate, scatter, section, shift,
    stretch, vector,
)  # fmt: skip
from ._evaluation import Explanation, Statistics, eval, explain, options, statistics
from ._functions import Function, Parameter, function, jit
from ._control import while_loop
from ._info import __array_namespace_info__
from . import _methods, linalg
from .linalg import matmul, tensordot, vecdot
from ._numpy import (
    absolute, amax, amin, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, argwhere, array, average, bincount, bitwise_not,
    column_stack, concatenate, conjugate, cumprod, cumsum, diag, dot, hstack, identity, invert, left_shift, median, mod, nan_to_num, outer, pad,
    percentile, power, quantile, ravel, right_shift, rot90, swapaxes, trace, transpose, true_divide, unique, vstack,
)  # fmt: skip

bool = bool_
newaxis = None
__version__: str = _core.FULL_VERSION
__array_api_version__ = "2024.12"

_LAZY = ("combine", "fft", "image", "random")
_OF_KERNELS = ("CompileError", "Module", "compile", "elementwise", "profile", "reduction", "scan", "tune")
_OF_PYTHON_KERNELS = ("kernel", "ptr")
_WORDS = (
    "RANK_REASSIGNED", "atomic_add", "atomic_and", "atomic_cas", "atomic_exchange", "atomic_max", "atomic_min", "atomic_or", "atomic_xor", "barrier",
    "block", "compact", "fork", "get", "kill", "oldrank", "par", "private", "put", "rank", "reduce", "require", "shared", "size", "sortby", "spawn",
    "x", "y", "z",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Modules that few programs need are imported when they are first used."""
    if name in _LAZY:
        return importlib.import_module("." + name, __name__)
    if name in _OF_KERNELS:
        return getattr(importlib.import_module(".kernels", __name__), name)
    if name in _OF_PYTHON_KERNELS:
        return getattr(importlib.import_module("._kernel.kernel", __name__), name)
    if name in _WORDS:
        return getattr(importlib.import_module("._kernel.words", __name__), name)
    hint = ""
    if callable(getattr(sys.modules.get("numpy"), name, None)):
        hint = f"\n  help: numpy.{name} takes numpy.asarray(a), and bsgp.asarray makes an array of what it gives"
    raise AttributeError(f"module 'bsgp' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_OF_KERNELS, *_OF_PYTHON_KERNELS, *_WORDS} - {"Any", "annotations", "importlib", "sys"})
