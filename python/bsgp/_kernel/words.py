"""The words of kernels: bsgp.spawn, bsgp.rank, bsgp.barrier ... They mean something in functions with @bsgp.kernel alone."""

from __future__ import annotations

from typing import Any, Callable, NoReturn


class Word:
    """A word of kernels."""

    def __init__(self, name: str, about: str) -> None:
        self.name, self.__doc__ = name, about

    def __repr__(self) -> str:
        return f"<bsgp.{self.name}, a word of kernels>"

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"bsgp.{self.name} is a word of kernels\n  help: write it in a function with @bsgp.kernel in front of it")

    __call__ = __enter__ = __exit__ = __index__ = __add__ = __radd__ = __mul__ = __rmul__ = __lt__ = __gt__ = _refuse


ValueRule = Callable[[Any, Any, Any], Any]  # of the body, the node, and the word
_VALUES: dict[Word, ValueRule] = {}
CALLS: dict[Any, ValueRule] = {}


def value_rule(word: Word) -> ValueRule | None:
    """How the word is translated where it stands without a call; None: it has to be called."""
    return _VALUES.get(word)


def gives(*words: Word) -> Callable[[ValueRule], ValueRule]:
    """The rule is for words that are values."""

    def register(rule: ValueRule) -> ValueRule:
        _VALUES.update(dict.fromkeys(words, rule))
        return rule

    return register


def called(*words: Any) -> Callable[[ValueRule], ValueRule]:
    """The rule is for calls of the words."""

    def register(rule: ValueRule) -> ValueRule:
        CALLS.update(dict.fromkeys(words, rule))
        return rule

    return register


spawn = Word(
    "spawn", "with bp.spawn(n): runs the statements in n threads; (w, h) and (w, h, d): one for each place. block=128: threads of a block."
)
require = Word("require", "with bp.require(): host code in a spawn, that runs before its superstep.")
par = Word("par", "with bp.par(): statements that do not depend on each other; their barriers are aligned.")
barrier = Word("barrier", "bp.barrier(): ends a superstep. bp.barrier(bp.RANK_REASSIGNED): and numbers threads anew.")
RANK_REASSIGNED = Word("RANK_REASSIGNED", "The argument of a barrier behind which bp.oldrank is assigned.")

rank = Word("rank", "The number of the thread, from 0.")
size = Word("size", "How many threads there are.")
oldrank = Word("oldrank", "Assigned behind bp.barrier(bp.RANK_REASSIGNED): the rank that the thread had before.")
x = Word("x", "The thread's place in its row.")
y = Word("y", "The thread's row.")
z = Word("z", "The thread's plane.")

get = Word("get", "bp.get(r, v): the value that the variable v of thread r had at the last barrier.")
put = Word("put", "bp.put(r, v, value): assigns to the variable v of thread r at the next barrier.")
reduce = Word("reduce", "bp.reduce(op, x): all threads' x, joined by an operator; one value for all.")
compact = Word(
    "compact", "n = bp.compact(out, x, keep): the x of threads whose keep holds, in the order of ranks, to out[0] ... out[n - 1]."
)
sortby = Word("sortby", "bp.sortby(key): numbers the threads by ascending keys; their variables follow.")
fork = Word("fork", "child = bp.fork(n): each thread becomes n threads, numbered from 0 in `child`.")
kill = Word("kill", "bp.kill(flag): threads whose flag holds end; the others are numbered anew.")
shared = Word("shared", "s = bp.shared(256, bp.float32): an array of the block; (16, 17): in rows.")
private = Word("private", "p = bp.private(8, bp.float32): an array of the thread.")

atomic_add = Word("atomic_add", "old = bp.atomic_add(x, i, v): adds v to x[i], and gives what stood there.")
atomic_min = Word("atomic_min", "old = bp.atomic_min(x, i, v): the lesser of both to x[i].")
atomic_max = Word("atomic_max", "old = bp.atomic_max(x, i, v): the greater of both to x[i].")
atomic_and = Word("atomic_and", "old = bp.atomic_and(x, i, v): the bits of both to x[i].")
atomic_or = Word("atomic_or", "old = bp.atomic_or(x, i, v): the bits of any to x[i].")
atomic_xor = Word("atomic_xor", "old = bp.atomic_xor(x, i, v): the bits of one of both to x[i].")
atomic_exchange = Word("atomic_exchange", "old = bp.atomic_exchange(x, i, v): v to x[i].")
atomic_cas = Word("atomic_cas", "old = bp.atomic_cas(x, i, expected, v): v to x[i], if that is `expected`.")


class Block:
    """Of the threads of a block: rank, size, limit, id, count; sync(), reduce(op, x), scan(op, x), any(c), all(c), count_if(c)."""

    def __init__(self) -> None:
        for name, about in (
            ("rank", "The thread's place in its block."), ("size", "The threads of this block."), ("limit", "The threads of a full block."),
            ("id", "The number of the block."), ("count", "How many blocks there are."),
            ("sync", "No thread of the block goes on before all are here."), ("reduce", "bp.block.reduce(op, x) over the block."),
            ("scan", "bp.block.scan(op, x) over the block."), ("any", "Whether c holds in any thread of the block."),
            ("all", "Whether c holds in all threads of the block."), ("count_if", "In how many threads of the block c holds."),
        ):  # fmt: skip
            setattr(self, name, Word("block." + name, about))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"bsgp.block has no {name!r}; it has {', '.join(vars(self))}")


block = Block()
NAMES = [name for name, value in globals().items() if isinstance(value, (Word, Block))]
