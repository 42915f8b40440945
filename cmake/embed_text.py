#!/usr/bin/env python3
"""Writes a file as a C++ string: embed_text.py OUT NAME FILE, where NAME is one of a namespace: a::b::kText."""
import sys

out, name, path = sys.argv[1:]
space, _, variable = name.rpartition("::")
text = open(path).read()
with open(out, "w") as to:
    to.write(f"namespace {space} {{\n\nextern const char {variable}[];\nconst char {variable}[] =\n")
    for start in range(0, max(len(text), 1), 8000):
        to.write('    R"~~~(%s)~~~"\n' % text[start:start + 8000])
    to.write(f"    ;\n\n}} // namespace {space}\n")
