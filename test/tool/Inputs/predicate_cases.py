"""Cases for predicates.bsgp: points, and the sign that exact arithmetic gives. Most are nearly degenerate, many are so exactly.

usage: predicate_cases.py COUNT SEED FILE: COUNT cases of each predicate, doubles: the coordinates, then the sign.
"""
import array
import itertools
import math
import random
import sys

PREDICATES = [("orient2d", 2, 0), ("orient3d", 3, 0), ("incircle", 2, 1), ("insphere", 3, 1)]
LARGEST, SMALLEST = sys.float_info.max, 5e-324


def whole(x):
    """x in units of the smallest double."""
    numerator, denominator = x.as_integer_ratio()
    return numerator * (2**1074 // denominator)


def determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    return sum((-1) ** k * rows[k][0] * determinant([row[1:] for row in rows[:k] + rows[k + 1 :]]) for k in range(len(rows)))


def sign(points, lifted):
    *others, last = [[whole(x) for x in p] for p in points]
    rows = [[x - y for x, y in zip(p, last)] for p in others]
    if lifted:
        rows = [row + [sum(x * x for x in row)] for row in rows]
    value = determinant(rows)
    return (value > 0) - (value < 0)


def on_spheres(dims):
    """Lists of points with whole coordinates: each at one distance from 0."""
    found = {}
    for p in itertools.product(range(-15, 16), repeat=dims):
        found.setdefault(sum(x * x for x in p), []).append(p)
    return [points for points in found.values() if len(points) >= 8]


SPHERES = {dims: on_spheres(dims) for dims in (2, 3)}


def between(dims, count):
    """The last point is where others are mixed, but for rounding; of short numbers it is exactly there."""
    step, part = random.choice([(2.0**-60, 2.0**-60), (2.0**-20, 0.125)])
    points = [[round(random.uniform(-1, 1) / step) * step for _ in range(dims)] for _ in range(count)]
    by = [round(random.uniform(-1, 2) / part) * part for _ in range(dims - 1)]
    points[-1] = [a[0] + sum(t * (x - a[0]) for t, x in zip(by, a[1:dims])) for a in zip(*points)]
    return points


def on_sphere(dims, count, step):
    radius = random.choice(SPHERES[dims])
    by, middle = random.choice([1, 3, 0.7]), [random.choice([0, 0, random.uniform(-50, 50)]) for _ in range(dims)]
    return [[by * x * step + y for x, y in zip(p, middle)] for p in random.sample(radius, count)]


def nudged(x):
    for _ in range(random.choice([0, 0, 0, 0, 1, 1, 3])):
        x = math.nextafter(x, random.choice([-math.inf, math.inf]))
    return x


def scaled(points):
    by = random.choice([0, 0, 0, 0, -1074, -1060, -1000, -700, -300, 1, 300, 700, 1000])
    return [[max(-LARGEST, min(LARGEST, x * 2.0 ** max(by, -1000) * 2.0 ** min(by + 1000, 0))) for x in p] for p in points]


def wild():
    return random.choice([-1, 1]) * random.choice([0.0, LARGEST, SMALLEST, 1.0, random.random() * 2.0 ** random.randint(-1074, 1023)])


def points_of(dims, lifted):
    count = dims + lifted + 1
    kind = random.randrange(8)
    if kind == 0:
        return [[random.uniform(-1, 1) for _ in range(dims)] for _ in range(count)]
    if kind == 1:
        return [[wild() for _ in range(dims)] for _ in range(count)]
    if kind == 2:
        return scaled([[float(random.randint(-2, 2)) for _ in range(dims)] for _ in range(count)])
    if kind == 3:
        grid = [[random.randint(-3, 3) * 0.1 for _ in range(dims)] for _ in range(count)]
        return [[nudged(x) for x in p] for p in grid]
    points = between(dims, count) if kind == 4 or not lifted else on_sphere(dims, count, random.choice([1, 1, 0.125]))
    if random.random() < 0.5:
        points = [[nudged(x) for x in p] for p in points]
    random.shuffle(points)
    return scaled(points)


def main():
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random.seed(seed)
    out = array.array("d")
    for name, dims, lifted in PREDICATES:
        signs = []
        for _ in range(count):
            points = points_of(dims, lifted)
            signs.append(sign(points, lifted))
            out.extend([x for p in points for x in p] + [signs[-1]])
        assert all(signs.count(s) > count // 8 for s in (-1, 0, 1)), f"{name}: {signs.count(0)} of {count} are 0"
    with open(path, "wb") as file:
        out.tofile(file)


if __name__ == "__main__":
    main()
