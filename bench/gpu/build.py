"""Builds the GPU benchmark: what needs bsgpc where BSGP is built; the rest there, or where the GPU is. No CMake."""
import filecmp
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
SHARED = [os.path.join(ROOT, "bench", "primitives", name) for name in ("problems.cpp", "team.cpp")]
CPP = [os.path.join(HERE, name) for name in ("main.cpp", "measure.cpp", "arrays.cpp", "ours.cpp", "problems.cpp")]
WITHOUT_CUDA = [os.path.join(HERE, "without_cuda.cpp")]
CUDA = [os.path.join(HERE, name) for name in ("copy.cu", "launch.cu", "faces.cu", "cub.cu", "cub_reduce.cu", "cub_scan.cu",
                                              "cub_select.cu", "cub_histogram.cu", "cub_sort.cu")]
PTX_ONLY = ["-gencode", "arch=compute_80,code=compute_80"]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(" ".join(command) + "\n" + done.stdout + done.stderr)


def find_nvcc():
    found = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    return found if os.access(found, os.X_OK) else None


def bsgp_objects(to, bsgp_build, options):
    """primitives.o and .h, the runtime, and a program of its own: all that needs the compiler."""
    bsgpc = os.path.join(bsgp_build, "bin", "bsgpc")
    os.makedirs(to, exist_ok=True)
    header = os.path.join(to, "primitives.h")
    run([bsgpc, "compile", os.path.join(HERE, "primitives.bsgp"), "-o", os.path.join(to, "primitives.o"), "--header",
         header + ".new", *options])
    if os.path.exists(header) and filecmp.cmp(header, header + ".new", shallow=False):
        os.remove(header + ".new")  # what includes it is not compiled anew
    else:
        os.replace(header + ".new", header)
    run([bsgpc, "build", os.path.join(HERE, "first_result.bsgp"), "-o", os.path.join(to, "first_result"), *options])
    shutil.copy(os.path.join(bsgp_build, "lib", "libbsgp_runtime.a"), to)


def newest_header(to):
    folders = (HERE, os.path.dirname(SHARED[0]), os.path.join(ROOT, "include", "bsgp"), to)
    return max(os.path.getmtime(os.path.join(folder, name)) for folder in folders for name in os.listdir(folder)
               if name.endswith((".h", ".cuh", ".hpp")))


def objects_of(sources, to, objects, command):
    """Compiles what is older than its source or a header; returns all objects."""
    os.makedirs(objects, exist_ok=True)
    header, made = newest_header(to), []
    for source in sources:
        made.append(os.path.join(objects, os.path.relpath(source, ROOT).replace(os.sep, "-") + ".o"))
        if not os.path.exists(made[-1]) or os.path.getmtime(made[-1]) < max(header, os.path.getmtime(source)):
            run([*command, "-std=c++20", "-I", os.path.join(ROOT, "include"), "-I", to, "-c", source, "-o", made[-1]])
    return made


def linked(to):
    return [os.path.join(to, "primitives.o"), os.path.join(to, "libbsgp_runtime.a")]


def without_cuda(to, objects, level="-O1"):
    """The path of a program that only checks our side: with the C++ compiler alone."""
    compiler = os.environ.get("CXX", "c++")
    made = objects_of(SHARED + CPP + WITHOUT_CUDA, to, objects, [compiler, level])
    program = os.path.join(objects, "gpu_check")
    run([compiler, *made, *linked(to), "-pthread", "-o", program])
    return program


def with_cuda(to, objects, nvcc, arch):
    """gpu_bench and the small programs beside it, all with CUDA's runtime inside."""
    command = [nvcc, "-O3", f"-arch={arch}"]
    made = objects_of(SHARED + CPP + CUDA, to, objects, command)
    program = os.path.join(to, "gpu_bench")
    run([*command, *made, *linked(to), "-lpthread", "-ldl", "-o", program])
    for name, source, target in (("first_result_cuda", "first_result.cu", [f"-arch={arch}"]),
                                 ("first_result_ptx", "first_result.cu", PTX_ONLY),
                                 ("first_nothing", "first_nothing.cu", [f"-arch={arch}"])):
        run([nvcc, "-O3", "-std=c++20", *target, os.path.join(HERE, source), "-o", os.path.join(to, name)])
    return program


def make_products(out, bsgp_build, options, arch="sm_90"):
    """What ./dev gpu-products adds for the benchmark: with nvcc here, ready programs."""
    to = os.path.join(out, "bench")
    bsgp_objects(to, bsgp_build, options)
    nvcc = find_nvcc()
    if nvcc:
        with_cuda(to, os.path.join(bsgp_build, "gpu-objects"), nvcc, arch)
    print(f"benchmark: {'ready, for ' + arch if nvcc else 'no nvcc here: ./dev gpu-bench builds it where the GPU is'}")
