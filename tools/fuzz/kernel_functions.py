"""Inline functions that kernels call: several returns, loops, references, private arrays; functions of a struct, default values, const parameters."""
from kernel_types import SCALARS, STRUCTS, USUAL, VECTORS, literal


class Function:
    """parameters: (type, how, default value or None) each; how: value, const (a constant), reference or array (of 4 elements at least).
    pure: no side effects. of: the struct that it is a function of, or None."""

    def __init__(self, name, result, parameters, pure, of):
        self.name, self.result, self.parameters, self.pure, self.of = name, result, parameters, pure, of

    def arguments(self, kernel, depth):
        """The text of a call, or None where nothing fits."""
        texts = []
        for kind, how, default in self.parameters:
            if default and kernel.chance(0.5):
                break
            if how == "const":
                texts.append(str(kernel.random.randrange(5)))
                continue
            if how == "value":
                texts.append(kernel.value(kind, depth - 1))
                continue
            if how == "array":
                found = [p for p, (t, dims) in kernel.privates.items() if t == kind and len(dims) == 1 and dims[0] >= 4]
            else:
                found = [v for v, t in kernel.vars.items() if t == kind]
            if not found:
                return None
            texts.append(kernel.pick(found))
        call = f"{self.name}({', '.join(texts)})"
        if not self.of:
            return call
        place = self.place(kernel, depth)
        return place and f"{place}.{call}"

    def place(self, kernel, depth):
        """What it is called on: one that is not changed may be a value."""
        if self.pure and kernel.chance(0.3):
            return kernel.value(self.of, depth - 1)
        found = [v for v, t in kernel.vars.items() if t == self.of]
        found += [f"{p}[{kernel.index(dims[0])}]" for p, (t, dims) in kernel.privates.items() if t == self.of and len(dims) == 1]
        return kernel.pick(found) if found else None


class Functions:
    def new_function(self):
        """Lines of a function, and whether they are those of a struct's; it is known from then on."""
        pure, of = self.chance(0.6), "Item" if self.chance(0.3) else None
        result = self.pick(USUAL) if pure else self.pick(["int", "uint", "float"])
        parameters = [(self.pick(USUAL), "value", None) for _ in range(self.random.randint(0 if of else 1, 2))]
        if self.chance(0.15):
            parameters.append((self.pick(["Item", "float4", "int3"]), "value", None))
        if not pure and not of:
            kind = self.pick(["int", "int", "uint", "float"])
            parameters.insert(0, (kind, self.pick(["reference", "array", "array"]), None))
        elif pure and self.chance(0.2):
            parameters.append((self.pick(["int", "float"]), "array", None))
        parameters += self.last_parameters()
        function = Function(self.fresh("f"), result, parameters, pure, of)
        lines = self.written(function)
        self.functions.append(function)
        return lines, of

    def last_parameters(self):
        """Constants, and what has a default value."""
        parameters = [("int", "const", None)] if self.chance(0.25) else []
        if self.chance(0.3):
            kind = self.pick(USUAL)
            parameters.append((kind, "value", literal(kind, self.random.randrange(100))))
        if parameters and self.chance(0.3):
            parameters.append(("int", "const", str(self.random.randrange(4))) if parameters[-1][2] else ("float", "value", "0.5f"))
        return parameters

    def written(self, function):
        names, outer = [], self.lines
        self.lines, self.in_function, self.indent, self.left = [], True, 1 if function.of else 0, self.random.randint(2, 9)
        constants = []
        with self.scope(returns=function.result):
            self.vars, self.privates, self.pointers = {}, {}, {}
            for kind, how, default in function.parameters:
                name = self.fresh("v")
                sign = {"array": "*", "reference": "&"}.get(how, "")
                names.append(f"{'const ' if how == 'const' else ''}{kind}{sign} {name}{f' = {default}' if default else ''}")
                if how == "const":
                    constants.append(name)
                elif how == "array" and function.pure:
                    self.pointers[name] = (kind, 4, False)
                elif how == "array":
                    self.privates[name] = (kind, (4,))
                else:
                    self.vars[name] = kind
            self.fields_in(function)
            local = self.fresh("v")
            self.put(f"{function.result} {local} = {self.value(function.result, 1)};")
            self.vars[local] = function.result
            self.counters = self.counters + constants
            if constants and self.chance(0.6):
                self.counted_by(constants[0])
            while self.left > 0:
                self.statement()
            self.put(f"return {self.expression(function.result, 2)};")
        self.note_uses(function, self.lines)
        before = "  " if function.of else ""
        is_const = " const" if function.of and function.pure and self.chance(0.5) else ""
        lines = [f"{before}inline {function.result} {function.name}({', '.join(names)}){is_const} {{", *self.lines, before + "}", ""]
        self.lines, self.in_function = outer, False
        return lines

    def fields_in(self, function):
        """A function of a struct has its fields: copies of them where it changes nothing."""
        for field, kind in STRUCTS[function.of].items() if function.of else ():
            if isinstance(kind, tuple):
                if not function.pure:
                    self.privates[field] = (kind[0], (kind[1],))
            elif function.pure:
                name = self.fresh("v")
                self.put(f"{kind} {name} = {field};")
                self.vars[name] = kind
            else:
                self.vars[field] = kind

    def counted_by(self, constant):
        i = self.fresh("i")
        self.put(f"unroll for (int {i} = 0; {i} < {constant}; {i}++) {{")
        self.block(most=1, leave=0, counters=self.counters + [i], loops=self.loops + 1, returns=None)
        self.put("}")

    def note_uses(self, function, lines):
        if any("return" in line for line in lines[:-1]):
            self.function_uses.add("function with several returns")
        if any(t in VECTORS or t not in SCALARS for t, _, _ in function.parameters):
            self.function_uses.add("struct or vector passed")
        if any(how == "array" for _, how, _ in function.parameters):
            self.function_uses.add("private array passed")
        if any(how == "const" for _, how, _ in function.parameters):
            self.function_uses.add("const parameter")
        if any(default for _, _, default in function.parameters):
            self.function_uses.add("default value")
        if function.of:
            self.function_uses.add("function of a struct")
