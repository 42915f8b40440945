"""What all that write random programs do: they choose, and write lines."""
import random


class Writer:
    def __init__(self, seed, indent):
        self.random, self.seed = random.Random(seed), seed
        self.marks, self.marked = random.Random(f"{seed} marks"), 0 # which loops are wavefronts; how many of them are around
        self.uses, self.lines, self.indent, self.names = set(), [], indent, 0

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return self.random.choice(list(items))

    def use(self, *names):
        self.uses.update(names)

    def mark(self):
        """What stands before a loop, which means the same without it."""
        if self.marks.random() >= 0.4:
            return ""
        self.marked += 1
        self.use("wavefront" if self.marked == 1 else f"{self.marked} wavefronts nested")
        return "wavefront "

    def put(self, text):
        self.lines.append("  " * self.indent + text)

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"
