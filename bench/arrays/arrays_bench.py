"""Arrays beside their peers in Python: used by bench/run.py. The peers live in an environment of their own below the build folder."""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["numpy>=2", "numexpr", "numba", "jax", "drjit"]


def environment(build_folder):
    """The path of its Python. Peers that cannot be installed are left out, but for NumPy."""
    folder = os.path.join(build_folder, "bench-arrays-venv")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    for peer in PEERS:
        if subprocess.run([python, "-m", "pip", "install", "-q", peer]).returncode == 0:
            continue
        if peer == PEERS[0]:
            raise SystemExit("NumPy cannot be installed")
        print(f"note: {peer} cannot be installed and is left out")
    return python


def calls(build_folder):
    """The costs of a call, in C++: with a cache that is empty, then again in another process with what that has left there."""
    root, program = os.path.join(HERE, "..", ".."), os.path.join(build_folder, "bench-arrays-calls")
    library = os.path.join(build_folder, "lib")
    subprocess.run(["c++", "-std=c++20", "-O2", os.path.join(HERE, "calls.cpp"), "-o", program, "-I", os.path.join(root, "include"), "-L", library, "-lbsgp", f"-Wl,-rpath,{library}"], check=True)
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            subprocess.run([program], env=dict(os.environ, BSGP_CACHE_DIR=cache), check=True)


def programs(build_folder, python, variables, times):
    """The programs of examples/arrays beside their twins."""
    root, folder, library = os.path.join(HERE, "..", ".."), os.path.join(build_folder, "bench-arrays-programs"), os.path.join(build_folder, "lib")
    os.makedirs(folder, exist_ok=True)
    for source in glob.glob(os.path.join(root, "examples", "arrays", "*.cpp")):
        program = os.path.join(folder, os.path.splitext(os.path.basename(source))[0])
        subprocess.run(["c++", "-std=c++20", "-O1", source, "-o", program, "-I", os.path.join(root, "include"), "-L", library, "-lbsgp", "-lbsgp_image", f"-Wl,-rpath,{library}"], check=True)
    subprocess.run([python, os.path.join(HERE, "programs.py"), folder, str(times)], env=variables, check=True)


def run(build_folder, quick=False):
    build_folder = os.path.abspath(build_folder)
    variables = dict(os.environ, PYTHONPATH=os.path.join(HERE, "..", "..", "test", "arrays"), ARRAYS_LIBRARY=os.path.join(build_folder, "lib", "libbsgp.so"), PYTHONDONTWRITEBYTECODE="1")
    python = environment(build_folder)
    sys.stdout.flush()
    subprocess.run([python, os.path.join(HERE, "compare.py")] + ["--quick"] * quick, env=variables, check=True)
    sys.stdout.flush()
    calls(build_folder)
    sys.stdout.flush()
    programs(build_folder, python, variables, 5 if quick else 15)
