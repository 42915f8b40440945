"""Inline functions that kernels call: several returns, loops, references, private arrays."""
from kernel_types import SCALARS, USUAL, VECTORS


class Function:
    """parameters: (type, how) each; how: value, reference or array (of 4 elements at least). pure: no side effects."""

    def __init__(self, name, result, parameters, pure):
        self.name, self.result, self.parameters, self.pure = name, result, parameters, pure

    def arguments(self, kernel, depth):
        """The text of a call, or None where nothing fits."""
        texts = []
        for kind, how in self.parameters:
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
        return f"{self.name}({', '.join(texts)})"


class Functions:
    def new_function(self):
        """Lines of a function; it is known from then on."""
        pure = self.chance(0.6)
        result = self.pick(USUAL) if pure else self.pick(["int", "uint", "float"])
        parameters = [(self.pick(USUAL), "value") for _ in range(self.random.randint(1, 2))]
        if self.chance(0.15):
            parameters.append((self.pick(["Item", "float4", "int3"]), "value"))
        if not pure:
            kind = self.pick(["int", "int", "uint", "float"])
            parameters.insert(0, (kind, self.pick(["reference", "array", "array"])))
        elif self.chance(0.2):
            parameters.append((self.pick(["int", "float"]), "array"))
        function = Function(self.fresh("f"), result, parameters, pure)
        lines = self.written(function)
        self.functions.append(function)
        return lines

    def written(self, function):
        names, outer = [], self.lines
        self.lines, self.in_function, self.indent, self.left = [], True, 0, self.random.randint(2, 9)
        with self.scope(returns=function.result):
            self.vars, self.privates, self.pointers = {}, {}, {}
            for kind, how in function.parameters:
                name = self.fresh("v")
                names.append(f"{kind}{'*' if how == 'array' else '&' if how == 'reference' else ''} {name}")
                if how == "array" and function.pure:
                    self.pointers[name] = (kind, 4, False)
                elif how == "array":
                    self.privates[name] = (kind, (4,))
                else:
                    self.vars[name] = kind
            local = self.fresh("v")
            self.put(f"{function.result} {local} = {self.value(function.result, 1)};")
            self.vars[local] = function.result
            while self.left > 0:
                self.statement()
            self.put(f"return {self.expression(function.result, 2)};")
        lines = [f"inline {function.result} {function.name}({', '.join(names)}) {{", *self.lines, "}", ""]
        self.lines, self.in_function = outer, False
        if any("return" in line for line in lines[1:-3]):
            self.function_uses.add("function with several returns")
        if any(t in VECTORS or t not in SCALARS for t, _ in function.parameters):
            self.function_uses.add("struct or vector passed")
        if any(how == "array" for _, how in function.parameters):
            self.function_uses.add("private array passed")
        return lines
