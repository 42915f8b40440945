"""Random numbers: Philox 4x32-10 (Salmon and others 2011), a function of a key and of the place of each element alone.

The same key gives the same numbers, on every machine and on any number of threads, also in another of these functions: each call takes a
key of its own. Different keys give independent numbers:

    >>> bp.random.uniform((2, 3), key=1)
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._convert import Array, of_number
from ._creation import shape_of
from ._dtypes import DType, as_dtype, float16, float32, float64, uint64

__all__ = ["bits", "integers", "normal", "permutation", "uniform"]


def bits(shape: Any, *, key: int) -> Array:
    """64 random bits for each element, uint64. key: a whole number from 0 to 2**64 - 1, another one for each call."""
    if not hasattr(key, "__index__") or not 0 <= key.__index__() < 2**64:
        raise ValueError(f"random: key={key!r}\n  help: it is a whole number from 0 to 2**64 - 1, another one for each call")
    return _core.random_bits(key.__index__(), shape_of(shape))


def _floating(what: str, dtype: Any) -> DType:
    wanted = float64 if dtype is None else as_dtype(dtype)
    if wanted.kind != "real floating":
        raise TypeError(f"{what} of type {wanted}: these numbers are floats; astype converts them")
    return wanted


def uniform(shape: Any = (), *, key: int, low: float = 0.0, high: float = 1.0, dtype: Any = None) -> Array:
    """Numbers in [low, high) at equal chances: multiples of 2**-53 of (high - low), of float32 and float16 2**-24. dtype: None: float64."""
    wanted = _floating("uniform", dtype)
    if not low <= high:
        raise ValueError(f"uniform: there are no numbers from {low} to {high}")
    if wanted is float16:
        return _core.cast(uniform(shape, low=low, high=high, key=key, dtype=float32), float16.code)
    shift, unit = (11, 2.0**-53) if wanted is float64 else (40, 2.0**-24)
    made = _core.cast(bits(shape, key=key) >> of_number(shift, uint64), wanted.code) * unit
    return made if (low, high) == (0.0, 1.0) else made * (high - low) + low


def normal(shape: Any = (), *, key: int, mean: float = 0.0, deviation: float = 1.0, dtype: Any = None) -> Array:
    """Normal numbers (Box and Muller 1958). dtype: None: float64."""
    wanted = _floating("normal", dtype)
    if not deviation >= 0:
        raise ValueError(f"normal: a deviation of {deviation}\n  help: it is not below 0")
    if wanted is float16:
        return _core.cast(normal(shape, mean=mean, deviation=deviation, key=key, dtype=float32), float16.code)
    all_bits = bits(shape, key=key)
    first = _core.cast(all_bits >> of_number(32, uint64), wanted.code)
    second = _core.cast(all_bits & of_number(0xFFFFFFFF, uint64), wanted.code)
    radius = _core.sqrt(_core.log((first + 0.5) * 2.0**-32) * -2.0)
    made = radius * _core.cos(second * (6.283185307179586 * 2.0**-32))
    return made if (mean, deviation) == (0.0, 1.0) else made * deviation + mean


def integers(low: int, high: int, shape: Any = (), *, key: int, dtype: Any = None) -> Array:
    """Whole numbers from low up to high, which is left out. dtype: None: int64.

    Of a range of n numbers each has a chance of 1 / n, to within n / 2**64. Raises ValueError for a range without numbers.
    """
    if not low < high:
        raise ValueError(f"integers: there are none from {low} up to {high}")
    wanted = as_dtype("int64" if dtype is None else dtype)
    of_number(low, wanted), of_number(high - 1, wanted)
    count = high - low
    made = bits(shape, key=key)
    if count < 2**64:
        made = made % of_number(count, uint64)
    return _core.cast(made, wanted.code) + of_number(low, wanted)


def permutation(n: int, *, key: int) -> Array:
    """The numbers from 0 up to n in a random order: int64."""
    return _core.rows(1, bits((n,), key=key), 0)
