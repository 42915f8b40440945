"""bsgpc without its start: a compile_server for each thread that asks, which runs the command line in a fork of itself."""
import dataclasses
import os
import subprocess
import threading


@dataclasses.dataclass
class Answer:
    """status: of the process, or minus the signal that ended it."""
    status: int
    seconds: float  # of processor time
    kilobytes: int  # at most
    out: bytes
    err: bytes

    def ended(self):
        return self.status in (0, 1)


class Server:
    def __init__(self, path, environment):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def ask(self, arguments, cpu_seconds, seconds, megabytes):
        fields = [str(cpu_seconds), str(seconds), str(megabytes), *arguments]
        self.process.stdin.write("\t".join(fields).encode() + b"\n")
        self.process.stdin.flush()
        status, milliseconds, kilobytes, out, err = (int(field) for field in self.process.stdout.readline().split())
        return Answer(status, milliseconds / 1000, kilobytes, self.process.stdout.read(out), self.process.stdout.read(err))


class Compilers:
    """May be called from several threads. What is wrong with the environment is an exception."""

    def __init__(self, bsgpc):
        self.path = os.path.join(os.path.dirname(os.path.abspath(bsgpc)), "compile_server")
        self.mine = threading.local()
        self.environment = dict(os.environ, BSGP_POISON="1", BSGP_CACHE="0", BSGP_VERIFY="1")

    def __call__(self, *arguments, cpu_seconds=0, seconds=0, megabytes=0):
        if not hasattr(self.mine, "server"):
            self.mine.server = Server(self.path, self.environment)
        return self.mine.server.ask(arguments, cpu_seconds, seconds, megabytes)
