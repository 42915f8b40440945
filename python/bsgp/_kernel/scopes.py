"""The places of a function's variables: the host, or the threads of one spawn; and the statement that declares each.

A name that host code reads or assigns is one variable of the host. A name of a spawn's code alone is a variable of its threads. It is
declared in the innermost statements that have all its uses, and outside of loops from whose last iteration its value may come.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from .types import Type


class Block:
    """A list of statements; `loop`: the body of one. Positions in it count from 1; 0 is that of a loop's variable."""

    def __init__(self, parent: Block | None, index: int, is_loop: bool = False, spawn: ast.With | None = None) -> None:
        self.parent, self.index, self.is_loop, self.spawn = parent, index, is_loop, spawn
        self.depth: int = parent.depth + 1 if parent else 0


class Variable:
    """A local variable. Its type is found by the translation."""

    def __init__(self, name: str, region: ast.With | None) -> None:
        self.name, self.region = name, region
        self.tree_name = name
        self.type: Type | None = None  # as uses see it
        self.found: Type | None = None  # by the assignments that this pass has come to
        self.is_fixed = False  # an earlier pass has found the type
        self.value: Any = None  # an array, a tuple, or an object of Python: what the name stands for
        self.is_declared_by_value = False  # its first assignment is its declaration
        self.is_stored_in_require = False
        self.stores = 0
        self.home: Block | None = None
        self.is_nonneg = True  # all values that were found so far are never negative
        self.is_read_first = False  # in front of all its assignments, and in no loop with one


@dataclass
class _Use:
    block: Block
    index: int
    stores: bool
    is_plain: bool  # an assignment of a whole variable
    in_require: bool
    order: int = 0  # in the text


Uses = dict[str, list[_Use]]


class Plan:
    """The variables of a function, and what is declared in front of each statement."""

    def __init__(self, function: ast.FunctionDef, parameters: set[str], with_kind: Callable[[ast.With], str]) -> None:
        self.root = Block(None, 0)
        self.blocks: dict[int, Block] = {}
        self.variables: dict[tuple[ast.With | None, str], Variable] = {}
        self.declared: dict[tuple[Block, int], list[Variable]] = {}
        self.assigned: set[str] = set(parameters)
        self._uses: dict[ast.With | None, Uses] = {None: {}}
        self._with_kind, self._count = with_kind, 0
        self._walk(function.body, self.root, None)
        self._place(parameters)

    def block_of(self, statements: list[ast.stmt]) -> Block:
        return self.blocks[id(statements)]

    def find(self, region: ast.With | None, name: str) -> Variable | None:
        return self.variables.get((region, name)) or self.variables.get((None, name))

    # ---- uses

    def _walk(self, statements: list[ast.stmt], block: Block, region: ast.With | None) -> None:
        self.blocks[id(statements)] = block
        for i, statement in enumerate(statements):
            self._statement(statement, block, i + 1, region, False)

    def _loads(self, node: ast.AST | None, block: Block, index: int, region: ast.With | None) -> None:
        for each in names_in(node):
            if isinstance(each.ctx, ast.Load):
                self._note(each.id, _Use(block, index, False, False, False), region)

    def _note(self, name: str, use: _Use, region: ast.With | None) -> None:
        self._count = use.order = self._count + 1
        self._uses.setdefault(region, {}).setdefault(name, []).append(use)
        if use.stores:
            self.assigned.add(name)

    def _stores(self, target: ast.AST, block: Block, index: int, region: ast.With | None, in_require: bool, plain: bool) -> None:
        if isinstance(target, ast.Name):
            self._note(target.id, _Use(block, index, True, plain, in_require), region)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._stores(each, block, index, region, in_require, plain)
        else:
            self._loads(target, block, index, region)

    def _statement(self, s: ast.stmt, block: Block, i: int, region: ast.With | None, in_require: bool) -> None:
        if isinstance(s, ast.Assign):
            self._loads(s.value, block, i, region)
            for target in s.targets:
                self._stores(target, block, i, region, in_require, True)
        elif isinstance(s, ast.AnnAssign):
            self._loads(s.value, block, i, region)
            if s.value is not None:
                self._stores(s.target, block, i, region, in_require, True)
        elif isinstance(s, ast.AugAssign):
            self._loads(s.value, block, i, region)
            if isinstance(s.target, ast.Name):
                self._note(s.target.id, _Use(block, i, False, False, in_require), region)
            self._stores(s.target, block, i, region, in_require, False)
        elif isinstance(s, ast.For):
            self._loads(s.iter, block, i, region)
            body = Block(block, i, True)
            self._stores(s.target, body, 0, region, in_require, True)
            self._walk(s.body, body, region)
        elif isinstance(s, ast.While):
            self._loads(s.test, block, i, region)
            self._walk(s.body, Block(block, i, True), region)
        elif isinstance(s, ast.If):
            self._loads(s.test, block, i, region)
            self._walk(s.body, Block(block, i), region)
            self._walk(s.orelse, Block(block, i), region)
        elif isinstance(s, ast.With):
            self._with(s, block, i, region, in_require)
        else:
            self._loads(s, block, i, region)

    def _with(self, s: ast.With, block: Block, i: int, region: ast.With | None, in_require: bool) -> None:
        for item in s.items:
            self._loads(item.context_expr, block, i, region)
        kind = self._with_kind(s)
        if kind == "spawn":
            self._walk(s.body, Block(block, i, False, s), s)
            return
        self.blocks[id(s.body)] = block  # its statements belong to the block around it
        for each in s.body:
            self._statement(each, block, i, region, in_require or kind == "require")

    # ---- declarations

    def _place(self, parameters: set[str]) -> None:
        host = self._uses[None]
        names = {name for name, uses in host.items() if any(use.stores for use in uses)} | parameters
        for region, uses in self._uses.items():
            if region is not None:
                names |= {name for name, all in uses.items() if name in host and any(use.stores for use in all)}
        for name in parameters:
            self.variables[None, name] = Variable(name, None)
        for name in sorted(names - parameters):
            self._declare(name, None, [use for region in self._uses.values() for use in region.get(name, ())])
        for region, uses in self._uses.items():
            for name, all in uses.items():
                if region is not None and name not in names and any(use.stores for use in all):
                    self._declare(name, region, all)

    def _declare(self, name: str, region: ast.With | None, uses: list[_Use]) -> None:
        made = self.variables[region, name] = Variable(name, region)
        made.stores = sum(use.stores for use in uses)
        uses = sorted(uses, key=lambda use: use.order)
        block, index = _common(uses)
        first = uses[0]
        definite = first.block is block and first.stores and first.is_plain
        if not definite:
            block, index = _out_of_loops(block, index, region)
        made.is_read_first = not first.stores and not any(use.stores and _in_one_loop(first.block, use.block) for use in uses)
        made.home = block
        made.is_declared_by_value = definite
        made.is_stored_in_require = any(use.stores and use.in_require for use in uses) and not any(
            use.stores and not use.in_require for use in uses
        )
        self.declared.setdefault((block, index), []).append(made)


def names_in(node: ast.AST | None) -> Iterator[ast.Name]:
    """Those of an expression or a statement, in the order of the text; a lambda's own are not among them."""
    if node is None or isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Name):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from names_in(child)


def _lifted(block: Block, index: int, depth: int) -> tuple[Block, int]:
    while block.depth > depth and block.parent is not None:
        block, index = block.parent, block.index
    return block, index


def _common(uses: list[_Use]) -> tuple[Block, int]:
    """The innermost block with all uses, and the position of the first one in it."""
    block = uses[0].block
    for use in uses[1:]:
        other = use.block
        while block is not other:
            if block.depth >= other.depth:
                assert block.parent
                block = block.parent
            else:
                assert other.parent
                other = other.parent
    return _lifted(uses[0].block, uses[0].index, block.depth)


def _in_one_loop(a: Block, b: Block) -> bool:
    loops = set()
    at: Block | None = a
    while at is not None:
        if at.is_loop:
            loops.add(at)
        at = at.parent
    at = b
    while at is not None and at not in loops:
        at = at.parent
    return at is not None


def _out_of_loops(block: Block, index: int, region: ast.With | None) -> tuple[Block, int]:
    found, at, place = (block, index), block, index
    while at.parent is not None and not (region is not None and at.spawn is region):
        is_loop, place, at = at.is_loop, at.index, at.parent
        if is_loop:
            found = (at, place)
    return found
