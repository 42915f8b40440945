"""The sums of --sums beside those of the arrays that --dump writes: x3d_sums.py PROGRAM FILE FOLDER."""
import os
import re
import struct
import subprocess
import sys

program, path, folder = sys.argv[1:]
dump = os.path.join(folder, "sums.txt")
WHOLE = {"triangles": 3, "lines": 2, "geometries": 6, "shapes": 2, "lamps": 1}  # so many ints stand in front


def words(name, line):
    for k, x in enumerate(line.split()):
        yield struct.unpack("<I", struct.pack("<i", int(x)) if k < WHOLE.get(name, 0) else struct.pack("<f", float(x)))[0]


told = subprocess.run([program, path, "--sums", "--dump", dump], check=True, capture_output=True, text=True, timeout=100).stdout
found = re.findall(r"sum of (\w+): (\d+) (\w+)", told)
lines = open(dump, encoding="ascii").read().splitlines()
wrong = 0
for name, size, total in found:
    dumped, count = lines[0].split()
    content = [w for line in lines[1:int(count) + 1] for w in words(name, line)]
    should = sum(w * (i * 0x9E3779B97F4A7C15 | 1) for i, w in enumerate(content)) % 2**64
    if (name, int(size), int(total, 16)) != (dumped, len(content), should):
        wrong += 1
        print(name, size, total, f"should be {dumped} {len(content)} {should:x}")
    lines = lines[int(count) + 1:]
print(f"{wrong} wrong of {len(found)}")
