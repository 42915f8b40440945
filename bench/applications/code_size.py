"""How long programs are: lines and bytes without comments, empty lines and blanks at the ends of lines, and functions with a spawn.

    code_size.py FILE..."""
import glob
import os
import re
import sys

# A comment, or a literal that may look as if it had one in it.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
COLUMNS = ("lines", "bytes", "GPU functions")


def stripped(text):
    """Without comments; lines that are empty then are left out."""
    text = TOKEN.sub(lambda m: " " if m[0].startswith("/*") else "" if m[0].startswith("//") else m[0], text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def functions_with(word, lines):
    """How many functions have the word in them: they end with a brace at the left edge, those of structs one step from it, or in a line."""
    found, count, indent = False, 0, ""
    for line in lines:
        indent = "  " if line.startswith("struct ") else "" if line.startswith("}") else indent
        found = found or re.search(rf"\b{word}\b", line) is not None
        if re.match(indent + r"(\}$|\w.*\{.*\}$)", line):
            count += found
            found = False
    return count


def size(paths):
    """Lines, bytes (with a line end for each), functions with a spawn."""
    lines = [line for path in paths for line in stripped(open(path, encoding="utf-8").read())]
    return len(lines), sum(len(line.encode()) + 1 for line in lines), functions_with("spawn", lines)


def reduction(ours, theirs):
    return f"{100 * (theirs - ours) / theirs:.0f} %" if theirs else ""


def table(parts, ours="one spawn", theirs="by hand"):
    """In markdown. parts: (name, our files, their files); a part whose files are the same is shared; then the sums without and with these."""
    print("| " + " | ".join(["", *(f"{column}, {side}" for column in COLUMNS for side in (ours, theirs, "less"))]) + " |\n" + "|---" * 10 + "|")
    own, everything = ([(0, 0, 0)] * 2 for _ in range(2))
    for name, *files in parts:
        sizes = [size(paths) for paths in files]
        row(name, *sizes)
        everything = [add(a, b) for a, b in zip(everything, sizes)]
        if files[0] != files[1]:
            own = [add(a, b) for a, b in zip(own, sizes)]
    row("**what differs**", *own)
    row("**all**", *everything)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def row(name, ours, theirs):
    print(f"| {name} | " + " | ".join(f"{a:,} | {b:,} | {reduction(a, b) if a != b else ''}" for a, b in zip(ours, theirs)) + " |")


def run(build_folder, quick=False, only=()):
    """The programs of examples/, a row for all in a folder."""
    print("\n`./dev bench applications --only code_size`: without comments and empty lines\n\n| | lines | bytes | functions with a spawn |\n|---|---|---|---|")
    for folder in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "*", ""))):
        paths = sorted(glob.glob(folder + "*.bsgp"))
        if paths:
            print(f"| {os.path.basename(os.path.dirname(folder))} | " + " | ".join(f"{n:,}" for n in size(paths)) + " |")


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(path, *size([path]))
