"""The stub of the extension module has its names, and no others. Usage: stubs.py ROOT"""
import ast
import os
import sys

from bsgp import _core


def names_of(body):
    made = set()
    for each in body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            made.add(each.name)
        elif isinstance(each, ast.AnnAssign):
            made.add(each.target.id)
    return made


tree = ast.parse(open(os.path.join(sys.argv[1], "python", "bsgp", "_core.pyi")).read())
known = names_of(tree.body)
runtime = {name for name in vars(_core) if not name.startswith("__")}
wrong = [f"{name} is missing" for name in sorted(runtime - known)] + [f"{name} is not there" for name in sorted(known - runtime)]
for each in tree.body:
    if isinstance(each, ast.ClassDef):
        own = vars(getattr(_core, each.name))
        special = {"__buffer__", "__hash__", "__init__", "__call__"}  # slots without a method of Python 3.11
        wrong += [f"{each.name}.{name} is not there" for name in sorted(names_of(each.body) - set(own) - special)]
        wrong += [f"{each.name}.{name} is missing" for name in sorted(own) if not name.startswith("_") and name not in names_of(each.body)]
print("\n".join(wrong))
sys.exit(bool(wrong))
