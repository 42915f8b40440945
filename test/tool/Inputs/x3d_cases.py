"""Malformed X3D files and what is said of them: x3d_cases.py PROGRAM SCENE FOLDER. Prints each case that differs, and how many do."""
import os
import re
import subprocess
import sys

program, scene, folder = sys.argv[1:]
wrong = 0


def run(name, content):
    path = f"{folder}/{name}"
    with open(path, "wb") as file:
        file.write(content)
    done = subprocess.run([program, path], capture_output=True, text=True, errors="replace", timeout=100)
    return done.returncode, done.stdout + done.stderr


def expect(content, status, text):
    global wrong
    got, said = run("case.x3d", content if isinstance(content, bytes) else content.encode())
    if got != status or not re.search(text, said):
        wrong += 1
        print(f"{content[:200]!r}: {got}, {said!r}; should be {status}, {text}")


def face(index, rest="", coordinates="0 0 0 1 0 0 1 1 0"):
    return f"<X3D><Scene><Shape><IndexedFaceSet coordIndex='{index}'><Coordinate point='{coordinates}'/>{rest}</IndexedFaceSet></Shape></Scene></X3D>"


def at(line, column, text):
    return rf"case\.x3d:{line}:{column}: {text}"


expect("", 1, at(1, 1, "there is no element"))
expect("<X3D><Scene/></X3D>", 0, "0 shapes")
expect("<x><Scene/></x>", 1, at(1, 1, "the first element is not X3D"))
expect("<X3D>\n <Scene>\n</X3D>", 1, at(3, 1, "a tag closes another"))
expect("<X3D><Scene/></X3D></X3D>", 1, at(1, 20, "a tag closes an element, but none is open"))
expect("<X3D/>\n<X3D/>", 1, at(2, 1, "an element behind the first one"))
expect("<X3D><Scene a='1' b></Scene></X3D>", 1, at(1, 18, "this is no attribute"))
expect("<X3D a=1><Scene/></X3D>", 1, at(1, 5, "this is no attribute"))
expect("<X3D a'1'><Scene/></X3D>", 1, at(1, 5, "what stands before a value"))
expect("<X3D><!-- a --\n><Scene/></X3D>", 1, at(1, 6, "a comment has no '-->'"))
expect("<X3D><!--><Scene/></X3D>", 1, at(1, 6, "a comment has no"))
expect("<X3D a='&b;'><Scene/></X3D>", 1, at(1, 9, "'&' begins no reference"))
expect("<X3D a='<'><Scene/></X3D>", 1, at(1, 9, "'<' in a value"))
expect("<X3D><Scene><Transform\ntranslation='1 2x 3'/></Scene></X3D>", 1, at(2, 16, "this is no number"))
expect("<X3D><Scene><Transform translation='1 2'/></Scene></X3D>", 1, at(1, 37, "too many numbers, or too few"))
expect("<X3D><Scene><Group USE='b'/></Scene></X3D>", 1, at(1, 25, "USE of a name"))
expect("<X3D><Scene><Group DEF='a'><Group USE='a'/></Group></Scene></X3D>", 1, at(1, 40, "USE of an element in itself"))
expect(face("0 1 2"), 0, "1 triangles")
expect(face("0 1\n 3"), 1, at(2, 2, "there are not so many values"))
expect(face("0 1 2.5"), 1, at(1, 52, "this is no index"))
expect(face("0 1 -2"), 1, at(1, 52, "this is no index"))
expect(face("0 1 2", "<Color color='1 1 1'/>"), 1, at(1, 20, "there are not so many values"))
expect(face("0 1 2", coordinates="1 2"), 1, "too many numbers, or too few")
expect("<X3D><Scene><Inline url='case.x3d'/></Scene></X3D>", 1, at(1, 13, "Inline within Inline"))
expect("<X3D><Scene><Inline url='\"none.x3d\"'/></Scene></X3D>", 0, "1 skipped")
deep = 100000
inner = "<X3D><Scene>" + "<Transform translation='1 0 0'>" * deep + "<Shape><Box/></Shape>"
expect(inner + "</Transform>" * deep + "</Scene></X3D>", 0, "1 shapes.*12 triangles")
expect(inner + "</Transform>" * (deep - 1) + "</Scene></X3D>", 1, "a tag closes another")
expect(inner, 1, "an element is not closed")
double = "".join(f"<Group DEF='a{i + 1}'><Group USE='a{i}'/><Group USE='a{i}'/></Group>" for i in range(40))
expect(f"<X3D><Scene><Group DEF='a0'/>{double}</Scene></X3D>", 1, r"x3d:1:\d{4}: with this USE there are more than 20000000")


def shape(geometry):
    return f"<X3D><Scene><Shape>\n{geometry}</Shape></Scene></X3D>"


def grid(across, down, heights):
    return shape(f"<ElevationGrid xDimension='{across}' zDimension='{down}' height='{heights}'/>")


count, range_ = "too many numbers, or too few", "a number that cannot stand here"
expect(grid(2, 2, "0 0 0 0"), 0, "2 triangles")
expect(grid(2, 2, "0 0 0"), 1, at(2, 54, count))
expect(grid(2, 2, "0 0 0 0 0"), 1, at(2, 54, count))
expect(grid(65536, 65536, "0"), 1, at(2, 62, count))
expect(grid(-2, -2, "0 0 0 0"), 1, at(2, 28, range_))
expect(grid(2.5, 2, "0 0 0 0 0"), 1, at(2, 28, range_))
point = "<Coordinate point='{}'/>".format
expect(shape(f"<IndexedTriangleSet index='0 1 2 0 1'>{point('0 0 0 1 0 0 0 1 0')}</IndexedTriangleSet>"), 1, at(2, 28, count))
expect(shape("<IndexedTriangleSet index='0 1'/>"), 1, at(2, 28, count))
expect(shape("<IndexedTriangleSet index='0 1 2'/>"), 1, at(2, 28, "there are not so many values"))
expect(shape(f"<TriangleSet>{point('0 0 0 1 0 0')}</TriangleSet>"), 1, at(2, 33, count))
for number in ("1e400", "-1e39", "1e99999999999"):
    expect(face("0 1 2", coordinates=f"0 0 0 1 0 0 1 1 {number}"), 1, range_)
colors = "<IndexedFaceSet coordIndex='0 1 2' colorIndex='0 9 1' colorPerVertex='false'>" + point("0 0 0 1 0 0 0 1 0") + "<Color color='1 0 0'/>"
expect(shape(colors + "</IndexedFaceSet>"), 1, at(2, 50, "there are not so many values"))
expect(shape("<Box size='1 1 1' size='2 2 2'/>"), 1, at(2, 25, "an attribute that the element has already"))
expect(shape("<Box size='1 -1 1'/>"), 1, at(2, 14, range_))
expect(shape("<Sphere radius='-1'/>"), 1, at(2, 17, range_))
expect("<X3D><Scene><LOD range='x'/></Scene></X3D>", 1, at(1, 25, "this is no number"))

for geometry, column in (("Box size='1 0 1'", 14), ("Sphere radius='0'", 17), ("Sphere radius='-0.0'", 17), ("Cylinder radius='0'", 19),
                         ("Cylinder height='0'", 19), ("Cone bottomRadius='0'", 21), ("Cone height='0'", 15)):
    expect(shape(f"<{geometry}/>"), 1, at(2, column, range_))
expect(shape("<ElevationGrid xDimension='2' zDimension='2' xSpacing='0' height='0 0 0 0'/>"), 1, at(2, 56, range_))
expect(shape("<ElevationGrid xDimension='0' zDimension='2' height=''/>"), 0, "0 triangles")
expect(shape(f"<IndexedTriangleSet index='0 1 2 0 -1 2'>{point('0 0 0 1 0 0 0 1 0')}</IndexedTriangleSet>"), 1, at(2, 36, "-1 ends nothing here"))
for byte in (0, 1, 8, 11, 12, 14, 31):
    expect(b"<X3D>\n<Scene> <a " + bytes([byte]) + b"/></Scene></X3D>", 1, at(2, 12, "a control character"))
    expect(b"<X3D>" + b" " * 200 + b"<!-- " + bytes([byte]) + b"--></X3D>", 1, at(1, 211, "a control character"))
expect(b"<X3D>\t\r\n<Scene\ta='\xc3\xa4\x7f\x80'/></X3D>", 0, "0 shapes")
hyphens = "'--' in a comment"
expect("<X3D>\n<!-- a -- b --></X3D>", 1, at(2, 1, hyphens))
expect("<X3D><!-- a ---></X3D>", 1, at(1, 6, hyphens))
expect("<X3D><!-- a --b> --></X3D>", 1, at(1, 6, hyphens))
expect("<X3D><!----> <!-- - - --><!--><-->--&gt; <Scene a='<!-- -- '/>", 1, "'<' in a value")
expect("<X3D><!----><!-- - - > --><!--> -->--<Scene a='--'/><![CDATA[<!-- -- -->]]></X3D>", 0, "0 shapes")
expect("<!DOCTYPE a [ <!-- b --> <!-- c -- d --> ]><X3D/>", 1, at(1, 26, hyphens))
twice = "an attribute that the element has already"
expect("<X3D><Scene a='1' b='2'\n a='3'/></X3D>", 1, at(2, 5, twice))
expect("<X3D><Scene a='1'/><Scene a='1'/><Group ab='' a='' b='' A='' a.b='' a:b=''/></X3D>", 0, "0 shapes")
expect("<X3D><Scene><b " + "".join(f"a{i}='' " for i in range(3000)) + "a77=''/></Scene></X3D>", 1, twice)
expect("<X3D><Scene><b " + "".join(f"a{i}='' " for i in range(3000)) + "/></Scene></X3D>", 0, "1 skipped")


def nodes(text):
    return f"<X3D><Scene>{text}</Scene></X3D>"


# What is in a skipped element is skipped; names in a prototype are its own, others of skipped elements are known.
ball, box = "<Shape DEF='q'><Sphere/></Shape>", "<Shape DEF='q'><Box/></Shape>"
proto = "<ProtoDeclare name='a'><ProtoInterface/><ProtoBody>{}</ProtoBody></ProtoDeclare>".format
expect(nodes(ball + proto(box) + "<Shape USE='q'/>"), 0, "2 shapes, 1 geometries with 960 triangles.*\n.* 1 skipped")
expect(nodes(ball + f"<Foo>{box}</Foo>" + "<Shape USE='q'/>"), 0, "2 shapes, 1 geometries with 960 triangles.*\n.* 1 skipped")
expect(nodes(proto(box) + "<Shape USE='q'/>"), 1, at(1, 132, "USE of a name"))
expect(nodes(f"<Foo>{box}</Foo><Shape USE='q'/>"), 0, "0 shapes.*\n.* 2 skipped")
expect(nodes("<Foo><Box size='x' solid='x'/><IndexedFaceSet coordIndex='0 1 2'/><Group USE='r'/></Foo>"), 0, "0 geometries")
expect(nodes(proto("<Shape><IndexedFaceSet coordIndex='0 1 2'><IS/></IndexedFaceSet><Box USE='r'/></Shape>")), 0, "0 geometries")
expect(nodes(box + "<Transform USE='q'/>"), 1, at(1, 58, "USE of another kind of element"))
expect(nodes("<Inline load='false' url='none.x3d'/>"), 0, "0 skipped")
# Children of a Switch.
for first in ("<MetadataString/>", "<ROUTE/>", "<IS/>", proto("")):
    expect(nodes(f"<Switch whichChoice='0'>{first}{box}</Switch><LOD>{first}{box}</LOD>"), 0, "2 shapes, 2 geom")
expect(nodes("<Switch whichChoice='1'><Foo/><Group>" + box + "</Group></Switch><Switch whichChoice='0'><Foo/><Group USE='r'/></Switch>")
       .replace("<Group>", "<Group DEF='r'>"), 0, "1 shapes")
many = 100000
for group in (f"Switch whichChoice='{many}'", "LOD"):
    children = [box] + ["<Group/>"] * many + [box]
    expect(nodes(f"<{group}>{''.join(children[0 if group == 'LOD' else 1:])}</{group.split()[0]}>"), 0, "1 shapes")
# Copies of copies, in order; elements with USE and DEF.
chain = "".join(f"<Group DEF='a{i + 1}'><Transform translation='1 0 0'><Group USE='a{i}'/></Transform></Group>" for i in range(400))
expect(nodes(f"<Group DEF='a0'>{box}</Group>{chain}"), 0, "401 shapes, 1 geom")
expect(nodes("<Group DEF='a0'>" + box + "</Group>" + "".join(f"<Group DEF='a{i + 1}' USE='a{i}'/>" for i in range(20000))), 0, "20001 shapes")
expect(nodes("<Group DEF='a'>" + box + "</Group><Group DEF='b'><Group USE='a'/><Transform translation='1 0 0'><Group USE='a'/></Transform></Group>"
             "<Transform translation='4 0 0'><Group USE='b'/><Group USE='a'/></Transform>"), 0, "6 shapes")
subprocess.run([program, f"{folder}/case.x3d", "--dump", f"{folder}/copies.txt"], check=True, capture_output=True)
dump = open(f"{folder}/copies.txt", encoding="ascii").read()
places = [float(line.split()[5]) for line in dump[dump.index("\nshapes"):].splitlines()[2:8]]
if places != [0, 0, 1, 4, 5, 4]:
    wrong += 1
    print(places, dump[dump.index("\nshapes"):][:400])

# Flags, whole numbers, lists along a spine, values that become infinite; the first image that is a file.
for value in ("true", "false", " TRUE\n"):
    expect(shape(f"<IndexedFaceSet ccw='{value}'/>"), 0, "0 triangles")
for value in ("banana", "", "truer", "fals", "falsE1", "true true"):
    expect(shape(f"<IndexedFaceSet ccw='{value}'/>"), 1, at(2, 22, "this is neither true nor false"))
expect(nodes("<Switch whichChoice='1.5'/>"), 1, at(1, 34, range_))
spine = "<Extrusion spine='0 0 0 0 1 0 0 2 0' scale='{}' orientation='{}'/>".format
for good in ("1 1", "1 1 2 2 3 3", "1 1 2 2 3 3 4 4"):
    expect(shape(spine(good, "0 0 1 0")), 0, "1 shapes")
expect(shape(spine("1 1 2 2", "0 0 1 0")), 1, at(2, 45, count))
expect(shape(spine("1 1", "0 0 1 0 0 0 1 0")), 1, at(2, 63, count))
large = "too large: a coordinate or a transform"
expect(nodes("<Transform scale='1e38 1 1'>\n<Transform scale='1e38 1 1'/></Transform>"), 1, at(2, 1, large))
expect(shape("<ElevationGrid xDimension='3' zDimension='2' xSpacing='3e38' height='0 0 0 0 0 0'/>"), 1, at(2, 1, large))
expect(nodes("<Shape><Appearance><ImageTexture url='\"none.png\" \"case.x3d\"'/></Appearance><Box/></Shape>"), 0, "1 images")
subprocess.run([program, f"{folder}/case.x3d", "--dump", f"{folder}/images.txt"], check=True, capture_output=True)
if "/case.x3d" not in open(f"{folder}/images.txt", encoding="ascii").read():
    wrong += 1
    print("the second url is not taken")

# References to characters: between numbers, in names and urls.
expect(shape("<Box size='1&#32;2&#x20;3&#xa;' solid='&#9;true'/>"), 0, "1 shapes")
expect(nodes("<Group DEF='a&#66;'/><Group USE='&#x61;B'/>"), 0, "0 shapes")
expect(nodes("<Group DEF='a&#66;'/><Group USE='a&#67;'/>"), 1, at(1, 46, "USE of a name"))
expect(nodes("<Inline url='&quot;a&#32;b&#x2e;&#228;&amp;&quot;'/>"), 0, "Inline of '\"a b.\xe4&\"'")
expect("<X3D><Scene></Scene/></X3D>", 1, at(1, 20, "this is no attribute"))

# What Inline and images name lies in the document's folder or below it, and is a regular file; chains of Inline end.
outside = "it lies outside of the folder of the file that names it .--outside lets it in"
os.makedirs(f"{folder}/below", exist_ok=True)
for name, link in (("out.x3d", "/etc/hostname"), ("dir", "/etc"), ("in.x3d", "below/in.x3d")):
    if not os.path.lexists(f"{folder}/{name}"):
        os.symlink(link, f"{folder}/{name}")
with open(f"{folder}/below/in.x3d", "w", encoding="ascii") as file:
    file.write(nodes(box))
for url in ("/etc/hostname", "../../../../etc/hostname", "below/../../x", "out.x3d", "dir/hostname", "..&#92;..&#92;x"):
    expect(nodes(f"<Inline url='{url}'/>"), 0, f"1 skipped(.|\n)*{outside}")
for url in ("below/in.x3d", "./below/../in.x3d", ".&#92;below&#92;in.x3d", os.path.realpath(folder) + "/in.x3d"):
    expect(nodes(f"<Inline url='{url}'/>"), 0, "1 shapes")
expect(nodes("<Inline url='below'/>"), 0, "1 skipped(.|\n)*it is a folder")
textured = "<Shape><Appearance><ImageTexture url='{}'/></Appearance><Box/></Shape>".format
with open(f"{folder}/large.pgm", "wb") as file:
    file.write(b"P5 40 30 255\n" + bytes(1200))
for url, more, reason in (("/dev/zero", [], outside), ("/dev/zero", ["--outside"], "it is a pipe or a device"), ("large.pgm", ["--most-pixels", "1199"], "40 x 30 pixels are more"),
                          ("below/../large.pgm", ["--most-pixels", "1200"], "^[^(]*$")):
    with open(f"{folder}/case.x3d", "w", encoding="ascii") as file:
        file.write(nodes(textured(url) * 3))
    done = subprocess.run([program, f"{folder}/case.x3d", "--size", "4", *more], capture_output=True, text=True, timeout=100)
    if done.returncode != 0 or not re.search(reason, done.stderr):
        wrong += 1
        print(f"{url}: {done.returncode}, {done.stderr!r}; should be {reason}")
for i in range(12):
    with open(f"{folder}/chain{i}.x3d", "w", encoding="ascii") as file:
        file.write(nodes(f"<Inline url='chain{i + 1}.x3d'/>" * 4 if i < 11 else ""))
expect(nodes("<Inline url='chain0.x3d'/>"), 1, "with this Inline there are more than 10000 documents")

whole = open(scene, "rb").read()
end = whole.rindex(b">") + 1
for size in range(0, len(whole), 23):
    status, said = run("cut.x3d", whole[:size])
    if status != (0 if size >= end else 1) or (status == 1 and not re.search(r"cut\.x3d:\d+:\d+: ", said)):
        wrong += 1
        print(f"cut behind {size} bytes: {status}, {said!r}")
print(f"{wrong} wrong")
