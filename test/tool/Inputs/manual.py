#!/usr/bin/env python3
"""Compares bsgpc's manual with its help texts: manual.py BSGPC MANUAL"""
import re
import subprocess
import sys

bsgpc, manual = sys.argv[1:]
COMMANDS = ["run", "build", "compile", "emit", "check"]


def help_of(*command):
    return subprocess.run([bsgpc, *command, "--help"], capture_output=True, text=True, check=True).stdout


def options_of(text):
    """The names at the beginnings of lines like '  -I,--include FOLDER ...   text'."""
    names = re.findall(r"^  (-[-\w,]+)", text, re.M)
    return {name for group in names for name in group.split(",")}


def forms_of(text):
    rows = re.search(r"Forms, .*?:\n(.*?)\n\n", text, re.S)[1]
    return {name for row in re.findall(r"^  (\w+(?:, \w+)*)  ", rows, re.M) for name in row.split(", ")}


def plain(roff):
    return re.sub(r"\\f[BIR]", "", roff).replace("\\-", "-")


text = plain(open(manual).read())
helps = {command: help_of(command) for command in COMMANDS}
there = set().union(*map(options_of, helps.values()), options_of(help_of()))
there = (there - {"-O"}) | {"-O0", "-O1", "-O2", "-O3"}
body = text.split(".SH OPTIONS")[1].split(".SH")[0] + text.split(".SH DESCRIPTION")[0]
told = set(re.findall(r"(?<![-\w])--?[a-zA-Z][-\w]*", body))
forms = forms_of(helps["emit"])
wrong = [f"the manual lacks {name}" for name in sorted(there - told)]
wrong += [f"the manual has {name}, and bsgpc has not" for name in sorted(told - there)]
wrong += [f"the manual lacks the form {name}" for name in sorted(forms) if not re.search(rf"[ .\"]{name}\b", body)]
wrong += [f"the manual lacks the command {name}" for name in COMMANDS if f".B {name}\n" not in text]
print("\n".join(wrong) if wrong else
      f"the manual is complete: {len(there)} options, {len(COMMANDS)} commands, {len(forms)} forms")
sys.exit(1 if wrong else 0)
