"""Makes the k-th request for memory or a thread fail, for many k: does each process end as it should?

A process that needs what it did not get says so in a sentence and ends with status 1; another one goes on and does all.
Nothing is left behind. Usage: sweep.py BSGPC BUILD EXTENT FOLDER"""
import os
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
bsgpc, build, extent, folder = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
program = os.path.join(HERE, "program.bsgp")
tmp = os.path.join(folder, "tmp")
wrong = []


def made(command):
    subprocess.run(command, check=True, cwd=folder)


def run(command, at=0, goes_on=False, count=None, waits=False, limit=None):
    environment = dict(os.environ, LD_PRELOAD=os.path.join(folder, "faults.so"), FAULT_AT=str(at), TMPDIR=tmp)
    environment.update({"FAULT_ON": "1"} if goes_on else {}, **({"FAULT_WAITS": "1"} if waits else {}))
    if count:
        environment["FAULT_COUNT"] = count
    if limit:
        del environment["LD_PRELOAD"]
    set_limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120, preexec_fn=set_limit)


def places(most, requests, is_quick):
    """The first `most` one by one, or some of them, and some of those behind."""
    step = 1 if is_quick or extent != "sample" else max(1, most // 12)
    some = list(range(1, min(most, requests) + 1, step))
    at = most + 1
    while at <= requests:
        some.append(at)
        at = int(at * (1.3 if extent != "sample" else 3)) + 1
    return some


def judge(name, done, expected, at, goes_on, may_fail, before):
    how = f"{name}: request {at}{' and all later ones' if goes_on else ''}"
    left = sorted(set(os.listdir(folder)) - before) + os.listdir(tmp)
    output = [one for one in left if one == "made"]
    if done.returncode == 1 and may_fail:
        if "error: " not in done.stderr or "terminate called" in done.stderr or left:
            wrong.append(f"{how}: status 1, left {left}, {done.stderr!r}")
    elif done.returncode != 0 or done.stdout != expected or left != output:
        wrong.append(f"{how}: status {done.returncode}, left {left}, {done.stdout[-200:]!r}, {done.stderr[-400:]!r}")
    for one in output:
        os.remove(os.path.join(folder, one))


def sweep(name, command, most, may_fail=True, waits=False, is_quick=False):
    before = set(os.listdir(folder))
    count = os.path.join(tmp, "count")
    plain = run(command, count=count, waits=waits)
    requests = int(open(count).read())
    os.remove(count)
    if plain.returncode != 0:
        sys.exit(f"{name} fails without faults: {plain.stdout}{plain.stderr}")
    judge(name, plain, plain.stdout, 0, False, False, before)
    some = places(most, requests, is_quick)
    for goes_on in (False, True):
        for at in some:
            judge(name, run(command, at, goes_on, waits=waits), plain.stdout, at, goes_on, may_fail, before)
    print(f"{name}: {requests} requests, {2 * len(some)} runs")


def limits():
    """Of the address space: the compiler needs little, and says so where it gets less."""
    for megabytes in (60, 120, 200, 260, 330, 600):
        done = run([bsgpc, "check", program], limit=megabytes << 20)
        enough = megabytes >= 330
        loader = done.returncode == 127 and "error while loading shared libraries" in done.stderr
        if done.returncode != 0 and (enough or not (loader or (done.returncode == 1 and "error: " in done.stderr))):
            wrong.append(f"{megabytes} MB: status {done.returncode}, {done.stderr!r}")


os.makedirs(tmp)
made(["cc", "-shared", "-fPIC", "-O1", "-o", "faults.so", os.path.join(HERE, "faults.c"), "-ldl"])
made([bsgpc, "build", program, "--gpu", "none", "-o", "program"])
made([bsgpc, "compile", program, "--gpu", "none", "-o", "total.o"])
include = "-I" + os.path.join(root, "include")
made(["cc", "-c", include, os.path.join(HERE, "embedded.c"), "-o", "embedded.o"])
made(["c++", "embedded.o", "total.o", os.path.join(build, "lib", "libbsgp_runtime.a"), "-pthread", "-ldl", "-o", "embedded"])
made(["cc", include, os.path.join(HERE, "compiling.c"), "-L" + os.path.join(build, "lib"), "-lbsgp",
      "-Wl,-rpath," + os.path.join(os.path.abspath(build), "lib"), "-o", "compiling"])
sweep("check", [bsgpc, "check", program], 300)
sweep("run", [bsgpc, "run", "--threads", "3", program], 120)
sweep("build", [bsgpc, "build", program, "-o", "made"], 60)
sweep("a program", [os.path.join(folder, "program")], 300, is_quick=True)
sweep("an embedding program", [os.path.join(folder, "embedded")], 300, may_fail=False, waits=True, is_quick=True)
sweep("a compiling program", [os.path.join(folder, "compiling")], 60, waits=True)
limits()
print("\n".join(wrong[:20]))
sys.exit(f"{len(wrong)} are wrong" if wrong else 0)
