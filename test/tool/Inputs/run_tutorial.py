"""Runs the programs of docs/tutorial.md: code blocks that begin with `// NAME.bsgp`, each against the output shown for it,
with --check all that is said."""
import os
import re
import subprocess
import sys

bsgpc, page, folder = sys.argv[1:]
text = open(page).read()
programs = dict(re.findall(r"```c\n// (\w+\.bsgp)\n(.*?)```", text, re.S))
runs = re.findall(r"^    \$ bsgpc run (--check )?(\w+\.bsgp)\n((?:    [^$\n].*\n)+)", text, re.M)
shown = {name: (["--check"] if check else [], output) for check, name, output in runs}
assert len(programs) >= 5 and set(programs) == set(shown), (sorted(programs), sorted(shown))
for name, program in programs.items():
    options, output = shown[name]
    open(os.path.join(folder, name), "w").write(f"// {name}\n{program}")
    done = subprocess.run([os.path.abspath(bsgpc), "run", *options, name], cwd=folder, capture_output=True, text=True)
    printed = done.stdout + (done.stderr if options else "")
    expected = [line[4:] for line in output.splitlines()]
    # threads may print in any order
    if done.returncode != (1 if options else 0) or sorted(printed.splitlines()) != sorted(expected):
        sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected:\n" + "\n".join(expected))
    print(name, "as shown")
