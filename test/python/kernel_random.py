"""Random kernels give what Python itself makes of them, on each target: python kernel_random.py FIRST..LAST [target ...]"""

import random
import sys
import warnings

import kernel_constructs
import kernel_interpreter
import numpy as np

import bsgp as bp

SIZES = (1, 5, 17, 300)
TYPES = ("int16", "int32", "int64", "float32", "float64")


class Writer:
    """The text of one kernel. Variables are bounded after each assignment, so that nothing overflows."""

    def __init__(self, seed):
        self.random, self.lines, self.count, self.depth = random.Random(seed), [], 0, 0
        self.T, self.U = self.random.choice(TYPES), self.random.choice(TYPES)
        self.variables = {}  # by name: the type, or "int" and "float" of Python
        self.crossing = set()  # that existed at the last barrier

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def name(self):
        self.count += 1
        return f"v{self.count}"

    # ---- expressions

    def leaf(self, kind):
        wanted = [name for name, type in self.variables.items() if (kind == "any" or type == kind)]
        choices = [str(self.random.randint(0, 9))] * (kind in ("any", "int")) + wanted * 2
        if kind in ("any", "int"):
            choices += ["bp.rank % 7", "n % 5"]
        if kind in ("any", self.T):
            choices.append("x[bp.rank]")
        if kind in ("any", self.U):
            choices.append("y[bp.rank]")
        if kind == "any":
            choices += [f"{self.random.randint(0, 9) / 4}", f"x[(bp.rank + {self.random.randint(0, 9)}) % n]"]
        return self.random.choice(choices)

    def value(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.leaf("any")
        a, b = self.value(depth + 1), self.value(depth + 1)
        c, d = f"bp.float64({a})", f"bp.float64({b})"  # of one type: Python would give one of both as it is
        return self.random.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / (abs({b}) + 1))", f"({a} // (abs({b}) + 1))", f"({a} % (abs({b}) + 2))",
            f"min({c}, {d})", f"max({c}, {d})", f"({c} if {self.condition(depth + 1)} else {d})", f"abs({a})", f"joined({a}, {b})", f"-({a})",
            f"np.sqrt(abs({a}))",
        ])  # fmt: skip

    def condition(self, depth=1):
        a, b = self.value(depth + 1), self.value(depth + 1)
        test = f"{a} {self.random.choice(['<', '<=', '>', '==', '!='])} {b}"
        return self.random.choice(
            [test, f"{test} and {self.leaf('any')} < 3", f"not {test}", f"0 < {a} <= {b}", f"({test} or bp.rank % 3 == 1)"]
        )

    def bounded(self, type, text):
        """As a value of the type, from -50 to 50."""
        if type == "int":
            return f"int(min(max({text}, -50), 50))"
        if type == "float":
            return f"float(min(max({text}, -50.0), 50.0))"
        return f"bp.{type}(min(max({text}, -50), 50))"

    # ---- statements

    def statements(self, indent, count, at_top):
        own = dict(self.variables)
        for _ in range(count):
            self.statement(indent, at_top)
        if not at_top:
            self.variables = {name: type for name, type in self.variables.items() if name in own}

    def statement(self, indent, at_top):
        made = self.random.random()
        if made < 0.3 or self.depth > 2:
            self.assignment(indent)
        elif made < 0.4:
            self.line(indent, f"out[bp.rank] += {self.bounded('float64', self.value())}")
        elif made < 0.55:
            self.nested(indent, f"if {self.condition()}:", else_too=self.random.random() < 0.5)
        elif made < 0.65:
            step = self.random.choice(["", "", ", 3", ", -2"])
            ends = f"{self.random.randint(0, 4)}, {self.random.randint(2, 8)}" if step != ", -2" else f"{self.random.randint(3, 9)}, 0"
            name = self.name()
            self.nested(indent, f"for {name} in range({ends}{step}):", name)
        elif made < 0.68:
            self.pair(indent)
        elif made < 0.72:
            self.over_tuple(indent)
        elif made < 0.76:
            name = self.name()
            self.line(indent, f"{name} = 0")
            self.nested(indent, f"while {name} < {self.random.randint(2, 5)} and {self.condition()}:", name, f"{name} += 1")
        elif at_top:
            self.together(indent)
        else:
            self.assignment(indent)

    def assignment(self, indent):
        name = self.random.choice([*self.variables, None]) if self.variables else None
        type = self.variables[name] if name else self.random.choice((self.T, self.U, "int", "float", "float64"))
        name = name or self.name()
        if name.startswith("k"):
            return
        self.line(indent, f"{name} = {self.bounded(type, self.value())}")
        self.variables[name] = type

    def pair(self, indent):
        """A tuple, whose parts change places; and two variables that do."""
        name, type = self.name(), self.random.choice((self.T, self.U, "float64"))
        self.line(indent, f"{name} = ({self.bounded(type, self.value())}, {self.bounded(type, self.value())})")
        self.line(indent, f"{name} = ({name}[1], {self.bounded(type, f'{name}[0] - {name}[1]')})")
        self.line(indent, f"out[bp.rank] += {name}[0] * 2 - {name}[1]")
        alike = [(a, b) for a, ta in self.variables.items() for b, tb in self.variables.items() if a < b and ta == tb]
        if alike:
            a, b = self.random.choice(alike)
            self.line(indent, f"{a}, {b} = {b}, {a}")

    def over_tuple(self, indent):
        name = self.name()
        values = ", ".join(self.bounded(self.T, self.value()) for _ in range(self.random.randint(1, 3)))
        self.nested(indent, f"for {name} in ({values},):", name)

    def nested(self, indent, head, variable=None, last=None, else_too=False):
        self.line(indent, head)
        self.depth += 1
        before = dict(self.variables)
        if last:
            self.line(indent + 1, last)
        self.statements(indent + 1, self.random.randint(1, 3), False)
        if not last and variable and self.random.random() < 0.3:
            self.line(indent + 1, f"if {self.condition()}:")
            self.line(indent + 2, self.random.choice(["break", "continue"]))
        if else_too:
            self.line(indent, "else:")
            self.statements(indent + 1, self.random.randint(1, 2), False)
        self.variables = before
        self.depth -= 1

    def together(self, indent):
        """What all threads do."""
        made = self.random.random()
        if made < 0.3:
            self.line(indent, "bp.barrier()")
            self.crossing = set(self.variables)
        elif made < 0.55:
            name = self.name()
            op = self.random.choice(["'max'", "min", "'+'"])
            self.line(indent, f"{name} = bp.reduce({op}, {self.bounded('int', self.value())})")
            self.variables[name] = "int"
            self.crossing = set()
        elif made < 0.7:
            name = self.name()
            inclusive = self.random.choice(["", ", inclusive=True"])
            self.line(indent, f"{name} = bp.scan('+', {self.bounded('int', self.value())}{inclusive})")
            self.variables[name] = "int"
            self.crossing = set()
        elif made < 0.85 and self.crossing & set(self.variables):
            source = self.random.choice(sorted(self.crossing & set(self.variables)))
            name = self.name()
            self.line(indent, f"{name} = bp.get((bp.rank + {self.random.randint(0, 9)}) % n, {source})")
            self.variables[name] = self.variables[source]
        elif made < 0.93 and self.crossing & set(self.variables):
            target = self.random.choice(sorted(self.crossing & set(self.variables)))
            value = self.bounded(self.variables[target], self.value())
            self.line(indent, f"bp.put((bp.rank + {self.random.randint(0, 5)}) % n, {target}, {value})")
            self.line(indent, "bp.barrier()")
            self.crossing = set(self.variables)
        else:
            self.host_loop(indent)

    def host_loop(self, indent):
        name = self.name()
        self.line(indent, f"for {name} in range({self.random.choice(['2', 'rounds'])}):")
        before = dict(self.variables)
        self.line(indent + 1, "bp.barrier()")
        self.crossing = set()
        for _ in range(self.random.randint(1, 2)):
            self.assignment(indent + 1)
        self.variables = before

    def text(self):
        self.line(0, "def joined(a, b):\n    if a < b:\n        return a + b\n    return a - b\n")
        self.line(0, f"def made(out: bp.float64[:], x: bp.{self.T}[:], y: bp.{self.U}[:], rounds: int):")
        self.line(1, "n = len(x)")
        self.line(1, "with bp.spawn(n):")
        self.statements(2, self.random.randint(3, 9), True)
        for name, type in self.variables.items():
            self.line(2, f"out[bp.rank] += {name}")
        return "\n".join(self.lines) + "\n"


def inputs(writer, size):
    numbers = np.random.default_rng(size)
    return [np.zeros(size), *[numbers.integers(-9, 10, size).astype(T) for T in (writer.T, writer.U)], 3]


def run(function, writer, size):
    given = inputs(writer, size)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        function(*given)
    return given[0]


def check(seed, targets):
    writer = Writer(seed)
    text = writer.text()
    function = kernel_constructs.source_functions([text], f"<seed {seed}>")["made"]
    python = kernel_interpreter.interpreted(function, {"bp": kernel_constructs.NumpyWords()})
    for target in targets:
        kernel = bp.kernel(fp="strict", target=target)(function)
        for size in SIZES:
            try:
                ours, theirs = run(kernel, writer, size), run(python, writer, size)
            except Exception:
                print(f"seed {seed}, target {target}\n{text}")
                raise
            assert np.array_equal(ours, theirs, equal_nan=True), f"seed {seed}, target {target}, {size} threads\n{text}\n{ours}\n{theirs}"


if __name__ == "__main__":
    first, last = map(int, sys.argv[1].split(".."))
    for seed in range(first, last + 1):
        check(seed, sys.argv[2:] or ["cpu", "reference"])
    print(f"{last - first + 1} kernels")
