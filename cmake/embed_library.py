#!/usr/bin/env python3
"""Writes the standard library's files as C++ strings: embed_library.py OUT FILE..."""
import os
import sys

out, files = sys.argv[1], sys.argv[2:]
with open(out, "w") as to:
    to.write('#include "driver/standard_library.h"\n\nnamespace bsgp::driver {\n\n')
    to.write("const std::vector<EmbeddedFile>& embeddedFiles() {\n  static const std::vector<EmbeddedFile> files = {\n")
    for path in files:
        folder = os.path.basename(os.path.dirname(path))
        to.write('      {"%s", %s,\n' % (os.path.basename(path), "false" if folder == "include" else "true"))
        text = open(path).read()
        for start in range(0, max(len(text), 1), 8000):
            to.write('       R"~~~(%s)~~~"\n' % text[start:start + 8000])
        to.write("      },\n")
    to.write("  };\n  return files;\n}\n\n} // namespace bsgp::driver\n")
