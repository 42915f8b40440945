# lit's configuration: tests are programs (test/run: checked on every target) and files with RUN lines (FileCheck).
import glob
import os
import platform
import re

import lit.formats

config.name = "bsgp"
config.suffixes = [".bsgp", ".test"]
config.test_source_root = os.path.dirname(__file__)
build = os.environ.get("BSGP_BUILD_DIR", os.path.join(config.test_source_root, "..", "build"))
config.test_exec_root = os.path.join(build, "test")
config.excludes = ["Inputs", "configurations.py", "run_program.py", "program.py"]
# How much: a sample of configurations and seeds (./dev test), all of them, or the rest, what the sample leaves out.
extent = lit_config.params.get("extent", "sample")
config.available_features.add(extent)
if extent == "sample": # minutes, under valgrind
    config.excludes.append("growth")
if extent == "rest":
    config.excludes += ["diag", "emit", "robust", "supersteps", "tool"]
config.environment["PATH"] = os.path.join(build, "bin") + ":/usr/lib/llvm-19/bin:" + os.environ["PATH"]
config.environment["BSGP_POISON"] = "1"
config.environment["BSGP_CACHE"] = "0"
config.environment["ARRAYS_LIBRARY"] = os.path.join(os.path.abspath(build), "lib", "libbsgp.so") # for programs in Python
config.environment["BSGP_VERIFY"] = "1"
config.substitutions += [
    # %seeds(A, B): 1..A of the sample, A..B of the rest.
    (r"%seeds\((\d+), (\d+)\)", {"sample": r"1..\1", "rest": r"\1..\2", "all": r"1..\2"}[extent]),
    (r"(?<![\w/])python3\b", "/usr/bin/python3"), # which has NumPy
    ("%extent", extent),
    ("%bsgpc", os.path.join(build, "bin", "bsgpc")),
    ("%build", os.path.abspath(build)),
    ("%emulator", os.path.join(os.path.abspath(build), "lib", "cuda_emulator", "libcuda.so.1")), # of a GPU and its driver
    ("%triple", platform.machine() + "-linux-gnu"),
    ("%root", os.path.abspath(os.path.join(config.test_source_root, ".."))),
]
# %python has the Python package of the build, where there is one: for the Python of BSGP_PYTHON.
if glob.glob(os.path.join(build, "python", "bsgp", "_core*.so")):
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        python = re.search(r"^BSGP_PYTHON:\w+=(.*)$", cache.read(), re.MULTILINE)[1]
    if python != "off":
        config.available_features.add("python")
        config.substitutions.append(("%python", f"env PYTHONPATH={os.path.abspath(build)}/python {python}"))
with open("/proc/cpuinfo") as machine:
    if "avx512vl" in machine.read():
        config.available_features.add("avx512")
config.test_format = lit.formats.ShTest(True)
