#!/usr/bin/env python3
"""Makes src/target/ptx/check_library.ll of check_library.c beside it: make_check_library.py [CLANG]

Any clang from 14 on does. What it says of the machine that it runs on is left out.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "src/target/ptx/check_library.c")
OPTIONS = ["-O1", "-fno-discard-value-names", "-fno-unroll-loops", "-fno-vectorize", "-fno-strict-aliasing", "-S", "-emit-llvm",
           "--target=x86_64-linux-gnu", "-I", os.path.join(ROOT, "src"), "-o", "-", SOURCE]


def plain(text):
    """What LLVM 19 reads, for whatever machine."""
    text = re.sub(r"[\w%.]+ addrspace\(1\)\*", "ptr addrspace(1)", text)
    text = re.sub(r"\b(nocapture|noundef|readonly|writeonly|local_unnamed_addr|dso_local|mustprogress) ?", "", text)
    text = re.sub(r" #\d+( \{|$)", r"\1", text, flags=re.M)
    text = re.sub(r", !llvm.loop !\d+", "", text)
    text = re.sub(r" +; preds = .*", "", text)
    lines = [line for line in text.splitlines()
             if not re.match(r"(;|source_filename|target |attributes |!|declare .*lifetime)", line) and ".lifetime." not in line]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def main():
    made = subprocess.run([sys.argv[1] if len(sys.argv) > 1 else "clang", *OPTIONS], capture_output=True, text=True, check=True).stdout
    with open(SOURCE.removesuffix("c") + "ll", "w") as to:
        to.write("; Made of check_library.c by tools/make_check_library.py.\n\n" + plain(made))


main()
