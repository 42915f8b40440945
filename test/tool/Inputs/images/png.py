"""PNG by zlib alone: an oracle for test/tool/images*.test that shares nothing with what it looks at."""
import itertools
import struct
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of each kind of colour
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def predicted(filter_, line, above, step, i):
    a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
    return [0, a, b, (a + b) // 2, paeth(a, b, c)][filter_]


def packed(samples, depth):
    """A row of samples as bytes."""
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    bits = "".join(format(s, f"0{depth}b") for s in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(rows, channels, depth, filters):
    step, above, out = max(1, channels * depth // 8), None, bytearray()
    for row in rows:
        line, filter_ = packed(row, depth), next(filters)
        above = above or bytes(len(line))
        out.append(filter_)
        out += bytes((line[i] - predicted(filter_, line, above, step, i)) % 256 for i in range(len(line)))
        above = line
    return bytes(out)


def encode(width, height, kind, depth, samples, interlaced=False, chunks=b""):
    """samples: rows one behind the other, as the file has them. chunks: those in front of the pixels."""
    channels = CHANNELS[kind]
    at = lambda x, y: samples[(y * width + x) * channels:(y * width + x + 1) * channels]
    filters = itertools.cycle(range(5))
    data = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        rows = [list(itertools.chain(*(at(x, y) for x in range(x0, width, dx)))) for y in range(y0, height, dy)]
        if x0 < width:
            data += filtered(rows, channels, depth, filters)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunks + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def decode(file):
    """Of 8 bits a sample, not interlaced: width, height, channels, bytes."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, head = 8, b"", None
    while at < len(file):
        size, kind = struct.unpack(">I4s", file[at:at + 8])
        body = file[at + 8:at + 8 + size]
        assert struct.unpack(">I", file[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    width, height, depth, kind, _, _, interlaced = head
    assert depth == 8 and not interlaced and at == len(file)
    channels = CHANNELS[kind]
    step, stride, data = channels, width * channels, zlib.decompress(data)
    assert len(data) == height * (stride + 1)
    out, above = b"", bytes(stride)
    for y in range(height):
        filter_, line = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            line[i] = (line[i] + predicted(filter_, line, above, step, i)) % 256
        out, above = out + bytes(line), line
    return width, height, channels, out
