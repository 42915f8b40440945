"""allocations.py COUNTER PROGRAM KIND...: how often rounds of each kind ask for memory, 1000 of them and 2000."""
import os
import re
import subprocess
import sys

counter, program, *kinds = sys.argv[1:]


def count(kind, rounds):
    result = subprocess.run([program, kind, str(rounds)], env={**os.environ, "LD_PRELOAD": counter}, capture_output=True, text=True, check=True)
    assert result.stdout == f"{kind}: {rounds} rounds\n", result.stdout
    return int(re.search(r"^allocations: (\d+)$", result.stderr, re.M)[1])


for kind in kinds:
    few, many = count(kind, 1000), count(kind, 2000)
    print(f"{kind}: " + ("as many for 1000 rounds as for 2000" if few == many > 0 else f"{few} for 1000 rounds, {many} for 2000"))
