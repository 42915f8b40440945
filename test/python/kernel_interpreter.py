"""Runs functions that are written for bsgp.kernel as Python itself: the threads of a spawn are generators, which take turns between barriers.

Words become parts of a thread: bp.rank is t.rank, a barrier or a collective is a yield, which the loop in `spawn` answers.
"""

import ast
import functools
import inspect
import textwrap

import numpy as np

OPERATORS = {
    "+": lambda a, b: a + b, "*": lambda a, b: a * b, "min": min, "max": max, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b, "any": lambda a, b: bool(a) or bool(b), "all": lambda a, b: bool(a) and bool(b),
}  # fmt: skip
OPERATORS.update({min: OPERATORS["min"], max: OPERATORS["max"], any: OPERATORS["any"], all: OPERATORS["all"]})
IDENTITIES = {any: False, all: True, "+": 0, "*": 1, "&": -1, "|": 0, "^": 0, "any": False, "all": True}
COLLECTIVES = ("barrier", "reduce", "scan", "sortby", "kill", "compact")


class Thread:
    """One thread, under the names of words."""

    def __init__(self, rank, shape, block):
        self.rank, self.shape, self.limit, self.snapshots, self.puts, self.shared_arrays = rank, shape, block, [], {}, {}

    x = property(lambda self: self.place % self.shape[0])
    y = property(lambda self: self.place // self.shape[0] % self.shape[1])
    z = property(lambda self: self.place // (self.shape[0] * self.shape[1]))

    def get(self, rank, name):
        return self.snapshots[int(rank)].get(name)

    def put(self, rank, name, value):
        if 0 <= rank < len(self.all):
            self.all[int(rank)].arriving[name] = value

    def received(self, name, value):
        return type(value)(self.puts[name]) if name in self.puts else value

    def shared(self, key, shape, dtype):
        return self.of_block.setdefault(key, np.zeros(shape, np.dtype(dtype.name)))

    def private(self, key, shape, dtype):
        return np.zeros(shape, np.dtype(dtype.name))


def spawn(threads_of, size, block=256, width=None):
    shape = tuple(size) if isinstance(size, tuple) else (size,)
    count = int(np.prod([int(n) for n in shape]))
    threads = [Thread(i, shape, block) for i in range(count)]
    for thread in threads:
        thread.place = thread.rank
        thread.code = threads_of(thread)
    answers = [None] * count
    while threads:
        numbered(threads, block)
        asked = superstep(threads, answers)
        threads = [thread for thread, each in zip(threads, asked) if each is not None]
        asked = [each for each in asked if each is not None]
        if threads:
            threads, answers = answered(threads, asked)


def numbered(threads, block):
    blocks = {}
    for rank, thread in enumerate(threads):
        thread.rank, thread.size, thread.all, thread.arriving = rank, len(threads), threads, {}
        thread.block_rank, thread.block_id = rank % block, rank // block
        thread.block_size = min(block, len(threads) - rank // block * block)
        thread.of_block = blocks.setdefault(rank // block, {})


def superstep(threads, answers):
    """Runs each block's threads to the next barrier, from one block.sync() to the next."""
    asked = [None] * len(threads)
    for begin in range(0, len(threads), threads[0].limit):
        running = {i: answers[i] for i in range(begin, min(begin + threads[0].limit, len(threads)))}
        while running:
            at_sync = {}
            for i, answer in running.items():
                try:
                    asked[i] = threads[i].code.send(answer)
                except StopIteration:
                    asked[i] = None
                if asked[i] == ("sync",):
                    at_sync[i] = None
            running = at_sync
    return asked


def answered(threads, asked):
    for thread in threads:
        thread.puts = thread.arriving
    snapshots = [dict(thread.code.gi_frame.f_locals) for thread in threads]
    for thread, values in zip(threads, snapshots):  # what is put has arrived when others ask
        values.update({name: type(values[name])(value) for name, value in thread.puts.items() if name in values})
    for thread in threads:
        thread.snapshots = snapshots
    kind, *rest = asked[0]
    assert all(each[0] == kind for each in asked), asked
    return RULES[kind](threads, asked)


def reduced(threads, asked):
    op = asked[0][1]
    values = [each[2] for each in asked]
    return threads, [functools.reduce(OPERATORS[op], values, *([IDENTITIES[op]] if op in (any, all, "any", "all") else []))] * len(threads)


def scanned(threads, asked):
    _, op, _, inclusive, total = asked[0]
    made, so_far = [], IDENTITIES[op] if asked else 0
    for _, _, value, _, _ in asked:
        made.append(so_far if not inclusive else OPERATORS[op](so_far, value))
        so_far = OPERATORS[op](so_far, value)
    return threads, [(each, so_far) if total else each for each in made]


def compacted(threads, asked):
    kept = [(out, x) for _, out, x, keep in asked if keep]
    for i, (out, x) in enumerate(kept):
        out[i] = x
    return threads, [len(kept)] * len(threads)


def sorted_by(threads, asked):
    order = sorted(range(len(threads)), key=lambda i: asked[i][1])
    return [threads[i] for i in order], [None] * len(threads)


def killed(threads, asked):
    left = [thread for thread, each in zip(threads, asked) if not each[1]]
    return left, [None] * len(left)


RULES = {
    "barrier": lambda threads, asked: (threads, [None] * len(threads)),
    "reduce": reduced,
    "scan": scanned,
    "compact": compacted,
    "sortby": sorted_by,
    "kill": killed,
}


class Rewritten(ast.NodeTransformer):
    def __init__(self, names):
        self.names, self.count, self.required = names, 0, set()

    def word(self, node):
        """The name of a word: rank of bp.rank, block.sync of bp.block.sync."""
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        return text[3:] if text.startswith("bp.") else ""

    def visit_Attribute(self, node):
        word = self.word(node)
        if word in ("rank", "size", "x", "y", "z"):
            return ast.parse(f"_t.{word}", mode="eval").body
        if word in ("block.rank", "block.id", "block.size"):
            return ast.parse("_t." + word.replace(".", "_"), mode="eval").body
        return self.generic_visit(node)

    def visit_Call(self, node):
        word, node = self.word(node.func), self.generic_visit(node)
        if word in COLLECTIVES or word == "block.sync":
            flags = {each.arg: each.value for each in node.keywords}
            parts = [ast.Constant(word.split(".")[-1]), *node.args]
            if word == "scan":
                parts += [flags.get("inclusive", ast.Constant(False)), flags.get("total", ast.Constant(False))]
            return ast.Yield(ast.Tuple(parts, ast.Load()))
        if word in ("get", "put"):
            node.args[1] = ast.Constant(node.args[1].id)
            node.func = ast.parse(f"_t.{word}", mode="eval").body
        if word in ("shared", "private"):
            self.count += 1
            node.args.insert(0, ast.Constant(self.count))
            node.func = ast.parse(f"_t.{word}", mode="eval").body
        return node

    def visit_Expr(self, node):
        node = self.generic_visit(node)
        puts = sorted(self.puts)
        if isinstance(node.value, ast.Yield):
            return [node] + [ast.parse(f"if {name!r} in locals():\n    {name} = _t.received({name!r}, {name})").body[0] for name in puts]
        return node

    def visit_With(self, node):
        call = node.items[0].context_expr
        word = self.word(call.func)
        if word == "spawn":
            self.count += 1
            name, assigned = f"_threads{self.count}", names_of(node, ast.Store)
            self.puts = {each.args[1].id for each in ast.walk(node) if isinstance(each, ast.Call) and self.word(each.func) == "put"}
            body = [each for s in node.body for each in listed(self.visit(s))]
            made = ast.parse(f"def {name}(_t):\n    if False: yield\n").body[0]
            shared = sorted((assigned & self.names) | self.required)
            made.body = ([ast.Nonlocal(shared)] if shared else []) + made.body + body
            return [made, ast.Expr(ast.Call(ast.Name("_spawn", ast.Load()), [ast.Name(name, ast.Load()), *call.args], call.keywords))]
        if word == "require":
            self.required |= names_of(node, ast.Store)
            body = [each for s in node.body for each in listed(self.visit(s))]
            test = ast.parse("_t.rank == 0", mode="eval").body
            ask = ast.Expr(ast.Yield(ast.Tuple([ast.Constant("barrier")], ast.Load())))
            return [ask, ast.If(test, body, []), ask]
        return [each for s in node.body for each in listed(self.visit(s))]  # par


def listed(made):
    return made if isinstance(made, list) else [made]


def names_of(node, kind):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, kind)}


def host_names(tree):
    """Names that code outside of spawns reads or assigns."""
    found = set()

    def walk(node):
        if isinstance(node, ast.With) and "spawn" in ast.unparse(node.items[0].context_expr):
            return walk(node.items[0].context_expr)
        if isinstance(node, ast.Name):
            found.add(node.id)
        for child in ast.iter_child_nodes(node):
            walk(child)

    for statement in tree.body:
        walk(statement)
    return found


def interpreted(function, names=None):
    """The function, to be called with NumPy arrays and scalars."""
    function = getattr(function, "function_of_kernel", function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    tree.decorator_list, tree.returns = [], None
    for each in ast.walk(tree.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    rewritten = Rewritten(host_names(tree) - {each.arg for each in tree.args.args})
    body = [each for s in tree.body for each in listed(rewritten.visit(s))]
    unset = sorted((rewritten.names | rewritten.required) & names_of(ast.Module(body, []), ast.Store))
    tree.body = [ast.parse(f"{name} = None").body[0] for name in unset] + body
    cells = {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ())}
    space = {**function.__globals__, **cells, "_spawn": spawn, **(names or {})}
    exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), function.__code__.co_filename, "exec"), space)
    return space[function.__name__]
