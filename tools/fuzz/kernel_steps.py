"""What separates the statements of a kernel: barriers, collectives, and what the threads of a block do together."""
from kernel_types import FLOATS, INTEGERS, SCALARS, USUAL, literal

ENDS = ["barrier", "barrier", "barrier", "put", "put", "reduced", "scanned", "sorted"]


class Steps:
    # ---- between supersteps
    def end_step(self):
        getattr(self, "end_" + self.pick(ENDS))()
        self.new_step()

    def new_step(self):
        """The next superstep: pointers to what others may write, or to variables of the thread, are gone."""
        self.new_modes()
        self.end_references()
        self.pointers = {name: p for name, p in self.pointers.items() if p[2]}
        if self.pointers:
            self.use("pointer that lives across a barrier")
        if self.privates:
            self.use("private array that lives across a barrier")

    def end_barrier(self):
        self.use("barrier")
        self.put("barrier;")
        self.settled = self.no_references(v for v, t in self.vars.items() if t in SCALARS)

    def end_put(self):
        names = self.no_references(v for v, t in self.vars.items() if t in SCALARS)
        if not names:
            return self.end_barrier()
        name = self.pick(names)
        self.use("thread.put")
        again = self.fresh("i") if self.chance(0.4) else None
        with self.scope(counters=self.counters + [again] if again else self.counters):
            put = f"thread.put({self.pick(['thread.rank ^ 1', 'thread.rank + 3', 'thread.size - 1 - thread.rank'])}, {name}, {self.expression(self.vars[name], 2)});"
            if self.chance(0.5):
                self.use("thread.put in divergent code")
                put = f"if {self.condition(1)} {put}"
        if again: # the last value lands
            self.use("thread.put in a loop")
            put = f"{self.mark()}for (int {again} = 0; {again} <= ({self.expression('int', 1)} & 3); {again}++) {put}"
            self.marked = 0
        self.put(put)
        self.end_barrier()

    def end_reduced(self):
        """The result is a host value."""
        self.use("reduce")
        name = self.fresh("h")
        self.hosts.append(name)
        call = self.pick([f"reduce(rop_max, ({self.expression('int', 2)} & 1023))", f"reduce(+, ({self.expression('int', 2)} & 255))",
                          f"reduce(rop_min, ({self.expression('int', 2)} >> 8))"])
        self.put(f"{name} = {call};")
        self.host_ints.append(name)
        self.settled = []

    def end_scanned(self):
        self.use("scan")
        names = [v for v, t in self.vars.items() if t == "uint"]
        if not names:
            return self.end_barrier()
        self.put(f"{self.pick(['scan', 'scan_inclusive'])}(+, {self.pick(names)});")
        self.settled = []

    def end_sorted(self):
        names = [v for v, t in self.vars.items() if t in INTEGERS]
        if not names:
            return self.end_barrier()
        self.use("thread.sortby")
        self.put(f"thread.sortby({self.pick(names)});")
        if self.chance(0.5):
            self.put("rank = (int)thread.rank;")
        self.settled = []

    def got(self):
        """A value of another thread."""
        if not self.settled:
            return self.statement()
        name = self.pick(self.settled)
        kind = self.vars[name]
        targets = [v for v, t in self.vars.items() if t == kind]
        self.use("thread.get", "thread.get in divergent code" if self.divergence else "thread.get")
        place = self.pick(["thread.rank ^ 1", "thread.rank + 1", "thread.size - 1 - thread.rank", "0", self.expression("int", 1)])
        c = self.condition(1)
        text = f"{self.pick(targets)} = thread.get((int)((uint)({place}) % (uint)thread.size), {name});"
        self.put(f"if {c} {text}" if self.chance(0.4) else text)
        return None

    # ---- in a block, where its threads stand together
    def together(self):
        if self.chance(0.35) and self.loops < 2:
            return self.uniform_together()
        getattr(self, self.pick(["exchanged", "exchanged", "counted", "block_reduced"]))()
        return None

    def uniform_together(self):
        """block.sync() in a loop or a branch that all threads of a block take."""
        self.left -= 1
        if self.chance(0.3):
            self.use("block.sync() in an if")
            self.put(f"if {self.uniform_condition()} {{")
            changes = {}
        else:
            self.use("block.sync() in a loop")
            i = self.fresh("i")
            limit = self.pick(["3", "(q & 3) + 1", "block.size", "2"])
            self.put(f"for (int {i} = {'1' if limit == 'block.size' else '0'}; {i} < {limit}; {i} {'*= 2' if limit == 'block.size' else '+= 1'}) {{")
            changes = {"counters": self.counters + [i], "uniform_counters": self.uniform_counters + [i], "loops": self.loops + 1}
        with self.scope(breaks=None, continues=False, returns=None, **changes):
            for _ in range(self.random.randint(1, 2)):
                self.statement()
                self.together()
            self.statement()
        self.put("}")
        return None

    def exchanged(self):
        """On one line, which is taken out as a whole when a program is reduced."""
        self.use("shared array", "block.sync()")
        kind = self.pick([k for k in USUAL if k != "bool"])
        name = self.fresh("s")
        place = self.pick(["block.size - 1 - block.rank", "(block.rank + 1) % block.size", "0", f"(int)((uint){self.expression('int', 1)} % (uint)block.size)"])
        line = f"{{ shared {kind} {name}{self.pick(['[]', '[1024]'])}; {name}[block.rank] = {self.expression(kind, 2)}; block.sync();"
        targets = [v for v, t in self.vars.items() if t == kind]
        if not targets:
            targets = [self.fresh("v")]
            self.put(f"{kind} {targets[0]} = {literal(kind, 1)};")
            self.vars[targets[0]] = kind
        condition = f"if {self.condition(1)} " if self.chance(0.4) else ""
        self.put(f"{line} {condition}{self.pick(targets)} = {name}[{place}]; block.sync(); }}")

    def counted(self):
        self.use("atomic on shared memory", "block.sync()")
        name, i, new = self.fresh("s"), self.fresh("i"), self.fresh("v")
        add = f"atomic_{self.pick(['add', 'add', 'max', 'xor'])}(&{name}[{self.index(16)}], (uint){self.expression('uint', 1)});"
        condition = f"if {self.condition(1)} " if self.chance(0.6) else ""
        place = self.index(16)
        self.put(f"uint {new} = 1u;")
        self.put(f"{{ shared uint {name}[16]; for (int {i} = block.rank; {i} < 16; {i} += block.size) {name}[{i}] = 0u; block.sync(); "
                 f"{condition}{add} block.sync(); {new} = {name}[{place}]; block.sync(); }}")
        self.vars[new] = "uint"

    def block_reduced(self):
        self.use("block.reduce and block.scan")
        new = self.fresh("v")
        if self.chance(0.5):
            kind = self.pick(["uint", "float", "ulong"])
            self.put(f"{kind} {new} = block.reduce({'rop_max' if kind == 'float' else '+'}, {self.block_value(kind)});")
        else:
            kind = "uint"
            self.put(f"uint {new} = {self.expression('uint', 2)};")
            self.put(f"{self.pick(['block.scan', 'block.scan_inclusive'])}(+, {new});")
        self.vars[new] = kind

    def block_value(self, kind):
        return f"(float)({self.expression('int', 2)} & 4095)" if kind == "float" else self.expression(kind, 2)

    def saved(self):
        """All variables go into the checksum, by the thread's first number."""
        self.put("uint sum = 17u;")
        for name, kind in self.vars.items():
            for part in {"Item": [".a", ".c[1]"], "Pair": [".small"], "int3": [".x", ".z"], "uint2": [".y"]}.get(kind, [""]):
                if kind in INTEGERS or part:
                    self.put(f"sum = sum * 31u + (uint){name}{part};")
                elif kind == "bool":
                    self.put(f"if ({name}) sum ^= 9u;")
                else:
                    value = {"float4": ".w", "float2": ".x", "double2": ".y"}.get(kind, "")
                    self.put(f"sum = sum * 31u + told({name}{value});")
        for name, (kind, dims) in self.privates.items():
            if (kind in INTEGERS or kind in FLOATS) and len(dims) == 1:
                i = self.fresh("i")
                value = f"(uint){name}[{i}]" if kind in INTEGERS else f"told({name}[{i}])"
                self.put(f"for (int {i} = 0; {i} < {dims[0]}; {i}++) sum = sum * 31u + {value};")
        self.put("sums[identity] = sum;")
