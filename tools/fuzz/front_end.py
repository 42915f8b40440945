"""What the compiler must do with any text: answer, in time. For each mutant `check`, and of those it accepts some forms of `emit`.

Wrong are: an exit status but 0 and 1, a signal, too much time or memory, an internal error or one of LLVM, status 1 without a
message, and a message without a place, with a place in the library, or with one that does not exist.
"""
import contextlib
import dataclasses
import random
import re
import tempfile

import mutants

CPU_SECONDS = 20
MEGABYTES = 4096  # of addresses: 512 are the compiler's stack
MAX_KILOBYTES = 1_500_000
FORMS = [["emit", "supersteps"], ["emit", "supersteps", "--json"], ["emit", "streams"], ["emit", "plan"], ["emit", "header"], ["emit", "flat"], ["emit", "typed"],
         ["emit", "llvm", "-O0"], ["emit", "llvm"], ["emit", "llvm", "--target", "reference", "-O1"], ["emit", "ptx"],
         ["emit", "asm", "--vector-width", "8", "--cpu", "x86-64-v3"], ["emit", "ptx", "-O0"], ["check", "--target", "cuda"],
         ["check", "--fp", "fast"]]
REFUSED = [["emit", "ast"], ["emit", "tokens"], ["check", "--target", "cuda"], ["emit", "llvm"]]
MESSAGE = re.compile(r"^(?:(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): )?(?P<kind>error|warning): (?P<text>[^\n]*)", re.M)
OURS = re.compile(r"^(?!    )[^\n]*?(internal error in[^\n]*|LLVM ERROR[^\n]*|Assertion[^\n]*|Please submit a bug report|terminate called[^\n]*|"
                  r"Broken module[^\n]*|Instruction does not dominate[^\n]*)", re.M)


def wrong_place(match, path, lines):
    """Why the place of this message is none, or None."""
    text = re.sub(r"'[^']*'|\d+", "…", match["text"])[:90]
    if not match["file"]:
        return f"a message without a place: {text}"
    if match["file"].startswith("<"):
        return f"a message with a place in the library: {match['file']}: {text}"
    if match["file"] == path and not 1 <= int(match["line"]) <= lines + 1:
        return f"a message at a line that is not there: {text}"
    return None


def wrong_with(answer, path, text):
    """What is wrong with an answer of the compiler, in words that other texts with the same fault share; or None."""
    said = answer.err.decode(errors="replace")
    ours = OURS.search(said)
    if ours:
        return re.sub(r"0x[0-9a-f]+|\d{4,}", "…", ours[1])[:160]
    if answer.seconds >= CPU_SECONDS:
        return "too much time"
    if answer.kilobytes > MAX_KILOBYTES:
        return "too much memory"
    if answer.status < 0:
        return f"signal {-answer.status}"
    if answer.status > 1:
        return f"exit status {answer.status}"
    errors = 0
    for match in MESSAGE.finditer(said):
        errors += match["kind"] == "error"
        wrong = wrong_place(match, path, text.count(b"\n") + text.count(b"\r"))
        if wrong:
            return wrong
    if bool(errors) != (answer.status == 1):
        return f"exit status {answer.status} with {'errors' if errors else 'no error'}"
    return None


@dataclasses.dataclass
class Fault:
    """command: of bsgpc. wrong: with its answer."""
    command: list
    wrong: str
    folder: str

    def __str__(self):
        return f"{self.wrong}\n  bsgpc {' '.join(self.command)} -I {self.folder}"


class FrontEnd:
    def __init__(self, compilers):
        self.compilers = compilers

    def ask(self, command, path, folder, text):
        """(what is wrong or None, the exit status)"""
        answer = self.compilers(*command, path, "-I", folder, cpu_seconds=CPU_SECONDS, seconds=20 * CPU_SECONDS, megabytes=MEGABYTES)
        return wrong_with(answer, path, text), answer.status

    def judge(self, mutant):
        pick = random.Random(mutant.seed)
        forms, refused = pick.sample(FORMS, 2), [pick.choice(REFUSED)] if pick.randrange(4) == 0 else []
        commands = [["check"]]
        with written(mutant.text) as path:
            for command in commands:
                wrong, status = self.ask(command, path, mutant.folder, mutant.text)
                if wrong:
                    return Fault(command, wrong, mutant.folder)
                if command == ["check"]:
                    commands += forms if status == 0 else refused
        return None

    def reduced(self, mutant, fault):
        """A text with the same fault from which nothing can be taken: lines first, then tokens."""
        def still(parts):
            smaller = b"".join(parts)
            with written(smaller) as path:
                return self.ask(fault.command, path, mutant.folder, smaller)[0] == fault.wrong

        text = b"".join(shortest(mutant.text.splitlines(keepends=True), still))
        tokens = [token.encode(errors="surrogateescape") for token in mutants.TOKEN.findall(text.decode(errors="surrogateescape"))]
        return b"".join(shortest(tokens, still)) if b"".join(tokens) == text else text


@contextlib.contextmanager
def written(text):
    with tempfile.NamedTemporaryFile(suffix=".bsgp") as file:
        file.write(text)
        file.flush()
        yield file.name


def shortest(parts, still):
    """Delta debugging: takes ever smaller runs of parts out as long as `still` holds."""
    size = max(1, len(parts) // 2)
    while parts:
        at, before = 0, len(parts)
        while at < len(parts):
            rest = parts[:at] + parts[at + size:]
            if still(rest):
                parts = rest
            else:
                at += size
        if size == 1 and len(parts) == before:
            break
        size = max(1, min(size, len(parts)) // 2) if size > 1 else 1
    return parts
