"""Mistakes in kernels: collected, then raised as one CompileError, in the form of the compiler's messages."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..kernels import CompileError
from .source import Source


class Refused(Exception):
    """Ends the translation of a statement, whose mistake was reported."""


@dataclass(frozen=True)
class Message:
    file: str
    line: int
    column: int
    text: str
    kind: str
    help: str
    shown: str  # the line, and the caret under it
    severity: str = "error"

    def __str__(self) -> str:
        head = f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.text} [{self.kind}]\n{self.shown}"
        return head + (f"\n  help: {self.help}" if self.help else "")


class Report:
    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add(self, source: Source, node: ast.AST, kind: str, text: str, help: str = "", severity: str = "error") -> None:
        begin, end = source.place(node)
        line, column, shown = source.line_of(begin - source.begin)
        width = max(1, min(end - begin, len(shown.encode()) - column))
        lead = shown.encode()[:column].decode(errors="replace")
        caret = "".join("\t" if c == "\t" else " " for c in lead) + "^" + "~" * (width - 1)
        made = Message(source.file, line, column + 1, text, kind, help, f"    {shown}\n    {caret}", severity)
        place = (made.file, made.line, made.column, made.severity)
        if all(place != (each.file, each.line, each.column, each.severity) for each in self.messages):
            self.messages.append(made)

    def of(self, severity: str) -> str:
        """All messages of a severity, as a text."""
        chosen = [each for each in self.messages if each.severity == severity]
        return "\n".join(map(str, sorted(chosen, key=lambda each: (each.file, each.line, each.column))))

    def raise_all(self) -> None:
        if text := self.of("error"):
            raise CompileError(text)
