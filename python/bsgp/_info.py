"""What the package can do, as the array API standard asks it."""

from __future__ import annotations

from typing import Any

from ._convert import CPU, Device, check_device
from ._dtypes import DTYPES, DType, complex128, float64, int64, isdtype

_STANDARD = tuple(dtype for dtype in DTYPES if dtype.name != "float16")


class Info:
    """The answers of `__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """Masks as indices and shapes that depend on values are there; an array has at most 8 axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> Device:
        """The machine's memory."""
        return CPU

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The types of numbers for which none is named."""
        check_device(device)
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def devices(self) -> list[Device]:
        """The machine's memory."""
        return [CPU]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's types by name; kind: those of a kind, as in isdtype."""
        check_device(device)
        return {dtype.name: dtype for dtype in _STANDARD if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> Info:
    """What the package can do: capabilities, devices and types."""
    return Info()
