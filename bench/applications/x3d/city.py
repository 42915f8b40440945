"""A city in X3D, made by a script: city.py MEGABYTES [--images] > city.x3d. Towers with round corners and windows, each a mesh of its
own. With --images every second tower has one, and no texture coordinates; there are none of the images."""
import math
import random
import sys

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<X3D profile="Interchange" version="3.0">
<Scene>
<Viewpoint position="0 150 400" orientation="1 0 0 -0.3"/>
<DirectionalLight direction="-0.3 -1 -0.5"/>
%s<Group><Shape><Appearance DEF="Glass"><Material diffuseColor="0.4 0.5 0.6" specularColor="0.5 0.5 0.5" shininess="0.4"/></Appearance>
<Box size="1 1 1"/></Shape></Group>
"""
IMAGES = """<Group><Shape><Appearance DEF="Wall"><ImageTexture url="wall.png"/><TextureTransform center="0.5 0.25" rotation="0.3" scale="4 40"
translation="0.1 -2"/></Appearance><Box size="3 2 1"/></Shape></Group>
"""


def tower(r):
    """The text of a mesh: rings of points, quads between them, a roof."""
    sides, floors = r.randint(8, 40), r.randint(4, 60)
    points, faces = [], []
    for floor in range(floors + 1):
        for k in range(sides):
            angle = 2 * math.pi * k / sides
            out = 6 + r.random() * 0.3
            points.append(f"{out * math.sin(angle):.6f} {floor * 3 + r.random() * 0.1:.6f} {out * math.cos(angle):.6f}")
    for floor in range(floors):
        for k in range(sides):
            a, b = floor * sides + k, floor * sides + (k + 1) % sides
            faces.append(f"{a} {b} {b + sides} {a + sides} -1")
    faces.append(" ".join(str(floors * sides + k) for k in range(sides)) + " -1")
    crease = ' creaseAngle="0.9"' if r.random() < 0.5 else ""
    return f'<IndexedFaceSet{crease} coordIndex="{" ".join(faces)}"><Coordinate point="{", ".join(points)}"/></IndexedFaceSet>'


def main():
    limit = float(sys.argv[1]) * 1e6
    r = random.Random(7)
    towers = [tower(r) for _ in range(40)]
    out = sys.stdout
    images = "--images" in sys.argv
    head = HEAD % (IMAGES if images else "")
    out.write(head)
    written, number = len(head), 0
    while written < limit:
        turn, high = r.random() * 6.28, 0.5 + r.random()
        look = "Wall" if images and number % 2 else "Glass"
        text = (f'<Transform DEF="T{number}" translation="{r.uniform(-500, 500):.4f} 0 {r.uniform(-500, 500):.4f}" rotation="0 1 0 {turn:.5f}" '
                f'scale="1 {high:.4f} 1">\n<Shape><Appearance USE="{look}"/>{r.choice(towers)}</Shape></Transform>\n')
        if number % 3 == 2:
            text += f'<Transform translation="{r.uniform(-500, 500):.3f} 0 {r.uniform(-500, 500):.3f}"><Transform USE="T{number - 1}"/></Transform>\n'
        out.write(text)
        written += len(text)
        number += 1
    out.write("</Scene>\n</X3D>\n")


main()
