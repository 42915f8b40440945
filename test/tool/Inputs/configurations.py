"""What the configurations of the programs are together: configurations.py ROOT."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test"))
from configurations import ALWAYS, CHECKS, OTHERS, configurations, others_of

names = [name for name in os.listdir(os.path.join(sys.argv[1], "test", "run")) if name.endswith(".bsgp")]


def key(configuration):
    return configuration[0], *configuration[1]


def expected(name):
    return sorted(key(one) for one in ALWAYS + others_of(name))


def parts_are_all(name):
    sample, rest, whole = (sorted(map(key, configurations(name, extent))) for extent in ("sample", "rest", "all"))
    return len(sample) == len(ALWAYS) + 1 and sorted(sample + rest) == whole == expected(name)


sampled = {key(configuration) for name in names for configuration in configurations(name)}
print("sample and rest are all, of every program:", all(map(parts_are_all, names)))
print("every configuration is in some sample:", sampled == set(map(key, ALWAYS + OTHERS + CHECKS)))
print("the sample of sortby.bsgp:", "; ".join(name for name, _ in configurations("sortby.bsgp")))
