#!/usr/bin/env python3
"""The pictures of the READMEs, made anew by the commands that these give: ./dev gallery [NAME...].

A picture is the same on every target and with any number of processors, so --check can compare to the bit."""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))

# The README's folder, and its command. It writes the picture whose name stands in it.
PICTURES = (
    ("examples/small", "bsgpc run heat.bsgp -- heat.png"),
    ("examples/small", "bsgpc run mandelbrot.bsgp -- mandelbrot.png"),
    ("examples/small", "bsgpc run convolution.bsgp -- convolution.png"),
    ("examples/graph", "bsgpc run components.bsgp -- --picture components.png"),
    ("examples/histogram_equalization", "bsgpc run histogram_equalization.bsgp -- landscape.png --width 320"),
    ("examples/subdivision", "bsgpc run subdivision.bsgp -- 1e-6 letters.svg"),
    ("examples/terrain", "bsgpc run terrain.bsgp -- 480 terrain.png"),
    ("examples/ray_tracer", "bsgpc run ray_tracer.bsgp -- --scene kitchen -o kitchen.png --size 400"),
    ("examples/tessellation", "bsgpc run tessellation.bsgp -- --size 480x360 -o side.png"),
    ("examples/tessellation", "bsgpc run tessellation.bsgp -- --view top --size 400x300 --detail 2 -o top.png"),
    ("examples/tessellation", "bsgpc run tessellation.bsgp -- --view zoom --size 360x270 -o zoom.png"),
    ("examples/x3d", "bsgpc run x3d.bsgp -- scene.x3d -o scene.png --size 400"),
    ("examples/fluid", "bsgpc run fluid.bsgp -- --particles 40000 --steps 5600 --frames 4 --size 320 --sheet -o dam.png"),
    ("examples/arrays", "./rotate --size 128 --picture rotate.png"),
    ("examples/arrays", "./corners --size 288 --picture corners.png"),
    ("examples/arrays", "./stereo --size 256 --picture stereo.png"),
    ("examples/arrays", "./motion --size 256 --picture motion.png"),
)
# Those that programs in Python make. test/python/page.py compares those of pages, and makes them anew by --update; examples.py compares others.
OF_PAGES = {"docs/images/python_heat.png", "examples/python/ray_tracer.png"}
# Those that ./dev test makes.
QUICK = ("heat", "convolution", "letters", "motion")

SHOWN = re.compile(r"!\[[^]]*\]\(([^):]+)\)")
FILE = re.compile(r"\S+\.(?:png|svg)$")


def cpp_command(source, program, bsgpc):
    """Builds a program in C++ with the libraries beside the compiler."""
    libraries = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(bsgpc))), "lib")
    return ["g++", "-std=c++20", "-O1", "-I", os.path.join(ROOT, "include"), source, "-o", program, "-L", libraries, "-lbsgp", "-lbsgp_image",
            "-Wl,-rpath," + libraries]


class Picture:
    def __init__(self, folder, command):
        self.folder, self.command = folder, command
        self.file = next(word for word in command.split() if FILE.match(word))
        self.path, self.name = f"{folder}/{self.file}", os.path.splitext(self.file)[0]

    def make(self, bsgpc, to):
        """Empty, or what the program said when it failed."""
        words = [to if word == self.file else word for word in self.command.split()]
        if words[0].startswith("./"):
            words[0] = to + ".program"
            subprocess.run(cpp_command(os.path.join(ROOT, self.folder, self.name + ".cpp"), words[0], bsgpc), check=True)
        else:
            words[0] = bsgpc
        done = subprocess.run(words, cwd=os.path.join(ROOT, self.folder), capture_output=True, text=True)
        return "" if done.returncode == 0 and os.path.exists(to) else f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


def readmes():
    """(path from the root, text) of every file in markdown outside of build folders."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and not os.path.exists(os.path.join(folder, name, "CMakeCache.txt"))]
        for path in (os.path.join(folder, name) for name in files if name.endswith(".md")):
            yield os.path.relpath(path, ROOT), open(path, encoding="utf-8").read()


def incomplete(pictures):
    """What the list and the READMEs do not agree in."""
    texts, listed = dict(readmes()), {picture.path for picture in pictures}
    shown = {os.path.normpath(os.path.join(os.path.dirname(path), name)) for path, text in texts.items() for name in SHOWN.findall(text)}
    wrong = [f"{path} is shown in a README and not in the list of tools/gallery/gallery.py" for path in sorted(shown - listed - OF_PAGES)]
    wrong += [f"{path} is in the list, and no README shows it" for path in sorted(listed - shown)]
    wrong += [f"{picture.folder}/README.md does not have the command '{picture.command}'" for picture in pictures
              if picture.command not in texts.get(picture.folder + "/README.md", "")]
    return wrong


def difference(bsgpc, old, new):
    """Empty: the same. The bytes of a PNG also depend on who compressed it: then the pixels count."""
    if not os.path.exists(old):
        return "there was none"
    if filecmp.cmp(old, new, shallow=False):
        return ""
    if not new.endswith(".png"):
        return "it is another one"
    done = subprocess.run([bsgpc, "run", "-O1", os.path.join(HERE, "differing_pixels.bsgp"), "--", old, new], capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()


def renew(picture, bsgpc, folder, check):
    """Makes one; with `check` the old one stays. False: it differs, or could not be made."""
    begin, new = time.monotonic(), os.path.join(folder, picture.file)
    old = os.path.join(ROOT, picture.path)
    failed = picture.make(bsgpc, new)
    changed = failed or difference(bsgpc, old, new)
    print(f"{picture.path}: {changed or 'the same'} ({time.monotonic() - begin:.1f} s)", flush=True)
    if changed and not failed and not check:
        shutil.copyfile(new, old)
    return not failed and not (check and changed)


def main():
    parser = argparse.ArgumentParser(prog="./dev gallery", description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--bsgpc", help="the compiler, if it is not that of the build folder")
    parser.add_argument("--check", action="store_true", help="leave the pictures as they are; exit status 1 if one would be another")
    parser.add_argument("--quick", action="store_true", help="only those that take seconds")
    parser.add_argument("--list", action="store_true", help="make none: is the list complete, and does each README have its command?")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these: kitchen, heat, ...")
    options = parser.parse_args()
    pictures = [Picture(*entry) for entry in PICTURES]
    unknown = set(options.names) - {picture.name for picture in pictures}
    if unknown:
        parser.error(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(picture.name for picture in pictures)}")
    wrong = incomplete(pictures)
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    if options.list:
        print(*(f"{picture.path}: {picture.command}" for picture in pictures), sep="\n")
        return bool(wrong)
    chosen = [p for p in pictures if (not options.names or p.name in options.names) and (not options.quick or p.name in QUICK)]
    bsgpc = os.path.abspath(options.bsgpc or os.path.join(options.build, "bin", "bsgpc"))
    with tempfile.TemporaryDirectory() as folder:
        fine = [renew(picture, bsgpc, folder, options.check) for picture in chosen]
    return bool(wrong) or not all(fine)


if __name__ == "__main__":
    sys.exit(main())
