"""Spheres on a floor, by rays that are reflected: a kernel of two dimensions that calls functions of Python.

    python ray_tracer.py [picture.png]
"""

import math
import sys

import numpy as np

import bsgp as bp

FAR = 1e30


def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


def normalized(x, y, z):
    length = math.sqrt(dot(x, y, z, x, y, z))
    return x / length, y / length, z / length


def nearest(spheres, ox, oy, oz, dx, dy, dz):
    """The nearest hit of a ray: its distance and the number of the sphere; -1 is the floor, -2 nothing."""
    best = FAR
    found = -2
    if dy < 0:
        best = -oy / dy
        found = -1
    for k in range(spheres.shape[0]):
        cx, cy, cz = spheres[k, 0] - ox, spheres[k, 1] - oy, spheres[k, 2] - oz
        along = dot(cx, cy, cz, dx, dy, dz)
        square = spheres[k, 3] ** 2 - (dot(cx, cy, cz, cx, cy, cz) - along * along)
        if square > 0:
            t = along - math.sqrt(square)
            if 1e-3 < t < best:
                best = t
                found = k
    return best, found


def sky(dy):
    blend = 0.5 * (dy + 1)
    return 1 - 0.5 * blend, 1 - 0.3 * blend, bp.float32(1)


@bp.kernel
def trace(picture: bp.float32[:, :, :], spheres: bp.float32[:, :], colors: bp.float32[:, :], bounces: int):
    """picture: rows of red, green, blue; spheres: x, y, z, radius."""
    height, width = picture.shape[0], picture.shape[1]
    with bp.spawn((width, height)):
        ox, oy, oz = bp.float32(0), bp.float32(1), bp.float32(-4)
        dx, dy, dz = normalized((bp.float32(bp.x) + 0.5 - width / 2) / height, (height / 2 - bp.float32(bp.y) - 0.5) / height, bp.float32(1))
        red, green, blue, weight = bp.float32(0), bp.float32(0), bp.float32(0), bp.float32(1)
        for _ in range(bounces):
            t, k = nearest(spheres, ox, oy, oz, dx, dy, dz)
            if k == -2:
                r, g, b = sky(dy)
                red, green, blue = red + weight * r, green + weight * g, blue + weight * b
                break
            ox, oy, oz = ox + t * dx, oy + t * dy, oz + t * dz
            nx, ny, nz = bp.float32(0), bp.float32(1), bp.float32(0)
            r = bp.float32(0.2) if (bp.int32(math.floor(ox)) + bp.int32(math.floor(oz))) % 2 == 0 else bp.float32(0.8)
            g, b, shine = r, r, bp.float32(0.2)
            if k >= 0:
                nx, ny, nz = normalized(ox - spheres[k, 0], oy - spheres[k, 1], oz - spheres[k, 2])
                r, g, b, shine = colors[k, 0], colors[k, 1], colors[k, 2], bp.float32(0.4)
            lx, ly, lz = normalized(bp.float32(-1), bp.float32(2), bp.float32(-1))
            shade, hit = nearest(spheres, ox, oy, oz, lx, ly, lz)
            light = bp.float32(0.15)
            if hit == -2:
                light += 0.85 * max(dot(nx, ny, nz, lx, ly, lz), 0.0)
            red += weight * (1 - shine) * light * r
            green += weight * (1 - shine) * light * g
            blue += weight * (1 - shine) * light * b
            weight *= shine
            back = 2 * dot(dx, dy, dz, nx, ny, nz)
            dx, dy, dz = dx - back * nx, dy - back * ny, dz - back * nz
        picture[bp.y, bp.x, 0], picture[bp.y, bp.x, 1], picture[bp.y, bp.x, 2] = red, green, blue


spheres = np.array([[-1.2, 0.7, 0.5, 0.7], [0.2, 0.5, -0.6, 0.5], [1.3, 0.9, 1.0, 0.9], [-0.4, 0.25, -1.4, 0.25]], np.float32)
colors = np.array([[0.9, 0.3, 0.2], [0.3, 0.8, 0.4], [0.3, 0.4, 0.9], [0.9, 0.8, 0.2]], np.float32)
picture = np.zeros((360, 640, 3), np.float32)
trace(picture, spheres, colors, 5)
if len(sys.argv) > 1:
    bp.image.write(sys.argv[1], np.sqrt(np.clip(picture, 0, 1)))

again = np.zeros_like(picture)
bp.kernel(target="reference")(trace)(again, spheres, colors, 5)
print("the same on target reference:", np.array_equal(picture, again))
print("the sky is blue:", bool((picture[0, :, 2] == 1).all() and (picture[0, :, 0] < 1).all()))
