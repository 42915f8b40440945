"""Are the mistakes that `bsgpc run --check` tells those of the program? What an emulated GPU did, unchecked and not optimized, tells which it has (check_trace.py)."""
import collections
import dataclasses
import json
import os
import tempfile
import threading

import check_program
from compilers import Server

EMULATED = ["--target", "cuda", "-O0"]
CHECKED = [["--target", "cpu", level, *more] for level in ("-O0", "-O1", "-O3") for more in ([], ["--threads", "1"])] + [["--target", "reference", "-O1"], ["--target", "reference", "-O1", "--shuffle", "5"]]
REFUSED = [b"[index_out_of_range]", b"[get_in_first]"] # changed programs may be none


@dataclasses.dataclass
class Case:
    program: check_program.Program
    options: list
    verdict: str = "no answer"
    known: list = None

    def source(self):
        return self.program.written().text


def shown(places):
    listed = sorted(str(p) for p in places)
    return ", ".join(listed[:6]) + (", ..." if len(listed) > 6 else "")


class Told:
    """What the checks said, by memory and element, and by line."""

    def __init__(self, document, places):
        self.unjudged, self.races, self.outside = document["unjudged"], set(), collections.defaultdict(set)
        self.pairs, self.lines = set(), collections.defaultdict(set)
        for report in document["reports"]:
            if report["severity"] == "error":
                self.add(report, places)

    def add(self, report, places):
        kind, line = report["kind"], report["place"]["at"]["line"]
        if report["what"] == "value":
            self.lines[kind].add(line)
            return
        memory = report["memory"]
        made = memory.get("allocated") or memory.get("declared")
        name = places[made["line"]] if made else memory.get("name", "")
        if not name:  # of a thread
            self.lines[kind].add(line)
            return
        for first, last in report["ranges"]:
            for place in ((name, i) for i in range(first, last + 1)):
                self.races.add(place) if kind == "race" else self.outside[place].add(line)
        if "other" in report:
            self.pairs.add((name, line, report["other"]["at"]["line"]))


class Checked:
    """May be called from several threads."""

    def __init__(self, compilers, arguments):
        self.server, self.seconds, self.mine = compilers.path, arguments.timeout, threading.local()
        if "BSGP_CUDA_DRIVER" not in os.environ:
            raise SystemExit("BSGP_CUDA_DRIVER must name the emulator: build/lib/cuda_emulator/libcuda.so.1")

    def ask(self, *arguments):
        if not hasattr(self.mine, "server"):
            self.mine.folder = tempfile.TemporaryDirectory()
            environment = dict(os.environ, BSGP_CACHE="0", BSGP_CHECK_LIMIT="1000000", BSGP_CUDA_EMULATOR_TRACE=self.file("trace"))
            self.mine.server = Server(self.server, environment)
        return self.mine.server.ask([str(a) for a in arguments], 0, self.seconds, 0)

    def file(self, name):
        return os.path.join(self.mine.folder.name, name)

    def case(self, seed):
        return Case(check_program.generate(seed), CHECKED[seed % len(CHECKED)])

    def uses(self, case):
        return ["change: " + case.program.change, "verdict: " + case.verdict, "checked: " + " ".join(case.options[1:]), *("uses: " + f for f in case.program.features)]

    def write(self, name, text):
        path = self.file(name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def judge(self, case):
        """None, or what is wrong."""
        self.ask("--version")  # makes the folder
        written = case.program.written()
        emulated = self.ask("run", *EMULATED, self.write("oracle.bsgp", written.oracle))
        if any(name in emulated.err for name in REFUSED):
            case.verdict = "refused by the compiler"
            return None
        if emulated.status != 0:
            return f"cuda: status {emulated.status}: {emulated.err.decode(errors='replace')[:300]}"
        with open(self.file("trace")) as trace:
            known = written.judge.read(trace)
        if known.accesses == 0:
            return "cuda: the trace is empty"
        if os.path.exists(self.file("json")):
            os.remove(self.file("json"))
        checked = self.ask("run", "--check", "--check-json", self.file("json"), *case.options, self.write("a.bsgp", written.text))
        if any(name in checked.err for name in REFUSED):
            case.verdict = "refused by the compiler"
            return None
        if checked.status not in (0, 1) or not os.path.exists(self.file("json")):
            return f"checked: status {checked.status}: {checked.err.decode(errors='replace')[:400]}"
        with open(self.file("json")) as file:
            return self.difference(case, written, known, Told(json.load(file), written.places), checked.status)

    def difference(self, case, written, known, told, status):
        found = {"race": known.races, "outside": known.outside or known.beyond_threads, "undefined": known.init.sure, "overflow": known.overflows}
        case.verdict = " and ".join(name for name, places in found.items() if places) or "nothing"
        case.verdict += ", partly unjudged" if told.unjudged else ""
        comparison = Comparison(written, known, told)
        wrong = comparison.races() or comparison.outside() or comparison.lines()
        is_told = bool(told.races or told.outside or any(told.lines.values()))
        return wrong or (f"exit status {status}" if status != is_told else None)

    def reduced(self, seed):
        case = self.case(seed)
        wrong = self.judge(case)
        if not wrong:
            return case.source()

        def still(program):
            found = self.judge(Case(program, case.options))
            return bool(found) and found.split(":")[0] == wrong.split(":")[0]
        text = case.program.reduce(still).written().text
        return f"// checked with {' '.join(case.options)}: {wrong}\n" + text


class Comparison:
    """Of what is known with what was told; None, or what is wrong."""

    def __init__(self, written, known, told):
        self.statements, self.loose, self.vague, self.known, self.told = written.judge.statements, written.loose, written.vague, known, told

    def judged(self, places):
        return {(name, i if name not in self.vague else "somewhere") for name, i in places if name not in self.loose}

    def races(self):
        known, told = self.judged(self.known.races), self.judged(self.told.races)
        missed, false = known - told, told - known
        if false or missed and not self.told.unjudged:
            return f"race: missed: {shown(missed) or '-'}; false: {shown(false) or '-'}"
        unknown = [p for p in self.told.pairs if p[0] not in self.known.unpaired | self.loose | self.vague and not self.is_pair(*p)]
        return f"race: no such lines: {shown(unknown)}" if unknown else None

    def is_pair(self, name, line, other):
        lines = lambda statement: self.statements[statement].lines
        return any(n == name and (line in lines(a) and other in lines(b) or line in lines(b) and other in lines(a)) for n, a, b in self.known.pairs)

    def outside(self):
        missed, false = set(self.known.outside) - set(self.told.outside), set(self.told.outside) - set(self.known.outside)
        if missed or false:
            return f"bounds: missed: {shown(missed) or '-'}; false: {shown(false) or '-'}"
        for place, statements in self.known.outside.items():
            if wrong := self.compared(f"bounds of {place}", statements, statements, self.told.outside[place]):
                return wrong
        return None

    def lines(self):
        init = self.known.init
        return (self.compared("bounds of threads", self.known.beyond_threads, self.known.beyond_threads, self.told.lines["bounds"])
                or self.compared("init", init.sure if not init.is_vague else (), init.possible if not init.is_vague else range(len(self.statements)), self.told.lines["init"])
                or self.compared("arithmetic", self.known.overflows, self.known.overflows, self.told.lines["arithmetic"]))

    def compared(self, what, sure, possible, told):
        missed = [self.statements[s].lines for s in sure if not self.statements[s].lines & told]
        false = told - set().union(*(self.statements[s].lines for s in possible))
        return f"{what}: missed: lines {shown(missed) or '-'}; false: lines {shown(false) or '-'}" if missed or false else None
