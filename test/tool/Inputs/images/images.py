"""What <image.bsgp> reads and writes, against png.py and PGM/PPM made here: images.py PART FOLDER COMMAND...

COMMAND runs images.bsgp. It ends with a status other than 0 where something is wrong.
"""
import os
import random
import resource
import subprocess
import sys
import zlib

import png

PART, FOLDER, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
SIZES = [(1, 1), (7, 1), (1, 7), (255, 3), (13, 9)]
KINDS = {1: 0, 2: 4, 3: 2, 4: 6}  # of PNG, by channels
numbers = random.Random(5)


def run(what, *arguments, memory=resource.RLIM_INFINITY):
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    done = subprocess.run([*COMMAND, what, *map(str, arguments)], capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 0, (what, arguments[:4], done.returncode, done.stderr[-500:])
    return done.stdout.splitlines()


def save(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def samples(count, most=255):
    return [numbers.randrange(most + 1) for _ in range(count)]


def read(path):
    """A file that the program wrote: width, height, channels, bytes."""
    data = open(path, "rb").read()
    if not path.endswith(".png"):
        head, size, most, rest = data.split(b"\n", 3)
        width, height = map(int, size.split())
        assert most == b"255" and head in (b"P5", b"P6")
        return width, height, 3 if head == b"P6" else 1, rest
    return png.decode(data)


def converted(data, channels, to):
    """Bytes of pixels with so many channels, as the documentation has it; colours that become gray may be off by one."""
    out = []
    for i in range(0, len(data), channels):
        pixel = data[i:i + channels]
        colour, alpha = list(pixel[:3 if channels > 2 else 1]), pixel[-1] if channels % 2 == 0 else 255
        if to < 3 and channels > 2:
            colour = [int(0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] + 0.5)]
        if to > 2 and channels < 3:
            colour *= 3
        out += colour + [alpha] * (to % 2 == 0)
    return out


def same(got, width, height, channels, wanted, what, off=0):
    assert got[:3] == (width, height, channels), (what, got[:3], (width, height, channels))
    assert len(got[3]) == len(wanted) and all(abs(a - b) <= off for a, b in zip(got[3], wanted)), what


def round_trips():
    """All sizes and numbers of channels, by every function that takes pixels."""
    for what in ["bytes", "floats", "samples"]:
        jobs = [(w, h, c, samples(w * h * c), ending) for w, h in SIZES for c in (1, 2, 3, 4)
                for ending in ["png"] + {1: ["pgm"], 3: ["ppm"]}.get(c, [])]
        paths = []
        for i, (w, h, c, data, ending) in enumerate(jobs):
            paths += [save(f"{i}.png", png.encode(w, h, KINDS[c], 8, data)), os.path.join(FOLDER, f"{i}.out.{ending}")]
        run(what, *paths)
        for i, (w, h, c, data, ending) in enumerate(jobs):
            same(read(paths[2 * i + 1]), w, h, c, data, (what, w, h, c, ending))


def conversions():
    for to, what in enumerate(["uchar", "uchar2", "uchar3", "uchar4", "float", "float2", "float3", "float4"]):
        to = to % 4 + 1
        jobs = [(w, h, c, samples(w * h * c)) for w, h in SIZES for c in (1, 2, 3, 4)]
        paths = []
        for i, (w, h, c, data) in enumerate(jobs):
            paths += [save(f"{i}.png", png.encode(w, h, KINDS[c], 8, data)), os.path.join(FOLDER, f"{i}.out.png")]
        run(what, *paths)
        for i, (w, h, c, data) in enumerate(jobs):
            grays = to < 3 and c > 2
            same(read(paths[2 * i + 1]), w, h, to, converted(data, c, to), (what, w, h, c), off=grays)


def shown(path, width, height, channels, wanted):
    """Floats."""
    got = run("show", path)[0].split()
    assert list(map(int, got[:3])) == [width, height, channels], (path, got[:3])
    assert all(abs(float(a) - b) < 1e-6 for a, b in zip(got[3:], wanted)) and len(got) == 3 + len(wanted), (path, got[3:9], wanted[:6])


def kinds_of_png():
    w, h = 11, 9
    for interlaced in (False, True):
        for kind, depth in [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (4, 8), (4, 16), (6, 8), (6, 16)]:
            most, c = 2 ** depth - 1, png.CHANNELS[kind]
            data = samples(w * h * c, most)
            path = save("kind.png", png.encode(w, h, kind, depth, data, interlaced))
            shown(path, w, h, c, [s / most for s in data])
            if depth == 16:  # as bytes: to the nearest
                run("bytes", path, path + ".out.png")
                same(read(path + ".out.png"), w, h, c, [int(s / 65535 * 255 + 0.5) for s in data], "16 bits")
        for depth in (1, 2, 4, 8):
            colours = [samples(3) for _ in range(2 ** depth)]
            data = samples(w * h, len(colours) - 1)
            palette = png.chunk(b"PLTE", bytes(sum(colours, [])))
            path = save("palette.png", png.encode(w, h, 3, depth, data, interlaced, palette))
            shown(path, w, h, 3, [v / 255 for s in data for v in colours[s]])
            alpha = samples(len(colours))
            path = save("alpha.png", png.encode(w, h, 3, depth, data, interlaced, palette + png.chunk(b"tRNS", bytes(alpha))))
            shown(path, w, h, 4, [v / 255 for s in data for v in colours[s] + [alpha[s]]])
    gamma = png.chunk(b"gAMA", (45455).to_bytes(4, "big"))
    shown(save("gamma.png", png.encode(2, 1, 0, 8, [51, 204], chunks=gamma)), 2, 1, 1, [0.2, 0.8])


def kinds_of_pnm():
    shown(save("a.pgm", b"P2\n# a comment\n3 2 # another\n10\n0 1 2\n3 4 10"), 3, 2, 1, [0, .1, .2, .3, .4, 1])
    shown(save("a.ppm", b"P3 1 2 255 255 0 51\n0\t255 102 \n"), 1, 2, 3, [1, 0, .2, 0, 1, .4])
    shown(save("b.pgm", b"P5\n2 2\n4\n" + bytes([0, 1, 2, 4])), 2, 2, 1, [0, .25, .5, 1])
    shown(save("b.ppm", b"P6 1 1 1000\n" + bytes([3, 232, 1, 244, 0, 250])), 1, 1, 3, [1, .5, .25])
    shown(save("c.pgm", b"P5#x\n1 1 255\n#"), 1, 1, 1, [35 / 255])


def tried(files):
    """What the program says of each, under a limit of memory: a size that is only claimed takes none."""
    paths = [save(f"try.{i}", data) for i, data in enumerate(files)]
    out = []
    for i in range(0, len(paths), 500):
        out += run("try", *paths[i:i + 500], memory=1 << 30)
    assert len(out) == len(paths)
    return out


def broken_files():
    whole_png = png.encode(5, 4, 2, 8, samples(60), interlaced=True)
    whole = [whole_png, b"P6\n3 2\n255\n" + bytes(range(32, 50)), b"P2 2 2 9 1 2 3 4", b"P5 2 1 300\n" + bytes([1, 2, 0, 9])]
    for file in whole:
        said = tried([file[:n] for n in range(len(file) + 1)])
        assert " x " in said[-1], said[-1]
        assert not [s for s in said[:-1] if " x " in s], (file[:2], said)
        assert said[0].endswith("the file is empty") and said[9 if file != whole_png else 40].endswith("the file is truncated")
        flipped = []
        for _ in range(400):
            bytes_ = bytearray(file)
            for _ in range(numbers.choice([1, 1, 2, 5])):
                bytes_[numbers.randrange(len(bytes_))] ^= 1 << numbers.randrange(8)
            flipped.append(bytes(bytes_))
        tried(flipped)
    huge = []
    for w, h in [(2 ** 31 - 1, 2 ** 31 - 1), (2 ** 31 - 1, 1), (1, 2 ** 31 - 1), (100000, 100000)]:
        head = png.encode(1, 1, 6, 16, [0] * 4)
        body = w.to_bytes(4, "big") + h.to_bytes(4, "big") + bytes([16, 6, 0, 0, 0])
        huge.append(head[:8] + png.chunk(b"IHDR", body) + head[33:])
        huge += [b"%s %d %d %d\n12 " % (kind, w, h, most) for kind in (b"P2", b"P3", b"P5", b"P6") for most in (255, 65535)]
    assert all("truncated" in said or "that may be read" in said for said in tried(huge))
    rows = zlib.compress(bytes(8193) * 8193, 9)  # 67 million pixels in 65 KB
    head = (8192).to_bytes(4, "big") + (8193).to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    bomb = whole_png[:8] + png.chunk(b"IHDR", head) + png.chunk(b"IDAT", rows) + png.chunk(b"IEND", b"")
    assert tried([bomb])[0].endswith(": 8192 x 8193 pixels are more than the 67108864 that may be read")
    wrong = [(b"P5 0 3 255\n", "it has no pixels: 0 x 3"), (b"P6 1 1 70000\nabc", "its largest sample is 70000"),
             (b"P2 1 1 9 10", "above the largest one"), (b"P2 1 x 9 10", "something else where a number belongs"),
             (b"P5 1 99999999999 9 ", "too large"), (b"GIF89a", "no PNG, PGM or PPM"), (b"P4 1 1 1", "no PNG, PGM or PPM"),
             (png.encode(1, 1, 0, 8, [1])[:-20] + b"x" * 20, ": ")]
    for (_, reason), said in zip(wrong, tried([data for data, _ in wrong])):
        assert reason in said and " x 1 x" not in said, (reason, said)
    missing = run("try", FOLDER + "/none.png", FOLDER)
    assert missing == [FOLDER + "/none.png: No such file or directory", FOLDER + ": Is a directory"], missing


def writing():
    def says(reason, *arguments):
        got = run("write", *arguments)[0]
        assert got == (reason and f"{arguments[0]}: {reason}") or (not reason and got == "written"), (arguments, got)
    out = FOLDER + "/out"
    says("", out + ".PNG", 2, 3, 2)
    says("", out + ".ppm", 2, 2, 3)
    says("an image of 0 x 3 has no pixels", out + ".png", 0, 3, 1)
    says("an image of 3 x -1 has no pixels", out + ".png", 3, -1, 1)
    says("an image has 1 to 4 channels, not 5", out + ".png", 1, 1, 5)
    says("an image has 1 to 4 channels, not 9", out + ".png", 30000, 30000, 9)
    says("a .pgm file has 1 channel, not 3", out + ".pgm", 2, 2, 3)
    says("a .ppm file has 3 channels, not 4", out + ".ppm", 1, 1, 4)
    says("the name of an image ends in .png, .pgm or .ppm", out + ".jpg", 1, 1, 3)
    says("No such file or directory", FOLDER + "/none/out.png", 1, 1, 3)


def documented():
    """The programs of docs/library.md about images."""
    page = open(os.path.join(os.path.dirname(__file__), "../../../../docs/library.md")).read()
    programs = [text for text in page.split("```c\n")[1:] if "<image.bsgp>" in text.split("```")[0]]
    assert len(programs) == 2
    data = samples(30)
    save("in.png", png.encode(5, 2, 2, 8, data))
    for text in programs:
        path = save("documented.bsgp", text.split("```")[0].encode())
        subprocess.run([*COMMAND, path], cwd=FOLDER, check=True)
    same(read(FOLDER + "/negative.png"), 5, 2, 3, [255 - s for s in data], "negative")
    width, height, channels, pixels = read(FOLDER + "/mandelbrot.png")
    middle = (height // 2 * width + width * 19 // 25) * 3  # where c is 0: a point of the set, with the last colour
    assert (width, height, channels) == (400, 400, 3) and min(pixels[middle:middle + 2]) > 240 and pixels[middle + 2] < 180


os.makedirs(FOLDER, exist_ok=True)
for part in PART.split(","):
    globals()[part]()
