"""Attributes and methods of arrays, which are functions of the package under another name."""

from __future__ import annotations

import functools
from typing import Any

from . import _core, _dlpack, _indexing, _manipulation, _reductions, _searching
from ._convert import CPU, Array, Device, check_device
from ._creation import extent_of, shape_of
from ._numpy import dot as _dot


def _numpy(self: Array) -> Any:
    import numpy

    return numpy.asarray(self)


def _repr(self: Array) -> str:
    if not _is_known(self):
        return f"<bsgp.Array of shape {self.shape} and type {self.dtype}, made of a parameter>"
    return repr(_numpy(self))


def _str(self: Array) -> str:
    return str(_numpy(self)) if _is_known(self) else _repr(self)


def _is_known(self: Array) -> bool:
    return not _core.is_open(self)


def _format(self: Array, spec: str) -> str:
    return format(self.item(), spec) if spec or (self.ndim == 0 and _is_known(self)) else _str(self)


def item(self: Array) -> Any:
    """The only element as a number of Python."""
    kind = self.dtype.kind
    if kind == "bool":
        return bool(self)
    return int(self) if "integer" in kind else complex(self) if kind == "complex floating" else float(self)


def tolist(self: Array) -> Any:
    """The elements as numbers in nested lists."""
    return _numpy(self).tolist()


def numpy(self: Array) -> Any:
    """The elements as a NumPy array that cannot be written to; numpy.array(a) makes a copy that can."""
    return _numpy(self)


def evaluate(self: Array) -> Array:
    """Computes it, and returns it."""
    _core.eval([self])
    return self


def _reshape(self: Array, /, *shape: Any, copy: bool | None = None) -> Array:
    """The elements in the same order in another shape: a.reshape(2, 3) or a.reshape((2, 3)); one extent may be -1."""
    return _manipulation.reshape(self, shape[0] if len(shape) == 1 else shape, copy=copy)


def _transpose(self: Array, /, *axes: Any) -> Array:
    """Axis i is axis axes[i]; without axes: in reverse order."""
    order = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))) else axes
    return _manipulation.permute_dims(self, order or range(self.ndim)[::-1])


def _swapaxes(self: Array, first: int, second: int, /) -> Array:
    """Two axes exchanged."""
    order = list(range(self.ndim))
    first, second = (_manipulation.axis_of("swapaxes", each, self.ndim) for each in (first, second))
    order[first], order[second] = second, first
    return _manipulation.permute_dims(self, order)


def _t(self: Array) -> Array:
    """A matrix with its axes exchanged; of more axes all in reverse order."""
    return _transpose(self)


def _to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    """The array itself: it is in the machine's memory. ValueError for other devices."""
    check_device(device)
    if stream is not None:
        raise ValueError("to_device: the machine's memory has no streams")
    return self


def _namespace(self: Array, /, *, api_version: str | None = None) -> Any:
    """The module bsgp. Raises ValueError for a version of the array API standard that it does not have."""
    import bsgp

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"there is no version {api_version!r} of the array API standard here\n  help: it is {bsgp.__array_api_version__}")
    return bsgp


def _interface(self: Array) -> dict[str, Any]:
    _core.eval([self])  # what has no values fails here: NumPy asks for this where a buffer has failed
    return dict(_numpy(self).__array_interface__)


def _iter(self: Array) -> Any:
    if self.ndim == 0:
        raise TypeError("an array of rank 0 has no elements to iterate over")
    return (self[i] for i in range(extent_of("iter", self, 0)))


def _contains(self: Array, value: Any) -> bool:
    return bool(_reductions.any(_core.equal(self, value)))


def _copy(self: Array, *_: Any) -> Array:
    return +self


def _reduce(self: Array) -> Any:
    from ._convert import asarray

    return asarray, (_numpy(self),)


def _method(function: Any, *names: str) -> None:
    for name in names or (function.__name__,):
        setattr(Array, name, function)


def _property(name: str, get: Any, doc: str) -> None:
    setattr(Array, name, property(get, doc=doc))


def _divmod(self: Array, other: Any) -> tuple[Array, Array]:
    return self // other, self % other


def _rdivmod(self: Array, other: Any) -> tuple[Array, Array]:
    return other // self, other % self


def _reversed(self: Array) -> Any:
    return iter(_manipulation.flip(self, axis=0))


def _like_numpy(function: Any) -> Any:
    """A method with the arguments that NumPy's functions give to methods of this name: numpy.sum(a) calls a.sum."""

    @functools.wraps(function)
    def method(self: Array, axis: Any = None, dtype: Any = None, out: Any = None, **keywords: Any) -> Any:
        if out is not None:
            raise TypeError(f"{function.__name__}: out={type(out).__name__}, but results are new arrays\n  help: out[...] = the result")
        if dtype is not None:
            keywords["dtype"] = dtype
        if "ddof" in keywords:
            keywords["correction"] = keywords.pop("ddof")
        return function(self, axis, **keywords)

    return method


def _cumsum(self: Array, axis: int | None = None, **keywords: Any) -> Array:
    """cumulative_sum; axis None: of all elements in their order."""
    return _reductions.cumulative_sum(_manipulation.reshape(self, (-1,)) if axis is None else self, axis=axis or 0, **keywords)


def _cumprod(self: Array, axis: int | None = None, **keywords: Any) -> Array:
    """cumulative_prod; axis None: of all elements in their order."""
    return _reductions.cumulative_prod(_manipulation.reshape(self, (-1,)) if axis is None else self, axis=axis or 0, **keywords)


for _function in (
    _reductions.sum, _reductions.prod, _reductions.min, _reductions.max, _reductions.all, _reductions.any, _reductions.mean, _reductions.var,
    _reductions.std, _reductions.argmin, _reductions.argmax,
):  # fmt: skip
    _method(_like_numpy(_function))
for _other in (
    _manipulation.astype, _manipulation.squeeze, _manipulation.repeat,
    _searching.argsort, _searching.clip, _searching.nonzero, _indexing.take, _core.round, _core.conj, item, tolist, numpy,
):  # fmt: skip
    _method(_other)


def _bound(function: Any) -> Any:
    def method(self: Array) -> Array:
        return function(self)

    method.__doc__ = function.__doc__
    return method


setattr(Array, "round", _bound(_core.round))
setattr(Array, "conj", _bound(_core.conj))
setattr(Array, "conjugate", _bound(_core.conj))
_method(evaluate, "eval")
_method(_reshape, "reshape")
_method(_transpose, "transpose")
_method(_swapaxes, "swapaxes")
_method(lambda self: _manipulation.reshape(self, (-1,)), "ravel", "flatten")
_method(_copy, "copy", "__copy__", "__deepcopy__")
_method(lambda self, other: _dot(self, other), "dot")
_method(_like_numpy(_cumsum), "cumsum")
_method(_like_numpy(_cumprod), "cumprod")
_method(_divmod, "__divmod__")
_method(_rdivmod, "__rdivmod__")
_method(_reversed, "__reversed__")
_method(_iter, "__iter__")
_method(_contains, "__contains__")
_method(_repr, "__repr__")
_method(_str, "__str__")
_method(_format, "__format__")
_method(_reduce, "__reduce__")
_method(_namespace, "__array_namespace__")
_method(_dlpack.to_dlpack, "__dlpack__")
_method(_dlpack.dlpack_device, "__dlpack_device__")
_method(_to_device, "to_device")
_property("T", _t, _t.__doc__ or "")
_property("mT", _manipulation.matrix_transpose, "The last two axes exchanged.")
_property("device", lambda self: CPU, "Where the elements are: the machine's memory.")
_property("itemsize", lambda self: self.dtype.itemsize, "The bytes of an element.")
_property("nbytes", lambda self: None if self.size is None else self.size * self.dtype.itemsize, "The bytes of all elements.")
_property("real", _core.real, "The real parts.")
_property("imag", _core.imag, "The imaginary parts; of real numbers 0.")
_property("__array_interface__", _interface, "NumPy's array interface.")
setattr(Array, "__array_ufunc__", None)  # NumPy leaves operators with an array of it to this type
