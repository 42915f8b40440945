"""What generate.py's programs do with lambdas, references in declarations and generic structs.

All of it is written plainly as well (twins.py): a lambda as its body, a reference as the place, each type of a generic struct as a struct.
"""
import dataclasses

from superstep_expressions import ARRAYS, KEPT
from twins import plainly, renamed, twin

# Kinds of variables that are types of generic structs: as they are written, the plain struct, what stands for the parameters.
TYPES = {
    "Two": ("Two(int)", "Two_int", {"T": "int"}),
    "Few": ("Few(int, 3)", "Few_int_3", {"T": "int", "N": "3"}),
    "Pile": ("Few(Two(int), 2)", "Few_Two_int_2", {"T": "Two_int", "N": "2"}),
}
TWO = """
struct SELF {
  T a, b;
  T sum() const { return (a + b) % 60013; }
  void turn(T by = 3) {
    b = (a + by) % 60013;
    a = sum();
  }
  SELF turned() const { return SELF(b, a); }
  T taken(T by) {
    turn(by);
    return a;
  }
};
"""
FEW = """
struct SELF {
  T at[N];
  int n;
  void put(T x) {
    at[n] = x;
    n = (n + 1) % N;
  }
  T popped() {
    n = (n + N - 1) % N;
    return at[n];
  }
  T top(int back = 1) const { return at[(n + N - back % N) % N]; }
  inline each(f) {
    for (int i = 0; i < N; i++)
      at[i] = f(at[i]);
  }
  inline T across(int by = 1) const {
    auto mine = top(by);
    barrier;
    return thread.get((thread.rank + by) % thread.size, mine);
  }
};
"""
FUNCTIONS = """
inline auto swapped(TWO_OF_ANY p) { return typeof(p)(p.b, p.a); }
inline FEW fewOf(int x, int y) {
  FEW f = {{x, y, (x ^ y) & 255}, (x & 7) % 3};
  return f;
}
inline PILE pileOf(TWO_OF_ANY a, TWO b) {
  PILE p;
  p.n = 1;
  p.at[0] = a;
  p.at[1] = b;
  return p;
}
inline int takenOf(int a, int b, int by) { return (a + (a + by) % 60013) % 60013; }
inline int poppedOf(int x, int y) {
  int at = ((x & 7) % 3 + 2) % 3;
  return at == 0 ? x : at == 1 ? y : (x ^ y) & 255;
}
inline auto applied(f, x) { return f(x); }
inline auto passed(f, x) { return applied(f, x); }
inline auto handed(f, x) { return passed(f, x); }
inline auto twice(f, x) { return f(f(x)); }
inline auto folded(f, x, y, int by = 2) { return f(handed([=](z) { return z * by % 1009; }, x), y); }
inline settle(f, int& x) {
  x = f(x);
  x = f(x);
}
inline int moved(f, int x) {
  int y = f(x);
  barrier;
  return f(thread.get((thread.rank + 1) % thread.size, y));
}
inline int movedOn(f, int x) { return moved([=](y) { return f(y); }, x); }
"""


def structs():
    """Written once with parameters; plainly, once for each type."""
    def written(template, self, values):
        text = renamed(template, "SELF", self)
        for name, value in values.items():
            text = renamed(text, name, value)
        return text
    new = written(TWO, "Two(T)", {}) + written(FEW, "Few(T, const N)", {}).replace("const N)(", "N)(")
    plain = "".join(written(FEW if "N" in values else TWO, name, values) for _, name, values in TYPES.values())
    functions = renamed(FUNCTIONS, "TWO_OF_ANY", twin("Two(auto)", "Two_int"))
    for kind in TYPES:
        functions = renamed(functions, kind.upper(), type_text(kind))
    return twin(new, plain) + functions


def type_text(kind):
    return twin(*TYPES[kind][:2]) if kind in TYPES else kind


@dataclasses.dataclass
class Reference:
    """kind: of what it refers to. array: of the device, or None. changes: may be assigned to. fixed: no index that differs between threads leads to it."""
    kind: str
    array: str = None
    changes: bool = True
    fixed: bool = False


class Twins:
    """Of a Generator. references: by their names, which are what is to be written."""

    # ---- generic structs
    def part_to_read(self, name, kind):
        """An int that is a part of it, or what its function says."""
        if kind == "Two":
            return f"{name}.{self.pick(['a', 'b', 'sum()', 'turned().b'])}"
        if kind == "Few":
            return self.pick([f"{name}.at[{self.index(3)}]", f"{name}.top()", f"{name}.top({self.random.randint(0, 4)})"])
        return self.pick([f"{name}.at[{self.index(2)}].{self.pick(['a', 'b', 'sum()'])}", f"{name}.top().{self.pick('ab')}"])

    def generic_value(self, kind):
        self.use("generic struct")
        e = (self.get(kind) or self.array_read(kind)) if self.chance(0.4) else None
        others = self.of_type(kind)
        if e or (others and self.chance(0.3)):
            return e or self.pick(others)
        if kind == "Two":
            ways = [f"{v}.top()" for v in self.of_type("Pile")] + [f"{v}.turned()" for v in others] + [f"swapped({v})" for v in others]
            ways.append(f"{type_text(kind)}({self.value('int', 1)}, {self.value('int', 1)})")
            return self.pick(ways)
        part = "Two" if kind == "Pile" else "int"
        return f"{'pileOf' if kind == 'Pile' else 'fewOf'}({self.value(part, 1)}, {self.value(part, 1)})"

    def part_of_generic(self, name, kind):
        """A place in a generic struct, and its type."""
        if kind == "Two":
            return f"{name}.{self.pick('ab')}", "int"
        return (f"{name}.at[{self.index(3)}]", "int") if kind == "Few" else (f"{name}.at[{self.index(2)}]", "Two")

    def generic_statement(self):
        targets = {v: t for v, t in self.targets().items() if t in TYPES}
        if not targets:
            return self.assign()
        self.use("function of a generic struct")
        name, kind = self.pick(targets.items())
        if kind == "Two":
            return self.put(f"{name}.{self.called('turn', [], self.small())};")
        if kind == "Few" and self.chance(0.4):
            return self.each(name)
        return self.put(f"{name}.put({self.value('Two' if kind == 'Pile' else 'int', 2)});")

    def each(self, name):
        """A lambda for each element, whose copies are made before the first: of the struct itself too."""
        self.use("lambda for a function of a generic struct")
        x, i, old = self.fresh("x"), self.fresh("i"), self.fresh("o")
        body = self.body(x, 2)
        here = plainly(name)
        plain = renamed(plainly(body).replace(here, old) if "[" in here or "." in here else renamed(plainly(body), here, old), x, f"{here}.at[{i}]")
        self.put(twin(f"{name}.each([=]({x}) {{ return {body}; }});", f"{{ Few_int_3 {old} = {here}; for (int {i} = 0; {i} < 3; {i}++) {here}.at[{i}] = {plain}; }}"))

    def changed_value(self):
        """What a function gives that changes the struct that it is called on, where that is a value which nobody keeps."""
        self.use("function of a value that nobody keeps")
        x, y, by = self.value("int", 1), self.value("int", 1), self.value("int", 1)
        pair = f"{type_text('Two')}({x}, {y})"
        return self.pick([twin(f"{pair}.taken({by})", f"takenOf({x}, {y}, {by})"),
                          twin(f"swapped({pair}.turned()).taken({by})", f"takenOf({x}, {y}, {by})"),
                          twin(f"fewOf({x}, {y}).popped()", f"poppedOf({x}, {y})")])

    # ---- lambdas
    def body(self, x, depth):
        """What a lambda returns, an int: without anything collective, for it may be called anywhere."""
        kept, self.settled, self.in_lambda = (self.settled, self.vars), set(), True
        self.vars = {**self.vars, x: "int", x + " ": "int"}  # likely to be named
        text = self.value("int", depth)
        (self.settled, self.vars), self.in_lambda = kept, False
        return text if text.endswith(f") % {KEPT}") else f"({text}) % {KEPT}"

    def differing(self):
        """An int that is no constant: a division by it is no error."""
        return f"({self.small()} + {self.rank()})"

    def lambda_of_int(self, depth):
        x, value = self.fresh("x"), self.differing()
        body = self.body(x, max(depth - 1, 1))
        self.use("lambda of a host's values" if self.on_host else "lambda of a thread's values")

        def of(argument):
            return f"({renamed(body, x, f'({argument})')})"
        parameter = self.pick([x, f"int {x}"])
        if self.chance(0.3):
            y, other = self.fresh("y"), self.differing()
            return twin(f"folded([=]({x}, int {y}) {{ {x} = ({x} + {y}) % 1009; return {body}; }}, {value}, {other})", of(f"(({value}) * 2 % 1009 + ({other})) % 1009"))
        if self.chance(0.2):
            k = self.random.randint(1, 4)
            return twin(f"{self.pick(['passed', 'handed'])}([=]({parameter}) {{ if ({x} % 5 > {k}) return 1 + {body}; return {body}; }}, {value})",
                        f"(({value}) % 5 > {k} ? 1 + {of(value)} : {of(value)})")
        if self.chance(0.2) and len(body) < 300:
            return twin(f"twice([=]({parameter}) -> int {{ return {body}; }}, {value})", of(of(value)))
        return twin(f"{self.pick(['applied', 'passed', 'handed'])}([=]({parameter}) {{ return {body}; }}, {value})", of(value))

    def lambda_statement(self):
        """It is given a reference to a variable of which it has a copy."""
        names = [v for v in self.writable(["int"])]
        if not names or self.in_lambda:
            return self.assign()
        self.use("lambda with a copy of what changes")
        name, x, old = self.pick(names), self.fresh("x"), self.fresh("o")
        body = self.body(x, 2)
        plain = renamed(renamed(plainly(body), name, old), x, name)
        self.put(twin(f"settle([=]({x}) {{ return {body}; }}, {name});", f"{{ int {old} = {name}; {name} = {plain}; {name} = {plain}; }}"))

    def end_lambda(self):
        """A collective function calls it on both sides of a barrier. Its copies are made before: a put lands in none of them."""
        names = self.writable(["int"])
        if not names or self.put_to:
            return self.end_barrier()
        self.use("lambda across a barrier")
        x, y, value = self.fresh("x"), self.fresh("y"), self.differing()
        target, modes, self.modes = self.pick(names), self.modes, {}
        body = self.body(x, 2)
        self.modes = modes
        before, after = (renamed(body, x, f"({argument})") for argument in (value, f"rotated({y}, 1)"))
        after = renamed(body, x, y)
        self.put(twin(f"{target} = {self.pick(['moved', 'movedOn'])}([=]({x}) {{ return {body}; }}, {value});",
                      f"int {y} = {before}; {y} = rotated({y}, 1); {target} = {after};"))
        self.new_step()
        return None

    # ---- references
    def refer_to(self, kind=None, changes=False):
        """The names of references that can be used here."""
        if self.in_arm:
            return []
        return [r for r, of in self.references.items() if (kind is None or of.kind == kind) and (of.changes or not changes)]

    def places(self):
        """(text, index that it has or None, kind, array or None)"""
        of = {k: self.writable([k]) for k in ("int", "float", "Item", "Two", "Few", "Pile")}
        yield from ((v, None, kind, None) for kind in of for v in of[kind])
        for v in of["Item"]:
            yield from ((f"{v}.a", None, "int", None), (f"{v}.b", None, "float", None), (f"{v}.c[INDEX]", self.index(3), "int", None))
        yield from ((f"{v}.a", None, "int", None) for v in of["Two"])
        yield from ((f"{v}.at[INDEX]", self.index(3), "int", None) for v in of["Few"])
        for v in of["Pile"]:
            yield from ((f"{v}.at[INDEX]", self.index(2), "Two", None), (f"{v}.at[INDEX].b", self.index(2), "int", None))
        yield from ((f"{p}[INDEX]", self.index(length), "int", None) for p, length in self.private.items() if p not in self.frozen)
        for name, mode in self.modes.items():
            if mode == "own" and not self.on_host:
                yield f"{name}[INDEX]", "thread.rank", ARRAYS[name], name
                if ARRAYS[name] in ("Item", "Two"):
                    yield f"{name}[INDEX].a", "thread.rank", "int", name

    def reference(self):
        found = [] if self.in_arm or self.in_lambda else list(self.places())
        if not found:
            return self.assign()
        (place, index, kind, array), name = self.pick(found), self.fresh("r")
        is_const, at = self.chance(0.15), name + "at"
        if index:
            self.put(twin("", f"{'auto' if array else 'int'} {at} = {index};"))
        declared = f"{'const ' if is_const else ''}{self.pick(['auto', type_text(kind)])}& {name} = {renamed(place, 'INDEX', index or '')};"
        self.put(twin(declared, ""))
        self.use("reference to " + ("memory" if array else "an element" if index else "a variable"), *["const reference"] * is_const)
        self.references[twin(name, renamed(place, "INDEX", at))] = Reference(kind, array, not is_const, not index)
        return None

    def keep_references(self, same_ranks):
        """Behind a barrier: an element of the device's memory is a thread's own as long as its array is one that threads write so."""
        if same_ranks:
            self.modes.update({r.array: "own" for r in self.references.values() if r.array})
        else:
            self.references = {name: r for name, r in self.references.items() if not r.array}
        if self.references:
            self.use("reference across a barrier")

    # ---- host code
    def host_part(self):
        """Statements of the host in front of the spawn. Some of its ints are host values of the spawn."""
        self.on_host, self.indent, self.modes = True, 1, {}
        for _ in range(self.random.randint(2, 5)):
            self.declare()
        if self.chance(0.5):
            self.declare_private()
        for _ in range(self.random.randint(2, 8)):
            self.statement(2)
        self.save_all("hostSum", 'printf("host %lx\\n", hostSum);')
        ints = [v for v, kind in self.vars.items() if kind == "int"][:2]
        names = [self.fresh("h") for _ in ints]
        for name, v in zip(names, ints):
            self.put(f"int {name} = {v} % 8191;")
        self.host_ints += names
        self.vars, self.private, self.references, self.on_host, self.indent = {}, {}, {}, False, 1
