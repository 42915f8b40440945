"""Fourier transforms: the array API standard's extension `fft`.

float16, float32 and complex64 are computed in single precision, all others in double. norm: "backward": the inverse has the factor 1 / n;
"ortho": both have its root; "forward": the transform has it.
"""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._convert import Array, check_device, given
from ._dtypes import as_dtype
from ._manipulation import axes_of, axis_of

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq", "rfftn",
]

_FFT, _IFFT, _RFFT, _IRFFT, _HFFT, _IHFFT = range(6)
_NORMS = {"backward": 0, "ortho": 1, "forward": 2}


def _norm(norm: str) -> int:
    if norm not in _NORMS:
        raise ValueError(f"fft: norm is {norm!r}; it may be 'backward', 'ortho' or 'forward'")
    return _NORMS[norm]


def _one(kind: int, x: Any, n: int | None, axis: int, norm: str) -> Array:
    x = given(x)
    return _core.fft(kind, x, n, axis_of("fft", axis, x.ndim), _norm(norm))


def _several(kind: int, x: Any, s: Sequence[int] | None, axes: Sequence[int] | None, norm: str) -> Array:
    x = given(x)
    named = None if axes is None else axes_of("fft", tuple(axes), x.ndim)
    return _core.fftn(kind, x, None if s is None else list(s), named, _norm(norm))


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The discrete Fourier transform along an axis. n: points to which the axis is cut, or filled with zeros."""
    return _one(_FFT, x, n, axis, norm)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of fft."""
    return _one(_IFFT, x, n, axis, norm)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """fft of real numbers: the n // 2 + 1 elements that are not conjugates of others."""
    return _one(_RFFT, x, n, axis, norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of rfft: n real numbers; None: 2 * (extent - 1)."""
    return _one(_IRFFT, x, n, axis, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """fft of an array with Hermitian symmetry, of which the first half is given: n real numbers."""
    return _one(_HFFT, x, n, axis, norm)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of hfft."""
    return _one(_IHFFT, x, n, axis, norm)


def fftn(x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Array:
    """fft along several axes, None: all, or as many of the last ones as s has numbers of points."""
    return _several(_FFT, x, s, axes, norm)


def ifftn(x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Array:
    """The inverse of fftn."""
    return _several(_IFFT, x, s, axes, norm)


def rfftn(x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Array:
    """rfft along the last axis named, fft along the others."""
    return _several(_RFFT, x, s, axes, norm)


def irfftn(x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward") -> Array:
    """The inverse of rfftn."""
    return _several(_IRFFT, x, s, axes, norm)


def _frequencies(n: int, d: float, half: bool, dtype: Any, device: Any) -> Array:
    check_device(device)
    return _core.fftfreq(n, float(d), half, as_dtype("float64" if dtype is None else dtype).code)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of fft of n samples at distance d."""
    return _frequencies(n, d, False, dtype, device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of rfft of n samples at distance d."""
    return _frequencies(n, d, True, dtype, device)


def fftshift(x: Any, /, *, axes: Any = None) -> Array:
    """The halves of axes, None: all, exchanged, so that frequency 0 stands in the middle."""
    x = given(x)
    return _core.fftshift(x, None if axes is None else axes_of("fftshift", axes, x.ndim), False)


def ifftshift(x: Any, /, *, axes: Any = None) -> Array:
    """The inverse of fftshift."""
    x = given(x)
    return _core.fftshift(x, None if axes is None else axes_of("ifftshift", axes, x.ndim), True)
