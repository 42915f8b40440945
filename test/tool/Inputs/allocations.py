"""allocations.py COUNTER PROGRAM KIND...: how often rounds of each kind ask for memory, 1000 of them and 2000."""
import os
import re
import subprocess
import sys

counter, program, *kinds = sys.argv[1:]
# A worker of the runtime takes buffers when it first has something to put into them, which may be in any round: a few for each kernel.
BUFFERS = 16 * os.cpu_count()


def count(kind, rounds, **environment):
    result = subprocess.run([program, kind, str(rounds)], env={**os.environ, "LD_PRELOAD": counter, **environment}, capture_output=True, text=True, check=True)
    assert result.stdout == f"{kind}: {rounds} rounds\n", result.stdout
    return int(re.search(r"^allocations: (\d+)$", result.stderr, re.M)[1])


def difference(kind, allowed, **environment):
    few, many = count(kind, 1000, **environment), count(kind, 2000, **environment)
    return None if few > 0 and abs(few - many) <= allowed else f"{few} for 1000 rounds, {many} for 2000"


for kind in kinds:
    print(f"{kind}: " + (difference(kind, 0, BSGP_THREADS="1") or difference(kind, BUFFERS) or "as many for 1000 rounds as for 2000"))
