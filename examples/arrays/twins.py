"""The programs of this folder in NumPy, each from its definition.

    python3 twins.py PROGRAM [SIZE] [TIMES]       the median time, without that of making the data

results(PROGRAM, SIZE) gives the arrays that the program writes with --raw, in its order.
"""
import sys
import time

import numpy as np

# ---- data, as in pictures.h ----


def scrambled(y, x, seed):
    h = (y.astype(np.uint32) * np.uint32(73856093)) ^ (x.astype(np.uint32) * np.uint32(19349663)) ^ np.uint32(seed * 83492791 % 2**32)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(1540483477)
    return h ^ (h >> np.uint32(15))


def matrix(rows, columns, seed):
    y, x = np.mgrid[:rows, :columns]
    return ((scrambled(y, x, seed) >> 16) / np.float64(65536) - 0.5).astype(np.float32)


def noise(y, x, log2, seed):
    cell = 1 << log2
    y0, x0, dy, dx = y // cell, x // cell, y % cell, x % cell
    total = 0
    for i in (0, 1):
        for j in (0, 1):
            weight = (dy if i else cell - dy) * (dx if j else cell - dx)
            total = total + weight * (scrambled(y0 + i, x0 + j, seed) % 256).astype(np.int64)
    return total // cell**2


def scene(y, x, seed=1):
    hills = (8 * noise(y, x, 6, seed) + 5 * noise(y, x, 4, seed + 10) + 3 * noise(y, x, 2, seed + 20)) // 16
    square = (abs(y % 64 - 31.5) < 16) & (abs(x % 64 - 31.5) < 16) & (scrambled(y // 64, x // 64, 99) % 4 == 0)
    return np.minimum(hills + 70 * square, 255)


def gray(size):
    y, x = np.mgrid[:size, :size]
    return scene(y, x).astype(np.float32) / np.float32(255)


def colour(size):
    y, x = np.mgrid[:size, :size]
    return np.stack([scene(y, x, seed) for seed in (1, 2, 3)]).astype(np.float32) / np.float32(255)


# ---- programs: the data of a size, and the results of the data ----


def sum_data(size):
    return [matrix(size, size, 1)]


def sum_of(a):
    return [np.abs(a).sum()]


def matrix_vector_data(size):
    return [matrix(size, size, 1), matrix(1, size, 2)[0]]


def matrix_vector(a, x):
    return [a @ x]


def matrix_matrix_data(size):
    return [matrix(size, size, 1), matrix(size, size, 2)]


def matrix_matrix(a, b):
    return [a @ b]


def life_data(size):
    return [(matrix(size, size, 1) > 0.2).astype(np.float32)]


def generation(cells):
    neighbours = sum(np.roll(cells, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
    return ((neighbours == 3) | ((cells == 1) & (neighbours == 2))).astype(np.float32)


def life(cells, generations=1):
    for _ in range(generations):
        cells = generation(cells)
    return [cells]


def demosaic_data(size):
    red, green, blue = colour(size)
    mosaic = green.copy()
    mosaic[0::2, 0::2] = red[0::2, 0::2]
    mosaic[1::2, 1::2] = blue[1::2, 1::2]
    return [mosaic]


# Figure 2 of Malvar, He and Cutler: green at red and blue; a colour at green whose neighbours in the row have it; at the other colour.
GREEN = np.array([[0, 0, -1, 0, 0], [0, 0, 2, 0, 0], [-1, 2, 4, 2, -1], [0, 0, 2, 0, 0], [0, 0, -1, 0, 0]]) / 8
IN_ROW = np.array([[0, 0, .5, 0, 0], [0, -1, 0, -1, 0], [-1, 4, 5, 4, -1], [0, -1, 0, -1, 0], [0, 0, .5, 0, 0]]) / 8
OPPOSITE = np.array([[0, 0, -1.5, 0, 0], [0, 2, 0, 2, 0], [-1.5, 0, 6, 0, -1.5], [0, 2, 0, 2, 0], [0, 0, -1.5, 0, 0]]) / 8


def filtered(mosaic, weights):
    """Around each pixel of the mosaic, which goes on as if repeated."""
    height, width = mosaic.shape
    around = np.pad(mosaic, 2, mode="wrap")
    result = np.zeros_like(mosaic)
    for i, j in np.argwhere(weights):
        result += np.float32(weights[i, j]) * around[i:i + height, j:j + width]
    return result


def demosaic(mosaic):
    green, in_row, in_column, opposite = (filtered(mosaic, w) for w in (GREEN, IN_ROW, IN_ROW.T, OPPOSITE))
    red, blue, g = mosaic.copy(), mosaic.copy(), mosaic.copy()
    g[0::2, 0::2], g[1::2, 1::2] = green[0::2, 0::2], green[1::2, 1::2]
    red[0::2, 1::2], red[1::2, 0::2], red[1::2, 1::2] = in_row[0::2, 1::2], in_column[1::2, 0::2], opposite[1::2, 1::2]
    blue[0::2, 1::2], blue[1::2, 0::2], blue[0::2, 0::2] = in_column[0::2, 1::2], in_row[1::2, 0::2], opposite[0::2, 0::2]
    return [red, g, blue]


def convolve_data(size):
    return [gray(size)]


def blurred(picture, radius):
    offsets = np.arange(-radius, radius + 1)
    weights = np.exp(-2 * offsets**2 / radius**2)
    weights = (weights / weights.sum()).astype(np.float32)
    height, width = picture.shape
    padded = np.pad(picture, radius, mode="edge")
    padded = sum(w * padded[:, i:i + width] for i, w in enumerate(weights))
    return sum(w * padded[i:i + height] for i, w in enumerate(weights))


def convolve(picture):
    return [blurred(picture, 2)]


def rotate_data(size):
    return [colour(size)]


def rotate(picture):
    _, height, width = picture.shape
    cosine, sine = np.cos(np.radians(10)), np.sin(np.radians(10))
    v, u = np.mgrid[:height, :width] - np.array([(height - 1) / 2, (width - 1) / 2])[:, None, None]
    y, x = cosine * v - sine * u + (height - 1) / 2, sine * v + cosine * u + (width - 1) / 2
    y0, x0 = np.floor(y).astype(np.intp), np.floor(x).astype(np.intp)
    dy, dx = (y - y0).astype(np.float32), (x - x0).astype(np.float32)
    bordered = np.pad(picture, ((0, 0), (1, 1), (1, 1)))
    result = np.zeros_like(picture)
    for i in (0, 1):
        for j in (0, 1):
            weight = (dy if i else 1 - dy) * (dx if j else 1 - dx)
            result += weight * bordered[:, np.clip(y0 + i + 1, 0, height + 1), np.clip(x0 + j + 1, 0, width + 1)]
    return [result]


def corners_data(size):
    return [gray(size)]


def corners(picture):
    padded = np.pad(blurred(picture, 2), 1, mode="edge")
    dy, dx = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2, (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    a, b, c = blurred(dy * dy, 4), blurred(dy * dx, 4), blurred(dx * dx, 4)
    return [(a + c) / 2 - np.sqrt(((a - c) / 2)**2 + b * b)]


def motion_data(size):
    y, x = np.mgrid[:size, :size]
    middle = (abs(2 * y + 1 - size) < size / 2) & (abs(2 * x + 1 - size) < size / 2)
    moved_y, moved_x = np.where(middle, 5, -2), np.where(middle, -3, 7)
    return [scene(y + 64, x + 64).astype(np.float32), scene(y + 64 - moved_y, x + 64 - moved_x).astype(np.float32)]


def quarter_of(picture):
    return picture[0::2, 0::2] + picture[0::2, 1::2] + picture[1::2, 0::2] + picture[1::2, 1::2]


def finer(picture, times):
    """Bilinear, times pixels for one, times * times as bright."""
    bordered = np.pad(picture, ((0, 1), (0, 1)), mode="edge")
    height, width = picture.shape
    result = np.empty((height * times, width * times), np.float32)
    for i in range(times):
        for j in range(times):
            result[i::times, j::times] = ((times - i) * ((times - j) * bordered[:-1, :-1] + j * bordered[:-1, 1:])
                                          + i * ((times - j) * bordered[1:, :-1] + j * bordered[1:, 1:]))
    return result


def best_near(first, second, scale, block, vectors, radius):
    """The first best candidate in the order of its rows and columns."""
    height, width = first.shape
    y, x = np.mgrid[:height, :width] * scale
    y, x = y + vectors[0].repeat(block, 0).repeat(block, 1), x + vectors[1].repeat(block, 0).repeat(block, 1)
    candidates = [(i, j) for i in range(-radius, radius + 1) for j in range(-radius, radius + 1)]
    costs = []
    for i, j in candidates:
        seen = second[np.clip(y + i, 0, second.shape[0] - 1), np.clip(x + j, 0, second.shape[1] - 1)]
        differences = abs(first * np.float32(scale**2) - seen)
        costs.append(differences.reshape(height // block, block, width // block, block).sum((1, 3)))
    best = np.array(candidates)[np.argmin(costs, 0)]
    return [vectors[0] + best[..., 0], vectors[1] + best[..., 1]]


def motion(first, second):
    none = np.zeros((first.shape[0] // 16, first.shape[1] // 16), np.int64)
    half = [quarter_of(first), quarter_of(second)]
    quarter = [quarter_of(half[0]), quarter_of(half[1])]
    v = best_near(*quarter, 1, 4, [none, none], 3)
    v = best_near(*half, 1, 8, [2 * v[0], 2 * v[1]], 1)
    v = best_near(first, second, 1, 16, [2 * v[0], 2 * v[1]], 1)
    v = best_near(first, finer(second, 2), 2, 16, [2 * v[0], 2 * v[1]], 1)
    v = best_near(first, finer(second, 4), 4, 16, [2 * v[0], 2 * v[1]], 1)
    return [v[0].astype(np.int32), v[1].astype(np.int32)]


def stereo_data(size):
    y, x = np.mgrid[:size, :size]
    near = (abs(y % 128 - 63.5) < 32) & (abs(x % 128 - 63.5) < 32)
    distance = np.where(near, 12 + scrambled(y // 128, x // 128, 5) % 16, 4)
    return [scene(y, x).astype(np.float32), scene(y, x + distance).astype(np.float32)]


def stereo(left, right):
    height, width = right.shape
    shifted = np.pad(left, ((0, 0), (0, 31)), mode="edge")
    least, distances = np.full(right.shape, np.inf, np.float32), np.zeros(right.shape, np.float32)
    for distance in range(32):
        squares = np.pad((right - shifted[:, distance:distance + width])**2, 3, mode="edge")
        cost = sum(squares[i:i + height] for i in range(7))
        cost = sum(cost[:, i:i + width] for i in range(7))
        better = cost < least
        least[better], distances[better] = cost[better], distance
    return [distances]


PROGRAMS = {"sum": (sum_data, sum_of, 1000), "matrix_vector": (matrix_vector_data, matrix_vector, 1000),
            "matrix_matrix": (matrix_matrix_data, matrix_matrix, 1000), "life": (life_data, life, 1000),
            "demosaic": (demosaic_data, demosaic, 1000), "convolve": (convolve_data, convolve, 1000), "rotate": (rotate_data, rotate, 1000),
            "corners": (corners_data, corners, 1000), "motion": (motion_data, motion, 512), "stereo": (stereo_data, stereo, 512)}


def results(name, size):
    data, program, _ = PROGRAMS[name]
    return program(*data(size), 50) if name == "life" else program(*data(size))


def main(name, size=0, times=5):
    data, program, usual = PROGRAMS[name]
    given, measured = data(int(size) or usual), []
    for _ in range(int(times)):
        begin = time.perf_counter()
        program(*given)
        measured.append(time.perf_counter() - begin)
    print(f"{name}: {sorted(measured)[len(measured) // 2] * 1000:.2f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
