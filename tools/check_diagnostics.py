#!/usr/bin/env python3
"""Every message of src/diag/*.def is provoked by some test.

check_diagnostics.py                       lists the kinds that no file under test/ or unittest/ expects; exit status 1 if any
check_diagnostics.py --update BSGPC FILE...    writes the expectations of FILE (a test of test/diag) anew: below each line that a
                                           message points at, the message, what the caret marks, the help and the notes. Read
                                           what changed before it is committed: it states what the compiler says, right or not.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RUN = "// RUN: not %bsgpc check %s 2>&1 | FileCheck --implicit-check-not=error: --implicit-check-not=warning: %s"
MESSAGE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<text>(?P<severity>error|warning|note): .*)$")


def declared_kinds():
    """(kind, file) of each DIAG line."""
    folder = os.path.join(ROOT, "src", "diag")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".def"):
            with open(os.path.join(folder, name)) as file:
                for kind in re.findall(r"^DIAG\((\w+),", file.read(), re.M):
                    yield kind, name


def expected_kinds():
    found = set()
    for folder in ("test", "unittest"):
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                with open(os.path.join(path, name), errors="replace") as file:
                    text = file.read()
                found.update(re.findall(r"\[(\w+)\]", text))
                found.update(re.findall(r"\bDiag::(\w+)", text))
    return found


def check():
    expected = expected_kinds()
    kinds = list(declared_kinds())
    missing = [(kind, name) for kind, name in kinds if kind not in expected]
    for kind, name in missing:
        print(f"{name}: no test expects [{kind}]")
    print(f"{len(kinds)} kinds of messages, {len(missing)} without a test")
    return 1 if missing else 0


def literal(text):
    """`text` as a FileCheck pattern that matches it."""
    return text.replace("{{", "{{[{][{]}}").replace("[[", "{{[[][[]}}")


def expectations(said):
    """The parts of the compiler's output: (line of the message in the file, its check lines, each a function of where it stands)."""
    groups, lines = [], said.splitlines()
    for i, line in enumerate(lines):
        at = MESSAGE.match(line)
        if at:
            if at["severity"] != "note":
                groups.append((int(at["line"]), []))
            groups[-1][1].append(("place", at))
            if i + 2 < len(lines) and re.fullmatch(r" +\^~*", lines[i + 2]):
                groups[-1][1].append(("text", lines[i + 2].strip() + "{{$}}"))
        elif line.startswith("  help: "):
            groups[-1][1].append(("text", literal(line.strip())))
    return groups


def update(bsgpc, path):
    with open(path) as file:
        source = [line for line in file.read().split("\n") if not re.match(r"\s*// CHECK", line)]
    if not any("RUN:" in line for line in source):
        source.insert(0, RUN)
    with open(path, "w") as file:
        file.write("\n".join(source))
    name = os.path.basename(path)
    done = subprocess.run([bsgpc, "check", name], cwd=os.path.dirname(path) or ".", capture_output=True, text=True)
    groups = sorted(expectations(done.stderr), key=lambda group: group[0])
    # First where each source line comes to stand, then the lines themselves.
    below = {}
    for line, checks in groups:
        below.setdefault(line, []).extend(checks)
    place, at = {}, 0
    for number in range(1, len(source) + 1):
        at += 1
        place[number] = at
        at += len(below.get(number, []))
    out = []
    for number, line in enumerate(source, 1):
        out.append(line)
        for kind, what in below.get(number, []):
            if kind == "text":
                out.append(f"// CHECK:        {what}")
                continue
            offset = place[int(what["line"])] - (len(out) + 1) if what["file"] == name else None
            here = f"[[@LINE{offset:+}]]" if offset is not None else what["line"]
            out.append(f"// CHECK:      {what['file']}:{here}:{what['column']}: {literal(what['text'])}")
    with open(path, "w") as file:
        file.write("\n".join(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", nargs="+", metavar=("BSGPC", "FILE"))
    options = parser.parse_args()
    if not options.update:
        sys.exit(check())
    bsgpc, *files = options.update
    for path in files:
        update(os.path.abspath(bsgpc), path)


if __name__ == "__main__":
    main()
