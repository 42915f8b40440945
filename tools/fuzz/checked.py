"""Are the mistakes that `bsgpc run --check` tells those of the program? What an emulated GPU did, unchecked and not optimized, tells which it has (check_trace.py)."""
import dataclasses
import json
import os
import tempfile
import threading

import check_program
import check_trace
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
        return self.program.text()


def shown(places):
    listed = sorted(places)
    return ", ".join(f"{name}[{i}]" for name, i in listed[:6]) + (", ..." if len(listed) > 6 else "")


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
        return ["change: " + case.program.change, "verdict: " + case.verdict, "checked: " + " ".join(case.options[1:])]

    def judge(self, case):
        """None, or what is wrong."""
        program = case.program
        self.ask("--version")  # makes the folder
        path = self.file("a.bsgp")
        with open(path, "w") as file:
            file.write(program.text())
        emulated = self.ask("run", *EMULATED, path)
        if any(name in emulated.err for name in REFUSED):
            case.verdict = "refused by the compiler"
            return None
        if emulated.status != 0:
            return f"cuda: status {emulated.status}: {emulated.err.decode(errors='replace')[:300]}"
        with open(self.file("trace")) as trace:
            known = check_trace.Judge(program.memory(), program.elements()).read(trace)
        if known.accesses == 0:
            return "cuda: the trace is empty"
        case.verdict = " and ".join(name for name, found in (("race", known.races), ("outside", known.outside)) if found) or "neither"
        if os.path.exists(self.file("json")):
            os.remove(self.file("json"))
        checked = self.ask("run", "--check=race,bounds", "--check-json", self.file("json"), *case.options, path)
        return self.difference(known, checked)

    def difference(self, known, checked):
        status = 1 if known.races or known.outside else 0
        if checked.status != status:
            said = checked.err.decode(errors="replace").strip()[:400]
            return f"exit status {checked.status}, not {status}; races {shown(known.races)}; outside {shown(known.outside)}; told: {said}"
        told = {"race": set(), "bounds": set()}
        with open(self.file("json")) as file:
            for report in json.load(file)["reports"]:
                if report["severity"] == "error":
                    for first, last in report["ranges"]:
                        told[report["kind"]] |= {(report["memory"].get("name", ""), i) for i in range(first, last + 1)}
        for kind, places in (("race", known.races), ("bounds", known.outside)):
            if told[kind] != places:
                return f"{kind}: missed: {shown(places - told[kind]) or '-'}; false: {shown(told[kind] - places) or '-'}"
        return None

    def reduced(self, seed):
        case = self.case(seed)
        wrong = self.judge(case)
        if not wrong:
            return case.source()

        def still(program):
            found = self.judge(Case(program, case.options))
            return bool(found) and found.split(":")[0] == wrong.split(":")[0]
        text = case.program.reduce(still).text()
        return f"// checked with {' '.join(case.options)}: {wrong}\n" + text
