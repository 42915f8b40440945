"""The translation of one function: what its constructs have in common. Each construct is a function that is registered for its kind of
node.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Callable, NoReturn, Sequence

from . import nodes
from .nodes import Node, Place
from .refused import refuse_construct
from .report import Refused, Report
from .scopes import Plan, Variable
from .source import Source
from .types import INT, NONE, UNKNOWN, Array, Local, Memory, Static, Tuple, Type, Value

if TYPE_CHECKING:
    from .program import Program

ExpressionRule = Callable[["Body", Any], Value]
StatementRule = Callable[["Body", Any], None]
EXPRESSIONS: dict[type[ast.AST], ExpressionRule] = {}
STATEMENTS: dict[type[ast.AST], StatementRule] = {}


def expression_rule(*kinds: type[ast.AST]) -> Callable[[ExpressionRule], ExpressionRule]:
    def register(rule: ExpressionRule) -> ExpressionRule:
        EXPRESSIONS.update(dict.fromkeys(kinds, rule))
        return rule

    return register


def statement_rule(*kinds: type[ast.AST]) -> Callable[[StatementRule], StatementRule]:
    def register(rule: StatementRule) -> StatementRule:
        STATEMENTS.update(dict.fromkeys(kinds, rule))
        return rule

    return register


class Body:
    """A function while it is translated. `out`: the statements made so far of the list that is translated now."""

    def __init__(self, program: Program, source: Source, plan: Plan, names: Callable[[str], Any], name: str) -> None:
        self.program, self.source, self.plan, self.name = program, source, plan, name
        self._names = names  # of an object of Python that the function names; raises KeyError
        self.report = Report()
        self.out: list[Node] = []
        self.region: ast.With | None = None
        self.of_host = False  # host code calls the function
        self.spoiled = False  # a statement was left out, as there is a mistake in it
        self.in_require = False
        self.loops = 0  # around the statement that is translated now
        self.may_emit = True  # a statement may be put in front of the expression that is translated now
        self.result: Type | None = None  # that its returns have so far
        self.results_seen: list[Type] = []
        self.pending: list[Variable] = []  # are to be declared by the statement that is translated now, or in front of it
        self.written: set[Variable] = set()  # arrays that it writes to
        self.used: list[Any] = []  # instances that it calls
        self.is_collective = False
        self.bare_return: ast.Return | None = None  # one without a value, on the host
        self.declared_result: Type | None = None  # by the annotation
        self.is_last = False  # the types of all variables are found
        self._temporaries = 0
        self.seen: list[tuple[Variable, Type | None, bool]] = []  # types and signs that variables had where they were used

    @property
    def on_host(self) -> bool:
        """Whether the statement that is translated now is host code."""
        return self.in_require or self.region is None and self.of_host

    # ---- places and messages

    def at(self, node: ast.AST) -> Place:
        return self.source.place(node)

    def refuse(self, node: ast.AST, text: str, help: str = "", kind: str = "python") -> NoReturn:
        self.report.add(self.source, node, kind, text, help)
        raise Refused

    def warn(self, node: ast.AST, text: str, help: str, kind: str) -> None:
        self.report.add(self.source, node, kind, text, help, "warning")

    def known(self, value: Value) -> Value:
        """The value, or the end of the statement where a mistake in it was reported."""
        if value.type is UNKNOWN:
            raise Refused
        return value

    # ---- names

    def temporary(self, what: str) -> str:
        self._temporaries += 1
        return f"{what}.{self._temporaries}"

    def variable(self, name: str) -> Variable | None:
        return self.plan.find(self.region, name)

    def object_named(self, node: ast.Name) -> Any:
        try:
            return self._names(node.id)
        except KeyError:
            if node.id in self.plan.assigned:
                self.refuse(
                    node,
                    f"'{node.id}' is not assigned here",
                    "variables of a spawn's threads are gone behind it; assign it in front of the spawn, or in this one",
                    "python_name",
                )
            self.refuse(node, f"unknown name '{node.id}'", "assign to it first, or make it a parameter", "python_name")

    def saw(self, variable: Variable, type: Type | None) -> None:
        self.seen.append((variable, type, variable.is_nonneg))

    # ---- parts

    def expression(self, node: ast.expr) -> Value:
        rule = EXPRESSIONS.get(type(node))
        if rule is None:
            refuse_construct(self, node)
        return rule(self, node)

    def statement(self, node: ast.stmt) -> None:
        rule = STATEMENTS.get(type(node))
        try:
            if rule is None:
                refuse_construct(self, node)
            rule(self, node)
        except Refused:
            self.spoiled = True
            _spoil(self, node)

    def statements(self, list_of: list[ast.stmt], at: Place) -> Node:
        """Statements in braces, with what is declared among them."""
        outer, self.out = self.out, []
        self.inline_statements(list_of)
        made, self.out = self.out, outer
        return nodes.braces(at, made)

    def inline_statements(self, list_of: list[ast.stmt]) -> None:
        block = self.plan.block_of(list_of)
        for i, node in enumerate(list_of):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, type(Ellipsis))):
                continue
            outer, self.pending = self.pending, list(self.plan.declared.get((block, i + 1), ()))
            mark = len(self.out)
            self.statement(node)
            left, self.pending = self.pending, outer
            if left:
                self.out[mark:mark] = [d for each in left for d in declarations(self, each, self.at(node))]

    def emit(self, node: Node) -> None:
        self.out.append(node)

    def emit_ahead(self, node: ast.AST, made: Node, what: str) -> None:
        """A statement in front of the one that is translated now."""
        if not self.may_emit:
            self.refuse(node, f"{what} cannot stand here", "assign it to a variable in a statement of its own", "python_place")
        self.out.append(made)

    def in_order(self, expressions: Sequence[ast.expr], rule: Callable[[Body, ast.expr], Value]) -> list[Value]:
        """The values of expressions that are evaluated one after the other. Where one needs a statement in front, those before it get
        theirs, too."""
        from .assign import held

        made: list[Value] = []
        for node in expressions:
            mark = len(self.out)
            value = rule(self, node)
            if len(self.out) > mark:
                behind, self.out[mark:] = self.out[mark:], []
                made = [held(self, node, each) for each in made]
                self.out.extend(behind)
            made.append(value)
        return made

    def rarely(self, node: ast.expr, rule: Callable[[Body, ast.expr], Value]) -> Value:
        """An expression that is computed several times, or not always: no statement can be put in front of it."""
        outer, self.may_emit = self.may_emit, False
        try:
            return rule(self, node)
        finally:
            self.may_emit = outer


def _spoil(body: Body, node: ast.stmt) -> None:
    """Variables that a wrong statement assigns have no type; their uses are not reported."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            variable = body.variable(each.id)
            if variable is not None and variable.type is None:
                variable.type = variable.found = UNKNOWN


def declarations(body: Body, variable: Variable, at: Place) -> list[Node]:
    """Declares a variable without a value. One that only requires assign is a variable of the host."""
    made = [nodes.declare(at, type_node(at, type), name) for name, type in parts_of(variable.tree_name, variable.type)]
    if made and variable.is_stored_in_require and not body.in_require:
        return [["require", *at, made]]
    return made


def type_node(at: Place, type: Any) -> Node:
    return nodes.pointer(at, type.element) if isinstance(type, Memory) else nodes.of_type(at, type)


def parts_of(name: str, type: Any) -> list[tuple[str, Any]]:
    """The variables of the program that a variable is: one for a number, several for arrays and tuples."""
    if isinstance(type, Tuple):
        return [part for i, each in enumerate(type.parts) for part in parts_of(f"{name}.{i}", each)]
    if isinstance(type, Array):
        return [(name, type)] + [(extent_name(name, i), INT) for i in range(type.rank)]
    if isinstance(type, (Static, Local)) or type in (None, UNKNOWN, NONE):
        return []
    return [(name, type)]


def extent_name(array: str, axis: int) -> str:
    """The name of an extent; parameters of exported functions have such names, too."""
    return f"{array}__extent_{axis}"


def value_of(name: str, type: Any, at: Place) -> Value:
    """The value of a variable of this type, where it is read."""
    if isinstance(type, Tuple):
        return Value(type, parts=[value_of(f"{name}.{i}", each, at) for i, each in enumerate(type.parts)])
    if isinstance(type, Static):
        return Value(type)
    if isinstance(type, Array):
        return Value(
            type, nodes.name(at, name), extents=[Value(INT, nodes.name(at, extent_name(name, i)), is_nonneg=True) for i in range(type.rank)]
        )
    return Value(type, nodes.name(at, name))
