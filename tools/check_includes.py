#!/usr/bin/env python3
"""Holds src/ to the directions of docs/architecture.md: a folder includes itself and the folders it may use, no others."""
import os
import re
import sys

FOLDERS = ["support", "diag", "lex", "parse", "sema", "expand", "irgen", "check", "bsp", "target", "compile", "driver", "capi"]
ALLOWED = {name: set(FOLDERS[:i + 1]) for i, name in enumerate(FOLDERS)}
for name in ("irgen", "check", "bsp", "target", "compile", "driver", "capi"):
    ALLOWED[name] |= {"plan", "ir"}
# The back end knows nothing of the source language.
for name in ("check", "bsp", "target"):
    ALLOWED[name] -= {"lex", "parse", "sema", "expand", "irgen"}
for name in ("compile", "driver", "capi"):
    ALLOWED[name].add("runtime")
ALLOWED["capi"].remove("driver")
ALLOWED["plan"] = {"plan", "support"}
ALLOWED["ir"] = {"ir", "plan", "support"}
ALLOWED["arrays"] = {"arrays", "runtime", "compile", "target", "plan", "support"}
IN_DEVICE, FOR_DEVICE = "arrays/device/", {"parse", "diag"}  # a front end of the compiler
ALLOWED["image"] = {"image"}  # a library of its own
ALLOWED["runtime"] = {"runtime", "plan", "support"}

# The rooms of target: each may use itself and those in front of it. cpu_target.h and ptx_target.h are the faces of the two targets.
ROOMS = ["target/common", "target/cpu/machine", "target/cpu/ranks", "target/cpu/calls", "target/cpu/blocks", "target/cpu/vectorize", "target/cpu/wavefront",
         "target/cpu/workarounds", "target/cpu/passes", "target/cpu/code", "target/cpu", "target/ptx", "target/both"]
FACES = {"target/cpu/cpu_target.h": "target/cpu/machine", "target/ptx/ptx_target.h": "target/ptx"}

# The checks of --check observe the rest of the runtime by its Watch. Only their own folder, and the half of them that runs on GPUs, see
# more of them than their face.
CHECKS, CHECKS_FACE, IN_CHECKS = "runtime/check/", "runtime/check/checks.h", ("runtime/check/", "runtime/cuda/")


def room_of(path):
    return FACES.get(path, os.path.dirname(path))


def climbs(own, included):
    """Whether a file of target includes one of a room behind its own."""
    if own == "target/cpu/cpu_target.h":
        return room_of(included) != "target/common"
    return ROOMS.index(room_of(included)) > ROOMS.index(room_of(own))


root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src")
wrong = []
for folder, _, files in os.walk(root):
    for name in files:
        if not name.endswith((".h", ".cpp")):
            continue
        path = os.path.relpath(os.path.join(folder, name), root)
        own = path.split(os.sep)[0]
        for number, line in enumerate(open(os.path.join(root, path)), 1):
            match = re.match(r'\s*#include "([^"/]+)/([^"]+)"', line)
            if not match or match[1] == "bsgp":
                continue
            to, rest = match.groups()
            if to not in ALLOWED.get(own, set()) and not (path.startswith(IN_DEVICE) and to in FOR_DEVICE):
                wrong.append(f"src/{path}:{number}: {own} must not include {to}/{rest}")
            elif own == to == "target" and climbs(path, f"{to}/{rest}"):
                wrong.append(f"src/{path}:{number}: {os.path.dirname(path)} must not include {to}/{rest}")
            elif f"{to}/{rest}".startswith(CHECKS) and f"{to}/{rest}" != CHECKS_FACE and not path.startswith(IN_CHECKS):
                wrong.append(f"src/{path}:{number}: {CHECKS_FACE} is all that others may include of the checks")
        text = open(os.path.join(root, path)).read()
        if own in ("runtime", "plan") and re.search(r"#include [<\"]llvm/", text):
            wrong.append(f"src/{path}: {own} must not see LLVM")
print("\n".join(wrong) if wrong else "includes: all in the directions of the phases")
sys.exit(1 if wrong else 0)
