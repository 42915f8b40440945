"""Makes a random program of supersteps smaller while something holds: statements are taken out, those stay that order threads."""
import re


def units(lines):
    """Pieces that may be taken out: a line by itself, or a line that opens braces to the line that closes them."""
    for i, line in enumerate(lines):
        depth, end = 0, i
        for end in range(i, len(lines)):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
        if depth == 0:
            yield i, end + 1


def removable(piece):
    text = "\n".join(piece)
    kept = re.search(r"barrier|unroll for|rounds|spread|picked|shifted|across|rolled|rotated|neighbours|exchanged|reversed|totalOf|prefixed|oldrank|spawn|thread\.size =|dnew|int size", text)
    return text.strip() not in ("", "}", "{") and not kept


def reduced(text, still):
    lines, before = text.splitlines(), None
    while lines != before:
        before = list(lines)
        at = len(lines) - 1
        while not lines[at].startswith("run("):
            ends = [last for first, last in units(lines) if first == at]
            if ends and removable(lines[at:ends[0]]) and still("\n".join(lines[:at] + lines[ends[0]:]) + "\n"):
                del lines[at:ends[0]]
            at -= 1
    return "\n".join(lines) + "\n"
