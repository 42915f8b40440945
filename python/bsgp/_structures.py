"""Tuples, lists and dicts of arrays: what functions that are traced take and give."""

from __future__ import annotations

from typing import Any, Callable, Iterator


def mapped(function: Callable[[Any, str], Any], value: Any, name: str = "") -> Any:
    """A structure like `value`, with function(part, name) in place of parts that are no tuple, list or dict; names are "[0]", "['x']" ..."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[mapped(function, each, f"{name}.{field}") for field, each in zip(value._fields, value)])
    if isinstance(value, (tuple, list)):
        return type(value)(mapped(function, each, f"{name}[{i}]") for i, each in enumerate(value))
    if isinstance(value, dict):
        return {key: mapped(function, each, f"{name}[{key!r}]") for key, each in value.items()}
    return function(value, name)


def parts_of(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The parts with their names, as `mapped` meets them."""
    if isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for i, each in enumerate(value):
            yield from parts_of(each, f"{name}.{fields[i]}" if fields else f"{name}[{i}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from parts_of(each, f"{name}[{key!r}]")
    else:
        yield name, value


def difference(value: Any, other: Any, name: str) -> tuple[str, str, str] | None:
    """The first place where two structures differ: its name, and what stands there. None: they are alike."""
    if not isinstance(value, (tuple, list, dict)) and not isinstance(other, (tuple, list, dict)):
        return None if (value is None) == (other is None) else (name, _described(value), _described(other))
    if type(value) is not type(other):
        return name, _described(value), _described(other)
    if isinstance(value, dict):
        if set(value) != set(other):
            return name, f"a dict with keys {_keys(value)}", f"one with keys {_keys(other)}"
        pairs = [(value[key], other[key], f"{name}[{key!r}]") for key in value]
    else:
        if len(value) != len(other):
            return name, f"a {type(value).__name__} of {len(value)}", f"one of {len(other)}"
        pairs = [(a, b, f"{name}[{i}]") for i, (a, b) in enumerate(zip(value, other))]
    return next((found for a, b, where in pairs if (found := difference(a, b, where))), None)


def like(value: Any, model: Any) -> Any:
    """The structure with the keys of its dicts in the order that a structure like it has."""
    if isinstance(value, dict):
        return {key: like(value[key], each) for key, each in model.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[like(a, b) for a, b in zip(value, model)])
    if isinstance(value, (tuple, list)):
        return type(value)(like(a, b) for a, b in zip(value, model))
    return value


def _described(value: Any) -> str:
    if isinstance(value, (tuple, list, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else "an array" if hasattr(value, "ndim") else f"of type {type(value).__name__}"


def _keys(value: dict[Any, Any]) -> str:
    return ", ".join(map(repr, value)) or "none"
