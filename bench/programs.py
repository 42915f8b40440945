"""How the benchmarks that are programs of their own are built: used by those that bench/run.py runs."""
import os
import subprocess


def output(*command):
    """Of a command, which must succeed."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(result.stdout + result.stderr)
    return result.stdout


def build(source, build_folder, name, *definitions):
    """The folder of a CMake project of its own, beside the build of BSGP."""
    folder = os.path.join(build_folder, name)
    output("cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-Dbsgp_DIR={build_folder}/cmake", *definitions)
    output("cmake", "--build", folder)
    return folder
