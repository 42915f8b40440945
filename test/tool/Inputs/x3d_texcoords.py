"""Texture coordinates that x3d makes, beside the X3D standard's rules for each node: x3d_texcoords.py PROGRAM FOLDER."""
import math
import os
import subprocess
import sys

program, folder = sys.argv[1:]
LOOK = "<Appearance><ImageTexture url='none.png'/></Appearance>"
wrong = 0


def read(scene):
    """The lists of the dump, by their names, of lists of numbers; the last word of a material is a name."""
    path = os.path.join(folder, "texcoords.x3d")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"<X3D><Scene>{scene}</Scene></X3D>")
    subprocess.run([program, path, "--dump", path + ".txt"], check=True, timeout=100, stdout=subprocess.DEVNULL)
    lists, lines = {}, open(path + ".txt", encoding="ascii").read().splitlines()
    while lines:
        name, count = lines[0].split()
        lists[name] = [[float(x) for x in line.split()[:-1 if name == "materials" else None]] for line in lines[1:int(count) + 1]]
        lines = lines[int(count) + 1:]
    return lists


def corners(geometry, look=LOOK):
    """(point, normal, (s, t), the middle of the triangle) of each corner; the texture coordinates are None where there are none."""
    w = read(f"<Shape>{look}{geometry}</Shape>")
    for t, numbers in enumerate(w["triangles"]):
        points = [w["points"][int(i)] for i in numbers]
        middle = [sum(p[k] for p in points) / 3 for k in range(3)]
        for i in range(3):
            st = w["texcoords"][t][2 * i:2 * i + 2] if w["texcoords"] else None
            yield points[i], w["normals"][t][3 * i:3 * i + 3], st, middle


def expect(what, geometry, rule, look=LOOK):
    global wrong
    found = list(corners(geometry, look))
    bad = [(c, rule(*c)) for c in found if not c[2] or max(abs(a - b) for a, b in zip(c[2], rule(*c))) > 2e-6]
    if bad or not found:
        wrong += 1
        print(what, len(found), "corners; point, normal, texture coordinate, middle; should be:", *bad[:4], sep="\n  ")


def box(p, n, _, __):
    x, y, z = (c / size for c, size in zip(p, (2, 4, 6)))
    axis = max(range(3), key=lambda k: abs(n[k]))
    high = n[axis] > 0
    s, t = (-z if high else z, y) if axis == 0 else (x, -z if high else z) if axis == 1 else (x if high else -x, y)
    return s + 0.5, t + 0.5


def around(p, middle):
    """To the left from the back on: 0 to 1; a corner at the seam is where its triangle is, one at the axis in the middle of it."""
    turn = lambda q: math.atan2(-q[0], -q[2]) / (2 * math.pi) % 1
    s, near = turn(middle if math.hypot(p[0], p[2]) < 1e-6 else p), turn(middle)
    return s - 1 if s - near > 0.5 else s + 1 if near - s > 0.5 else s


def sphere(p, _, __, middle):
    turn = around(p, middle)
    if math.hypot(p[0], p[2]) < 1e-6:
        turn = (math.floor(turn * 32) + 0.5) / 32
    return turn, 1 - math.acos(max(-1, min(1, p[1] / 2))) / math.pi


def rounded(radius, height):
    def rule(p, n, _, middle):
        flat = abs(abs(middle[1]) - height / 2) < 1e-4
        if flat:
            return p[0] / (2 * radius) + 0.5, p[2] / (2 * radius) * (-1 if middle[1] > 0 else 1) + 0.5
        turn = around(p, middle)
        return (math.floor(turn * 32) + 0.5) / 32 if math.hypot(p[0], p[2]) < 1e-6 else turn, p[1] / height + 0.5
    return rule


expect("box", "<Box size='2 4 6'/>", box)
expect("sphere", "<Sphere radius='2'/>", sphere)
expect("cylinder", "<Cylinder radius='3' height='4'/>", rounded(3, 4))
expect("cone", "<Cone bottomRadius='3' height='4'/>", rounded(3, 4))
expect("grid", "<ElevationGrid xDimension='4' zDimension='3' xSpacing='2' height='0 1 0 1 1 0 1 0 0 0 0 1'/>",
       lambda p, *_: (p[0] / 6, p[2] / 2))
# The frame of this spine is that of the coordinates. Of the section z is the longer side, 4.
SECTION = "crossSection='0 0 1 3 2 4 0 0' spine='0 0 0 0 1 0 0 2 0 0 4 0' convex='false'"
expect("extrusion, caps", f"<Extrusion {SECTION}/>", lambda p, n, st, m: (p[0] / 4, p[2] / 4) if abs(n[1]) > 0.9 else st)
ROWS, POINTS = {0: 0, 1: 1 / 3, 2: 2 / 3, 4: 1}, {(0, 0): (0, 1), (1, 3): (1 / 3,), (2, 4): (2 / 3,)}
expect("extrusion, sides", f"<Extrusion {SECTION} beginCap='false' endCap='false'/>",
       lambda p, n, st, m: (min(POINTS[round(p[0]), round(p[2])], key=lambda s: abs(s - st[0])), ROWS[round(p[1])]))

POINT = "<Coordinate point='1 0 5  3 0 5  3 8 5  1 8 6  2 9 6  99 99 99'/>"
mapped = lambda p, *_: ((p[1] - 0) / 8, (p[0] - 1) / 8)
expect("faces", f"<IndexedFaceSet coordIndex='0 1 2 3'>{POINT}</IndexedFaceSet>", mapped)
expect("faces to the right", f"<IndexedFaceSet ccw='false' coordIndex='0 1 2 3'>{POINT}</IndexedFaceSet>", mapped)
expect("triangles by index", f"<IndexedTriangleSet index='0 1 2 2 3 0'>{POINT}</IndexedTriangleSet>", mapped)
expect("triangles", "<TriangleSet><Coordinate point='0 0 0 0 0 2 0 4 4'/></TriangleSet>", lambda p, *_: (p[1] / 4, p[2] / 4))
expect("a cube", "<TriangleSet><Coordinate point='0 0 0 2 2 0 0 2 2'/></TriangleSet>", lambda p, *_: (p[0] / 2, p[1] / 2))
many = 1000  # corners of more than one thread
expect("a fan", f"<IndexedFaceSet coordIndex='{' '.join(map(str, range(many)))}'><Coordinate point='"
       + " ".join(f"{-abs(2 * k - many)} {k} 1" for k in range(many)) + "'/></IndexedFaceSet>",
       lambda p, *_: ((p[0] + many) / many, p[1] / many))
expect("own", "<IndexedFaceSet coordIndex='0 1 2'><Coordinate point='0 0 0 1 0 0 0 1 0'/><TextureCoordinate point='7 8 7 8 7 8'/></IndexedFaceSet>",
       lambda *_: (7, 8))
if read("<Shape><Box/></Shape>")["texcoords"]:
    wrong += 1
    print("texture coordinates without an image")
mixed = read(f"<Shape><Box DEF='a'/></Shape><Shape>{LOOK}<Box/></Shape><Group><Shape>{LOOK}<Box USE='a'/></Shape></Group><Shape><Cone/></Shape>")
if [any(map(any, mixed["texcoords"][first:first + 12])) for first in (0, 12, 24)] != [True, True, False]:
    wrong += 1
    print("an image somewhere: texture coordinates", mixed["texcoords"])


def placed(transform):
    material = read(f"<Shape><Appearance><ImageTexture url='none.png' repeatT='false'/><TextureTransform {transform}/></Appearance><Box/></Shape>")["materials"][1]
    return lambda s, t: tuple(material[13 + k] * s + material[14 + k] * t + material[15 + k] for k in (0, 3)), int(material[12])


# The standard's product: -C S R C T, C being the matrix that moves by the center.
for transform, point, image in (("translation='.5 .25'", (1, 1), (1.5, 1.25)), ("scale='2 3'", (1, 1), (2, 3)),
                                ("rotation='1.5707963'", (1, 0), (0, 1)), ("rotation='1.5707963' center='1 1'", (1, 0), (-2, 1)),
                                ("rotation='1.5707963' scale='2 3' translation='1 2' center='.5 0'", (3, 4), (-2 * 6 - .5, 3 * 4.5))):
    place, repeat = placed(transform)
    if max(abs(a - b) for a, b in zip(place(*point), image)) > 1e-5 or repeat != 1:
        wrong += 1
        print(transform, point, place(*point), image, repeat)
print(f"{wrong} wrong")
