"""Programs that are written in two ways at once: with a construct, and plainly, as a program without it would say the same."""
import re

PAIR = re.compile("\1([^\1\2\3]*)\2([^\1\2\3]*)\3")


def twin(new, plain):
    """A piece of a program that is one text in the first and another in the second; each may hold such pieces."""
    return f"\1{new}\2{plain}\3"


def newly(text):
    return resolved(text, 1)


def plainly(text):
    return resolved(text, 2)


def resolved(text, side):
    count = 1
    while count:
        text, count = PAIR.subn(lambda pair: pair[side], text)
    return text


def renamed(text, name, other):
    return re.sub(rf"\b{name}\b", lambda _: other, text)
