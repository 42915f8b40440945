"""Variables that may be read without a value: on some path there is no assignment in front of the read. Python raises UnboundLocalError
there.
"""

from __future__ import annotations

import ast
from typing import Callable

from .scopes import Plan, names_in

Names = frozenset[str]


class Unset:
    """Follows the statements of a function. A set of names: those that have a value; None: nobody comes here."""

    def __init__(self, plan: Plan, with_kind: Callable[[ast.With], str]) -> None:
        self.plan, self._with_kind = plan, with_kind
        self.found: list[ast.Name] = []
        self.comes_to_end = True  # of the function, without a return
        self._region: ast.With | None = None
        self._leaving: list[tuple[list[Names], list[Names]]] = []  # of each loop: at its breaks and its continues

    def check(self, function: ast.FunctionDef, parameters: set[str]) -> list[ast.Name]:
        self.comes_to_end = self._statements(function.body, frozenset(parameters)) is not None
        return self.found

    def _reads(self, node: ast.AST | None, known: Names) -> None:
        for each in names_in(node):
            variable = self.plan.find(self._region, each.id)
            if isinstance(each.ctx, ast.Load) and variable is not None and each.id not in known and not variable.is_read_first:
                self.found.append(each)

    def _statements(self, statements: list[ast.stmt], known: Names | None) -> Names | None:
        for each in statements:
            if known is None:
                return None
            known = self._statement(each, known)
        return known

    def _statement(self, s: ast.stmt, known: Names) -> Names | None:
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            return self._assignment(s, known)
        if isinstance(s, ast.If):
            self._reads(s.test, known)
            return _both(self._statements(s.body, known), self._statements(s.orelse, known))
        if isinstance(s, (ast.For, ast.While)):
            return self._loop(s, known)
        if isinstance(s, ast.With):
            return self._with(s, known)
        self._reads(s, known)
        if isinstance(s, (ast.Break, ast.Continue)) and self._leaving:
            self._leaving[-1][isinstance(s, ast.Continue)].append(known)
        fails = isinstance(s, ast.Assert) and isinstance(s.test, ast.Constant) and not s.test.value
        return None if fails or isinstance(s, (ast.Break, ast.Continue, ast.Return)) else known

    def _assignment(self, s: ast.Assign | ast.AnnAssign | ast.AugAssign, known: Names) -> Names:
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            self._reads(ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target), known)
        for part in (s.value, *targets):
            self._reads(part, known)
        if s.value is None:
            return known
        return known | {each.id for target in targets for each in names_in(target) if isinstance(each.ctx, ast.Store)}

    def _loop(self, s: ast.For | ast.While, known: Names) -> Names | None:
        self._reads(s.iter if isinstance(s, ast.For) else s.test, known)
        inside = known | {each.id for each in names_in(s.target)} if isinstance(s, ast.For) else known
        self._leaving.append(([], []))
        end = self._statements(s.body, inside)
        breaks, continues = self._leaving.pop()
        for each in continues:
            end = _both(end, each)
        if isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and s.test.value:
            behind: Names | None = None
        else:
            behind = end if isinstance(s, ast.For) and _runs(s.iter) else _both(end, known)
        for each in breaks:
            behind = _both(behind, each)
        return behind

    def _with(self, s: ast.With, known: Names) -> Names | None:
        self._reads(s.items[0].context_expr, known)
        if self._with_kind(s) != "spawn":
            return self._statements(s.body, known)
        outer, self._region = self._region, s
        end = self._statements(s.body, frozenset(name for name in known if (s, name) not in self.plan.variables))
        self._region = outer
        return known if end is None else known | end


def _both(a: Names | None, b: Names | None) -> Names | None:
    return b if a is None else a if b is None else a & b


def _runs(iterated: ast.expr) -> bool:
    """A range of numbers that are written there, with one at least; a tuple."""
    if isinstance(iterated, ast.Tuple):
        return bool(iterated.elts)
    if not isinstance(iterated, ast.Call):
        return False
    try:
        return len(range(*[ast.literal_eval(each) for each in iterated.args])) > 0
    except (ValueError, TypeError):
        return False
