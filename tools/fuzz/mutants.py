#!/usr/bin/env python3
"""Prints a program that was made from others by small violence: mutants.py SEED.

Tokens are deleted, doubled, swapped, replaced, taken from other files; numbers become extreme ones, names long, lines one; parts
are nested deeply, the end is lost, bytes are no text. The others are all programs of this repository and the code in its docs.
"""
import dataclasses
import functools
import glob
import os
import random
import re
import sys
import zlib

import statements

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEEDS = ["test/**/*.bsgp", "examples/*/*.bsgp", "stdlib/**/*.bsgp", "bench/**/*.bsgp"]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#include[^\n]*|[A-Za-z_]\w*|[0-9][\w.]*'
                   r"|<<=|>>=|\+\+|--|->|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\S|\s+", re.S)
WORDS = ("spawn barrier require par thread . rank size oldrank get put ( ) [ ] { } ; , int float3 long* if else for while "
         "do switch case default break continue return = += + - * / % & && || ! ~ ? : 1 0 2.5f \"text\" 'c' n x y p struct S "
         "inline export extern const host device dnew dtempnew dfree new delete copy printf assert sizeof typeof auto typedef "
         "enum RANK_REASSIGNED block warp shared operator dlist < > void bool true NULL id limit count sync unroll wavefront asm half "
         "identity commutative reduce scan sort compact split fork kill sortby atomic_add -> ++ << ulong char uchar4 "
         "#include").split()
NUMBERS = ("0 1 -1 2147483647 2147483648 -2147483648 4294967295u 4294967296 9223372036854775807l 9223372036854775808 "
           "-9223372036854775808 18446744073709551615ul 18446744073709551616 99999999999999999999999999 268435456 268435457 "
           "1073741824 1e308 1e309 -1e309f 1e-400 1e999999999 0x1p-1074 0x1p1023 65504h 65520h 1e-8h 0x 0b 08 1.2.3 1e 0xg 1uu "
           "0xffffffffffffffff 1000000 10001 1025 '\\377' '\\x' 127 128 -129 32768 65536 0x7fffffff 0x80000000 1.0f/0 0.0h").split()
TYPES = ("bool char short int long uchar ushort uint ulong half float double float2 float3 float4 int2 uint4 bool3 char4 half2 double3 void auto "
         "int* float* char* void* dlist(int) dlist(float) host\0int* device\0float* shared\0int const\0int const\0float*").split()
TYPES = [name.replace("\0", " ") for name in TYPES]
KINDS = {name for name in TYPES if name.isalnum()}
OPERATORS = "+ - * / % & | ^ << >> < > <= >= == != && || , = += -= *= /= %= <<= |= . [ ?".split()
AROUND = ("(1 ? {0} : {0})", "{0}[0]", "{0}[n]", "{0}[thread.rank]", "*{0}", "&{0}", "-{0}", "!{0}", "~{0}", "(int){0}", "(half){0}", "(float3){0}", "(bool){0}",
          "(ulong){0}", "{0}.x", "{0}.n", "{0}.data", "{0}.zyx", "++{0}", "{0}--", "f({0})", "({0}, {0})", "sizeof({0})", "typeof({0})", "({0} = {0})",
          "reduce(+, {0})", "scan(max, {0})", "thread.get(0, {0})", "{{{0}}}", "&{0}[0]", "float3({0})", "{0} + {0}", "min({0}, {0})", "new[{0}]int",
          "dnew[{0}]float", "block.reduce(+, {0})", "atomic_add(&{0}, 1)", "identity(+, {0})", "{0}()", "thread.{0}", "warp.any({0})", "{0}<>")
LETTER = re.compile(r"[A-Za-z_]\w*\Z")
DIGIT = re.compile(r"[0-9]")


class Source:
    """The tokens of a program, and where to look for what it includes."""

    def __init__(self, name, text, folder):
        self.name, self.folder, self.tokens = name, folder, TOKEN.findall(text)


@functools.cache
def source_names():
    return [(source.name.encode(), source) for source in sources()]


def chosen(number):
    """A source; that others are added to the repository seldom changes which."""
    return max(source_names(), key=lambda named: zlib.crc32(named[0], number))[1]


@functools.cache
def sources():
    found = []
    for pattern in SEEDS:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            with open(path, errors="replace") as file:
                found.append(Source(os.path.relpath(path, ROOT), file.read(), os.path.dirname(path)))
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")) + [os.path.join(ROOT, "README.md")]):
        with open(path, errors="replace") as file:
            for i, text in enumerate(re.findall(r"```c\n(.*?)```", file.read(), re.S)):
                found.append(Source(f"{os.path.relpath(path, ROOT)}, code {i + 1}", text, ROOT))
    return found


class Mutation:
    """Each way to change `tokens` is a method; `pick` decides where."""

    def __init__(self, tokens, pick):
        self.tokens, self.pick = list(tokens), pick

    def place(self, wanted=lambda token: not token.isspace()):
        places = [i for i, token in enumerate(self.tokens) if wanted(token)]
        return self.pick.choice(places) if places else None

    def range(self, most=30):
        """From one token to one not far behind it."""
        i = self.place() or 0
        return i, min(len(self.tokens), i + self.pick.randrange(1, most))

    def delete(self):
        i, k = self.range(self.pick.choice((2, 2, 2, 30)))
        self.tokens[i:k] = []

    def double(self):
        i, k = self.range(self.pick.choice((2, 30)))
        self.tokens[i:i] = [*self.tokens[i:k], " "]

    def swap(self):
        i, k = self.place(), self.place()
        self.tokens[i], self.tokens[k] = self.tokens[k], self.tokens[i]

    def word(self):
        self.tokens[self.place()] = f" {self.pick.choice(WORDS)} "

    def insert(self):
        i = self.place()
        self.tokens[i:i] = [f" {self.pick.choice(WORDS)} "]

    def copied(self):
        self.tokens[self.place()] = f" {self.tokens[self.place()]} "

    def splice(self):
        """A piece of another file in the place of one of this."""
        i, k = self.range()
        other = Mutation(chosen(self.pick.getrandbits(32)).tokens, self.pick)
        if other.tokens:
            a, b = other.range()
            self.tokens[i:k] = [" ", *other.tokens[a:b], " "]

    def number(self):
        i = self.place(DIGIT.match)
        if i is None:
            return self.word()
        self.tokens[i] = self.pick.choice(NUMBERS)

    def name(self):
        """One name becomes another of the program, everywhere."""
        i, k = self.place(LETTER.match), self.place(LETTER.match)
        if i is not None:
            old, new = self.tokens[i], self.tokens[k]
            self.tokens = [new if token == old else token for token in self.tokens]

    def type(self):
        i = self.place(KINDS.__contains__)
        if i is None:
            return self.word()
        self.tokens[i] = self.pick.choice(TYPES)

    def operator(self):
        i = self.place(OPERATORS.__contains__)
        if i is None:
            return self.word()
        self.tokens[i] = f" {self.pick.choice(OPERATORS)} "

    def wrap(self):
        """Something else around a name or a number."""
        i = self.place(lambda token: LETTER.match(token) or DIGIT.match(token))
        if i is not None:
            self.tokens[i] = " " + self.pick.choice(AROUND).format(self.tokens[i]) + " "

    def statement(self):
        """From behind a ; or brace to the next one that closes no more than it opened."""
        i = self.place(lambda token: token in (";", "{", "}"))
        if i is None:
            return None
        depth = 0
        for k in range(i + 1, len(self.tokens)):
            depth += self.tokens[k].count("{") - self.tokens[k].count("}")
            if depth < 0 or (depth == 0 and self.tokens[k] in (";", "}")):
                return i + 1, k + (depth >= 0)
        return None

    def move(self):
        """A statement stands elsewhere, or twice."""
        found = self.statement()
        if found is None:
            return
        moved = self.tokens[found[0]:found[1]]
        if self.pick.randrange(2):
            self.tokens[found[0]:found[1]] = []
        where = self.statement()
        if where is not None:
            self.tokens[where[0]:where[0]] = [" ", *moved, " "]

    def borrow(self):
        """A statement of another file stands here too."""
        other = Mutation(chosen(self.pick.getrandbits(32)).tokens, self.pick)
        found, where = other.statement(), self.statement()
        if found is not None and where is not None:
            self.tokens[where[0]:where[0]] = [" ", *other.tokens[found[0]:found[1]], " "]

    def long_name(self):
        i = self.place(LETTER.match)
        if i is not None:
            old = self.tokens[i]
            new = old * (self.pick.choice((100, 5000, 100_000)) // len(old) + 1)
            self.tokens = [new if token == old else token for token in self.tokens]

    def one_line(self):
        self.tokens = [" " if token.isspace() else token for token in self.tokens if not token.startswith("//")]

    def nest(self):
        i, k = self.range(self.pick.choice((2, 2, 30)))
        opening, closing = self.pick.choice((("(", ")"), ("{", "}"), ("[", "]"), ("if (n) {", "}"), ("-", ""), ("!", ""), ("*", ""),
                                             ("(int)", ""), ("f(", ")"), ("n ? n :", ""), ("while (n)", ""), ("par {", "}"),
                                             ("spawn (n) {", "}"), ("require {", "}"), ("else if (n) ;", "")))
        deep = self.pick.choice((1, 2, 10, 500, 1001, 5000))
        self.tokens[k:k] = [(" " + closing) * deep]
        self.tokens[i:i] = [(opening + " ") * deep]

    def truncate(self):
        text = "".join(self.tokens)
        self.tokens = TOKEN.findall(text[:self.pick.randrange(len(text) + 1)])


COMMON = [Mutation.delete, Mutation.double, Mutation.swap, Mutation.word, Mutation.insert, Mutation.copied, Mutation.splice,
          Mutation.number, Mutation.name, Mutation.name, Mutation.type, Mutation.type, Mutation.operator, Mutation.operator, Mutation.wrap,
          Mutation.wrap, Mutation.move, Mutation.move, Mutation.borrow]
RARE = [Mutation.long_name, Mutation.one_line, Mutation.nest, Mutation.nest, Mutation.truncate]
BYTES = [b"\0", b"\xff", b"\xc3\x28", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\r", b"\r\n", b"\xef\xbb\xbf", b"\x1b[31m", b"\x7f", b"\\\n",
         b"\"", b"'", b"/*", b"*/", b"\x0b", b"\xe2\x80\xa8", b"??/", b"@", b"$", b"`"]


def soup(pick):
    return " ".join(pick.choice(WORDS) for _ in range(pick.randrange(5, 200)))


def with_bytes(text, pick):
    """Bytes that are no text, or that seldom stand in programs, here and there."""
    if pick.randrange(4) == 0:
        return text.replace(b"\n", pick.choice((b"\r\n", b"\r")))
    for _ in range(pick.choice((1, 1, 3, 20))):
        at = pick.randrange(len(text) + 1)
        text = text[:at] + pick.choice(BYTES) + text[at + pick.choice((0, 0, 1)):]
    return text


@dataclasses.dataclass
class Mutant:
    """text: bytes. folder: of what it includes. origin: what it was made from."""
    seed: int
    text: bytes
    folder: str
    origin: str


def mutant(seed):
    pick = random.Random(seed)
    if pick.randrange(40) == 0:
        return Mutant(seed, soup(pick).encode(), ROOT, "words")
    if pick.randrange(2) == 0:
        return Mutant(seed, statements.Statements(pick).program().encode(), ROOT, "statements")
    source = chosen(pick.getrandbits(32))
    mutation = Mutation(source.tokens, pick)
    for _ in range(pick.choice((1, 1, 1, 2, 3, 8))):
        if mutation.place() is not None:
            pick.choice(RARE if pick.randrange(12) == 0 else COMMON)(mutation)
    text = "".join(mutation.tokens).encode(errors="replace")
    return Mutant(seed, with_bytes(text, pick) if pick.randrange(12) == 0 else text, source.folder, source.name)


if __name__ == "__main__":
    sys.stdout.buffer.write(mutant(int(sys.argv[1])).text)
