"""Times a peer on a state that main.cpp has written: peer.py NAME STATE STEPS ROUNDS. A line of JSON."""
import importlib
import json
import os
import sys
import time

import numpy as np

name, state, steps, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
water = json.load(open(state + ".json"))
n, threads = water["particles"], len(os.sched_getaffinity(0))
at, velocity, after = np.fromfile(state + ".bin", np.float32).reshape(3, n, 3)
peer = importlib.import_module("peer_" + name).Peer(water, threads)
clock = time.process_time if threads == 1 else time.perf_counter


def cells(places):
    c = places.astype(np.int32) + 1
    return (c[:, 1] * (water["cells"][2] + 2) + c[:, 2]) * (water["cells"][0] + 2) + c[:, 0]


peer.put(at, velocity)
peer.run(1)
places, ids = peer.get()
found = np.empty_like(places)
found[ids] = places
off = float(np.abs(found[np.argsort(cells(at), kind="stable")] - after).max())
times = []
for _ in range(rounds):
    peer.put(at, velocity)
    begin = clock()
    peer.run(steps)
    times.append((clock() - begin) * 1e3)
print(json.dumps({"ms": times, "off": off}))
