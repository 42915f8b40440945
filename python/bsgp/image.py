"""Pictures in files: PNG, PGM and PPM, and animated PNG. They are those of the language's <image.bsgp>."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, Iterable

from . import _core
from ._convert import Array, asarray, given

__all__ = ["read", "write", "write_animation"]

_MOST_PIXELS = 1 << 28


@functools.lru_cache(None)
def _library() -> Any:
    """libbsgp_image: beside the package, in a build folder, or where the system has it."""
    here = os.path.dirname(os.path.realpath(_core.__file__))
    versioned = "libbsgp_image.so." + _core.VERSION
    places = (os.path.join(here, versioned), os.path.join(here, "..", "..", "lib", versioned))
    library = ctypes.CDLL(next((place for place in places if os.path.exists(place)), versioned))
    library.bsgp_image_error.restype = ctypes.c_char_p
    library.bsgp_image_read.restype = ctypes.c_void_p
    library.bsgp_image_read.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int32)]
    library.bsgp_image_bytes.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
    library.bsgp_image_can_write.argtypes = [ctypes.c_char_p, *[ctypes.c_int32] * 3]
    library.bsgp_image_close.argtypes = [ctypes.c_void_p]
    library.bsgp_image_animation.restype = ctypes.c_void_p
    library.bsgp_image_animation.argtypes = [ctypes.c_double]
    library.bsgp_image_write_animation.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    sizes = [ctypes.c_int32] * 3
    for kind in ("bytes", "floats"):
        getattr(library, f"bsgp_image_write_{kind}").argtypes = [ctypes.c_char_p, ctypes.c_void_p, *sizes]
        getattr(library, f"bsgp_image_add_{kind}").argtypes = [ctypes.c_void_p, ctypes.c_void_p, *sizes]
    return library


def _failed() -> OSError:
    return OSError(_library().bsgp_image_error().decode())


def read(path: str | os.PathLike[str]) -> Array:
    """A picture as uint8: (height, width) in grey, (height, width, 3) in red, green and blue, or with opacity as last component.

    Raises OSError for a file that cannot be read or is no picture.
    """
    import numpy

    shape = (ctypes.c_int32 * 3)()
    picture = _library().bsgp_image_read(os.fsencode(path), _MOST_PIXELS, shape)
    if not picture:
        raise _failed()
    width, height, channels = shape
    pixels = numpy.empty((height, width, channels) if channels > 1 else (height, width), numpy.uint8)
    _library().bsgp_image_bytes(picture, channels, pixels.ctypes.data)
    _library().bsgp_image_close(picture)
    return _core.from_buffer(pixels, True)


def _check(path: str | os.PathLike[str], shape: tuple[int, int, int]) -> None:
    height, width, channels = shape
    if not _library().bsgp_image_can_write(os.fsencode(path), width, height, channels):
        raise _failed()


def _samples(what: str, picture: Any) -> tuple[str, Any]:
    """The kind of samples, bytes or floats, and a NumPy array of (height, width, channels) of them."""
    array = given(picture)
    if array.ndim == 2:
        array = _core.add_dimension(array, 2, 1)
    if array.ndim != 3 or not 1 <= array.shape[2] <= 4 or 0 in array.shape:
        raise ValueError(
            f"{what}: a picture of shape {given(picture).shape}\n  help: it is (height, width), or (height, width, components) with 1 to 4 of them"
        )
    if array.dtype.name == "bool":
        array = asarray(array, dtype="uint8") * 255
    if array.dtype.kind == "real floating":
        return "floats", asarray(array, dtype="float32").numpy()
    if array.dtype.name == "uint8":
        return "bytes", array.numpy()
    raise TypeError(f"{what}: a picture of type {array.dtype}\n  help: it is uint8, or floats from 0 to 1, or bools")


def write(path: str | os.PathLike[str], picture: Any) -> None:
    """Writes a picture: of grey, (height, width), or with 3 components, or with an opacity behind them.

    path: its ending says the format: .png, .pgm or .ppm. picture: uint8; or floats, of which 0 is black and 1 white, and others are cut; or
    bools. Raises ValueError for other shapes, TypeError for other types, OSError for a file that cannot be written.
    """
    kind, samples = _samples("image.write", picture)
    height, width, channels = samples.shape
    _check(path, samples.shape)
    if not getattr(_library(), f"bsgp_image_write_{kind}")(os.fsencode(path), samples.ctypes.data, width, height, channels):
        raise _failed()


def write_animation(path: str | os.PathLike[str], pictures: Iterable[Any], seconds: float = 0.05) -> None:
    """Writes pictures of one size and kind as an animated PNG, each shown for so long. Pictures and errors as in write."""
    library = _library()
    animation = library.bsgp_image_animation(seconds)
    if not animation:
        raise _failed()
    for picture in pictures:
        kind, samples = _samples("image.write_animation", picture)
        height, width, channels = samples.shape
        _check("animation.png", samples.shape)
        if not getattr(library, f"bsgp_image_add_{kind}")(animation, samples.ctypes.data, width, height, channels):
            raise _failed()
    if not library.bsgp_image_write_animation(os.fsencode(path), animation):
        raise _failed()
