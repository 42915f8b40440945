"""Rows of the table of wavefronts, of samples that are known, and a text without the word."""
import os
import sys

for folder in ("bench", "bench/wavefronts"):
    sys.path.insert(0, os.path.join(sys.argv[1], folder))
import wavefronts

samples = {"plain": [4.0, 2.0, 6.0], "cpp": [8.0, 4.0, 9.0], "off": [4.0, 2.0, 5.0], "marked": [2.0, 1.0, 6.0]}
print(wavefronts.row({"name": "Collatz, right", "right": True, "ms": samples}))
print(wavefronts.row({"name": "wrong", "right": False, "ms": samples}))
print(wavefronts.without_word("wavefront while (x) wavefront for (;;) int wavefront = 1; wavefront (3);"))
