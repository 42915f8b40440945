"""Rows of the table of loops, of samples that are known."""
import os
import sys

for folder in ("bench", "bench/loops"):
    sys.path.insert(0, os.path.join(sys.argv[1], folder))
import loops

forms = {"one": {"rounds": 4, "ms": [0.01, 0.02, 0.008]}, "each": {"rounds": 4, "ms": [0.004, 0.01, 0.004]}, "threads": {"rounds": 4, "ms": [0.03, 0.01, 0.024]}}
print(loops.row({"name": "right", "right": True, "forms": forms}))
print(loops.row({"name": "wrong", "right": False, "forms": forms}))
