"""What generate.py's programs do with functions of structs, default values, const parameters, references and rounds written out."""

# What they call, beside pieces.py.
METHODS = """
  int weighed(int by = 3, int more = 1) const { return (a % 1009 * by + c[more & 1]) % 60013; }
  void turn(int by = 5) {
    a = (a + by) % 60013;
    c[by & 1] = a % 997;
    b = limited(b * 0.5f + by);
  }
  int turned(int by) {
    turn(by);
    turn();
    return weighed(by & 7) - c[1] % 100;
  }
  inline int across(int by = 1) const {
    auto mine = a;
    barrier;
    return thread.get((thread.rank + by) % thread.size, mine);
  }
  inline rolled(int by = 2) {
    a = rotated(a, by);
    c[1] = across() % 1009;
  }
"""
FUNCTIONS = """
inline int sampled(const int k, int x, int by = 2) {
  int list[k + 1];
  for (int i = 0; i <= k; i++)
    list[i] = x % (97 + i * by);
  return list[(int)((uint)x % (uint)(k + 1))];
}

inline auto rounds(x, const int k, int by = 1) {
  auto sum = x;
  unroll for (int i = 0; i < k; i++) {
    sum = rotated(sum, by + i);
    if (i % 2 == 1)
      sum = exchanged(sum);
  }
  return sum;
}

inline int spread(int x, const int k, int by = 1) {
  int p[k];
  par {
    unroll for (int i = 0; i < k; i++)
      p[i] = rotated((x + i) % 1000, i * by + 1);
  }
  int sum = 0;
  for (int i = 0; i < k; i++)
    sum = (sum * 3 + p[i]) % 60013;
  return sum;
}

inline int picked(const int k, int x) {
  int p[3] = {x, x % 7, x % 11};
  barrier;
  return thread.get((thread.rank + 1) % thread.size, p[k]);
}

inline shifted(int& x, int by = 1) { x = rotated(x, by); }
"""


class Forms:
    """Of a Generator."""

    def some_of(self, *arguments):
        """Arguments with default values: so many of them as chance has it."""
        return list(arguments[:self.random.randint(0, len(arguments))])

    def called(self, name, first, *more):
        return f"{name}({', '.join([*first, *self.some_of(*more)])})"

    def small(self):
        return self.bounded(self.int_expr(1), 60000)[0]

    # ---- in expressions and statements
    def form_of_int(self, depth):
        """A call that is an int below 2^16."""
        self.use("default value")
        items = self.of_type("Item")
        if self.chance(0.4) or (not items and self.chance(0.5)):
            self.use("const parameter")
            return self.called("sampled", [str(self.random.randint(0, 5)), self.small()], str(self.random.randint(0, 9)))
        self.use("function of a struct")
        place = self.pick(items) if items and self.chance(0.8) else f"makeItem({self.small()}, {self.value('float', 1)})"
        return f"{place}." + self.called("weighed", [], self.small(), self.small())

    def method_statement(self):
        names = [v for v, kind in self.targets().items() if kind == "Item"]
        if not names:
            return self.by_reference()
        self.use("function of a struct", "default value")
        name, ints = self.pick(names), self.writable(["int"])
        if ints and self.chance(0.4):
            return self.put(f"{self.pick(ints)} = {name}.turned({self.small()});")
        return self.put(f"{name}.{self.called('turn', [], self.small())};")

    # ---- between supersteps
    def end_form(self):
        """Something collective that is a function of a struct, or has parameters of these kinds."""
        ints, items = self.writable(["int"]), self.writable(["Item"])
        if not ints:
            return self.end_barrier()
        target, count = self.pick(ints), str(self.random.randint(1, 4))
        ways = [f"{target} = {self.called('rounds', [self.value('int', 2), count], str(self.random.randint(0, 9)))};",
                f"{target} = {self.called('spread', [self.small(), count], str(self.random.randint(0, 9)))};",
                f"{target} = picked({self.random.randint(0, 2)}, {self.value('int', 2)});",
                f"{self.called('shifted', [target], str(self.random.randint(0, 9)))};"]
        if items:
            ways += [f"{target} = {self.pick(items)}.{self.called('across', [], str(self.random.randint(0, 9)))};",
                     f"{self.pick(items)}.{self.called('rolled', [], str(self.random.randint(0, 9)))};"] * 2
        fews, piles = self.of_type("Few"), self.of_type("Pile")
        ways += [f"{target} = {v}.{self.called('across', [], str(self.random.randint(0, 3)))};" for v in fews]
        ways += [f"{target} = {v}.{self.called('across', [], str(self.random.randint(0, 3)))}.b;" for v in piles]
        way = self.pick(ways)
        self.use("collective function of a struct" if "." in way.split("(")[0] else "collective with a const parameter or a reference")
        self.put(way)
        self.new_step()

    def end_rounds(self):
        """Collectives in rounds that are written out: the counter is a constant in each."""
        names = self.writable(["int", "float"])
        if not names:
            return self.end_barrier()
        self.use("rounds written out")
        counter = self.fresh("k")
        read = [a for a, m in self.modes.items() if m == "read"]
        self.put(f"unroll for (int {counter} = 0; {counter} < {self.random.randint(2, 4)}; {counter}++) {{")
        self.rounds_of(counter, names)
        self.put("}")
        self.new_step()
        self.modes.update({a: "read" for a in read})  # what a round does last is in the superstep that follows

    def rounds_of(self, counter, names):
        kept, private, hosts, settled = dict(self.vars), dict(self.private), self.host_ints, self.settled
        self.in_arm, self.settled, self.host_ints = True, set(), [*hosts, counter, counter]
        self.indent += 1
        for _ in range(self.random.randint(0, 2)):
            self.statement(1)
        target = self.pick(names)
        call = self.collective(self.pick(["rotated", "neighbours"]), self.vars[target])
        condition = f"if ({counter} {self.pick(['!= 1', '% 2 == 0', '> 0'])}) " if self.chance(0.4) else ""
        self.put(f"{condition}{target} = {call};")
        for _ in range(self.random.randint(0, 2)):
            self.statement(1)
        self.indent -= 1
        self.vars, self.private, self.host_ints, self.settled, self.in_arm = kept, private, hosts, settled, False

    def end_arms(self):
        """The rounds are arms of a par, beside another arm."""
        names = self.writable(["int", "float"])
        if not names:
            return self.end_barrier()
        self.use("rounds as arms of par")
        counter, parts, length, target = self.fresh("k"), self.fresh("p"), self.random.randint(2, 4), self.pick(names)
        self.put(f"int {parts}[{length}] = {{1}};")
        read = [a for a, m in self.modes.items() if m == "read"]
        everything, hosts, settled, modes = dict(self.vars), self.host_ints, self.settled, self.modes
        self.in_arm, self.settled, self.host_ints = True, set(), [*hosts, counter, counter]
        self.vars = {v: t for v, t in everything.items() if v != target}
        self.put("par {")
        self.put(f"  unroll for (int {counter} = 0; {counter} < {length}; {counter}++)")
        self.put(f"    {parts}[{counter}] = {self.collective(self.pick(['rotated', 'neighbours']), 'int')};")
        self.vars, self.host_ints = everything, hosts
        self.put(f"  {target} = {self.collective(self.pick(['rotated', 'neighbours']), everything[target])};")
        self.put("}")
        self.in_arm, self.settled, self.modes = False, settled, modes
        self.private[parts] = length
        self.new_step()
        self.modes.update({a: "read" for a in read})
