#!/usr/bin/python3
"""Programs with planted errors (README.md): are these told by `bsgpc run --check`, and nothing else?"""
import argparse
import os
import re
import subprocess
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import program as programs  # noqa: E402
from configurations import UNCHECKED  # noqa: E402

CPU = [(f"cpu {level}{name}", ["--target", "cpu", level, *options]) for level in ("-O0", "-O1", "-O2", "-O3")
       for name, options in (("", []), (", 1 thread, 4 lanes", ["--threads", "1", "--vector-width", "4"]),
                             (", 3 threads, 16 lanes", ["--threads", "3", "--vector-width", "16"]))]
REFERENCE = [(f"reference {level}{name}", ["--target", "reference", level, *options]) for level in ("-O0", "-O1", "-O2", "-O3")
             for name, options in (("", []), (" shuffled", ["--shuffle", "12345"]))]
CUDA = [(f"cuda {level}", ["--target", "cuda", level]) for level in ("-O0", "-O2", "-O3")]  # emulated
OF_GPU = 3  # programs of which one runs on it in a sample: it takes its time


def configurations(name, extent):
    """(name, options) of each. extent: sample (two or three), rest (what the sample leaves out), or all."""
    everything = CPU + REFERENCE + CUDA
    number = zlib.crc32(name.encode())
    sample = [CPU[number % len(CPU)], REFERENCE[number // 16 % len(REFERENCE)]]
    if number // 256 % OF_GPU == 0:
        sample.append(CUDA[number // 1024 % len(CUDA)])
    return {"sample": sample, "all": everything, "rest": [one for one in everything if one not in sample]}[extent]


class Marks:
    """What a program's comments say that is told."""

    ITEM = re.compile(r"\s*(?:(bounds|init|arithmetic|lint|note)|(race|init|from)\((\w+)\))( on cpu)?(?:\s+\"([^\"]*)\")?\s*(?:,|$)")

    def __init__(self, path, on_gpu=False):
        self.on_gpu = on_gpu
        self.found = set()  # (line, kind); of races ((line, line), "race")
        self.texts = []  # (line, text)
        self.causes = {}  # of a line with init(A): the lines with from(A)
        tags = {"race": {}, "init": {}, "from": {}}
        with open(path) as source:
            for number, line in enumerate(source, 1):
                if "//~" in line:
                    self.read(line.split("//~", 1)[1].rstrip(), number, tags, path)
        for tag, lines in tags["race"].items():
            if len(lines) > 2:
                raise ValueError(f"{path}: race({tag}) is on {len(lines)} lines")
            self.found.add(((lines[0], lines[-1]), "race"))
        for tag, lines in tags["init"].items():
            for line in lines:
                self.causes.setdefault(line, set()).update(tags["from"].get(tag, []))

    def read(self, text, number, tags, path):
        at = 0
        while at < len(text):
            item = self.ITEM.match(text, at)
            if not item:
                raise ValueError(f"{path}:{number}: '{text[at:]}' is no mark")
            at = item.end()
            if item[4] and self.on_gpu:
                continue
            if item[2]:
                tags[item[2]].setdefault(item[3], []).append(number)
            if item[1] or item[2] == "init":
                self.found.add((number, item[1] or item[2]))
            if item[5]:
                self.texts.append((number, item[5]))

    def status(self):
        return 1 if any(kind != "note" for _, kind in self.found) else 0


class Told:
    """What a run has told on stderr."""

    HEAD = re.compile(r"(.*?):(\d+):\d+: (error|note): (.*) \[(race|bounds|init|arithmetic|lint)\]$")
    OTHER = re.compile(r"(.*?):(\d+):\d+: note: (?:a )?thread ")  # of a race
    CAUSE = re.compile(r"(.*?):(\d+):\d+: note: .*(?: here\b)")  # of an undefined value

    def __init__(self, text, path):
        reports, self.messages, self.elsewhere, self.causes = [], [], [], {}
        for line in text.splitlines():
            head, other, cause = (form.match(line) for form in (self.HEAD, self.OTHER, self.CAUSE))
            if head and os.path.basename(head[1]) == os.path.basename(path):
                reports.append([int(head[2]), "note" if head[3] == "note" else head[5], None])
                self.messages.append((int(head[2]), line))
            elif other and reports and not head:
                reports[-1][2] = int(other[2])
            elif cause and reports and not head:
                self.causes.setdefault(reports[-1][0], set()).add(int(cause[2]))
                self.messages.append((int(cause[2]), line))
            elif "error: " in line and not line.startswith(" "):
                self.elsewhere.append(line)
        self.found = {((min(line, other or 0), max(line, other or 0)), kind) if kind == "race" else (line, kind)
                      for line, kind, other in reports}


def named(path, finding):
    place, kind = finding
    name = os.path.relpath(path, ROOT)
    if kind == "race":
        return f"{name}:{place[1]}: race with line {place[0]}" if place[0] else f"{name}:{place[1]}: race with an unknown line"
    return f"{name}:{place}: {kind}"


def complaint(path, marks, status, errors):
    """What is wrong with a run; empty: nothing."""
    told = Told(errors, path)
    lines = ["missed: " + named(path, one) for one in sorted(marks.found - told.found, key=str)]
    lines += ["false: " + named(path, one) for one in sorted(told.found - marks.found, key=str)]
    lines += ["false: " + line for line in told.elsewhere]
    lines += [f"line {line}: what is told comes from {sorted(told.causes.get(line, []))}, not {sorted(marks.causes.get(line, []))}"
              for line in sorted(marks.causes.keys() | told.causes.keys()) if marks.causes and
              marks.causes.get(line, set()) != told.causes.get(line, set())]
    lines += [f"line {line}: nothing told has the text '{text}'" for line, text in marks.texts
              if not any(at == line and text in message for at, message in told.messages)]
    if status != marks.status():
        lines.append(f"exit status {status}, not {marks.status()}")
    return "\n".join(lines)


def command(tool, path, options):
    kinds = ",".join(programs.directives(path, "CHECK"))
    given = " ".join(programs.directives(path, "ARGS")).split()
    return [tool, "run", "--check=" + kinds if kinds else "--check", path, *options, *(["--", *given] if given else [])]


def run(arguments, environment=None):
    emulator = os.path.join(os.path.dirname(os.path.dirname(arguments[0])), "lib", "cuda_emulator", "libcuda.so.1")
    done = subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=240, cwd=ROOT,
                          env=dict(environment or os.environ, BSGP_CHECK_LIMIT="1000000", BSGP_CACHE="0", BSGP_CUDA_DRIVER=emulator))
    return done.returncode, done.stdout, done.stderr


def check(tool, path, extent, environment=None, only=""):
    """(passed, text) of a program with marks."""
    all_marks, marks_on_gpu, log, passed = Marks(path), Marks(path, on_gpu=True), [], True
    for name, options in configurations(os.path.basename(path), extent):
        if not name.startswith(only) or ("cuda" in options and programs.directives(path, "ON") == ["cpu"]):
            continue
        arguments, marks = command(tool, path, options), marks_on_gpu if "cuda" in options else all_marks
        try:
            status, _, errors = run(arguments, environment)
            wrong = complaint(path, marks, status, errors)
        except subprocess.TimeoutExpired:
            wrong = errors = "still running after 240 s"
        if wrong:
            passed = False
            log.append(f"{name}: {' '.join(arguments)}\n{wrong}\n{errors[-6000:]}")
    return passed, "\n".join(log), len(all_marks.found)


def checkClean(tool, names, target):
    """What is told of programs that have no errors, of test/run and test/examples."""
    failed = 0
    for name in names:
        if os.path.basename(name) in UNCHECKED:
            continue
        program = programs.Program(os.path.join(ROOT, name))
        arguments = [tool, "run", "--check", "--target", target, program.source, *(["--", *program.arguments] if program.arguments else [])]
        try:
            status, printed, errors = run(arguments)
            told = [line for line in errors.splitlines() if Told.HEAD.match(line) or line.startswith("check: ")]
            wrong = programs.complaint(status, printed, program.output, program.contains)
            wrong = wrong and "\n".join([wrong, *told])
        except subprocess.TimeoutExpired:
            wrong = "still running after 240 s"
        if wrong:
            failed += 1
            print(f"FAILED: {' '.join(arguments)}\n{wrong}", flush=True)
    print(f"{failed} programs failed")
    return 1 if failed else 0


def toolOf(folder):
    return os.path.join(folder, "bin", "bsgpc")


try:
    import lit.formats
    import lit.Test

    class CheckProgram(lit.formats.FileBasedTest):
        """The lit format of test/check."""

        def execute(self, test, lit_config):
            tool = toolOf(os.path.dirname(os.path.abspath(test.config.test_exec_root)))
            passed, text, _ = check(tool, test.getSourcePath(), lit_config.params.get("extent", "sample"), test.config.environment)
            return (lit.Test.PASS if passed else lit.Test.FAIL), text
except ImportError:
    pass


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="programs with marks; none: all of test/check")
    parser.add_argument("--clean", action="store_true", help="of these programs nothing may be told; none: test/run, test/examples")
    parser.add_argument("--extent", default="all", choices=["sample", "rest", "all"])
    parser.add_argument("--only", default="", metavar="WORDS", help="the configurations whose name begins so: cuda, cpu -O2; with --clean the target")
    parser.add_argument("--quiet", action="store_true", help="only what is missed and false, not all that was told")
    parser.add_argument("--tool", default=toolOf(os.environ.get("BSGP_BUILD_DIR", os.path.join(ROOT, "build"))))
    given = parser.parse_args()
    if given.clean:
        names = [os.path.relpath(path, ROOT) for path in given.files] or programs.all_programs(ROOT)
        return checkClean(given.tool, names, given.only or "cpu")
    files = given.files or sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".bsgp"))
    failed = marks = 0
    for path in files:
        passed, text, count = check(given.tool, os.path.abspath(path), given.extent, only=given.only)
        marks += count
        failed += not passed
        print(f"{'passed' if passed else 'FAILED'}: {os.path.relpath(path)}, {count} marks", flush=True)
        if not passed:
            lines = text.splitlines()
            if given.quiet:
                lines = [line for line in lines if re.match(r"(missed|false|line \d+|exit status|cpu|reference|cuda)\b", line)]
            print("\n".join("  " + line for line in lines), flush=True)
    print(f"{len(files)} programs, {marks} marks, {failed} programs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
