"""Runs the programs of docs/tutorial.md: code blocks that begin with `// NAME.bsgp`, each against the output shown for it.
With --check it is the report that is compared: the programs there have races, so their own numbers depend on the schedule, and so
does which of two threads is reported as the later one."""
import os
import re
import subprocess
import sys



def of_any_schedule(line):
    line = re.sub(r"thread \d+ ", "thread N ", line)
    return re.sub(r"\b(reads|writes|read it|wrote it)( \(other threads may have, too\))?$", "accesses it", line)


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
    expected = [line[4:] for line in output.splitlines()]
    printed = done.stdout
    if options:
        racing, printed = done.stdout.splitlines(), done.stderr
        form = [re.escape(line).replace("N", r"\d+") for line in (re.sub(r"\d+", "N", line) for line in expected[: len(racing)])]
        if not all(map(re.fullmatch, form, racing)):
            sys.exit(f"{name}: prints\n{done.stdout}expected, with any numbers:\n" + "\n".join(expected[: len(racing)]))
        expected = [of_any_schedule(line) for line in expected[len(racing) :]]
        printed = "\n".join(map(of_any_schedule, printed.splitlines()))
    # threads may print in any order
    if done.returncode != (1 if options else 0) or sorted(printed.splitlines()) != sorted(expected):
        sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected:\n" + "\n".join(expected))
    print(name, "as shown")
