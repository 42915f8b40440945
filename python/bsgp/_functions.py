"""Functions of arrays that are made once and called many times."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Sequence

from . import _core
from ._convert import Array, asarray
from ._creation import shape_of
from ._dtypes import as_dtype, float64
from ._evaluation import Explanation
from ._places import caller, place_of
from ._stages import Trace, computation, tracing
from ._structures import mapped


def Parameter(shape: Any, dtype: Any = "float64") -> Array:
    """An array without values, for Function. Extents of -1 (or None) are unknown until a call; they go with unknown ones and with 1."""
    extents = [-1 if extent is None else extent for extent in (shape if isinstance(shape, (tuple, list)) else (shape,))]
    return _core.parameter(as_dtype(dtype).code, shape_of(extents))


class Function:
    """Outputs as a function of parameters: a call computes them of other arrays, and makes no graph.

        >>> x, y = bp.Parameter((None, 3)), bp.Parameter((3,))
        >>> distance = bp.Function([x, y], [bp.sqrt(bp.sum((x - y) ** 2, 1))])
        >>> near, = distance(points, center)

    parameters, outputs: arrays, or lists of them; of a single output a call returns the array itself. Arguments have the types of the
    parameters, or are numbers. Raises ValueError where an output depends on a parameter that is not named.
    """

    def __init__(self, parameters: Any, outputs: Any) -> None:
        self._single = isinstance(outputs, Array)
        self._bound = _core.BoundFunction(_listed(parameters), _listed(outputs))

    def __call__(self, *arguments: Any) -> Any:
        made = self._bound(*arguments)
        return made[0] if self._single else made

    def explain(self, *arguments: Any) -> Explanation:
        """What a call with such arguments does; computes nothing."""
        return Explanation(*self._bound.explain(*arguments))


def _listed(arrays: Any) -> list[Array]:
    return [arrays] if isinstance(arrays, Array) else list(arrays)


# ---- functions of Python ----


def _flatten(value: Any, arrays: list[Array]) -> Any:
    """What the value is made of, with a number in place of each array: tuples, lists and dicts of arrays and other values."""
    if isinstance(value, Array):
        arrays.append(value)
        return _Leaf(len(arrays) - 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_flatten(each, arrays) for each in value])
    if isinstance(value, (tuple, list)):
        return type(value)(_flatten(each, arrays) for each in value)
    if isinstance(value, dict):
        return {key: _flatten(each, arrays) for key, each in value.items()}
    return value


class _Leaf:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def _unflatten(value: Any, arrays: Sequence[Array]) -> Any:
    if type(value) is _Leaf:
        return arrays[value.number]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_unflatten(each, arrays) for each in value])
    if isinstance(value, (tuple, list)):
        return type(value)(_unflatten(each, arrays) for each in value)
    if isinstance(value, dict):
        return {key: _unflatten(each, arrays) for key, each in value.items()}
    return value


def _traced(has_shapes: bool, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
    """The computation for arguments of these types, and of these shapes or ranks; and what its results are put into; None: the array."""
    parameters: list[Array] = []

    def stand_in(value: Any, name: str) -> Any:
        value = _as_argument(value)
        if type(value) is float:
            parameters.append(_core.number_parameter(float64.code))
        elif isinstance(value, Array):
            parameters.append(_core.parameter(value.dtype.code, list(value.shape) if has_shapes else [-1] * value.ndim))
        else:
            _check_constant(value, name)
            return value
        return +parameters[-1]  # another object: the function may assign to its elements

    names = _names_of(function, len(arguments))
    trace = Trace()
    try:
        with tracing(trace):
            given = [mapped(stand_in, each, name) for each, name in zip(arguments, names)]
            named = {name: mapped(stand_in, each, name) for name, each in keywords.items()}
            made = function(*given, **named)
    except OverflowError as error:
        place = place_of(error)
        raise error if place in str(error) else OverflowError(f"{place}: {error}") from error
    except ValueError as error:
        if "has no values" in str(error) and place_of(error) not in str(error):
            help = "values are read outside of functions that are traced; bsgp.where, bsgp.cond and bsgp.while_loop go by them"
            raise _at_line(error, help) from error
        raise
    outputs: list[Array] = []
    structure = _flatten(made, outputs)
    made = computation(trace, parameters, outputs, copies=True)
    if type(structure) is _Leaf:
        return made, None
    return made, functools.partial(_unflatten, structure)


def _traced_of_ranks(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
    """The same for unknown extents. An error that known ones do not give says so."""
    try:
        return _traced(False, function, arguments, keywords)
    except (TypeError, ValueError) as error:
        try:
            _traced(True, function, arguments, keywords)
        except Exception:
            raise error from None
        if "bsgp.take" in str(error):
            raise _at_line(error, str(error).split("\n  help: ")[1]) from error
        if "do not go together" in str(error):
            help = "extents are unknown (None) in bsgp.function: pass the array as an argument, or use bsgp.jit, which knows them"
            raise _at_line(error, help) from error
        raise _at_line(error, "extents are unknown (None) in bsgp.function; bsgp.jit knows them") from error


def _at_line(error: Exception, help: str) -> Exception:
    """The error with the line of the program that met it, and with another way out."""
    reason, place = str(error).split("\n  help:")[0], place_of(error)
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{reason if reason.startswith(place) else f'{place}: {reason}'}\n  help: {help}")


def _names_of(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the parameters of so many arguments, as far as they are known."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of a function in C
        parameters = []
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) else f"argument {i}" for i in range(count)]


def _check_constant(value: Any, name: str) -> None:
    """A constant is compared with those of later calls, so it must not change."""
    try:
        hash(value)
    except TypeError:
        help = "arrays, numbers, and tuples, lists and dicts of them; or a constant that is hashable, such as a frozenset in place of a set"
        reason = f"the argument {name!r} is of type {type(value).__name__}, which is not hashable"
        raise TypeError(f"{caller()}: {reason}, and so no constant of a function that is traced\n  help: {help}") from None


def _function_of(what: str, function: Any) -> Any:
    if not callable(function):
        help = f"bsgp.{what} is given a function, as a decorator or as bsgp.{what}(f)"
        raise TypeError(f"{caller()}: {what}: an argument of type {type(function).__name__} is no function\n  help: {help}")
    return function


def _as_argument(value: Any) -> Any:
    """NumPy's arrays are arrays, too; other values are constants of the function."""
    return asarray(value) if type(value).__module__ == "numpy" else value


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Calls of the function run its operations as one graph, which is made in the first call with arguments of some shapes and types.

        >>> @bp.jit
        ... def step(u, dt):
        ...     return u + dt * (bp.roll(u, 1) - 2 * u + bp.roll(u, -1))

    Arrays are arguments of the graph, also those of NumPy, and so are floats, and those in tuples, lists and dicts. All other arguments
    (ints, texts, objects ...) are constants of it: another value makes another graph, and has to be hashable. The function runs only when a
    graph is made: it must not depend on other things that change, nor on values of its arguments. It returns an array, or tuples, lists and
    dicts of them. The results are computed.
    """
    _function_of("jit", function)
    return functools.update_wrapper(_core.Jitted(function, functools.partial(_traced, True), _as_argument, True), function)


def function(function: Callable[..., Any]) -> Callable[..., Any]:
    """As bsgp.jit, but the graph is made once for arguments of some ranks and types: other shapes do not run the function again.

        >>> @bp.function
        ... def normalized(x):
        ...     return x / bp.sqrt(bp.sum(x * x))

    Extents of the arguments are unknown while the function runs: `x.shape[0]` is None. What needs them is an error; bsgp.jit knows them.
    Extents that are unknown go with others and with 1; whether they fit, a call finds out.
    """
    _function_of("function", function)
    return functools.update_wrapper(_core.Jitted(function, _traced_of_ranks, _as_argument, False), function)
