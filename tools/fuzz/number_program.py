#!/usr/bin/env python3
"""Prints a random program of arithmetic whose results NumPy has computed: number_program.py SEED [--expected]

Each expression is computed in threads and on the host with variables, and with literals in their place, which the compiler folds: in
code of both sides, in `const` data, as the size of an array, as the condition of a constant `if`. Then come primitives (number_primitives.py).
"""
import random
import sys

import numpy as np

import number_primitives
from number_expressions import Expressions
from number_types import FLOATS, INTEGERS, LANES, SCALARS, bits_of, is_float, literal

ROWS = 37
THREADS = [37, 37, 256, 263, 300, 517]
BLOCKS = ["", "", " block(32)", " block(64)", " block(100)", " width(1)", " block(64) width(4)"]
WORDS = {"half": "isnan((float)x) ? 0x7e00ul : (ulong)half_as_ushort(x)", "float": "isnan(x) ? 0x7fc00000ul : (ulong)float_as_uint(x)",
         "double": "isnan(x) ? 0x7ff8000000000000ul : double_as_ulong(x)"}


def prelude(names):
    """word(x): the bits of a value, of all NaNs the same; an overload for each type, so that an expression's type counts."""
    scalars = "".join(f"inline ulong word({t} x) {{ return {WORDS.get(t, '(ulong)x')}; }}\n" for t in SCALARS)
    vectors = ""
    for name in sorted(names - set(SCALARS)):
        lanes = int(name[-1])
        vectors += f"inline ulong word({name} x) {{ return {' + '.join(f'word(x.{c}) * {k}ul' for k, c in zip((1, 31, 961, 29791), 'xyzw'[:lanes]))}; }}\n"
    return scalars + vectors


def words(node):
    """What word() gives for each row."""
    if node.lanes == 1:
        return bits_of(node.values, node.type)
    factors = np.array([1, 31, 961, 29791][:node.lanes], dtype=np.uint64)
    with np.errstate(over="ignore"):
        return sum(bits_of(node.values[:, k], node.type) * factors[k] for k in range(node.lanes))


class Program:
    """Of some expressions: the text, and the lines it prints."""

    def __init__(self, seed, expressions, variables, primitives):
        self.seed, self.expressions, self.primitives = seed, expressions, primitives
        used = {name for e in expressions for name in variables if "{" + name + "}" in e.text}
        self.variables = {name: v for name, v in variables.items() if name in used}
        pick = random.Random(seed)  # the same for every part of the program: see Generated.reduced
        self.threads, self.block = pick.choice(THREADS), pick.choice(BLOCKS)
        self.file, self.host, self.device, self.known = [], [], [], []  # constants; results of the literals' forms
        for e in expressions:
            rows = [r for r in range(ROWS) if not e.zero_divisor[r]]
            if e.fused:
                continue  # products of constants are not: they are rounded
            for row in random.Random(f"{seed} {e.text}").sample(rows, min(2, len(rows))):
                self.fold(e, row)

    def at(self, e, row):
        """The expression with the numbers of a row."""
        return e.text.format(**{name: self.value(v, row) for name, v in self.variables.items()})

    def value(self, v, row):
        if v.lanes == 1:
            return literal(v.values[row], v.type)
        return f"{v.name}({', '.join(literal(x, v.type) for x in v.values[row])})"

    # ---- literals
    def fold(self, e, row):
        text, known = self.at(e, row), int(words(e)[row])
        self.found(self.host, f"word({text})", known)
        self.found(self.device, f"word({text})", known)
        if not e.constant:
            return
        name = f"c{len(self.known)}"
        self.file.append(f"const {e.name} {name} = {text};")
        self.found(self.host, f"word({name})", known)
        self.found(self.device, f"word({name})", known)
        if e.type == "bool":
            arms = ("1ul", "a_name_that_is_not_there") if e.values[row] else ("a_name_that_is_not_there", "0ul")
            self.host.append(f"if ({text}) F[{len(self.known)}] = {arms[0]}; else F[{len(self.known)}] = {arms[1]};")
            self.known.append(known)
        elif e.type in INTEGERS:
            self.file.append(f"const char s{name}[(({text}) & 15) + 1] = {{}};")
            self.found(self.host, f"sizeof(s{name})", int(e.values[row]) % 16 + 1)

    def found(self, side, text, known):
        """The next element of F is this."""
        side.append(f"{'F' if side is self.host else 'G'}[{len(self.known)}] = {text};")
        self.known.append(known)

    # ---- variables
    def tables(self):
        for name, v in self.variables.items():
            values = [self.value(v, row) for row in range(ROWS)]
            yield f"const {v.name} {name}_at[{ROWS}] = {{{', '.join(values)}}};"

    def functions(self):
        for k, e in enumerate(self.expressions):
            names = [name for name in self.variables if "{" + name + "}" in e.text]
            parameters = ", ".join(f"{self.variables[name].name} {name}" for name in names)
            yield f"ulong e{k}({parameters}) {{ return word({self.plain(e)}); }}"

    def plain(self, e):
        return e.text.format(**{name: name for name in self.variables})

    def run(self):
        count, all_ = len(self.expressions), self.threads * len(self.expressions)
        yield "run() {"
        yield f"  int n = {self.threads};"
        yield f"  ulong* R = dtempnew[{all_}]ulong;"
        yield f"  ulong* G = dtempnew[{len(self.known) + 1}]ulong;"
        yield f"  spawn (n){self.block} {{"
        yield f"    int row = (int)thread.rank % {ROWS};"
        for name, v in self.variables.items():
            yield f"    {v.name} {name} = {name}_at[row];"
        for k, e in enumerate(self.expressions):
            yield f"    R[{k} * n + thread.rank] = word({self.plain(e)});"
        yield "  }"
        yield "  spawn (1) {"
        yield from (f"    {line}" for line in self.device)
        yield "  }"
        yield f"  ulong* H = new[{all_}]ulong;"
        yield f"  copy(H, R, {all_});"
        yield f"  ulong* F = new[{len(self.known) + 1}]ulong;"
        yield f"  copy(F, G, {len(self.known)});"
        yield from (f"  {line}" for line in self.host)
        yield f"  for (int k = 0; k < {count}; k++) {{"
        yield '    printf("threads %d:", k);'
        yield f'    for (int i = 0; i < {ROWS}; i++) printf(" %lx", H[k * n + i]);'
        yield '    printf("\\n");'
        yield f"    for (int i = {ROWS}; i < n; i++)"
        yield f'      if (H[k * n + i] != H[k * n + i % {ROWS}]) printf("%d differs in thread %d: %lx\\n", k, i, H[k * n + i]);'
        yield "  }"
        for k, e in enumerate(self.expressions):
            names = ", ".join(f"{name}_at[i]" for name in self.variables if "{" + name + "}" in e.text)
            yield f'  printf("host {k}:");'
            for first, end in runs(e.zero_divisor):
                yield f'  for (int i = {first}; i < {end}; i++) printf(" %lx", e{k}({names}));'
            yield '  printf("\\n");'
        yield f'  for (int i = 0; i < {len(self.known)}; i++) printf("literals %d: %lx\\n", i, F[i]);'
        yield "  delete H;"
        yield "  delete F;"
        yield "}"

    def text(self):
        names = {v.name for e in self.expressions for v in [*self.variables.values(), *parts_of(e)]}
        uses = sorted(set().union(*(e.uses for e in self.expressions), *(p.uses for p in self.primitives)))
        lines = [f"// Made by tools/fuzz/number_program.py {self.seed}.", f"// uses: {', '.join(uses)}", prelude(names), *self.tables(), *self.file, *self.functions(), *self.run(),
                 number_primitives.PRELUDE if self.primitives else ""]
        for k, p in enumerate(self.primitives):
            lines += [f"primitive{k}() {{", *(f"  {line}" for line in p.lines), "}"]
        calls = [f"  primitive{k}();" for k in range(len(self.primitives))]
        return "\n".join([*lines, "int main() {", "  run();", *calls, "  return 0;", "}", ""])

    def expected(self):
        lines = [f"threads {k}:" + "".join(f" {int(x):x}" for x in words(e)) for k, e in enumerate(self.expressions)]
        for k, e in enumerate(self.expressions):
            lines.append(f"host {k}:" + "".join(f" {int(x):x}" for x, zero in zip(words(e), e.zero_divisor) if not zero))
        lines += [f"literals {i}: {x:x}" for i, x in enumerate(self.known)]
        return lines + [line for p in self.primitives for line in p.known]


def runs(left_out):
    """From, to of the rows that are not left out."""
    first = None
    for i, out in enumerate([*left_out, True]):
        if out and first is not None:
            yield first, i
        first = None if out else i if first is None else first


def parts_of(e):
    yield e
    for part in e.parts:
        yield from parts_of(part)


class Generated:
    def __init__(self, seed):
        self.seed, pick = seed, random.Random(seed)
        self.strict = pick.random() < 0.6
        made = Expressions(pick, ROWS, contract=not self.strict)
        self.expressions = [made.expression(pick.choice((1, 2, 3, 3, 4))) for _ in range(6)]
        self.variables = made.variables
        self.primitives = [number_primitives.primitive(pick)] if pick.random() < 0.3 else []  # they take longest

    def program(self, expressions=None, primitives=None):
        expressions = self.expressions if expressions is None else expressions
        return Program(self.seed, expressions, self.variables, self.primitives if primitives is None else primitives)

    def options(self):
        return ["--fp", "strict" if self.strict else "contract"]

    def reduced(self, wrong):
        """The program of the smallest part that is still wrong."""
        if wrong(self.program([], self.primitives)):
            worst = [p for p in self.primitives if wrong(self.program([], [p]))]
            return self.program([], worst[:1] or self.primitives)
        found = next((e for e in self.expressions if wrong(self.program([e], []))), None)
        while found:
            smaller = next((part for part in found.parts if wrong(self.program([part], []))), None)
            if not smaller:
                return self.program([found], [])
            found = smaller
        return self.program()


def generate(seed):
    return Generated(seed).program()


if __name__ == "__main__":
    program = generate(int(sys.argv[1]))
    print("\n".join(program.expected()) if "--expected" in sys.argv else program.text())
