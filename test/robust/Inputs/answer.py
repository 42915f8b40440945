#!/usr/bin/env python3
"""answer.py BSGPC COMMAND NAME...: each program of hard_inputs.py must end in an answer: exit status 0 or 1, in 20 seconds of
processor time, in 2 GB of memory, with a message where it fails. Prints what came out, long lines cut."""
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hard_inputs

MAX_SECONDS = 20
MAX_MEMORY = 2_000_000  # kB


def answer(bsgpc, command, name, folder):
    path = os.path.join(folder, name + ".bsgp")
    text = hard_inputs.PROGRAMS[name]()
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    with open(path + ".err", "wb") as err:
        process = subprocess.Popen([bsgpc, command, path], stdin=subprocess.DEVNULL, stdout=err, stderr=err,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS)))
        _, status, usage = os.wait4(process.pid, 0)
    said = open(path + ".err", "rb").read().decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    wrong = []
    if os.WIFSIGNALED(status):
        wrong.append(f"killed by signal {os.WTERMSIG(status)}")
    elif os.WEXITSTATUS(status) not in (0, 1):
        wrong.append(f"exit status {os.WEXITSTATUS(status)}")
    elif os.WEXITSTATUS(status) == 1 and "error" not in said:
        wrong.append("no message")
    if seconds > MAX_SECONDS:
        wrong.append("too slow")
    if usage.ru_maxrss > MAX_MEMORY:
        wrong.append("too much memory")
    if len(said) > 1_000_000:
        wrong.append(f"{len(said)} bytes of messages")
    print(f"{name}: status {os.WEXITSTATUS(status) if os.WIFEXITED(status) else status}")
    for line in said.splitlines()[:6]:
        print("  " + line[:160].replace(folder + "/", ""))
    detail = f"{name}: {seconds:.1f} s, {usage.ru_maxrss // 1000} MB"
    print(("WRONG: " + ", ".join(wrong) + "; " if wrong else "  ") + detail, flush=True)
    return not wrong


def main():
    bsgpc, command, *names = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        good = [answer(bsgpc, command, name, folder) for name in names or hard_inputs.PROGRAMS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
