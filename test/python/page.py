"""Runs the programs of a page in their order, and compares what they print with the page. Usage: page.py ROOT FOLDER [docs/python.md]

A program's output is the indented text behind it. --update writes what it is now into the page."""
import contextlib
import io
import os
import re
import sys

root, folder = (os.path.abspath(path) for path in sys.argv[1:3])
path = os.path.join(root, *[each for each in sys.argv[3:] if each != "--update"] or ["docs/python.md"])
page = open(path).read()
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
names: dict = {"__name__": "page"}
wrong = 0


def run(text: str, line: int) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * line + text, path, "exec"), names)
    return out.getvalue()


def checked(match: re.Match) -> str:
    global wrong
    program, expected = match[1], match[2] or ""
    got = run(program, page[: match.start(1)].count("\n")).replace(root + os.sep, "")
    shown = "".join(("    " + line).rstrip() + "\n" for line in got.rstrip("\n").splitlines())
    shown = "\n" + shown if shown else ""
    if shown != expected:
        wrong += 1
        print(f"{path}:{page[: match.start(1)].count(chr(10)) + 1}: prints\n{got}in place of\n{expected}")
    return f"```python\n{program}```\n{shown}"


with_outputs = re.sub(r"```python\n(.*?)```\n(\n(?:    [^\n]*\n)+)?", checked, page, flags=re.S)
for name in sorted(os.listdir(folder)):
    if name.endswith(".png"):
        kept = os.path.join(root, "docs", "images", "python_" + name)
        if "--update" in sys.argv:
            os.replace(name, kept)
        elif open(name, "rb").read() != open(kept, "rb").read():
            wrong += 1
            print(f"the picture {name} is not that of {kept}")
if "--update" in sys.argv:
    open(path, "w").write(with_outputs)
sys.exit(bool(wrong) and "--update" not in sys.argv)
