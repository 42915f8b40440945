#!/usr/bin/env python3
"""Prints a random BSGP program: generate.py SEED.

The program has no race and no undefined behaviour, by construction:
  - integers carry a bound on their magnitude, so that signed arithmetic never overflows (unsigned wraps);
  - in each superstep an array is either written by each thread at its own rank, or read anywhere, or written once through
    an injective index; par arms write variables of their own;
  - floating-point numbers are limited when they are assigned, so no NaN is ever printed; every variable is initialized;
  - a variable is the target of at most one put in a superstep, from an injective map of ranks.
So all targets must print the same. The first lines say what the program uses. With --plain it is written without lambdas, references
in declarations, generic structs and dimensions (twins.py), and must print the same again.
"""
import sys

from pieces import COLLECTIVES, EPILOGUE, PRELUDE
from superstep_expressions import ARRAYS, GENERIC, KEPT, Expressions
from superstep_forms import FUNCTIONS, METHODS, Forms
from superstep_twins import Twins, structs, type_text
from twins import newly, plainly, twin
from writer import Writer

STEP_KINDS = ["barrier", "barrier", "reassign", "rotated", "neighbours", "total", "reversed", "exchanged", "par", "par", "prefixed", "form", "rounds", "arms", "lambda"]


class Generator(Writer, Expressions, Forms, Twins):
    def __init__(self, seed):
        super().__init__(seed, indent=2)
        self.vars = {}        # name: type
        self.settled = set()  # had a value at the last barrier: thread.get may name them
        self.modes = {}       # array: own, read, once
        self.put_to = set()
        self.frozen = set()   # not to be written (par arms)
        self.loop_depth = 0
        self.in_arm = False
        self.old_size = None  # ranks that thread.get may use
        self.size = "n"
        self.host_ints = ["n", "q"]
        self.long_ranks = self.chance(0.15)
        self.thread_places = []      # of threads, and extents: ints
        self.private = {}     # name: length
        self.references = {}  # name: Reference
        self.on_host, self.in_lambda = False, False

    # ---- statements
    def writable(self, kinds=None):
        return [v for v, t in self.vars.items() if v not in self.frozen and (kinds is None or t in kinds)]

    def targets(self):
        """What may be assigned to, and its type."""
        return {**{v: self.vars[v] for v in self.writable()}, **{r: self.references[r].kind for r in self.refer_to(changes=True)}}

    def declare(self):
        kind = self.pick(["Two", "Few", "Pile", "int", "int", "int", "float", "uint", "long", "float", "double", "bool", "short", "uchar", "Item", "int3", "float3", "half"])
        name = self.fresh({"int3": "v", "float3": "w", "Item": "s", "Two": "g", "Few": "g", "Pile": "g"}.get(kind, kind[0]))
        value = self.value(kind, 2)
        if self.chance(0.3) and kind not in ("short", "uchar", "half", "bool"):
            self.use("implicit local")
            self.put(f"{name} = ({kind})({value});" if kind in ("int", "long", "uint", "float", "double") else f"{name} = {value};")
        else:
            self.put(f"{type_text(kind)} {name} = {value};")
        self.use(f"type {kind}")
        self.vars[name] = kind

    def declare_private(self):
        length = self.pick([2, 3, 4, 7])
        name = self.fresh("p")
        values = ", ".join(str(self.random.randint(0, 99)) for _ in range(self.random.randint(1, length)))
        self.put(f"int {name}[{length}] = {{{values}}};")
        self.put(f"for (int i = 0; i < {length}; i++)")
        self.put(f"  {name}[i] += i * {self.random.randint(0, 9)};")
        self.private[name] = length

    def assign(self):
        targets = self.targets()
        if not targets:
            return
        name, kind = self.pick(targets.items())
        if kind in GENERIC and self.chance(0.8):
            name, kind = self.part_of_generic(name, kind)
        if kind == "Item" and self.chance(0.7):
            field = self.pick(["a", "b", "c"])
            if field == "c":
                return self.put(f"{name}.c[{self.index(3)}] = {self.value('int', 2)};")
            return self.put(f"{name}.{field} = {self.value('int' if field == 'a' else 'float', 2)};")
        if kind in ("int3", "float3") and self.chance(0.5):
            return self.put(f"{name}.{self.pick('xyz')} = {self.value('int' if kind == 'int3' else 'float', 2)};")
        if kind == "int" and self.chance(0.2):
            return self.put(f"{name} {self.pick('^|')}= ({self.int_expr(1)[0]}) & 255;")
        if kind == "uint" and self.chance(0.3):
            return self.put(f"{name} {self.pick(['+', '*', '^', '-', '<<'])}= {self.uint_expr(2)};")
        self.put(f"{name} = {self.value(kind)};")

    def write_private(self):
        name = self.pick([p for p in self.private if p not in self.frozen] or [None])
        if name:
            self.use("private array written")
            self.put(f"{name}[{self.index(self.private[name])}] = {self.value('int', 2)};")

    def write_array(self):
        names = [a for a, m in self.modes.items() if m == "own"]
        if not names or self.in_arm:
            return
        name = self.pick(names)
        if ARRAYS[name] == "Item" and self.chance(0.5):
            return self.put(f"{self.element(name, 'thread.rank')}.a = {self.value('int', 2)};")
        self.put(f"{self.element(name, 'thread.rank')} = {self.value(ARRAYS[name])};")

    def scatter(self):
        names = [a for a, m in self.modes.items() if m == "once"]
        if not names or self.in_arm:
            return
        name = self.pick(names)
        self.modes[name] = "done"
        self.use("scatter")
        k = self.random.randint(0, 5)
        where = self.pick(["thread.size - 1 - thread.rank", f"(thread.rank + {k}) % thread.size"])
        self.put(f"{self.element(name, where)} = {self.value(ARRAYS[name])};")

    def put_statement(self):
        names = [v for v in self.writable(["int", "uint", "long", "float", "double", "bool", "Item"]) if v not in self.put_to]
        if not names or self.loop_depth or self.in_arm:
            return
        name = self.pick(names)
        kind = self.vars[name]
        self.put_to.add(name)
        self.use("put")
        place, value = (f"{name}.a", self.value("int", 2)) if kind == "Item" else (name, self.value(kind, 2))
        text = f"thread.put({self.injective()}, {place}, {value});"
        if self.chance(0.5):
            self.use("put under a condition")
            self.put(f"if ({self.bool_expr(1)})")
            text = "  " + text
        self.put(text)

    def pointer(self):
        names = [v for v, kind in self.targets().items() if kind == "int" and not (v in self.references and self.references[v].array)]
        if len(names) < 2 or self.in_arm:
            return
        self.use("private pointer")
        a, b = self.random.sample(names, 2)
        p = self.fresh("t")
        self.put("{")
        self.put(f"  int* {p} = {self.bool_expr(1)} ? &{a} : &{b};")
        self.put(f"  *{p} = (*{p} + ({self.bounded(self.int_expr(1), 60000)[0]})) % {KEPT};")
        self.put("}")

    def by_reference(self):
        names = [v for v, kind in self.targets().items() if kind == "int"]
        if names:
            self.use("by reference")
            self.put(f"bump({self.pick(names)}, {self.bounded(self.int_expr(1), 60000)[0]});")

    def block(self, depth, amount):
        self.indent += 1
        kept, private, references = dict(self.vars), dict(self.private), dict(self.references)
        for _ in range(amount):
            self.statement(depth - 1)
        self.vars, self.private, self.references = kept, private, references
        self.indent -= 1

    def branch(self, depth):
        self.use("divergent if")
        self.put(f"if ({self.bool_expr(2)}) {{")
        self.block(depth, self.random.randint(1, 3))
        if self.chance(0.5):
            self.put("} else {")
            self.block(depth, self.random.randint(1, 2))
        self.put("}")

    def loop(self, depth):
        i = self.fresh("k")
        kind = self.pick(["for", "while", "do"])
        self.use(f"divergent {kind}")
        limit = f"(({self.int_expr(1)[0]}) & {self.pick([1, 3, 7])})"
        self.loop_depth += 1
        if kind == "for":
            self.put(f"for (int {i} = 0; {i} < {limit}; {i}++) {{")
        else:
            self.put(f"int {i} = 0, {i}_end = {limit};")
            self.put("do {" if kind == "do" else f"while ({i} < {i}_end) {{")
            self.put(f"  {i}++;")
        if self.chance(0.3):
            self.use("continue")
            self.put(f"  if ({self.bool_expr(1)})")
            self.put("    continue;")
        self.block(depth, self.random.randint(1, 2))
        if self.chance(0.3):
            self.use("break")
            self.put(f"  if ({self.bool_expr(1)})")
            self.put("    break;")
        self.put(f"}} while ({i} < {i}_end);" if kind == "do" else "}")
        self.loop_depth -= 1

    def switch(self, depth):
        self.use("switch")
        self.put(f"switch (({self.int_expr(1)[0]}) & 3) {{")
        for label in self.random.sample(range(4), 3):
            self.put(f"case {label}: {{")
            self.block(depth, 1)
            self.put("}")
            if self.chance(0.7):
                self.put("  break;")
            else:
                self.use("fall-through")
        self.put("default: {")
        self.block(depth, 1)
        self.put("}")
        self.put("}")

    def statement(self, depth):
        choices = [self.assign] * 6 + [self.write_array] * 3 + [self.write_private] * 2 + [self.by_reference, self.pointer, self.method_statement, self.generic_statement, self.lambda_statement, self.reference]
        if depth > 0:
            choices += [lambda: self.branch(depth)] * 3 + [lambda: self.loop(depth)] * 2 + [lambda: self.switch(depth)]
        self.pick(choices)()

    # ---- supersteps
    def new_step(self, old_size=None, same_ranks=False):
        self.put_to = set()
        self.old_size = old_size or self.size
        self.modes = {a: self.pick(["own", "own", "read", "once"]) for a in ARRAYS}
        self.keep_references(same_ranks)
        self.settled = set(self.vars) | set(self.private) | {r for r, of in self.references.items() if of.fixed}

    def body_of_step(self):
        for _ in range(self.random.randint(0, 2)):
            self.declare()
        if self.chance(0.25):
            self.declare_private()
        if self.chance(0.4):
            self.reference()
        for _ in range(self.random.randint(1, 5)):
            self.statement(2)
            if self.chance(0.25):
                self.put_statement()
        if self.chance(0.6):
            self.scatter()
        if self.chance(0.2):
            self.use("require")
            self.put(f"require q = (q * {self.random.randint(2, 9)} + n) % 1000;")

    def end_barrier(self):
        self.put("barrier;")
        self.new_step(same_ranks=True)

    def end_reassign(self):
        size = self.fresh("size")
        old = self.size
        change = self.pick(["{0}", "{0}", "{0} / 2", "{0} * 2 < cap ? {0} * 2 : {0}", "{0} - {0} / 3"]).format(old)
        self.use("reassign at one size" if change == old else "reassign to another size")
        self.put("barrier(RANK_REASSIGNED);")
        self.put("require {")
        self.put(f"  int {size} = {change};")
        self.put(f"  thread.size = {size};")
        self.put("}")
        k = self.random.randint(1, 7)
        self.put("thread.oldrank = " + self.pick([
            f"(thread.rank * {k} + {k * 3}) % {old}", f"{old} - 1 - thread.rank % {old}", f"(thread.rank + {k}) % {old}", f"thread.rank % {old}"]) + ";")
        self.size = size
        self.host_ints.append(size)
        self.new_step(old)

    def end_collective(self, name):
        kinds = {"rotated": ["int", "uint", "float", "long", "Item", "float3", "Two", "Few", "Pile"], "neighbours": ["int", "float", "double", "uint"], "exchanged": ["int", "float", "bool"], "prefixed": ["int"]}[name]
        names = self.writable(kinds)
        if not names:
            return self.end_barrier()
        self.use(f"collective {name}")
        target = self.pick(names)
        self.put(f"{target} = {self.collective(name, self.vars[target])};")
        self.new_step()

    def collective(self, name, kind):
        value = self.value(kind, 2)
        if name == "rotated":
            return f"rotated({value}, {self.random.randint(0, 9)})"
        if name == "neighbours":
            limits = {"int": f"(neighbours({value}) % {KEPT})", "uint": f"neighbours({value})"}
            return limits.get(kind, f"limited(neighbours({value}))")
        return f"{name}({value})"

    def end_total(self):
        self.use("host result")
        self.put(f"total = totalOf({self.bounded(self.int_expr(2), 60000)[0]});")
        self.put("require q = (int)((total % 1000 + 1000) % 1000);")
        self.new_step()

    def end_reversed(self):
        self.use("collective that reassigns")
        self.put("reversed();")
        self.new_step()

    def end_par(self):
        names = self.writable(["int", "float"])
        if len(names) < 3:
            return self.end_barrier()
        self.use("par")
        targets = self.random.sample(names, self.random.randint(2, 3))
        self.put("par {")
        self.indent += 1
        self.in_arm = True
        everything = dict(self.vars)
        read = [a for a, m in self.modes.items() if m == "read"]
        for target in targets:
            others = set(targets) - {target}
            self.vars = {v: t for v, t in everything.items() if v not in others}
            self.frozen = set(everything) - {target} | set(self.private)
            kind = everything[target]
            saved, saved_settled = self.modes, self.settled
            self.settled = set()
            form = self.pick(["one", "two", "block"])
            names_of = ["rotated", "neighbours"]
            if form == "one":
                self.put(f"{target} = {self.collective(self.pick(names_of), kind)};")
            else:
                self.use("par of different lengths")
                self.put("{")
                self.indent += 1
                for _ in range(2 if form == "two" else 1):
                    self.put(f"{target} = {self.collective(self.pick(names_of), kind)};")
                    self.assign()
                self.indent -= 1
                self.put("}")
            self.modes, self.settled = saved, saved_settled
        self.vars, self.frozen, self.in_arm = everything, set(), False
        self.indent -= 1
        self.put("}")
        self.new_step()
        self.modes.update({a: "read" for a in read})  # what an arm does last is in the superstep that follows

    def spawn(self):
        block = f" block({self.pick([1, 32, 100, 512, 1024])})" if self.chance(0.2) else ""
        width = f" width({self.pick([1, 1, 4, 8, 16])})" if self.chance(0.2) else ""
        extents = self.extents()
        n = "(long)n" if self.long_ranks else "n"
        self.put(f"spawn ({twin(', '.join(extents), n) if extents else n}){block}{width} {{")
        if self.long_ranks:
            self.use("long ranks")
        self.indent += 1
        self.name_places(extents)
        self.modes = {a: self.pick(["own", "own", "read", "once"]) for a in ARRAYS}
        for _ in range(self.random.randint(3, 7)):
            self.declare()
        for _ in range(self.random.randint(1, 6)):
            self.body_of_step()
            kind = self.pick(STEP_KINDS)
            if kind in ("rotated", "neighbours", "exchanged", "prefixed"):
                self.end_collective(kind)
            else:
                getattr(self, f"end_{kind}")()
        self.body_of_step()
        self.save_all("sum", "R[thread.rank] = sum;")
        self.indent -= 1
        self.put("}")

    def extents(self):
        """Of a spawn of two or three dimensions, whose product is n; none: of one."""
        if self.chance(0.6):
            return []
        self.use("dimensions")
        small, other = self.fresh("d"), self.fresh("d")
        self.put(f"int {small} = n % 4 == 0 ? 4 : n % 5 == 0 ? 5 : n % 3 == 0 ? 3 : 1, {other} = n / {small} % 2 == 0 ? 2 : 1;")
        extents = [small, f"n / {small}"] if self.chance(0.5) else [small, other, f"n / {small} / {other}"]
        self.random.shuffle(extents)
        return ["(long)" + extents[0] if self.long_ranks else extents[0]] + extents[1:]

    def name_places(self, extents):
        """Plainly, a thread's place is a variable of it."""
        rank = "thread.rank"
        for i, extent in enumerate(extents):
            place, name = f"(int)thread.{'xyz'[i]}", self.fresh("at")
            self.put(twin("", f"int {name} = (int)({rank}{f' % ({extent})' if i + 1 < len(extents) else ''});"))
            rank = f"{rank} / ({extent})"
            self.thread_places += [twin(place, name), twin(f"(int)thread.{['width', 'height', 'depth'][i]}", f"(int)({extent})")]

    def save_all(self, total, use):
        """Every variable goes into the checksum."""
        self.put(f"ulong {total} = 17;")
        for name, kind in self.vars.items():
            parts = {"Item": [f"(uint)hashOf({name})"], "int3": [f"(uint)({name}.x * 3 + {name}.y * 5 + {name}.z)"],
                     "float": [f"float_as_uint({name})"], "double": [f"double_as_ulong({name})"], "half": [f"float_as_uint((float){name})"],
                     "float3": [f"float_as_uint({name}.{c})" for c in "xyz"], "Two": [f"(ulong){name}.a", f"(ulong){name}.b"],
                     "Few": [f"(ulong)({name}.at[{i}] + {name}.n)" for i in range(3)], "Pile": [f"(ulong)({name}.at[{i}].a * 3 + {name}.at[{i}].b + {name}.n)" for i in range(2)]}.get(kind, [f"(ulong){name}"])
            for part in parts:
                self.put(f"{total} = {total} * 31ul + {part};")
        for name, length in self.private.items():
            self.put(f"for (int i = 0; i < {length}; i++)")
            self.put(f"  {total} = {total} * 31ul + (ulong){name}[i];")
        self.put(use)

    def program(self):
        if self.chance(0.5):
            self.host_part()
        else:
            self.indent = 1
        self.spawn()
        sizes = [1] + self.random.sample([0, 2, 5, 31, 64, 65, 255, 256, 257, 300, 511, 700], 4)
        head = [f"// Made by tools/fuzz/generate.py {self.seed}.", f"// uses: {', '.join(sorted(self.uses))}"]
        main = ["int main() {"] + [f"  run({n});" for n in sizes] + ["  return 0;", "}"]
        return "\n".join(head) + PRELUDE.replace("  int c[3];\n", "  int c[3];\n" + METHODS.lstrip("\n")) + structs() + COLLECTIVES + FUNCTIONS + "\nrun(int n) {\n" + EPILOGUE[0].replace("PAIR", type_text("Two")) + "\n".join(self.lines) + "\n" + EPILOGUE[1] + "}\n\n" + "\n".join(main) + "\n"


def generate(seed):
    """Written in two ways (twins.py)."""
    return Generator(seed).program()


if __name__ == "__main__":
    program = generate(int(sys.argv[1]))
    print(plainly(program) if "--plain" in sys.argv else newly(program), end="")
