#!/usr/bin/env python3
"""mutate.py BSGPC COUNT SEED FILE...: COUNT programs made from the given ones by deleting, duplicating and swapping tokens, or
of tokens at random; `bsgpc check` must end with 0 or 1 on each, in ten seconds of processor time. Prints the programs
(seeds) that did not; --keep FOLDER saves them."""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#include[^\n]*|[A-Za-z_]\w*|[0-9][\w.]*'
                   r"|<<=|>>=|\+\+|--|->|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\S|\s+", re.S)
EXTRA = ("spawn barrier require par thread . rank size oldrank get put ( ) [ ] { } ; , int float3 long* if else for while "
         "do switch case break continue return = += + - * / % & && || ! ~ ? : 1 0 2.5f \"text\" 'c' n x y p struct S inline "
         "export extern const host device dnew dtempnew dfree new delete copy printf assert sizeof typeof auto typedef enum "
         "RANK_REASSIGNED block shared operator dlist < > void bool true NULL id limit count sync unroll atomic_add").split()


def mutate(tokens, pick):
    tokens = list(tokens)
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(pick.choice((1, 1, 1, 2, 3, 8))):
        if not places:
            break
        i = min(pick.choice(places), len(tokens) - 1)
        k = min(pick.choice(places), len(tokens) - 1)
        what = pick.randrange(6)
        if what == 0:
            tokens[i] = ""
        elif what == 1:
            tokens[i] += " " + tokens[i]
        elif what == 2:
            tokens[i], tokens[k] = tokens[k], tokens[i]
        elif what == 3:
            tokens[i] = " " + pick.choice(EXTRA) + " "
        elif what == 4:
            tokens[i] = " " + tokens[k] + " "
        else:
            i, k = sorted((i, min(k, i + 30)))
            tokens[i:i] = tokens[i:k]
    return "".join(tokens)


def soup(pick):
    return " ".join(pick.choice(EXTRA) for _ in range(pick.randrange(5, 200)))


def program(sources, seed):
    pick = random.Random(seed)
    if not sources or pick.randrange(8) == 0:
        return soup(pick), "."
    path, tokens = pick.choice(sources)
    return mutate(tokens, pick), os.path.dirname(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bsgpc")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--keep")
    options = parser.parse_args()
    sources = [(path, TOKEN.findall(open(path, errors="replace").read())) for path in sorted(options.files)]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            text, includes = program(sources, seed)
            path = os.path.join(folder, f"seed{seed}.bsgp")
            open(path, "w").write(text)
            done = subprocess.run([options.bsgpc, "check", path, "-I", includes or "."], capture_output=True,
                                  stdin=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (10, 10)))
            if done.returncode not in (0, 1) or (done.returncode == 1 and b"error" not in done.stderr):
                bad += 1
                print(f"seed {seed}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[-600:]}", flush=True)
                if options.keep:
                    open(os.path.join(options.keep, f"seed{seed}.bsgp"), "w").write(text)
            os.remove(path)
    print(f"{options.count} programs, {bad} without an answer")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
