"""Constructs of Python that kernels have not, and the way out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from .body import Body

_REFUSED: dict[str, tuple[str, str]] = {
    "ListComp": ("a comprehension", "a loop that stores to an array: for i in range(n)"),
    "SetComp": ("a comprehension", "a loop that stores to an array"),
    "DictComp": ("a comprehension", "a loop that stores to an array"),
    "GeneratorExp": ("a generator expression", "a loop: for i in range(n)"),
    "Yield": ("yield", "store the values in an array"),
    "YieldFrom": ("yield", "store the values in an array"),
    "Await": ("await", ""),
    "AsyncFor": ("async", ""),
    "AsyncWith": ("async", ""),
    "AsyncFunctionDef": ("async", ""),
    "Try": ("try", "conditions: an error in a kernel ends the call"),
    "TryStar": ("try", "conditions: an error in a kernel ends the call"),
    "Raise": ("raise", 'assert condition, "text"'),
    "JoinedStr": ("a text", "numbers alone are in kernels"),
    "Dict": ("a dict", "a variable for each entry, or a tuple"),
    "Set": ("a set", "an array of flags"),
    "List": ("a list", "a tuple of a known length, bp.private(n, dtype), or an array that is a parameter"),
    "Lambda": ("a lambda", "a function with a name, outside of the kernel"),
    "FunctionDef": ("a function in a kernel", "define it outside: a kernel can call it"),
    "ClassDef": ("a class", "tuples hold several numbers"),
    "Global": ("global", "a parameter; kernels change arrays, not variables of Python"),
    "Nonlocal": ("nonlocal", "a parameter; kernels change arrays, not variables of Python"),
    "Import": ("import", "import outside of the kernel"),
    "ImportFrom": ("import", "import outside of the kernel"),
    "Delete": ("del", ""),
    "NamedExpr": (":= in an expression", "an assignment in a statement of its own"),
    "Starred": ("*", "write the parts one by one"),
    "Match": ("match", "if and elif"),
    "Slice": ("a slice", "a loop over the elements"),
}


def refuse_construct(body: Body, node: ast.AST) -> NoReturn:
    what, help = _REFUSED.get(type(node).__name__, (type(node).__name__, ""))
    body.refuse(node, f"{what} cannot stand in a kernel", help, "python_construct")
