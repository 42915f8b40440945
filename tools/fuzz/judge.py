"""Runs a program in several configurations and says what is wrong."""
import dataclasses
import re
import tempfile

import primitive_program
import twins


@dataclasses.dataclass
class Wrong:
    """kind: fails (where the program should end with 0), wrong (it should print what is known, or what it prints when it is written
    plainly), differs (from the first configuration). where: the configuration."""
    kind: str
    where: str
    message: str

    def __str__(self):
        return f"{self.kind} on {self.where}: {self.message}"

    def is_like(self, other):
        return other is not None and (self.kind, self.where) == (other.kind, other.where) and (self.kind != "fails" or self.message[:60] == other.message[:60])


class Judge:
    def __init__(self, compilers, seconds):
        self.compilers, self.seconds = compilers, seconds

    def run(self, path, options):
        """(what it prints, None), or (None, how it failed)."""
        answer = self.compilers("run", path, *options, seconds=self.seconds)
        if answer.status == 0:
            return answer.out.decode(errors="replace"), None
        if answer.status == -9:
            return None, f"still running after {self.seconds} s"
        said = answer.err.decode(errors="replace")
        lines = [line for line in said.splitlines() if "error" in line or "bsgp" in line] or [said[-300:]]
        return None, f"status {answer.status}: " + re.sub(r"\S*/tmp\w+\.bsgp:", "", lines[0])

    def judge(self, text, configurations, known=None):
        """None, or what is wrong. known: the lines it must print, as far as that is known beforehand; else those that the
        program prints when it is written plainly (twins.py), if that is another text."""
        first = configurations[0]
        if "\1" in text:
            said = self.judge_one(twins.plainly(text), [first])
            if isinstance(said, Wrong):
                return dataclasses.replace(said, where=f"{said.where}, written plainly")
            known = said.splitlines()
        said = self.judge_one(twins.newly(text), configurations, known)
        return said if isinstance(said, Wrong) else None

    def judge_one(self, text, configurations, known=None):
        """What it prints, or what is wrong."""
        with tempfile.NamedTemporaryFile("w", suffix=".bsgp") as file:
            file.write(text)
            file.flush()
            expected = None
            for name, options in configurations:
                found, failure = self.run(file.name, options)
                if failure:
                    return Wrong("fails", name, failure)
                if expected is None:
                    expected = found
                    difference = primitive_program.difference(found, known) if known else None
                    if difference:
                        return Wrong("wrong", name, difference)
                if found != expected:
                    return Wrong("differs", name, primitive_program.difference(found, expected.splitlines()) or "")
        return expected

    def still(self, wrong, configurations):
        """Is a smaller program wrong in the same way? Tried where the larger one was, after what it was compared with."""
        tried = [c for i, c in enumerate(configurations) if wrong.where.startswith(c[0]) or (i == 0 and wrong.kind == "differs")]

        def is_wrong(text, known=None):
            return wrong.is_like(self.judge(text, tried, known))
        return is_wrong
