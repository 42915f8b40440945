#!/usr/bin/env python3
"""Writes the standard library's files as C++ strings: embed_library.py OUT FOLDER FILE...

Those in FOLDER's include/ are named from there, the others, which are the prelude, from FOLDER: gpu/scan.bsgp.
"""
import os
import sys

out, library, files = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(out, "w") as to:
    to.write('#include "compile/standard_library.h"\n\nnamespace bsgp::compile {\n\n')
    to.write("const std::vector<EmbeddedFile>& embeddedFiles() {\n  static const std::vector<EmbeddedFile> files = {\n")
    for path in files:
        name = os.path.relpath(path, library)
        part = (os.path.dirname(name) or "every").capitalize()
        to.write('      {"%s", LibraryPart::%s,\n' % (name.removeprefix("include/"), part))
        text = open(path).read()
        for start in range(0, max(len(text), 1), 8000):
            to.write('       R"~~~(%s)~~~"\n' % text[start:start + 8000])
        to.write("      },\n")
    to.write("  };\n  return files;\n}\n\n} // namespace bsgp::compile\n")
