"""Makes a random kernel smaller while something holds: statements, braces around them, and parts of expressions are taken out.

What is left is still defined: see Expressions.note. Races would come from taking out what orders threads, so that stays.
"""
import re

KEPT = re.compile(r"^\s*(barrier;|.*(thread\.sortby|reduce\(|scan(_inclusive)?\(|block\.scan|block\.reduce))")


def unit(lines, first):
    """The line behind the last one of the statement that begins here, or None."""
    depth = 0
    for i in range(first, len(lines)):
        depth += lines[i].count("{") - lines[i].count("}")
        if depth <= 0:
            return i + 1 if depth == 0 else None
    return None


class Reduction:
    def __init__(self, text, smaller, still, report):
        self.lines, self.smaller, self.still, self.report = text.splitlines(), dict(smaller), still, report

    def attempt(self, lines):
        if not self.still("\n".join(lines) + "\n"):
            return False
        self.lines = lines
        self.report("\n".join(lines) + "\n")
        return True

    def kernels(self):
        """Where the statements are: the functions, and the spawns after the first."""
        start = next(i for i, line in enumerate(self.lines) if line.startswith("run("))
        setup = next(i for i in range(start, len(self.lines)) if self.lines[i] == "  }")
        end = next(i for i in range(setup, len(self.lines)) if self.lines[i] == "  spawn (1) {")
        functions = next((i for i, line in enumerate(self.lines) if re.match(r"\s*inline \w+ f\d+\(", line)), start)
        return [*range(functions, start), *range(setup + 1, end)]

    def sizes(self):
        calls = [i for i, line in enumerate(self.lines) if line.startswith("  run(")]
        for call in calls:
            if len(calls) > 1 and self.attempt([line for i, line in enumerate(self.lines) if i == call or i not in calls]):
                return

    def statements(self):
        for at in reversed(self.kernels()):
            if at >= len(self.lines) or self.lines[at].strip() in ("}", ""):
                continue
            end = unit(self.lines, at)
            if not end or KEPT.search("\n".join(self.lines[at:end])) or re.match(r"\s*(int rank|const int identity)", self.lines[at]):
                continue
            if self.attempt(self.lines[:at] + self.lines[end:]) or end < at + 2 or self.lines[at].startswith(("  spawn", "inline", "  inline")):
                continue
            self.attempt(self.lines[:at] + self.lines[at + 1:end - 1] + self.lines[end:])

    def expressions(self):
        for text in sorted(self.smaller, key=len, reverse=True):
            for other in sorted(self.smaller.get(text, []), key=len):
                pattern = re.compile(r"(?<![\w.])" + re.escape(text) + r"(?!\w)")

                def replaced(line, pattern=pattern, other=other):
                    return pattern.sub(lambda _: other, line)
                places = [i for i in self.kernels() if pattern.search(self.lines[i])]
                if places and self.attempt([replaced(line) if i in places else line for i, line in enumerate(self.lines)]):
                    self.smaller = {replaced(k): [replaced(a) for a in v] for k, v in self.smaller.items() if k != text}
                    break

    def arrays(self):
        """Arrays that nothing uses, and functions of the beginning."""
        for name in sorted(set(re.findall(r"\bA\d+\b", "\n".join(self.lines)))):
            self.attempt([line for line in self.lines if not re.search(rf"\b{name}\b", line)])
        for at in range(len(self.lines) - 1, -1, -1):
            if at < len(self.lines) and re.match(r"(inline|struct|const int TABLE|//)", self.lines[at]):
                self.attempt(self.lines[:at] + self.lines[unit(self.lines, at) or at + 1:])
        self.attempt([line for i, line in enumerate(self.lines) if line or (i and self.lines[i - 1])])

    def setup(self):
        """What the kernels do not need of what is prepared for all of them."""
        for name in ("slots", "spots", "sums"):
            self.attempt([re.sub(rf" {name} %lx|, hashed\({name}, \w+\)", "", line) for line in self.lines])
        at = next(i for i, line in enumerate(self.lines) if line == "  spawn (1) {")
        used = "\n".join(self.lines[i] for i in self.kernels())
        without = self.lines[:at] + self.lines[unit(self.lines, at):]
        if not re.search(r"\bslots\b", used):
            self.attempt([line for line in without if not re.search(r"\bslots\b", line)])
        for name in ("perm", "spread", "odd", "spots", "sums"):
            if not re.search(rf"\b{name}\b", used):
                self.attempt([line for line in self.lines if not re.search(rf"\b{name}\b", line)])

    def done(self):
        self.sizes()
        before = None
        while before != self.lines:
            before = list(self.lines)
            self.statements()
            self.expressions()
        self.setup()
        self.arrays()
        return "\n".join(self.lines) + "\n"


def reduced(text, smaller, still, report=lambda text: None):
    return Reduction(text, smaller, still, report).done()
