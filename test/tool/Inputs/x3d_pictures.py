"""Pictures of x3d, looked at pixel by pixel: x3d_pictures.py PROGRAM FOLDER."""
import os
import struct
import subprocess
import sys
import zlib

program, folder = sys.argv[1:]
SIZE = 41
wrong = 0


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def write_png(path, rows):
    data = b"".join(b"\0" + bytes(sum(row, ())) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def paeth(a, b, c):
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def read_png(path):
    """The pixels of an image of bytes, red, green, blue."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        head = data[at + 8:at + 8 + size] if name == b"IHDR" else b"" if at == 8 else head
        packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += size + 12
    width, height = struct.unpack(">II", head[:8])
    raw, rows, above = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        kind, row = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i, _ in enumerate(row):
            a, c = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            row[i] = (row[i] + (0, a, above[i], (a + above[i]) // 2, paeth(a, above[i], c))[kind]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, 3 * width, 3)])
        above = row
    return rows


def picture(scene, light="0 0 4"):
    path = os.path.join(folder, "picture.x3d")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"<X3D><Scene><Viewpoint position='0 0 4'/><PointLight location='{light}'/>{scene}</Scene></X3D>")
    subprocess.run([program, path, "-o", path + ".png", "--size", str(SIZE)], check=True, timeout=100, stdout=subprocess.DEVNULL)
    return read_png(path + ".png")


def name(pixel):
    """The colors that are brightest in it."""
    return "".join(c for c, x in zip("rgb", pixel) if x > max(pixel) * 0.6) if max(pixel) > 40 else "dark"


def expect(what, rows, places):
    """The view is 3.3 across at z = 0."""
    global wrong
    for (x, y), color in places.items():
        pixel = rows[round(SIZE / 2 - 0.5 - y / 3.314 * SIZE)][round(SIZE / 2 - 0.5 + x / 3.314 * SIZE)]
        if name(pixel) != color:
            wrong += 1
            print(f"{what}: at {x}, {y} is {pixel}, {name(pixel)}; should be {color}")


R, G, B = (255, 0, 0), (0, 255, 0), (0, 0, 255)
write_png(os.path.join(folder, "four.png"), [[B] * 8 + [(255, 255, 0)] * 8] * 8 + [[R] * 8 + [G] * 8] * 8)
SQUARE = "coordIndex='0 1 2 3'><Coordinate point='-1 -1 0 1 -1 0 1 1 0 -1 1 0'/>"
EMPTY = "rgb"  # the sky

expect("colors of corners", picture(f"<Shape><IndexedFaceSet {SQUARE}<Color color='1 0 0 0 1 0 0 1 0 1 0 0'/></IndexedFaceSet></Shape>"),
       {(-.8, 0): "r", (.8, 0): "g", (0, 0): "rg", (-.8, .8): "r", (0, 1.4): EMPTY})
expect("white is a color, too", picture("<Shape><Appearance><Material diffuseColor='1 0 0'/></Appearance>"
                                        f"<IndexedFaceSet {SQUARE}<Color color='1 1 1 1 1 1 1 1 1 1 1 1'/></IndexedFaceSet></Shape>"), {(0, 0): "rgb"})
LOOK = "<Appearance><Material diffuseColor='1 1 1'/><ImageTexture url='four.png' {}/>{}</Appearance>".format
plain = {(-.5, -.5): "r", (.5, -.5): "g", (-.5, .5): "b", (.5, .5): "rg", (-.2, -.2): "r", (-.9, .9): "b"}
expect("an image", picture(f"<Shape>{LOOK('', '')}<IndexedFaceSet {SQUARE}</IndexedFaceSet></Shape>"), plain)
expect("an image on a box", picture(f"<Shape>{LOOK('', '')}<Box size='2 2 .01'/></Shape>"), plain)
expect("a turned image", picture(f"<Shape>{LOOK('', chr(60) + 'TextureTransform rotation=' + chr(39) + '1.5707963' + chr(39) + '/>')}<Box size='2 2 .01'/></Shape>"),
       {(-.5, -.5): "g", (.5, -.5): "rg", (-.5, .5): "r", (.5, .5): "b"})
TWICE = "<TextureTransform scale='2 2' translation='-.25 -.25'/>"
expect("an image again and again", picture(f"<Shape>{LOOK('', TWICE)}<Box size='2 2 .01'/></Shape>"),
       {(-.75, -.75): "rg", (-.25, -.25): "r", (.25, -.25): "g", (.75, -.75): "b"})
expect("an image once", picture(f"<Shape>{LOOK('repeatS=' + chr(39) + 'false' + chr(39), TWICE)}<Box size='2 2 .01'/></Shape>"),
       {(-.75, -.25): "r", (-.25, -.25): "r", (.25, -.25): "g", (.75, -.25): "g"})
expect("color times image", picture(f"<Shape>{LOOK('', '')}<IndexedFaceSet {SQUARE}<Color color='1 0 0 1 0 0 1 0 0 1 0 0'/></IndexedFaceSet></Shape>"),
       {(-.5, -.5): "r", (.5, -.5): "dark", (.5, .5): "r"})
LINES = "<IndexedLineSet coordIndex='0 1 -1 2 3' {}><Coordinate point='-1.5 .5 {} 1.5 .5 {} -1.5 -.5 -1 1.5 -.5 -1'/>{}</IndexedLineSet>".format
BOX = "<Shape><Appearance><Material diffuseColor='1 1 1'/></Appearance><Box size='1 2 .1'/></Shape>"
green = "<Appearance><Material emissiveColor='0 1 0'/></Appearance>"
expect("lines before a box and behind it", picture(f"<Shape>{green}{LINES('', .2, .2, '')}</Shape>{BOX}"),
       {(-.45, .53): "g", (0, .53): "g", (0, -.4): "rgb", (-.9, -.4): "g", (.9, -.4): "g"})
expect("lines on a box", picture(f"<Shape>{green}{LINES('', .05, .05, '')}</Shape>{BOX}"), {(-.4, .51): "g", (0, .51): "g", (.4, .51): "g"})
expect("a line without a material", picture(f"<Shape>{LINES('', 0, 0, '')}</Shape>"), {(0, .5): "rgb", (0, .2): EMPTY})
expect("colors along a line", picture(f"<Shape>{LINES('', 0, 0, chr(60) + 'Color color=' + chr(39) + '1 0 0 0 0 1 0 1 0 0 1 0' + chr(39) + '/>')}</Shape>"),
       {(-1.2, .5): "r", (0, .5): "rb", (1.2, .5): "b", (0, -.4): "g"})
SAID = "colorPerVertex='false' colorIndex='1 0'"
expect("colors of lines", picture(f"<Shape>{LINES(SAID, 0, 0, chr(60) + 'Color color=' + chr(39) + '1 0 0 0 0 1' + chr(39) + '/>')}</Shape>"),
       {(-1.2, .5): "b", (1.2, .5): "b", (0, -.4): "r"})
# The shadow would fall on the box at its middle; there it is as bright as beside that.
column = [row[SIZE // 2][0] for row in picture(f"<Shape>{green}{LINES('', 2, 2, '')}</Shape>{BOX}", light="0 1 4")][SIZE // 2 - 6:SIZE // 2 + 7]
if max(abs(a - b) for a, b in zip(column, column[1:])) > 10:
    wrong += 1
    print("a line throws a shadow:", column)
print(f"{wrong} wrong")
