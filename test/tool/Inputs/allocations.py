"""allocations.py COUNTER PROGRAM KIND...: how often rounds of each kind ask for memory, 1000 of them and 2000."""
import os
import re
import subprocess
import sys

counter, program, *kinds = sys.argv[1:]
# A worker of the runtime takes buffers when it first has something to put into them, which may be in any round.
BUFFERS = 2 * os.cpu_count()


def count(kind, rounds):
    result = subprocess.run([program, kind, str(rounds)], env={**os.environ, "LD_PRELOAD": counter}, capture_output=True, text=True, check=True)
    assert result.stdout == f"{kind}: {rounds} rounds\n", result.stdout
    return int(re.search(r"^allocations: (\d+)$", result.stderr, re.M)[1])


for kind in kinds:
    few, many = count(kind, 1000), count(kind, 2000)
    print(f"{kind}: " + ("as many for 1000 rounds as for 2000" if abs(few - many) <= BUFFERS and few > 0 else f"{few} for 1000 rounds, {many} for 2000"))
