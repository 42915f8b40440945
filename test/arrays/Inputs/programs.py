"""The programs of examples/arrays beside their NumPy twins: array_programs.py FOLDER_OF_BUILT_PROGRAMS FOLDER_OF_THE_EXAMPLE SIZE.

Floats are equal within 1e-6 of the largest; vectors of motion, distances and cells are equal."""
import os
import subprocess
import sys

import numpy as np

built, example, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.dont_write_bytecode = True
sys.path.insert(0, example)
import twins

EXACT = ("life", "motion", "stereo")


def complaint(name):
    raw = os.path.join(built, name + ".raw")
    done = subprocess.run([os.path.join(built, name), "--size", str(size), "--raw", raw], capture_output=True, text=True, timeout=120)
    if done.returncode:
        return done.stderr
    wanted = [np.ascontiguousarray(r) for r in twins.results(name, size)]
    data, at = open(raw, "rb").read(), 0
    for want in wanted:
        got = np.frombuffer(data[at:at + want.nbytes], want.dtype).reshape(want.shape)
        at += want.nbytes
        far = np.abs(got.astype(float) - want).max() / max(np.abs(want).max(), 1e-30)
        if not far <= (0 if name in EXACT else 1e-6):
            return f"off by {far:.2e} of the largest value"
    return "" if at == len(data) else f"{len(data)} bytes in place of {at}"


wrong = 0
for name in twins.PROGRAMS:
    if why := complaint(name):
        wrong += 1
        print(f"{name}: {why}")
print(f"{wrong} of {len(twins.PROGRAMS)} programs differ from NumPy at size {size}")
