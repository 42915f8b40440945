#!/usr/bin/env python3
"""Prints a random BSGP program with loops and branches around supersteps: flow_program.py SEED [--plain].

What the host tests (counters, its variables) is known when the program is made. So each program is written in two ways (twins.py): with
its loops and branches, and plainly, as the straight line of supersteps that is left when they are followed, with a barrier on each way
that control takes. Both must print the same, on all targets.

The program has no race and no undefined behaviour: a thread writes to its own element of memory alone, puts are injective and one for each
variable and superstep, integers stay below KEPT, and all variables have a value from the beginning.
"""
import sys

from twins import newly, plainly, twin
from writer import Writer

KEPT, MOST_THREADS, MOST_PLAIN = 30011, 3000, 260  # values; threads; supersteps of the plain program



FORMS = ["for", "for", "while", "do", "host", "required"]


class TooLong(Exception):
    pass


class Leave(Exception):
    """break or continue, out of `depth` constructs."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class Flow(Writer):
    """Statements are functions: given None they write the program's text, given the host's variables its straight line."""

    def __init__(self, seed, dropped=()):
        super().__init__(seed, indent=2)
        self.dropped, self.made = dropped, 0  # statements, by the number in which they were made
        self.locals = ["a", "b", "c", "d"]
        self.hosts = ["h0", "h1", "h2"]
        self.counters = []       # that can be read here
        self.required = []       # counters that are variables of the host
        self.put_to = set()
        self.gets = False        # a barrier that reassigns nothing is the last one
        self.barriers = 0

    # ---- expressions: text with {name} for what the host knows
    def host_int(self):
        return "{" + self.pick([*self.hosts, *self.counters, *self.counters]) + "}"

    def value(self, depth=2):
        if depth == 0 or self.chance(0.2):
            return self.pick([*self.locals, *self.locals, "thread.rank % 17", str(self.random.randint(0, 99)), self.host_int()])
        x, y = self.value(depth - 1), self.value(depth - 1)
        return self.pick([f"({x} + {y}) % {KEPT}", f"({x} ^ {y})", f"({x} * 3 + {y} % 7) % {KEPT}", f"({x} % 5 > {y} % 3 ? {x} : {y})", f"p[{x} % 3]", f"(memory[thread.rank] % 1009 + {x} % 11)"])

    def condition(self):
        return f"({self.host_int()} * {self.random.randint(1, 5)} + {self.random.randint(0, 6)}) % {self.random.randint(2, 4)} {self.pick(['==', '!=', '<'])} 1"

    # ---- text
    def line(self, env, text):
        known = {name: name for name in [*self.hosts, *self.counters]} if env is None else env
        text = text.replace("{{", "\4").replace("}}", "\5")
        for name in sorted(known, key=len, reverse=True):
            held = env is None or name in self.hosts or name.startswith("k")  # a variable in the plain program as well
            text = text.replace("{" + name + "}", name if held else str(known[name]))
        self.put(text.replace("\4", "{").replace("\5", "}"))

    def evaluated(self, env, text):
        for name, value in env.items():
            text = text.replace("{" + name + "}", str(value))
        return int(eval(text))  # the generator's own text

    def edge(self, env):
        if env is not None:
            self.barrier(env)

    def barrier(self, env):
        self.put("barrier;")
        self.barriers += 1
        if self.barriers > MOST_PLAIN:
            raise TooLong

    def droppable(self, statement):
        """Unless it is to be left out."""
        self.made += 1
        number = self.made
        return lambda env: None if number in self.dropped else statement(env)

    # ---- statements of threads
    def simple(self):
        text = self.pick([self.assign, self.assign, self.array, self.memory, self.divergent, self.get, self.put_value])()
        return self.droppable(lambda env: self.line(env, text))

    def assign(self):
        return f"{self.pick(self.locals)} = {self.value()} % {KEPT};"

    def array(self):
        self.use("array of a thread")
        return f"p[{self.value(1)} % 3] = {self.value()} % {KEPT};"

    def memory(self):
        self.use("memory of the device")
        return f"memory[thread.rank] = {self.value()} % {KEPT};"

    def divergent(self):
        self.use("branches of threads")
        x = self.pick(self.locals)
        if self.chance(0.5):
            return f"if ({self.value(1)} % 2 == 1) {x} = {self.value()} % {KEPT}; else {self.assign()}"
        return f"{self.mark()}for (int q = 0; q < {self.value(1)} % 4; q++) {{{{ {x} = ({x} + q * {self.random.randint(1, 9)}) % {KEPT}; }}}}"

    def get(self):
        if not self.gets:
            return self.assign()
        self.use("thread.get")
        return f"{self.pick(self.locals)} = thread.get((thread.rank + {self.random.randint(0, 5)}) % thread.size, {self.pick(self.locals)});"

    def put_value(self):
        free = [v for v in self.locals if v not in self.put_to]
        if not free:
            return self.assign()
        self.use("thread.put")
        target = self.pick(free)
        self.put_to.add(target)
        return f"thread.put((thread.rank + {self.random.randint(0, 5)}) % thread.size, {target}, {self.value()} % {KEPT});"

    # ---- supersteps
    def new_step(self, gets=True):
        self.put_to, self.gets = set(), gets

    def collective(self):
        kind = self.pick(["barrier", "barrier", "barrier", "require", "reduce", "scan", "kill", "fork", "reassign"])
        self.use(kind)
        if kind == "barrier":
            self.new_step()
            return self.barrier
        if kind == "require":
            name, by = self.pick(self.hosts), self.random.randint(1, 9)

            def changed(env):
                self.put(f"require {name} = ({name} * 3 + {by}) % 101;")
                if env is not None:
                    env[name] = (env[name] * 3 + by) % 101
            return self.droppable(changed)
        x = self.pick(self.locals)
        text = {"reduce": f"{x} = (reduce({self.pick(['rop_add', 'rop_max', 'rop_min'])}, {self.value(1)} % 1009) + {self.pick(self.locals)}) % {KEPT};",
                "scan": f"{{{{ int s = {self.value(1)} % 97; scan(rop_add, s); {x} = s % {KEPT}; }}}}",
                "kill": f"thread.kill({x} % 7 == 3 && thread.rank > 0);",
                "fork": f"{x} = ({x} + 5 * thread.fork(thread.size < {MOST_THREADS // 2} ? 1 + ({x} & 1) : 1)) % {KEPT};",
                "reassign": "barrier(RANK_REASSIGNED); thread.oldrank = thread.size - 1 - thread.rank;"}[kind]
        self.new_step(gets=False)
        return self.droppable(lambda env: self.line(env, text))

    # ---- control flow of the host
    def construct(self, depth, in_loop):
        made = self.pick([self.loop, self.loop, self.branch, self.branch, self.choice, self.leaving if in_loop else self.branch])
        self.new_step()
        return self.droppable(made(depth, in_loop))

    def body(self, depth, in_loop):
        kept = list(self.locals), list(self.counters)
        parts = []
        for _ in range(self.random.randint(1, 4)):
            parts.append(self.pick([self.simple, self.simple, self.collective])() if depth == 0 or self.chance(0.7) else self.construct(depth - 1, in_loop))
        if not any(getattr(part, "collective", False) for part in parts):
            parts.append(self.barrier)
        self.locals, self.counters = kept
        self.new_step()

        def written(env):
            self.indent += 1
            try:
                for part in parts:
                    part(env)
            finally:
                self.indent -= 1
        return written

    def branch(self, depth, in_loop):
        self.use("if")
        test, then = self.condition(), self.body(depth, in_loop)
        other = self.body(depth, in_loop) if self.chance(0.5) else None

        def written(env):
            if env is None:
                self.line(env, f"if ({test}) {{{{")
                then(None)
                if other:
                    self.put("} else {")
                    other(None)
                return self.put("}")
            taken = then if self.evaluated(env, test) else other
            self.edge(env)
            if taken:
                taken(env)
                self.edge(env)
            return None
        return written

    def choice(self, depth, in_loop):
        self.use("switch")
        count, value = self.random.randint(2, 4), self.host_int()
        arms = [(self.body(depth, False), self.chance(0.7)) for _ in range(count)]

        def written(env):
            if env is None:
                self.line(env, f"switch ({value} % {count + 1}) {{{{")
                for i, (arm, leaves) in enumerate(arms):
                    self.put(f"case {i}:" if i + 1 < count else "default:")
                    arm(None)
                    if leaves:
                        self.put("  break;")
                return self.put("}")
            first = min(self.evaluated(env, f"{value} % {count + 1}"), count - 1)
            for arm, leaves in arms[first:]:
                self.edge(env)
                arm(env)
                if leaves:
                    break
            return self.edge(env)
        return written

    def leaving(self, depth, in_loop):
        kind, test = self.pick(["break", "continue"]), self.condition()
        self.use(kind)

        def written(env):
            if env is None:
                return self.line(env, f"if ({test}) {kind};")
            self.edge(env)
            if self.evaluated(env, test):
                raise Leave(kind)
            return None
        return written

    def loop(self, depth, in_loop):
        counter, rounds, form = self.fresh("i"), self.random.randint(0, 4), self.pick(FORMS)
        self.use(f"loop: {form}")
        first, by = self.random.randint(0, 3), self.random.randint(1, 2)
        self.required += [counter] * (form == "required")
        self.counters.append(counter)
        body = self.body(depth, True)
        self.counters.remove(counter)
        limit = f"{{{self.pick(self.hosts)}}} % 4" if form == "host" else str(first + rounds * by)
        head = {"for": f"for (int {counter} = {first}; {counter} < {limit}; {counter} += {by}) {{{{",
                "host": f"for ({counter} = 0; {counter} < {limit}; {counter}++) {{{{",
                "required": f"while ({counter} + {by} < {limit}) {{{{", "while": f"while ({counter} + {by} < {limit}) {{{{", "do": "do {{"}[form]
        first, by = (0, 1) if form == "host" else (first, by)

        def written(env):
            if env is not None:
                return follow(env)
            kept = list(self.counters)
            self.counters.append(counter)
            if form in ("while", "do"):  # counted first: `continue` leads to the test
                self.put(f"int {counter} = {first - by};")
            if form == "required":
                self.put(f"require {counter} = {first - by};")
            self.line(None, head)
            if form == "required":
                self.put(f"  require {counter} += {by};")
            if form in ("while", "do"):
                self.put(f"  {counter} {self.pick(['+=', f'= {counter} +'])} {by};")
            body(None)
            self.line(None, f"}}}} while ({counter} < {limit});" if form == "do" else "}}")
            self.counters = kept
            return None

        def follow(env):
            value, outer = first, self.counters
            self.counters = [*outer, counter]
            while True:
                env[counter] = value
                self.edge(env)
                if form != "do" and not value < self.evaluated(env, limit):
                    break
                self.edge(env)
                try:
                    body(env)
                except Leave as leave:
                    if leave.kind == "break":
                        break
                self.edge(env)
                if form == "do" and not value < self.evaluated(env, limit):
                    break
                value += by
            self.edge(env)
            env.pop(counter)
            self.counters = outer
        return written

    # ---- the program
    def written(self, parts, env):
        self.lines, self.indent, self.barriers = [], 2, 0
        for part in parts:
            part(env)
        return "\n".join(self.lines)

    def program(self):
        start = {name: self.random.randint(0, 9) for name in self.hosts}
        threads = self.pick([1, 2, 7, 31, 64, 257, 1000, 0])
        parts = [self.barrier]
        self.new_step()
        for _ in range(self.random.randint(2, 5)):
            parts.append(self.construct(2, False))
            parts.append(self.simple())
        new = self.written(parts, None)
        plain = self.written(parts, dict(start))
        hosts = "".join(f"  int {name} = {value};\n" for name, value in start.items()) + twin("".join(f"  int {name};\n" for name in self.required), "")
        return f"""// Loops and branches around supersteps
// uses: {', '.join(sorted(self.uses))}
int main() {{
  int n = {threads};
{hosts}  device int* memory = dnew[{MOST_THREADS}]int;
  device int* out = dnew[{MOST_THREADS}]int;
  spawn ({MOST_THREADS}) {{
    memory[thread.rank] = thread.rank % 13;
    out[thread.rank] = 0;
  }}
  spawn (n) {{
    int a = thread.rank % 101, b = 7, c = thread.rank * 3 % 1009, d = thread.size % 11;
    int p[3] = {{1, 2, 3}};
{twin(new, plain)}
    out[thread.rank] = (a + b * 3 + c * 5 + d * 7 + p[0] + p[1] * 2 + p[2] * 3) % {KEPT} + 1;
  }}
  list = new[{MOST_THREADS}]int;
  copy(list, out, {MOST_THREADS});
  ulong sum = 0;
  int count = 0;
  for (int i = 0; i < {MOST_THREADS}; i++) {{
    sum = sum * 31 + (ulong)list[i];
    count += list[i] > 0;
  }}
  printf("%d threads, %lx; %d %d %d\\n", count, sum, h0, h1, h2);
  copy(list, memory, {MOST_THREADS});
  for (int i = 0; i < {MOST_THREADS}; i++)
    sum = sum * 31 + (ulong)list[i];
  printf("memory %lx\\n", sum);
  return 0;
}}
"""


def attempts(seed):
    """One whose straight line would be too long is made again."""
    for attempt in range(100):
        flow = Flow(seed * 100 + attempt)
        try:
            yield flow.program(), flow
        except TooLong:
            pass


def generate(seed):
    return next(text for text, _ in attempts(seed))


def reduced(seed, still):
    """The program with as few statements as are still wrong."""
    text, flow = next(attempts(seed))
    dropped = set()
    for number in range(flow.made, 0, -1):
        fewer = Flow(flow.seed, {*dropped, number}).program()
        if still(fewer):
            dropped.add(number)
            text = fewer
    return text


if __name__ == "__main__":
    sys.stdout.write((plainly if "--plain" in sys.argv else newly)(generate(int(sys.argv[1]))))
