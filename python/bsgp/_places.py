"""Places in the user's program, for errors that come when arrays are computed."""

from __future__ import annotations

import functools
import os
import sys
from types import FrameType
from typing import Any, Callable, TypeVar

from . import _core

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_F = TypeVar("_F", bound=Callable[..., Any])


def caller() -> str:
    """The file and line of the program that called the package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def place_of(error: BaseException) -> str:
    """The line of the program that met the exception."""
    place, trace = "", error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_HERE):
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def placed(function: _F) -> _F:
    """Arrays that the function makes name the caller's line if computing them fails."""

    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        _core.set_origin(caller())
        try:
            return function(*args, **kwargs)
        finally:
            _core.set_origin(None)

    return inner  # type: ignore[return-value]
