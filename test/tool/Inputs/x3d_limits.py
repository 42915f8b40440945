"""Many faces around a point, and faces of many corners, beside what a plain way makes of them: x3d_limits.py PROGRAM FOLDER."""
import math
import os
import random
import subprocess
import sys

program, folder = sys.argv[1:]
dice = random.Random(3)
wrong = 0


def read(faces, points, options):
    """The lists of the dump; or what is said of the file."""
    path = os.path.join(folder, "limits.x3d")
    with open(path, "w", encoding="ascii") as file:
        index = " -1 ".join(" ".join(map(str, face)) for face in faces)
        point = " ".join(" ".join(f"{x:.9g}" for x in p) for p in points)
        file.write(f"<X3D><Scene><Shape><IndexedFaceSet {options} coordIndex='{index}'><Coordinate point='{point}'/></IndexedFaceSet></Shape></Scene></X3D>")
    done = subprocess.run([program, path, "--dump", path + ".txt"], capture_output=True, text=True, timeout=500)
    if done.returncode:
        return done.stderr
    lists, lines = {}, open(path + ".txt", encoding="ascii").read().splitlines()
    while lines:
        name, count = lines[0].split()
        lists[name] = [line.split() for line in lines[1:int(count) + 1]]
        lines = lines[int(count) + 1:]
    return {name: [[float(x) for x in line] for line in lists[name]] for name in ("points", "triangles", "normals")}


def tell(good, *what):
    global wrong
    if not good:
        wrong += 1
        print(*what)


def unit(v):
    size = math.sqrt(sum(x * x for x in v))
    return [x / size for x in v]


def cone(n, high, shuffled=False):
    """Triangles around a tip."""
    points = [(0, high, 0)] + [(math.cos(2 * math.pi * i / n), 0, math.sin(2 * math.pi * i / n)) for i in range(n)]
    faces = [(0, (i + 1) % n + 1, i + 1) for i in range(n)]
    if shuffled:
        dice.shuffle(faces)
    return faces, points


# Normals at the tip: the sum of all faces within the crease angle; a face at its rim may count or not.
for n, high, crease, shuffled in ((700, 1, 0.5, False), (700, 0.3, 0.5, True), (129, 1, 4, False), (1000, 0, 0.1, False)):
    world = read(*cone(n, high, shuffled), f"creaseAngle='{crease}'")
    flat = []
    for t in world["triangles"]:
        a, b, c = ([float(x) for x in world["points"][int(i)]] for i in t)
        u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
        flat.append(unit([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]))
    least = math.cos(min(crease, math.pi)) - 1e-9
    for t in range(0, n, 37):
        near = [m for m in flat if sum(p * q for p, q in zip(m, flat[t])) >= least]
        should = unit([sum(m[k] for m in near) for k in range(3)])
        got = world["normals"][t][:3]
        tell(max(abs(p - q) for p, q in zip(should, got)) < 0.01, "normal", t, "of", n, got, "should be", should)


def around(n, radius):
    turns = [(radius(i), 2 * math.pi * i / n) for i in range(n)]
    return [(r * math.cos(t), r * math.sin(t), 0) for r, t in turns]


def band(n, at, width):
    """Along a curve and back."""
    return [at(i, width) for i in range(n // 2)] + [at(i, -width) for i in range(n // 2 - 1, -1, -1)]


def spiral(i, width):
    return (1 + i / 50 + width) * math.cos(i / 8), (1 + i / 50 + width) * math.sin(i / 8), 0


def area(points):
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(points, points[1:] + points[:1])) / 2


SHAPES = {"star": around(2000, lambda i: 1 if i % 2 else 0.5), "rough": around(3000, lambda i: 1 + 0.2 * dice.random()),
          "spiral": band(3000, spiral, 0.2), "wave": band(2000, lambda i, width: (i / 100, math.sin(i / 9) - width, 0), 0.01),
          "comb": [(-1, 0, 0), (999, 0, 0)] + [(998 - i, 10 if i % 2 else 1, 0) for i in range(998)], "small": around(9, lambda i: 1 + i % 2)}
# Equal points under different indices: each twice, one twice, a hole and the way to it, a corner that touches another.
SHAPES["twice"] = [p for p in around(300, lambda i: 1 if i % 2 else 0.3) for _ in (0, 1)]
FLAT = {"angle": "00 20 21 11 11 12 02", "hole": "00 40 44 04 00 11 13 33 31 11", "touching": "00 40 44 21 04 02 21 01"}
SHAPES.update({name: [(int(p[0]), int(p[1]), 0) for p in text.split()] for name, text in FLAT.items()})
for name, points in SHAPES.items():
    world = read([range(len(points))], points, "convex='false'")
    parts = [area([world["points"][int(i)] for i in t]) for t in world["triangles"]]
    whole = area(points)
    tell(whole > 0 and len(parts) == len(points) - 2, name, "has", len(parts), "triangles of", len(points), "corners, area", whole)
    tell(min(parts) > -1e-6 * whole and abs(sum(parts) - whole) < 1e-4 * whole, name, "area", sum(parts), "least", min(parts), "should be", whole)
for name, points in (("a line", [(i, 0, 0) for i in range(20000)]), ("chance", [(dice.random(), dice.random(), 0) for _ in range(2000)])):
    tell(len(read([range(len(points))], points, "convex='false'")["triangles"]) == len(points) - 2, name, "has another number of triangles")
said = read(*cone(50000, 1, True), "creaseAngle='.5'")
tell("limits.x3d:1:20: too many faces around a point" in said, "a crowd:", said if isinstance(said, str) else "")
star = around(400000, lambda i: 1 if i % 2 else 0.5)
said = read([range(len(star))], star, "convex='false'")
tell("limits.x3d:1:20: a face that is not convex takes more than" in said, "a star:", said if isinstance(said, str) else "")

# A whole number that no float is: with another one the grid would have too many heights.
path, across = os.path.join(folder, "grid.x3d"), 2**24 + 1
with open(path, "w", encoding="ascii") as file:
    file.write(f"<X3D><Scene><Shape><ElevationGrid xDimension='{across}' zDimension='1' height='{'0 ' * across}'/></Shape></Scene></X3D>")
done = subprocess.run([program, path], capture_output=True, text=True, timeout=500)
tell(done.returncode == 0, "a long grid:", done.stderr)
os.remove(path)
print(f"{wrong} wrong")
