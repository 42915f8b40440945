#!/usr/bin/env python3
"""Prints a random program whose spawns are hard on a vectorizer: kernels.py SEED. Each thread takes its own way through branches, loops and memory.

The program has no race and no undefined behaviour, by construction:
  - integers wrap: arithmetic that could overflow is done in unsigned types; shift amounts and indices are limited;
  - loops count up to a limit of their own, whatever their conditions are;
  - in a superstep an array is only read, or each thread touches elements of its own; atomics end in values that do not depend on their order;
  - the sign and the payload of a NaN are never looked at.
So it prints the same on all targets and at all SIMD widths. The first lines say what it uses.
"""
import sys

from kernel_expressions import Expressions
from kernel_forms import GENERIC, Forms
from kernel_functions import Functions
from kernel_memory import Memory
from kernel_statements import Statements
from kernel_steps import Steps
from kernel_types import FLOATS, HASHED, INTEGERS, PRELUDE, SCALARS, fill, words
from writer import Writer

ARRAYS = ["int", "int", "uint", "float", "float", "Item", "Item", "float4", "double", "long", "ulong", "uchar", "short", "char", "ushort", "bool", "half", "Pair", "int3", "float2"]
BLOCKS = ["", "", "", "", " block(8)", " block(16)", " block(32)", " block(64)", " block(100)", " block(1024)", " block(20)"]
WIDTHS = ["", "", "", " width(1)", " width(1)", " width(2)", " width(4)", " width(8)", " width(16)", " width(32)"]
SLOTS = 30


class Kernel(Writer, Expressions, Forms, Functions, Memory, Statements, Steps):
    def __init__(self, seed):
        super().__init__(seed, indent=1)
        self.function_uses, self.smaller = set(), {}
        self.vars, self.privates, self.pointers, self.arrays, self.modes, self.own_use = {}, {}, {}, {}, {}, {}
        self.referred = {}
        self.functions, self.hosts, self.host_ints, self.settled = [], [], [], []
        self.counters, self.uniform_counters = [], []
        self.breaks, self.continues, self.returns, self.in_function = None, False, None, False
        self.at_borders = False
        self.outer, self.spots, self.printed = set(), 0, False
        self.divergence, self.loops, self.left, self.depth_of_leaf, self.costly = 0, 0, 0, 0, self.random.choice([0, 0, 1, 2])

    # ---- a spawn
    def spawn(self, budget):
        block, width = self.pick(BLOCKS), self.pick(WIDTHS)
        long_ranks = self.chance(0.15)
        if long_ranks:
            self.use("long ranks")
        self.put(f"spawn ({'(long)n' if long_ranks else 'n'}){self.pick([block + width, width + block])} {{")
        with self.scope():
            self.vars, self.privates, self.pointers, self.settled = {}, {}, {}, []
            self.at_borders = self.chance(0.2)
            if self.at_borders: # little else, so that whole vectors on one side pay
                budget = self.random.randint(3, 7)
            self.new_modes()
            self.put("const int identity = (int)thread.rank;")
            self.put("int rank = (int)thread.rank;")
            for _ in range(self.random.randint(1, 2) if self.at_borders else self.random.randint(4, 8)):
                self.declare()
            while self.chance(0.1 if self.at_borders else 0.4):
                self.declare_private()
            steps = 1 if self.at_borders else self.pick([1, 1, 1, 2, 2, 3])
            for step in range(steps):
                self.step(max(2, budget // steps), last=step == steps - 1)
        self.put("}")

    def step(self, budget, last):
        self.left = budget
        blocks = self.chance(0.35)
        if last and not blocks and self.chance(0.5):
            self.returns = ""
        while self.left > 0:
            self.statement()
            if blocks and self.chance(0.2):
                self.left -= 2
                self.together()
            if self.settled and self.chance(0.1):
                self.got()
        if last:
            self.saved()
            self.returns = None
        else:
            self.end_step()

    # ---- around it
    def program(self):
        for i, kind in enumerate(self.random.sample(ARRAYS, self.random.randint(3, 6))):
            self.arrays[f"A{i}"] = kind
        functions, methods = [], []
        self.host_ints, arrays, self.arrays = [], self.arrays, {}
        for _ in range(self.pick([0, 1, 1, 2, 3])):
            lines, of = self.new_function()
            (methods if of else functions).extend(lines)
        self.arrays, self.host_ints, self.lines, self.indent = arrays, ["n", "q"], [], 1
        spawns = self.pick([1, 1, 1, 2])
        for _ in range(spawns):
            self.spawn(self.random.randint(8, 45) // spawns)
        body = "\n".join(self.lines)
        if any(f.name + "(" in body for f in self.functions):
            self.uses |= self.function_uses
        head = [f"// Made by tools/fuzz/kernels.py {self.seed}.", f"// uses: {', '.join(sorted(self.uses))}"]
        return "\n".join([*head, PRELUDE.replace("  float2 v;\n", "\n".join(["  float2 v;", *methods, ""])), words(self.arrays.values()), HASHED, GENERIC, *functions, "run(int n) {", *self.before(), body, *self.after(), "}", "",
                          "int main() {", *self.calls(), "  return 0;", "}", ""])

    def before(self):
        lines = ["  int cap = 2 * n + 64, q = n % 7 + 1;", *(f"  int {h} = 0;" for h in self.hosts)]
        for name, kind in self.arrays.items():
            lines.append(f"  {kind}* {name} = dtempnew[cap]{kind};")
        lines += ["  int* perm = dtempnew[cap]int;", "  int* spread = dtempnew[cap]int;", "  uint* sums = dtempnew[cap]uint;",
                  "  uint* spots = dtempnew[64]uint;", f"  uint* slots = dtempnew[{SLOTS}]uint;",
                  "  int odd = n % 3 == 0 ? 5 : 3;", "  if (n % odd == 0) odd = 7;", "  if (n % odd == 0) odd = 1;",
                  "  spawn (cap) {", "    int i = thread.rank;", "    uint h = mixed((uint)i);",
                  "    perm[i] = i < n ? (i * odd + 1) % n : i;", "    spread[i] = (int)(h % (uint)cap);", "    sums[i] = 0u;",
                  f"    if (i < {SLOTS}) slots[i] = i >= 4 && i < 8 || i >= 20 && i < 24 ? 0xffffffffu : 0u;"]
        lines.append("    if (i < 64) spots[i] = h;")
        lines += [f"    {name}[i] = {fill(kind)};" for name, kind in self.arrays.items()]
        return [*lines, "  }"]

    def after(self):
        lines = ["  spawn (1) {", "    slots[24] += slots[25];", "    slots[25] = 0u;", "  }"]
        for name in self.arrays:
            lines.append(f'  printf("%d {name} %lx\\n", n, hashed({name}, cap));')
        more = "".join(", " + h for h in self.hosts)
        lines.append(f'  printf("%d sums %lx spots %lx slots %lx{" %d" * len(self.hosts)}\\n", n, hashed(sums, cap), hashed(spots, 64), hashed(slots, {SLOTS}){more});')
        return lines

    def calls(self):
        width = self.pick([4, 8, 16])
        sizes = [1, width - 1, width, width + 1, self.pick([0, 2, 31, 64]), self.pick([255, 256]), 257, self.pick([997, 1009])]
        return [f"  run({n});" for n in sizes]


def generate(seed):
    """The text, and for expressions in it shorter ones that may stand in their place."""
    kernel = Kernel(seed)
    return kernel.program(), kernel.smaller


if __name__ == "__main__":
    print(generate(int(sys.argv[1]))[0], end="")
