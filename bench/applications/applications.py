"""The applications of examples/ beside libraries that do the same: used by bench/run.py. A module for each application; its
run(build_folder, quick, only) builds what it needs and prints its table, in markdown."""
import importlib

APPLICATIONS = ("ray_tracer", "by_hand", "fluid", "tessellation", "x3d", "code_size")


def run(build_folder, quick=False, only=()):
    """`only`: applications, and names that these understand; no application: all."""
    chosen = [name for name in APPLICATIONS if name in only] or APPLICATIONS
    others = [name for name in only if name not in APPLICATIONS]
    for name in chosen:
        importlib.import_module(name).run(build_folder, quick, others)
