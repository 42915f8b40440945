"""The ways in which the random programs are run. The first one of each list is what the others are compared with."""
import os
import re
import sys

SUPERSTEPS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu", ["--target", "cpu"]),
    ("cpu -O0", ["--target", "cpu", "-O0"]),
    ("cpu, partitioned", ["--target", "cpu", "--partition"]),
]
PRIMITIVES = [
    ("reference", ["--target", "reference", "-O1"]),
    ("cpu, 2 threads", ["--target", "cpu", "--threads", "2"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu, 1 thread", ["--target", "cpu", "--threads", "1"]),
    ("cpu -O0, 2 threads", ["--target", "cpu", "-O0", "--threads", "2"]),
    ("cpu x86-64-v2, 3 threads", ["--target", "cpu", "--cpu", "x86-64-v2", "--threads", "3"]),
    ("cpu -O1 x86-64-v3", ["--target", "cpu", "-O1", "--cpu", "x86-64-v3"]),
]
KERNELS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "3"]),
    ("cpu", ["--target", "cpu"]),
    ("cpu, width 1", ["--target", "cpu", "--vector-width", "1"]),
    ("cpu, width 4", ["--target", "cpu", "--vector-width", "4"]),
    ("cpu, width 8", ["--target", "cpu", "--vector-width", "8"]),
    ("cpu, width 16", ["--target", "cpu", "--vector-width", "16"]),
    ("cpu x86-64-v3, width 8", ["--target", "cpu", "--vector-width", "8", "--cpu", "x86-64-v3"]),
    ("cpu x86-64-v2, width 4", ["--target", "cpu", "--vector-width", "4", "--cpu", "x86-64-v2"]),
    ("cpu -O1", ["--target", "cpu", "-O1"]),
    ("reference, partitioned", ["--target", "reference", "-O1", "--partition"]),
    ("cpu, partitioned", ["--target", "cpu", "--partition"]),
    ("cpu, partitioned, width 4", ["--target", "cpu", "--partition", "--vector-width", "4"]),
]
NUMBERS = [*KERNELS[:-3], ("cpu -O0", ["--target", "cpu", "-O0"]), ("reference -O0", ["--target", "reference", "-O0"])]
KERNELS += [
    ("cpu, all loops as wavefronts", ["--target", "cpu", "--wavefronts", "all"]),
    ("cpu, width 4, all loops as wavefronts", ["--target", "cpu", "--vector-width", "4", "--wavefronts", "all"]),
    ("cpu, no wavefronts", ["--target", "cpu", "--wavefronts", "off"]),
]

os.environ.setdefault("BSGP_FORM", "mixed")  # kernels with two forms run in both, block by block

if "BSGP_CUDA_DRIVER" in os.environ:  # such as the emulator of tools/cuda_emulator
    for configurations in (SUPERSTEPS, PRIMITIVES, KERNELS, NUMBERS):
        configurations.append(("cuda", ["--target", "cuda"]))
    KERNELS.append(("cuda, partitioned", ["--target", "cuda", "--partition"]))


def known_to(compilers, configurations, skip):
    """The configurations whose options the compiler has; with `skip` the others are named and left out, without it they are an error."""
    text = compilers("run", "--help").out.decode()
    unknown = [name for name, options in configurations if any(o.startswith("--") and not re.search(rf"{o}\b", text) for o in options)]
    if unknown:
        print(f"the compiler has not the options of: {'; '.join(unknown)}", file=sys.stderr)
        if not skip:
            sys.exit(1)
    return [c for c in configurations if c[0] not in unknown]
