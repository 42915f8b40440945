"""How the benchmarks that are programs of their own are built: used by those that bench/run.py runs."""
import os
import subprocess


def installed(package):
    state = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True).stdout
    return "ok installed" in state


def apt_get(*arguments):
    command = ([] if os.geteuid() == 0 else ["sudo"]) + ["apt-get", *arguments]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment).returncode == 0
    except OSError:
        return False


def install(packages):
    """Peers of Debian; what cannot be installed drops out."""
    missing = [package for package in packages if not installed(package)]
    if not missing:
        return
    print("installing:", *missing, flush=True)
    apt_get("update", "-q")
    for package in missing:
        if not apt_get("install", "-q", "-y", "--no-install-recommends", package):
            print(f"note: {package} cannot be installed: its peers are left out")


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
