"""What `bsgp.compile` makes of keywords: constants, types and words of the program's text. And where that text stands."""

from __future__ import annotations

import ast
import linecache
import math
import re
from typing import Any

from ._dtypes import as_dtype

TYPES = {
    "bool": "bool", "int8": "char", "int16": "short", "int32": "int", "int64": "long", "uint8": "uchar", "uint16": "ushort", "uint32": "uint",
    "uint64": "ulong", "float16": "half", "float32": "float", "float64": "double",
}  # fmt: skip
DTYPES = {name: dtype for dtype, name in TYPES.items()}
_TYPE = re.compile(r"(const )?(bool|u?char|u?short|u?int|u?long|half|float|double|u?int(8|16|32|64)_t)[234]?( ?\*)*")


def _text_of_type(value: Any) -> str | None:
    """The program's word for a type: a word itself, one of bsgp's or NumPy's types, or Python's bool, int and float."""
    if isinstance(value, str):
        return value if _TYPE.fullmatch(value) else None
    name = value.name if hasattr(value, "kind") and hasattr(value, "name") else None
    if name is None and isinstance(value, type) and (value.__module__ == "numpy" or value in (bool, int, float)):
        name = as_dtype(value).name
    if name is None:
        name = getattr(value, "name", None)
    return TYPES.get(name) if isinstance(name, str) else None


def _constant(name: str, value: Any) -> str | None:
    """The declaration of a number."""
    kind = str(value.dtype) if type(value).__module__ == "numpy" and hasattr(value, "item") else ""  # of a number of NumPy
    if isinstance(value, bool) or kind == "bool":
        return f"const bool {name} = {str(bool(value)).lower()};"
    if kind in TYPES:
        return _typed(name, TYPES[kind], value.item())
    if isinstance(value, int):
        kind = "int" if -(2**31) < value < 2**31 else "long" if -(2**63) < value < 2**63 else "ulong"
        return _typed(name, kind, value)
    return _typed(name, "double", value) if isinstance(value, float) else None


def _typed(name: str, kind: str, value: int | float) -> str:
    if kind in ("half", "float", "double"):
        number = float(value)
        text = "NAN" if number != number else ("-" if number < 0 else "") + "INFINITY" if number in (math.inf, -math.inf) else number.hex()
        return f"const {kind} {name} = {kind}({text});"
    if kind == "ulong" and not 0 <= value < 2**64:
        raise OverflowError(f"compile: {name} is {value}, which no integer of the language holds")
    return f"const {kind} {name} = {kind}({value}{'ul' if kind == 'ulong' else 'l' if kind == 'long' else ''});"


def _replaced(text: str, words: dict[str, str]) -> str:
    """The text with other words; comments and strings stay."""
    found = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\b(?:' + "|".join(words) + r")\b", re.S)
    return found.sub(lambda match: words.get(match[0], match[0]), text)


def apply_names(text: str, names: dict[str, Any]) -> tuple[str, str]:
    """Declarations of names, for one line in front, and the text."""
    declarations, words = [], {}
    for name, value in names.items():
        if not re.search(rf"\b{name}\b", text):
            raise TypeError(f"compile: the text has no word {name!r}, and there is no such option\n  help: options are target, check, fp, "
                            "opt_level, include_dirs and debug; other keywords are names in the text")
        declaration = _constant(name, value)
        kind = None if declaration else _text_of_type(value)
        if declaration or kind:
            declarations.append(declaration or f"typedef {kind} {name};")
        elif not isinstance(value, str):
            raise TypeError(f"compile: {name} is {type(value).__name__}; a number is a constant, a type or 'float' a type, another text takes "
                            "the word's place")
        elif "\n" in value:
            raise ValueError(f"compile: {name} has several lines, and lines behind it would have wrong numbers\n  help: make the text in "
                             "Python: an f-string, or '\\n'.join")
        else:
            words[name] = value
    return " ".join(declarations), _replaced(text, words) if words else text


_trees: dict[str, tuple[int, list[ast.Constant], list[str]]] = {}


def _texts_of(filename: str) -> tuple[list[ast.Constant], list[str]]:
    lines = linecache.getlines(filename)
    key = hash("".join(lines))
    known = _trees.get(filename)
    if known and known[0] == key:
        return known[1], known[2]
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return [], lines
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    _trees[filename] = (key, found, lines)
    return found, lines


def place_of(text: str, filename: str, line: int) -> tuple[str, int, int]:
    """Where a text stands in a program in Python: the file, the lines in front of it, and its column. Without a file or such a text there:
    a name, 0 and 0."""
    texts, lines = _texts_of(filename)
    same = [node for node in texts if node.value == text]
    if not same:
        return "<bsgp text>", 0, 0
    nearest = min(same, key=lambda node: abs(node.lineno - line))
    standing = ast.get_source_segment("".join(lines), nearest) or ""
    begin = standing.find(text)
    if begin < 0:  # escapes, or several literals that are joined
        return f"{filename}:{nearest.lineno}, text", 0, 0
    return filename, nearest.lineno - 1, nearest.col_offset + begin
