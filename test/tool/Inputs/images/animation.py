"""The frames of the animated PNGs that animation.bsgp made: animation.py FOLDER."""
import os
import struct
import sys
import zlib


def chunks(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind
        yield kind, body
        at += size + 12


def undo(kind, row, above, size):
    """A row without its filter."""
    for i in range(len(row)):
        left, up, corner = row[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
        paeth = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
        row[i] = row[i] + (0, left, up, (left + up) // 2, paeth)[kind] & 255
    return row


def frames(path):
    found, sequence, head, said = [], 0, None, 0
    for kind, body in chunks(path):
        if kind == b"IHDR":
            head = struct.unpack(">IIBB", body[:10])
        elif kind == b"acTL":
            said, plays = struct.unpack(">II", body)
            assert plays == 0 and not found
        elif kind in (b"fcTL", b"fdAT"):
            assert struct.unpack(">I", body[:4])[0] == sequence
            sequence += 1
        if kind == b"fcTL":
            assert struct.unpack(">IIIIHHBB", body[4:]) == (*head[:2], 0, 0, 250, 1000, 0, 0)
            found.append(b"")
        elif kind in (b"IDAT", b"fdAT"):
            assert (kind == b"IDAT") == (len(found) == 1)
            found[-1] += body if kind == b"IDAT" else body[4:]
    assert kind == b"IEND" and said == len(found)
    return head, [zlib.decompress(frame) for frame in found]


def check(path, width, height, channels, count):
    head, found = frames(path)
    assert head == (width, height, 8, {1: 0, 3: 2}[channels]) and len(found) == count
    for k, frame in enumerate(found):
        above, size = bytearray(width * channels), width * channels + 1
        for y in range(height):
            row = frame[y * size:(y + 1) * size]
            above = undo(row[0], bytearray(row[1:]), above, channels)
            assert above == bytearray(v for x in range(width) for v in [((y * width + x) * 7 + k * 31) & 255] * channels)


folder = sys.argv[1]
check(os.path.join(folder, "gray.png"), 5, 3, 1, 4)
check(os.path.join(folder, "colours.png"), 300, 200, 3, 2)
check(os.path.join(folder, "one.png"), 1, 1, 3, 1)
