"""A test program of test/run or test/examples: what it runs with, and what it must print, as its comments say."""
import os
import re


def directives(path, word):
    pattern = re.compile(r"^\s*//\s*" + word + r":\s?(.*)$", re.M)
    return pattern.findall(open(path).read())


class Program:
    def __init__(self, path):
        self.source = " ".join(directives(path, "PROGRAM")) or path
        self.arguments = " ".join(directives(path, "ARGS")).split()
        self.output = directives(path, "OUTPUT")
        self.contains = directives(path, "CONTAINS")


def complaint(status, printed, output, contains):
    """What is wrong with a run; empty: nothing."""
    if status != 0:
        return f"exit status {status}"
    if output and printed.splitlines() != output:
        return "expected:\n" + "\n".join(output)
    missing = [part for part in contains if part not in printed]
    return "missing:\n" + "\n".join(missing) if missing else ""


def all_programs(root):
    """Paths of all test programs, from the root of the repository."""
    for folder, ending in (("test/run", ".bsgp"), ("test/examples", ".test")):
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if name.endswith(ending):
                yield os.path.join(folder, name)
