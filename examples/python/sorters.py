"""Sorters from combinators: each 512 elements of an array are sorted by a block. The fastest one, and the best size of its groups, are measured."""
import bsgp as bp
import numpy as np
from bsgp import combine
from bsgp.combine import sorters

LEVELS = 9
LENGTH = 1 << LEVELS
x = np.random.default_rng(1).integers(0, 1 << 30, 1 << 18).astype(np.int32)
y = np.empty_like(x)

variants = {}
for program in (sorters.bitonic, sorters.bitonicUpDown, sorters.vsort, sorters.vsortShex, sorters.vsortIt, sorters.vsortIt2):
    for group in (None, 2, 8):
        variants[program.__name__, group] = combine.compile(program(LEVELS), LENGTH, x.dtype, group=group)
variants["by hand", 2] = sorters.vsortHO(LEVELS, x.dtype)

best, table = bp.tune({key: (lambda sort=sort: sort(x, y)) for key, sort in variants.items()}, repeats=3)
print(table)
print(best, (variants[best](x.copy()).reshape(-1, LENGTH) == np.sort(x.reshape(-1, LENGTH))).all())
