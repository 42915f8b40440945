"""Runs the programs of docs/tutorial.md: code blocks that begin with `// NAME.bsgp`, each against the output shown for it."""
import os
import re
import subprocess
import sys

bsgpc, page, folder = sys.argv[1:]
text = open(page).read()
programs = dict(re.findall(r"```c\n// (\w+\.bsgp)\n(.*?)```", text, re.S))
shown = dict(re.findall(r"^    \$ bsgpc run (\w+\.bsgp)\n((?:    [^$\n].*\n)+)", text, re.M))
assert len(programs) >= 5 and set(programs) == set(shown), (sorted(programs), sorted(shown))
for name, program in programs.items():
    path = os.path.join(folder, name)
    open(path, "w").write(program)
    done = subprocess.run([bsgpc, "run", path], capture_output=True, text=True)
    expected = [line[4:] for line in shown[name].splitlines()]
    # threads may print in any order
    if done.returncode != 0 or sorted(done.stdout.splitlines()) != sorted(expected):
        sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected:\n" + "\n".join(expected))
    print(name, "as shown")
