"""docs/internals.md shows one program in every form: each line that it shows is a line of what the compiler writes.

forms_of_internals.py BSGPC ROOT FOLDER
"""
import os
import re
import subprocess
import sys

bsgpc, root, folder = sys.argv[1:]
section = open(os.path.join(root, "docs", "internals.md")).read().split("## One program in every form")[1].split("\n## ")[0]
# Paragraphs of text, each with the indented lines behind it.
parts = re.findall(r"((?:^(?! {4}).*\n)+)((?:^(?: {4}.*)?\n)+)", section, re.M)
blocks = [(text, [line[4:] for line in lines.splitlines() if line.strip()]) for text, lines in parts if lines.strip()]
program = os.path.join(folder, "eight.bsgp")
open(program, "w").write("\n".join(blocks[0][1]) + "\n")
shown = 0
for text, lines in blocks[1:]:
    form = re.search(r"\*\* \(`(ast|typed|flat|spawns|plan)`", text)
    if not form:
        continue
    out = subprocess.run([bsgpc, "emit", form[1], "eight.bsgp"], capture_output=True, text=True, cwd=folder, check=True).stdout
    known = {line.strip() for line in out.splitlines()}
    for line in lines:
        if line.strip() != "..." and line.strip() not in known:
            sys.exit(f"the form '{form[1]}' has no line '{line.strip()}'")
        shown += 1
print(f"{shown} lines of the forms")
