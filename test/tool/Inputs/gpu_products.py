"""Makes a folder as ./dev gpu-products does, of shell scripts: gpu_products.py FOLDER PROBE."""
import json
import os
import sys
import tarfile

folder, probe = sys.argv[1:]
SCRIPTS = {
    "good": ("echo $1 $BSGP_TARGET", ["one"], ["one cuda"], []),
    "wrong": ("echo two", [], ["one"], []),
    "part": ("echo a line; echo checked: all of it", [], [], ["checked:"]),
    "fails": ("echo broken at line 3 >&2; exit 3", [], [], []),
    "poisoned": ('test -z "$BSGP_POISON"', [], [], []),
    "slow": ("exec sleep 30", [], [], []),
}


def script(name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as to:
        to.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)


script("probe", probe)
programs = []
for name, (text, arguments, output, contains) in SCRIPTS.items():
    script(f"programs/{name}", text)
    programs.append({"name": name, "file": f"programs/{name}", "arguments": arguments, "output": output, "contains": contains, "error": ""})
programs.append({"name": "absent", "file": "absent", "arguments": [], "output": [], "contains": [], "error": "absent.bsgp:1:1: error"})
with tarfile.open(os.path.join(folder, "programs.tar.xz"), "w:xz") as archive:
    archive.add(os.path.join(folder, "programs"), "programs")
with open(os.path.join(folder, "manifest.json"), "w") as to:
    json.dump({"commit": "abc", "gpu": "sm_80", "programs": programs}, to)

# One problem at two sizes: ours takes twice as long as its peer by the host's clock, and three times by events.
ROWS = [{"target": "cuda", "device": {"name": "Some GPU", "multiprocessors": 10, "l2_bytes": 1 << 20, "most_khz": 1000000,
                                      "most_memory_khz": 2000000, "driver_cuda": 13000}}]
for n in (65536, 1 << 20):
    for peer, host, device in (("cudaMemcpy", 0.5, 0.4), ("BSGP", 4.0, 3.0), ("CUB", 2.0, 1.0)):
        ROWS.append({"problem": "scan", "n": n, "bytes": 8 * n, "peer": peer, "ours": peer == "BSGP", "limit": peer == "cudaMemcpy",
                     "wrong": "off at 7" if peer == "CUB" and n == 65536 else "", "host_ms": [host] * 3, "device_ms": [device] * 3})
script("bench/gpu_bench", "\n".join(f"echo '{json.dumps(row)}'" for row in ROWS) + "\nexit 1")
