"""Loops and choices of functions that are traced: while_loop, and cond of functions."""

from __future__ import annotations

import inspect
from typing import Any, Callable, NamedTuple, Sequence

from . import _core, _stages
from ._convert import Array, asarray, of_number
from ._dtypes import DType, bool_
from ._places import caller
from ._structures import difference, like, mapped, parts_of

_Shape = tuple[int | None, ...]


def while_loop(condition: Callable[..., Any], body: Callable[..., Any], state: Any, /) -> Any:
    """The state after the loop `while condition(state): state = body(state)`, whose operations are written down once.

        >>> bp.while_loop(lambda x, n: n < 10, lambda x, n: (bp.cos(x), n + 1), (bp.ones(3), 0))[0]

    state: an array or a number, or tuples, lists and dicts of them. A function with one parameter is given the state itself; one with
        several gets the parts of a tuple or list one by one, as above. Parameters with default values count.
    condition: gives a bool, an array of rank 0.
    body: gives the next state, of the same structure, types and shapes. A part that begins as a number of Python takes the type that the
        body gives it.

    Inside of bsgp.function and bsgp.jit the loop becomes a part of the function; elsewhere it runs at once. The condition and the body run
    while they are traced, and not in each iteration. Arrays of the surroundings that they use are computed once. The results are arrays.

    Raises TypeError or ValueError, with the name of the part, where the body gives another structure, type or shape, and where the
    condition gives no bool.
    """
    place = caller()
    initial = _initial(state, place)
    if not initial:
        raise TypeError(f"{place}: while_loop: the state has no arrays")
    known, results = _traced_loop(condition, body, state, initial, place)
    made = _performed(known.computation, known.inputs, results, f"{place}: while_loop")
    return _rebuilt(state, made)


def _error(kind: type[Exception], at: str, reason: str, help: str) -> Exception:
    """at: the line of the program, and the function that it calls."""
    return kind(f"{at}: {reason}\n  help: {help}")


# ---- the state ----


class _Part(NamedTuple):
    """A part of a state. is_number: it takes the type of what it meets."""

    name: str
    dtype: DType
    shape: _Shape
    is_number: bool

    def parameter(self) -> Array:
        if self.is_number:
            return _core.number_parameter(self.dtype.code)
        return _core.parameter(self.dtype.code, [-1 if extent is None else extent for extent in self.shape])


def _initial(state: Any, place: str) -> list[tuple[_Part, Any]]:
    """The parts of a state, and what each begins with."""
    parts = []
    for name, value in parts_of(state, "state"):
        if value is None:
            continue
        if _core.is_number(value):
            parts.append((_Part(name, asarray(value).dtype, (), True), value))
        else:
            array = _array_of(value, name, f"{place}: while_loop")
            parts.append((_Part(name, array.dtype, array.shape, _core.is_weak(array)), array))
    return parts


def _array_of(value: Any, name: str, at: str) -> Array:
    if isinstance(value, Array):
        return value
    if _core.is_number(value) or type(value).__module__ == "numpy":
        return asarray(value)
    help = "arrays, numbers, and tuples, lists and dicts of them; functions may use other values of their surroundings"
    raise _error(TypeError, at, f"{name} is of type {type(value).__name__}", help)


def _rebuilt(model: Any, arrays: Sequence[Array]) -> Any:
    rest = iter(arrays)
    return mapped(lambda value, _: None if value is None else next(rest), model)


def _started(value: Any, part: _Part, at: str) -> Array:
    """What a part begins with, as an array of its type."""
    if isinstance(value, Array):
        return value if value.dtype is part.dtype else _core.cast(value, part.dtype.code)
    try:
        return of_number(value, part.dtype)
    except OverflowError as error:
        help = "convert the array by astype, or the number: then it wraps"
        raise _error(OverflowError, at, f"{part.name} is {part.dtype}: {error}", help) from None


# ---- tracing ----


class _Inner(NamedTuple):
    """What is traced of a function: its trace, parameters and outputs."""

    trace: _stages.Trace
    parameters: list[Array]
    outputs: list[Array]

    def captured(self) -> list[Array]:
        return _stages.captured(self.trace, self.parameters, self.outputs)

    def computation(self, captured: list[Array]) -> _core.Computation:
        return _stages.computation(self.trace, [*self.parameters, *captured], self.outputs)


def _traced_loop(
    condition: Callable[..., Any], body: Callable[..., Any], state: Any, initial: list[tuple[_Part, Any]], place: str
) -> tuple[_stages.Step, list[_Part]]:
    parts = [part for part, _ in initial]
    for _ in range(4 * len(parts) + 1):  # a number may become an int, a float and a complex, and an array
        inner, wanted = _traced_body(condition, body, state, parts, f"{place}: while_loop")
        if wanted == parts:
            break
        parts = wanted
    first = _traced_condition(condition, state, parts, f"{place}: while_loop")
    of_first, of_body = first.captured(), inner.captured()
    names = [part.name for part in parts]
    loop = _core.Loop(first.computation(of_first), len(of_first), inner.computation(of_body), place, names)
    inputs = [_started(value, part, f"{place}: while_loop") for part, (_, value) in zip(parts, initial)]
    return _stages.Step(loop, [*inputs, *of_first, *of_body], []), parts


def _traced_body(
    condition: Callable[..., Any], body: Callable[..., Any], state: Any, parts: list[_Part], at: str
) -> tuple[_Inner, list[_Part]]:
    """The next state and its condition, and the parts with the types that the body gives to numbers."""
    trace, parameters = _stages.Trace(), [part.parameter() for part in parts]
    with _stages.tracing(trace):
        given = _rebuilt(state, [+each for each in parameters])  # other objects: the body may assign to elements
        made = _called(body, given)
        found = difference(state, made, "state")
        if found:
            name, before, now = found
            help = "the body gives a state like the one that it is given"
            raise _error(TypeError, at, f"{name} is {before}, and the body gives {now}", help)
        made = like(made, state)
        values = [(name, value) for name, value in parts_of(made, "state") if value is not None]
        arrays = [value if _core.is_number(value) else _array_of(value, name, at) for name, value in values]
        wanted = [_wanted(part, value, at) for part, value in zip(parts, arrays)]
        if wanted != parts:
            return _Inner(trace, parameters, []), wanted
        outputs = [_started(value, part, at) for part, value in zip(parts, arrays)]
        outputs.append(_flag(_called(condition, _rebuilt(state, [+each for each in outputs])), at))
    return _Inner(trace, parameters, outputs), parts


def _traced_condition(condition: Callable[..., Any], state: Any, parts: list[_Part], at: str) -> _Inner:
    trace, parameters = _stages.Trace(), [part.parameter() for part in parts]
    with _stages.tracing(trace):
        flag = _flag(_called(condition, _rebuilt(state, [+each for each in parameters])), at)
    return _Inner(trace, parameters, [flag])


def _called(function: Callable[..., Any], state: Any) -> Any:
    """The function of the state: its parts one by one, if it has several parameters and can take as many."""
    if not isinstance(state, (tuple, list)) or hasattr(state, "_fields"):
        return function(state)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of a function in C
        return function(*state)
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    places = [each for each in parameters if each.kind in by_place]
    needed = sum(each.default is each.empty for each in places)
    takes_all = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    takes_parts = takes_all or (len(places) > 1 and needed <= len(state) <= len(places))
    return function(state) if needed <= 1 and not takes_parts else function(*state)


def _flag(value: Any, at: str, is_given: str = "the condition gives", help: str = "bsgp.any(c) or bsgp.all(c) of a comparison") -> Array:
    if isinstance(value, bool):
        return of_number(value)
    if type(value).__module__ == "numpy":
        value = asarray(value)
    if isinstance(value, Array) and value.ndim == 0 and value.dtype is bool_:
        return value
    given = f"a value of type {type(value).__name__}"
    if isinstance(value, Array):
        given = f"an array of shape {value.shape} and type {value.dtype}"
    raise _error(TypeError, at, f"{is_given} {given}, and not a bool, an array of rank 0", help)


def _wanted(part: _Part, value: Any, at: str) -> _Part:
    """The part as the body gives it. Raises an error for an array of another type or shape."""
    is_number = _core.is_number(value)
    dtype, shape = (asarray(value).dtype, ()) if is_number else (value.dtype, value.shape)
    is_number = is_number or _core.is_weak(value)
    if not _agree(part.shape, shape):
        reason = f"{part.name} has shape {part.shape}, and the body gives shape {shape}"
        raise _error(ValueError, at, reason, "the parts of the state keep their shapes in all iterations")
    if part.is_number and _rank(dtype) >= _rank(part.dtype):
        return part._replace(dtype=dtype, is_number=is_number)
    if is_number and _rank(dtype) <= _rank(part.dtype):
        return part
    if dtype is not part.dtype:
        help = f"bsgp.astype(x, '{part.dtype}') of what the body gives, or a state that begins as {dtype}"
        raise _error(TypeError, at, f"{part.name} is {part.dtype}, and the body gives {dtype}", help)
    return part


def _rank(dtype: DType) -> int:
    """bool, integers, floats, complex numbers."""
    kind = dtype.kind
    return 0 if kind == "bool" else 1 if "integer" in kind else 2 if kind == "real floating" else 3


def _agree(shape: _Shape, other: _Shape) -> bool:
    return len(shape) == len(other) and all(a is None or b is None or a == b for a, b in zip(shape, other))


# ---- running ----


def _performed(made: _core.Computation, inputs: list[Array], results: list[_Part], at: str) -> list[Array]:
    """The results: of parameters, if a function is traced, else computed."""
    trace = _stages.current()
    if trace is not None:
        parameters = [part._replace(is_number=False).parameter() for part in results]
        trace.steps.append(_stages.Step(made, inputs, parameters))
        return [+each for each in parameters]
    if any(_core.is_open(each) for each in inputs):
        help = "bsgp.function or bsgp.jit of a Python function, in place of bsgp.Function"
        raise _error(ValueError, at, "it depends on a parameter", help)
    _core.eval(inputs)
    return made.call(inputs)


# ---- choices ----


def choose(condition: Any, yes: Callable[..., Any], no: Callable[..., Any], /, *operands: Any) -> Any:
    """cond of functions: see _core.cond."""
    place = caller()
    at = f"{place}: cond"
    if not callable(no):
        raise _error(TypeError, at, "the second value is a function, and the third is none", "both are functions, or both are arrays")
    if not isinstance(condition, Array) and type(condition).__module__ == "numpy":
        condition = asarray(condition)
    if isinstance(condition, Array) and condition.ndim > 0:
        reason = f"the condition has shape {condition.shape}, and functions are chosen by one bool"
        raise _error(ValueError, at, reason, "bsgp.any(c) or bsgp.all(c); for each element bsgp.where(c, a, b)")
    flag = _flag(condition, at, "the condition is", "a comparison, such as x > 0")
    if isinstance(condition, bool) or (_stages.current() is None and not _core.is_open(flag)):
        return (yes if condition else no)(*operands)
    return _chosen(flag, yes, no, operands, place)


def _chosen(flag: Array, yes: Callable[..., Any], no: Callable[..., Any], operands: tuple[Any, ...], place: str) -> Any:
    at, traces, values = f"{place}: cond", (_stages.Trace(), _stages.Trace()), []
    for trace, function in zip(traces, (yes, no)):
        with _stages.tracing(trace):
            values.append(function(*[mapped(lambda x, _: +x if isinstance(x, Array) else x, each) for each in operands]))
    found = difference(values[0], values[1], "the result")
    if found:
        reason = f"{found[0]} is {found[1]} of the first function, and {found[2]} of the second"
        raise _error(TypeError, at, reason, "both give the same structure")
    values[1] = like(values[1], values[0])
    pairs = list(zip(parts_of(values[0], "the result"), (value for _, value in parts_of(values[1]))))
    results = [_common(name, a, b, at) for (name, a), b in pairs if not (a is None and b is None)]
    inner = []
    for number, trace in enumerate(traces):
        with _stages.tracing(trace):
            outputs = [
                _started(value if _core.is_number(value) else asarray(value), part, at)
                for value, part in zip((value for _, value in parts_of(values[number]) if value is not None), results)
            ]
        inner.append(_Inner(trace, [], outputs))
    of_yes, of_no = inner[0].captured(), inner[1].captured()
    names = [part.name for part in results] if any(None in part.shape for part in results) else []
    branch = _core.Branch(inner[0].computation(of_yes), len(of_yes), inner[1].computation(of_no), place, names)
    made = _performed(branch, [flag, *of_yes, *of_no], results, at)
    return _rebuilt(values[0], made)


def _common(name: str, a: Any, b: Any, at: str) -> _Part:
    """A part of both results: a number takes the type of the other one's array."""
    found = []
    for value in (a, b):
        is_number = _core.is_number(value)
        array = asarray(value) if is_number else _array_of(value, name, at)
        found.append(_Part(name, array.dtype, array.shape, is_number or _core.is_weak(array)))
    first, second = found
    if not _agree(first.shape, second.shape):
        reason = f"{name} has shape {first.shape} of the first function, and {second.shape} of the second"
        raise _error(ValueError, at, reason, "bsgp.broadcast_to(x, shape) gives a number a shape")
    shape = tuple(m if m == n else None for m, n in zip(first.shape, second.shape))
    if first.is_number and second.is_number:
        return first._replace(dtype=max(first.dtype, second.dtype, key=_rank))
    for number, other in ((first, second), (second, first)):
        if number.is_number and _rank(number.dtype) <= _rank(other.dtype):
            return other._replace(shape=shape)
    if first.dtype is not second.dtype:
        reason = f"{name} is {first.dtype} of the first function, and {second.dtype} of the second"
        raise _error(TypeError, at, reason, f"bsgp.astype(x, '{first.dtype}')")
    return first._replace(shape=shape)


_core.set_control(choose, caller)
