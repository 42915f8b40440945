"""The text of a function, its syntax tree, and places in it."""

from __future__ import annotations

import ast
import inspect
import linecache
from types import CodeType, FunctionType
from typing import Iterator

from .nodes import Place


class NoSource(Exception):
    """The text of a function is not there."""


class Source:
    """A function's part of its file. `begin`: where the file's text stands among all texts of the program."""

    def __init__(self, function: FunctionType, begin: int = 0) -> None:
        code = function.__code__
        self.file, self.first = code.co_filename, code.co_firstlineno
        lines = linecache.getlines(self.file, function.__globals__)
        if not lines:
            raise NoSource
        last = max(_last_lines(code))
        own = lines[self.first - 1 : last]
        try:
            self.tree = _parsed(own, self.first, function)
        except SyntaxError:  # a parenthesis that closes behind the last operation
            own = inspect.getsourcelines(function)[0]
            self.tree = _parsed(own, self.first, function)
        self.lines = own
        self.begin = begin
        self._starts = [len("".join(lines[: self.first - 1]).encode())]
        for line in own:
            self._starts.append(self._starts[-1] + len(line.encode()))

    def place(self, node: ast.AST) -> Place:
        """Where a node stands, in bytes of all texts."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        if isinstance(node, (ast.FunctionDef, ast.With, ast.If, ast.For, ast.While)):
            end = (
                line,
                column + len({ast.FunctionDef: "def", ast.With: "with", ast.If: "if", ast.For: "for", ast.While: "while"}[type(node)]),
            )
        return self.begin + self._starts[line - self.first] + column, self.begin + self._starts[end[0] - self.first] + end[1]

    def line_of(self, offset: int) -> tuple[int, int, str]:
        """Line, column (in bytes, from 0) and text of the line of an offset in the file."""
        at = max(i for i, start in enumerate(self._starts) if start <= offset)
        at = min(at, len(self.lines) - 1)
        return self.first + at, offset - self._starts[at], self.lines[at].rstrip("\n")


def _last_lines(code: CodeType) -> Iterator[int]:
    yield code.co_firstlineno
    for _, line, _, _ in code.co_positions():
        if line is not None:
            yield line
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _last_lines(const)


def _parsed(lines: list[str], first: int, function: FunctionType) -> ast.FunctionDef:
    indented = lines[0][:1] in (" ", "\t")
    head = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    tree = ast.parse(head + "".join(lines))
    body = tree.body[0].body if indented else tree.body  # type: ignore[attr-defined]
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
    raise NoSource
