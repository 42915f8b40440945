"""Every program of examples/ is given an option and an argument that it does not know: examples_refuse.py BSGPC EXAMPLES. It is to say so
with its usage, on stderr, and to end with 1."""
import os
import re
import subprocess
import sys

bsgpc, root = sys.argv[1:]
wrong, programs = 0, 0
for folder, _, names in sorted(os.walk(root)):
    for name in sorted(names):
        path = os.path.join(folder, name)
        if not name.endswith(".bsgp") or not re.search(r"^(int )?main\(", open(path, encoding="utf-8").read(), re.M):
            continue
        programs += 1
        for arguments, reason in ((["--no-such-option"], "'--no-such-option' is no option"), (["3"] * 9, "'3' is one argument too many")):
            done = subprocess.run([bsgpc, "run", "--target", "reference", "-O0", path, "--", *arguments], capture_output=True, text=True, timeout=240)
            if done.returncode != 1 or reason not in done.stderr or "usage: " not in done.stderr or done.stdout:
                wrong += 1
                print(f"{path} {' '.join(arguments)}: {done.returncode}, {done.stdout[-200:]!r}, {done.stderr[-300:]!r}")
print(f"{wrong} wrong of {programs} programs")
