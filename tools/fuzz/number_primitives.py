"""The primitives on integers of all types, at sizes that fill no block, beside what NumPy makes of the same numbers."""
import dataclasses
import re

import numpy as np

from number_types import INTEGERS, is_signed
from primitive_pieces import MIXED

SIZES = [0, 1, 2, 31, 33, 63, 65, 127, 129, 255, 257, 511, 513, 767, 1021, 2047, 4099]
BLOCKS = ["", "", "", " block(32)", " block(64)", " block(100)", " block(512)", " width(1)", " width(8) block(64)"]
OPERATORS = {"+": np.add, "rop_mul": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "min": np.minimum, "max": np.maximum}
GOLDEN, MIX = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9

PRELUDE = MIXED + "".join(f"""\
struct Held_{type_} {{ int before; dlist({type_}) lists[2]; }};
Held_{type_} returned(const Held_{type_}& held) {{
  Held_{type_} own = held;
  own.lists[0].push_back(1);
  return own;
}}
dlist({type_}) returned(dlist({type_}) list) {{ return list; }}
""" for type_ in INTEGERS) + """\
inline ulong told(p, long n) {
  auto here = new[n + 1]typeof(p[0]);
  copy(here, p, n);
  ulong total = 0;
  for (long i = 0; i < n; i++) {
    ulong z = (ulong)here[i] + (ulong)i * 0x9E3779B97F4A7C15ul;
    z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9ul;
    total += z ^ z >> 32;
  }
  delete here;
  return total;
}
"""


def widened(values):
    values = np.asarray(values)
    return values.astype(np.int64).astype(np.uint64) if values.dtype.kind == "i" else values.astype(np.uint64)


def told(values):
    """As the program's: what stands where counts."""
    with np.errstate(over="ignore"):
        z = widened(values) + np.arange(len(values), dtype=np.uint64) * np.uint64(GOLDEN)
        z = (z ^ z >> np.uint64(29)) * np.uint64(MIX)
        return int(np.sum(z ^ z >> np.uint64(32), dtype=np.uint64)) if len(values) else 0


def mixed(a, b):
    a, four = a.astype(np.uint32), np.uint32
    with np.errstate(over="ignore"):
        h = a * four(2654435761) ^ four(b)
        h = (h ^ h >> four(15)) * four(2246822519)
        h = (h ^ h >> four(13)) * four(3266489917)
        return h ^ h >> four(16)


@dataclasses.dataclass
class Primitive:
    lines: list
    known: list
    uses: frozenset


class Writer:
    """The body of a host function of one spawn, and the lines it prints."""

    def __init__(self, pick):
        self.pick, self.n, self.salt = pick, pick.choice(SIZES), pick.getrandbits(32)
        self.type = pick.choice(list(INTEGERS))
        self.before, self.body, self.after, self.known = [], [], [], []
        self.places = {} # of lists that stand in a struct
        self.block = pick.choice(BLOCKS)
        self.h = mixed(np.arange(self.n), self.salt)

    def values(self, name, few=None):
        """A variable x of each thread, and its values; few: how many different ones."""
        shift = self.pick.choice((0, 7, 20))
        with np.errstate(over="ignore"):
            x = self.h.astype(np.uint64) * np.uint64(GOLDEN) >> np.uint64(shift)
        text = f"(ulong)h * 0x9E3779B97F4A7C15ul >> {shift}"
        if few:
            x, text = x % np.uint64(few), f"({text}) % {few}ul"
        self.body.append(f"{self.type} {name} = ({self.type})({text});")
        return x.astype(INTEGERS[self.type])

    def operator(self, x):
        """One whose results the type holds, or that wraps."""
        wide = is_signed(self.type) and self.type in ("int", "long")
        ops = [op for op in OPERATORS if not (wide and op in ("+", "rop_mul")) and not (op == "rop_mul" and self.type == "ushort")]
        return self.pick.choice(ops)

    def tell(self, name, text, value):
        self.after.append(f'printf("{name}: %lx\\n", {text});')
        self.known.append(f"{name}: {int(value):x}")

    def stored(self, name, type_, text, values):
        """A value of each thread that is left, in an array."""
        self.before.append(f"{type_}* {name} = dtempnew[{2 * len(values) + 1}]{type_};")
        self.body.append(f"{name}[thread.rank] = {text};")
        self.tell(name, f"told({name}, {len(values)})", told(values))

    def listed(self, name, values, type_=None):
        """What a dlist holds, or a copy of it."""
        type_ = type_ or self.type
        whole = self.pick.choice((None, None, f"{name}_in"))
        self.before.append(f"Held_{type_} {whole};" if whole else f"dlist({type_}) {name};")
        if whole:
            self.places[name] = f"{whole}.lists[1]"
        after, told_of = self.pick.choice((("", "{}"), ("auto copy_of_{} = {};", "copy_of_{}"), ("auto copy_of_{} = returned({});", "copy_of_{}")))
        if after:
            self.after.append(after.format(name, whole or name))
        told_of = told_of.format(name) + (".lists[1]" if after and whole else "")
        self.tell(name, f"told({told_of}.data, {told_of}.n)", told(values))

    def placed(self, line):
        """With lists that stand in a struct named by their place."""
        for name, place in self.places.items():
            line = re.sub(rf"(?<![\w\".]){name}(?![\w:])", place, line)
        return line

    def finished(self, use):
        lines = [f"int n = {self.n};", *self.before, f"spawn (n){self.block} {{", f"  uint h = mixed((uint)thread.rank, {self.salt}u);",
                 *(f"  {self.placed(line)}" for line in self.body), "}", *(self.placed(line) for line in self.after)]
        return Primitive(lines, self.known, frozenset([use]))


def before_each(op, x, type_):
    """Exclusive and inclusive scans and the total."""
    ufunc = OPERATORS[op]
    with np.errstate(over="ignore"):
        inclusive = np.array(ufunc.accumulate(x, dtype=x.dtype)) if len(x) else x
    identity = identity_of(op, x.dtype)
    exclusive = np.concatenate([[identity], inclusive[:-1]]).astype(x.dtype)[:len(x)]
    return exclusive, inclusive, inclusive[-1] if len(x) else identity


def identity_of(op, dtype):
    info = np.iinfo(dtype)
    return dtype.type({"+": 0, "rop_mul": 1, "&": -1 if info.min else info.max, "|": 0, "^": 0, "min": info.max, "max": info.min}[op])


def wide(value):
    return int(widened(np.array([value]))[0])


def reduction(w):
    x = w.values("x")
    op = w.operator(x)
    w.before.append(f"{w.type} total = 0;")
    w.body.append(f"total = reduce({op}, x);")
    w.tell("total", "(ulong)total", wide(before_each(op, x, w.type)[2]))


def scanned(w):
    x = w.values("x")
    op, inclusive = w.operator(x), w.pick.random() < 0.5
    before, at, total = before_each(op, x, w.type)
    w.before.append(f"{w.type} total = 0;")
    w.body.append(f"total = {'scan_inclusive' if inclusive else 'scan'}({op}, x);")
    w.tell("total", "(ulong)total", wide(total))
    w.stored("sums", w.type, "x", at if inclusive else before)


def segments(w, x):
    heads = np.array(w.h % 5 == 0)
    starts = np.flatnonzero(heads | (np.arange(w.n) == 0)) if w.n else np.array([], int)
    return list(zip(starts, [*starts[1:], w.n])) if len(starts) else []


def segmented(w):
    x = w.values("x")
    op, inclusive = w.operator(x), w.pick.random() < 0.5
    parts = [before_each(op, x[a:b], w.type)[inclusive] for a, b in segments(w, x)]
    w.body.append(f"{'segmented_scan_inclusive' if inclusive else 'segmented_scan'}({op}, x, h % 5u == 0u);")
    w.stored("sums", w.type, "x", np.concatenate(parts) if parts else x)


def segment_totals(w):
    x = w.values("x")
    op = w.operator(x)
    w.body.append(f"segmented_reduce(totals, {op}, x, h % 5u == 0u, LIST_CLEAR);")
    w.listed("totals", np.array([before_each(op, x[a:b], w.type)[2] for a, b in segments(w, x)], dtype=x.dtype))


def by_key(w):
    x = w.values("x")
    op = w.operator(x)
    keys = (np.arange(w.n) // 3 ^ np.arange(w.n) // 7).astype(np.int32)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[:w.n])
    ends = [*starts[1:], w.n]
    w.body += ["int key = (int)(thread.rank / 3 ^ thread.rank / 7);", f"reduce_by_key(keys, totals, {op}, key, x, LIST_CLEAR);"]
    w.listed("keys", keys[starts], "int")
    w.listed("totals", np.array([before_each(op, x[a:b], w.type)[2] for a, b in zip(starts, ends)], dtype=x.dtype))


def distinct(w):
    x = w.values("x", few=3)
    w.body.append("unique(list, x, LIST_CLEAR);")
    w.listed("list", x[np.concatenate([[True], x[1:] != x[:-1]])[:w.n]])


def compacted(w):
    x = w.values("x")
    keep = w.h % 3 != 0
    if w.pick.random() < 0.5:
        w.body.append("compact(list, x, h % 3u != 0u, LIST_CLEAR);")
        w.listed("list", x[keep])
    else:
        w.body.append("split(list, x, h % 3u != 0u, LIST_CLEAR);")
        w.listed("list", np.concatenate([x[~keep], x[keep]]))


def counted(w):
    bins = w.pick.choice((1, 7, 100, 1000))
    w.before += [f"int* bins = dtempnew[{bins}]int;", f"spawn ({bins}) bins[thread.rank] = 0;"]
    places = (w.h % np.uint32(bins + 3)).astype(int) - 1
    w.body.append(f"histogram(bins, {bins}, (int)(h % {bins + 3}u) - 1);")
    w.tell("bins", f"told(bins, {bins})", told(np.bincount(places[(places >= 0) & (places < bins)], minlength=bins)))


def ordered(w):
    x = w.values("x", few=w.pick.choice((None, None, 5)))
    order = np.argsort(x, kind="stable")
    way = w.pick.randrange(3)
    w.body.append("int old = (int)thread.rank;")
    if way == 0:
        w.body.append("int place = (int)sort_idx(x);")
        w.stored("places", "int", "place", order)
        return
    w.body.append("thread.sortby(x);" if way == 1 else "thread.sortby(x, old);")
    w.stored("keys", w.type, "x", x[order])
    w.stored("places", "int", "old", order)


def renumbered(w):
    x = w.values("x")
    side = w.h % 3 == 0
    way = w.pick.choice(["kill", "split", "fork"])
    if way == "fork":
        count = (w.h % 4).astype(int)
        w.body += ["int child = (int)thread.fork((int)(h % 4u));"]
        w.stored("children", "int", "child", np.concatenate([np.arange(c) for c in count] or [np.array([], int)]))
        x = np.repeat(x, count)
    else:
        w.body.append(f"thread.{way}(h % 3u == 0u);")
        x = x[~side] if way == "kill" else np.concatenate([x[~side], x[side]])
    w.stored("kept", w.type, "x", x)


def on_arrays(w):
    """From host code, on an array that the spawn fills."""
    x = w.values("x", few=w.pick.choice((None, None, 9)))
    w.before += [f"{w.type}* p = dtempnew[n + 1]{w.type};", "int* index = dtempnew[n + 1]int;"]
    w.body += ["p[thread.rank] = x;", "index[thread.rank] = (int)thread.rank;"]
    way = w.pick.choice(["sort", "sort_by_key", "sort_index", "reduce", "scan", "scan_inclusive"])
    order = np.argsort(x, kind="stable")
    if way.startswith("sort"):
        w.after.append("sort(p, n);" if way == "sort" else f"{way}(p, index, n);")
        w.tell("keys", "told(p, n)", told(x if way == "sort_index" else x[order]))
        w.tell("index", "told(index, n)", told(np.arange(w.n) if way == "sort" else order))
        return
    op = w.operator(x)
    before, at, total = before_each(op, x, w.type)
    w.tell("total", f"(ulong){way}({op}, p, n)", wide(total))
    w.tell("array", "told(p, n)", told({"reduce": x, "scan": before, "scan_inclusive": at}[way]))


KINDS = [reduction, scanned, scanned, segmented, segment_totals, by_key, distinct, compacted, counted, ordered, ordered, renumbered, on_arrays, on_arrays]


def primitive(pick):
    kind, w = pick.choice(KINDS), Writer(pick)
    kind(w)
    return w.finished(f"{kind.__name__} of {w.type}")
