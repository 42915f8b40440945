"""The program that a kernel becomes: its function, and those that it calls, each for the types of its arguments."""

from __future__ import annotations

import ast
import builtins
import json
import linecache
import typing
from types import CellType, FunctionType, ModuleType
from typing import Any, Callable, Sequence

from .._dtypes import as_dtype, float16
from . import nodes, spawns
from .body import Body, parts_of, type_node
from .nodes import Node
from .language import CALLED, HELPS, SILENT, WORDS_OF_C
from .report import Refused, Report
from .scopes import Plan, Variable
from .source import NoSource, Source
from .types import NONE, OF_PYTHON, UNKNOWN, Array, Local, Memory, Pointer, Static, Tuple, Type, Value, tree_name
from .unset import Unset

_MOST_PASSES = 64


class Instance:
    """A function for arguments of some types."""

    def __init__(self, name: str, function: FunctionType, types: Sequence[Type]) -> None:
        self.name, self.function, self.types = name, function, types
        self.parameters: list[Variable] = []
        self.result: Any = None
        self.body: Body
        self.node: Node = []
        self.declared_result: Type | None = None
        self.identity: Node | None = None
        self.commutes = False
        self.of_host = False  # host code calls it


class Program:
    def __init__(self) -> None:
        self.texts: list[tuple[str, str]] = []
        self.captured: list[tuple[Any, str, Any]] = []  # a dict, a cell or an object with attributes, a name in it, and what it was
        self._begins: dict[str, int] = {}
        self._end = self._count = 0
        self._sources: dict[FunctionType, Source] = {}
        self._instances: dict[Any, Instance] = {}
        self._open: list[Any] = []  # functions that are translated now
        self._structs: dict[Tuple, str] = {}
        self._libraries: set[str] = set()
        self._kinds: dict[int, str] = {}
        self._named: set[tuple[int, str]] = set()
        self.entry: Instance | None = None

    # ---- what bodies ask for

    def needs(self, library: str) -> None:
        self._libraries.add(library)

    def with_kind(self, node: ast.With) -> str:
        return self._kinds[id(node)]

    def struct_of(self, type: Tuple) -> str:
        return self._structs.setdefault(type, f"bsgp_tuple_{len(self._structs)}")

    # ---- texts and names

    def source(self, function: FunctionType) -> Source:
        if function not in self._sources:
            file = function.__code__.co_filename
            if file not in self._begins:
                text = "".join(linecache.getlines(file, function.__globals__))
                self._begins[file] = self._end
                self._end += len(text.encode()) + 1
                self.texts.append((file, text))
            self._sources[function] = Source(function, self._begins[file])
        return self._sources[function]

    def _object(self, function: FunctionType, name: str) -> Any:
        """The object of Python that has a name which the function does not assign."""
        places: list[Any] = [dict(zip(function.__code__.co_freevars, function.__closure__ or ())), function.__globals__, vars(builtins)]
        for names in places:
            if name in names:
                found = names[name]
                holder = found if isinstance(found, CellType) else names
                if isinstance(found, CellType):
                    try:
                        found = found.cell_contents
                    except ValueError:
                        raise KeyError(name) from None
                if names is not places[2]:
                    self.captures(holder, name, found)
                return found
        raise KeyError(name)

    def captures(self, holder: Any, name: str, found: Any) -> None:
        """Something from outside of the kernel, which is not to change."""
        if (id(holder), name) not in self._named and not isinstance(found, ModuleType):
            self._named.add((id(holder), name))
            self.captured.append((holder, name, found))

    # ---- instances

    def instance(
        self,
        body: Body,
        node: ast.Call,
        function: FunctionType,
        types: Sequence[Type],
        identity: Node | None = None,
        commutes: bool = False,
    ) -> Instance:
        """The function for these types; it is translated when it is first called with them."""
        key = (function, tuple(types), json.dumps(identity and identity[3:]), commutes, body.on_host)
        if key in self._instances:
            return self._instances[key]
        if function in self._open:
            body.refuse(node, f"{function.__name__} calls itself", "a loop", "python_recursion")
        self._count += 1
        made = Instance(f"{function.__name__}.{self._count}", function, types)
        made.identity, made.commutes, made.of_host = identity, commutes, body.on_host
        try:
            self.translate(made, dict(zip(_parameter_names(function), types)))
        except NoSource:
            body.refuse(
                node.func, f"the text of {function.__name__} is not there", "functions of kernels stand in files, in Python", "python_call"
            )
        self._instances[key] = made
        return made

    def translate(self, made: Instance, parameters: dict[str, Type]) -> None:
        source = self.source(made.function)

        def names(name: str) -> Any:
            return self._object(made.function, name)

        plan = Plan(source.tree, set(parameters), self._kinds_of(names))
        for variable in plan.variables.values():
            variable.tree_name = _name_in_tree(variable.name, plan.assigned)
        made.parameters = [_parameter(plan, name, type) for name, type in parameters.items()]
        self._open.append(made.function)
        try:
            self._passes(made, source, plan, names)
        finally:
            self._open.pop()
        at = _name_place(source)
        result = made.result
        made.node = [
            "function",
            *at,
            made.name,
            self._result_node(at, result),
            _parameter_nodes(at, made),
            made.node,
            _facts(made, self.entry is made),
        ]

    def _kinds_of(self, names: Any) -> Callable[[ast.With], str]:
        return lambda node: self._kinds.setdefault(id(node), spawns.with_kind(names, node))

    def _passes(self, made: Instance, source: Source, plan: Plan, names: Any) -> None:
        """Until the types of variables are those that each use has seen."""
        result: Any = None
        is_last = False
        flow = Unset(plan, self._kinds_of(names))
        unset = flow.check(source.tree, {each.name for each in made.parameters})
        variables = list(plan.variables.values())
        for _ in range(_MOST_PASSES):
            before = {variable: (variable.type, variable.is_nonneg) for variable in variables}
            body = Body(self, source, plan, names, made.name)
            for name in unset:
                body.warn(name, f"'{name.id}' may have no value here", "give it one in front, on every path", "python_unset")
            body.result, body.is_last, body.declared_result = result, is_last, made.declared_result
            body.of_host = made.of_host
            made.body, made.node = body, body.statements(source.tree.body, _name_place(source))
            _check_end(body, flow.comes_to_end)
            made.result = body.result or (UNKNOWN if body.report.of("error") else NONE)
            result = body.result
            if _settle(body, variables, made.parameters) and all(each == result for each in body.results_seen) or is_last:
                return
            is_last = all((variable.type, variable.is_nonneg) == known for variable, known in before.items())

    def _result_node(self, at: nodes.Place, result: Any) -> Node | None:
        if result is NONE or result is UNKNOWN:
            return None
        return ["type", *at, self.struct_of(result)] if isinstance(result, Tuple) else nodes.of_type(at, result)

    # ---- the whole

    def report(self) -> str:
        """Raises the mistakes of all functions that are called; gives their warnings."""
        whole = Report()
        for each in self._reachable():
            for message in each.body.report.messages:
                if message not in whole.messages:
                    whole.messages.append(message)
        whole.raise_all()
        if any(each.body.spoiled for each in self._reachable()):
            raise RuntimeError(
                "a statement of the kernel was left out without a message: a defect of bsgp, please report it with the kernel"
            )
        return whole.of("warning")

    def _reachable(self) -> list[Instance]:
        assert self.entry
        found: list[Instance] = []
        left = [self.entry]
        while left:
            each = left.pop()
            if each not in found:
                found.append(each)
                left.extend(each.body.used)
        return found

    def tree(self) -> str:
        items = [each.node for each in self._reachable()]
        at: nodes.Place = (items[0][1], items[0][2])
        structs = []
        for type, name in self._structs.items():
            fields = [["field", *at, nodes.of_type(at, part), f"f{i}"] for i, part in enumerate(type.parts)]
            structs.append(["struct", *at, name, fields])
        whole = {"texts": self.texts, "library": sorted(self._libraries), "helps": HELPS, "silent": SILENT, "program": structs + items}
        return json.dumps(whole, separators=(",", ":"), ensure_ascii=False)


def _settle(body: Body, variables: list[Variable], parameters: list[Variable]) -> bool:
    """Takes over the types that a pass has found. True: its uses saw them."""
    for each in variables:
        if each.found is not None and each not in parameters:
            each.type = each.found
        each.found, each.is_fixed = each.type if each in parameters else None, True
        if each.type is UNKNOWN or not isinstance(each.type, (Static, Local)):
            each.value = None
    return all((variable.type, variable.is_nonneg) == (type, nonneg) for variable, type, nonneg in body.seen)


def _check_end(body: Body, comes_to_end: bool) -> None:
    """A function that returns a value does so at each end."""
    declared = body.declared_result is not None and body.declared_result is not NONE
    if body.result is None and (not declared or body.report.of("error")):
        return
    try:
        if body.result is None and comes_to_end:
            body.refuse(
                body.source.tree,
                f"{body.source.tree.name} returns {body.declared_result}, by its annotation, and None here",
                "return a value",
                "python_return",
            )
        if body.bare_return is not None or comes_to_end:
            node: ast.AST = body.bare_return or body.source.tree
            body.refuse(
                node, f"{body.source.tree.name} returns a value elsewhere, and None here", "return a value at each end", "python_return"
            )
    except Refused:
        pass


def _name_place(source: Source) -> nodes.Place:
    begin, _ = source.place(source.tree)
    at = begin + len("def ")
    return at, at + len(source.tree.name.encode())


def _parameter_names(function: FunctionType) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def name_of_entry(function: str) -> str:
    """The name under which the kernel is exported."""
    return _name_in_tree(function, set())


def c_name(name: str) -> str:
    return (
        name + "_"
        if name in WORDS_OF_C
        else name
        if name.isascii()
        else "p" + "".join(f"{ord(c):x}" if not (c.isascii()) else c for c in name)
    )


def _name_in_tree(name: str, taken: set[str]) -> str:
    """A name in C that hides no function of the library."""
    made = c_name(name)
    while made in CALLED or "__extent_" in made and made[-1].isdigit() or made != name and made in taken:
        made += "_"
    return made


def _parameter(plan: Plan, name: str, type: Type) -> Variable:
    made = plan.variables[None, name]
    made.is_nonneg, made.type, made.found = False, type, type
    if isinstance(type, Static) or type is NONE:
        made.value = Value(type)
    return made


def _parameter_nodes(at: nodes.Place, made: Instance) -> list[Node]:
    found = []
    for each in made.parameters:
        is_const = isinstance(each.type, (Array, Pointer)) and each not in made.body.written
        if isinstance(each.type, Local):
            found.append(["parameter", *at, ["pointer", *at, nodes.array(at, each.type.element, each.type.shape[1:])], each.tree_name])
            continue
        for name, type in parts_of(each.tree_name, each.type):
            tree = nodes.pointer(at, type.element, is_const) if isinstance(type, Memory) else type_node(at, type)
            found.append(["parameter", *at, tree, name])
    return found


def _facts(made: Instance, is_entry: bool) -> dict[str, Any]:
    if is_entry:
        return {"export": True}
    facts: dict[str, Any] = {"inline": True}
    if made.identity is not None:
        facts["identity"], facts["commutative"] = made.identity, made.commutes
    return facts


# ---- types of parameters


def type_of_annotation(given: Any) -> Type | None:
    """The type of a parameter by its annotation; None: it is no type of a parameter."""
    if isinstance(given, (Array, Pointer)):
        return given
    type = _of_number(given)
    return None if type is float16 else type  # C has no values of it


def type_of_result(given: Any) -> Type | None:
    """The type of a result by its annotation; None: it is no type of a result."""
    if given is None:
        return NONE
    parts = given if isinstance(given, tuple) else typing.get_args(given) if typing.get_origin(given) is tuple else None
    if parts is None:
        return _of_number(given)
    types = [_of_number(each) for each in parts]
    return Tuple(tuple(each for each in types if each is not None)) if types and None not in types else None


def _of_number(given: Any) -> Type | None:
    if isinstance(given, type) and given in OF_PYTHON:
        return OF_PYTHON[given]
    try:
        dtype = as_dtype(given)
        tree_name(dtype)
        return dtype
    except (TypeError, KeyError):
        return None
