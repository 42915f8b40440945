"""DLPack: arrays from and to other libraries."""

from __future__ import annotations

from typing import Any

from . import _core

_CPU = (1, 0)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> _core.Array:
    """An array of an object with `__dlpack__`, such as those of NumPy, PyTorch and JAX, in the machine's memory.

    copy: None: copies memory that can be written to, and reads other memory in place; True: always; False: reads it in place, or raises
    ValueError. Raises BufferError for arrays in the memory of a device, TypeError for elements of other types.
    """
    from ._convert import check_device

    check_device(device)
    how = -1 if copy is None else int(copy)
    kind = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else 1
    if kind not in (1, 3):
        raise BufferError("from_dlpack: an array that is not in the machine's memory\n  help: copy it there first")
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:  # of before version 1
        capsule = x.__dlpack__()
    return _core.from_capsule(capsule, how)


def to_dlpack(
    self: _core.Array,
    /,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule of DLPack with the elements, which are computed. Readers of version 1 get them read-only, older ones a copy.

    copy: True: always a copy; False: never, and then a reader of before version 1, which knows no read-only arrays, must not write to it.
    """
    if dl_device is not None and (int(dl_device[0]), int(dl_device[1])) != _CPU:
        raise BufferError(f"__dlpack__: the array is in the machine's memory, and device {tuple(dl_device)} was asked for")
    if stream is not None:
        raise BufferError("__dlpack__: the array is in the machine's memory, which has no streams")
    versioned = max_version is not None and max_version[0] >= 1
    return _core.to_capsule(self, versioned, copy is True or (copy is None and not versioned))


def dlpack_device(self: _core.Array, /) -> tuple[int, int]:
    """(1, 0): the memory of the machine."""
    return _CPU
