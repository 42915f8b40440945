"""Statements of programs for checks, in two texts: the program, and what the emulator of CUDA runs for the oracle.

The second one tells of each statement that it begins (a write to an element of `mark`), and keeps in memory what the first keeps in variables of
threads. Written in a statement:

  @{i}        an index, which a change may shift
  #{t|i}      element i of the thread's array t
  ${v}        the thread's variable v
  get{v|i}    what v was in thread i
"""
import dataclasses
import re

INDEX = re.compile(r"@\{(.*?)\}")
ELEMENT = re.compile(r"#\{(\w+)\|(.*?)\}")
VARIABLE = re.compile(r"\$\{(\w+)\}")
GET = re.compile(r"get\{(\w+)\|(.*?)\}")
PUT = re.compile(r"thread\.put\((.*), (\w+), (.*)\);")
PAD = 8       # elements beside an array of a thread
BEYOND = 512  # ranks beside those that there are


@dataclasses.dataclass
class Statement:
    """kind: use: of all that it reads; move; put; exchange: nothing is used. lines: where it may be told."""
    kind: str
    lines: set


@dataclasses.dataclass
class Item:
    """inner: of a loop, a branch, an arm. calls: functions in it. bare: no statement of a thread. first: it gives a first value."""
    text: str
    inner: list = None
    kind: str = "use"
    calls: tuple = ()
    bare: bool = False
    first: bool = False
    shared: bool = False  # gives a first value to an array of the block
    keeps: str = ""       # of the oracle's: else its compiler leaves out what is written and not read
    checks: str = None  # an expression of the oracle's: something overflows

    def is_arm(self):
        return not self.text

    def indexed(self):
        return INDEX.sub(r"\1", self.text)


def program_text(text):
    text = ELEMENT.sub(r"\1[\2]", text)
    text = GET.sub(r"thread.get(\2, \1)", text)
    return VARIABLE.sub(r"\1", text)


class Texts:
    """of_thread: {name: elements of the array, or 0 for a variable}. functions: {name: line}."""

    def __init__(self, of_thread, functions):
        self.of_thread, self.functions = of_thread, functions
        self.lines, self.oracle, self.statements = [], [], []

    def add(self, line, oracle=None):
        self.lines.append(line)
        self.oracle.append(line if oracle is None else oracle)

    def items(self, items, indent, mark="mark"):
        for number, item in enumerate(items, 1):
            self.item(item, " " * indent, indent, mark + str(number) if item.is_arm() else mark)

    def item(self, item, space, indent, mark):
        text = item.indexed()
        if item.bare or item.inner is not None:
            self.add(space + program_text(text) + (" {" if item.inner is not None else ""))
        else:
            lines = {len(self.lines) + 1} | {self.functions[name] for name in item.calls}
            tell = f"{mark}[{len(self.statements)}] = 0; "
            check = f"if ({item.checks}) overflow[0] = 0; " if item.checks else ""
            self.statements.append(Statement(item.kind, lines))
            self.add(space + program_text(text), space + tell + check + self.oracle_text(text) + item.keeps)
        if item.inner is not None:
            self.items(item.inner, indent + 2, mark)
            self.add(space + "}")

    def oracle_text(self, text):
        put = PUT.search(text)
        if put:
            text = text.replace(put[0], f"{put[2]}_[{BEYOND} + ({put[1]})] = {put[3]};")
        text = ELEMENT.sub(lambda m: f"{m[1]}_[r0 * {self.of_thread[m[1]] + 2 * PAD} + {PAD} + ({m[2]})]", text)
        text = GET.sub(rf"\1_[{BEYOND} + (\2)]", text)
        return VARIABLE.sub(rf"\1_[{BEYOND} + r0]", text)
