"""Checks meshes of examples/tessellation (--dump) by NumPy: pairs of a map, a PGM file, and a mesh."""
import sys

import numpy as np

SIDE, RISE = 32, 4


def read_map(path):
    kind, width, height, _, rest = open(path, "rb").read().replace(b"\n", b" ", 1).split(b" ", 4)
    assert kind == b"P5"
    return np.frombuffer(rest, np.uint8, int(width) * int(height)).reshape(int(height), int(width)) / 255.0


def read_mesh(path):
    data = open(path, "rb").read()
    vertices, faces = np.frombuffer(data, np.int32, 2)
    at = np.frombuffer(data, np.float32, vertices * 6, 8).reshape(-1, 6)
    return at, np.frombuffer(data, np.int32, faces * 3, 8 + at.nbytes).reshape(-1, 3)


def heights(picture, cells, at):
    """Between four pixels."""
    size = np.array(picture.shape[::-1])
    place = at[:, [0, 2]].astype(float) * (size - 1) / cells
    low = np.clip(place.astype(int), 0, np.maximum(size - 2, 0))
    high, t = np.minimum(low + 1, size - 1), place - low
    (x, y), (u, v) = low.T, high.T
    above = picture[y, x] * (1 - t[:, 0]) + picture[y, u] * t[:, 0]
    below = picture[v, x] * (1 - t[:, 0]) + picture[v, u] * t[:, 0]
    return RISE * (above * (1 - t[:, 1]) + below * t[:, 1])


def check(map_path, mesh_path):
    picture, (vertices, faces) = read_map(map_path), read_mesh(mesh_path)
    cells = np.maximum(1, np.rint(SIDE * np.array(picture.shape[::-1]) / max(picture.shape)))
    assert np.abs(heights(picture, cells, vertices) - vertices[:, 1]).max() < 1e-4
    assert np.abs(np.linalg.norm(vertices[:, 3:], axis=1) - 1).max() < 1e-5
    places, names = np.unique(vertices.view(np.uint32), axis=0, return_inverse=True)
    assert len(np.unique(vertices[:, [0, 2]].copy().view(np.uint32), axis=0)) == len(places)  # no two at one place that differ
    corners = names.reshape(-1)[faces]
    a, b, c = (vertices[faces[:, k]].astype(float)[:, [0, 2]] for k in range(3))
    areas = np.cross(b - a, c - a) / 2
    assert areas.min() > 0 and abs(areas.sum() * 2 - round(areas.sum() * 2)) < 1e-4  # input triangles are halves of cells

    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    _, once_each = np.unique(sides, axis=0, return_counts=True)
    ends, shared = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    p, q = (places[ends[shared == 1][:, k]].view(np.float32)[:, [0, 2]].astype(float) for k in (0, 1))
    lines = [lambda r: r[:, 0], lambda r: r[:, 1], lambda r: r[:, 0] + r[:, 1]]  # the border runs along edges of input triangles
    on_line = [(np.abs(f(p) - np.rint(f(p))) < 1e-5) & (np.abs(f(q) - f(p)) < 1e-5) for f in lines]
    wrong = (once_each > 1).sum() + (shared > 2).sum() + (~np.any(on_line, axis=0)).sum()
    print(f"{(shared == 2).sum()} edges of two triangles, {(shared == 1).sum()} at the border, {wrong} wrong")


for k in range(1, len(sys.argv), 2):
    check(sys.argv[k], sys.argv[k + 1])
