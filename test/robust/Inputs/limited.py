"""limited.py SECONDS MEGABYTES COMMAND...: runs it; complains when it took more processor time or memory."""
import os
import sys

seconds, megabytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(pid, 0)
if usage.ru_utime + usage.ru_stime > seconds:
    sys.exit(f"limited.py: {usage.ru_utime + usage.ru_stime:.1f} s")
if usage.ru_maxrss > megabytes * 1000:
    sys.exit(f"limited.py: {usage.ru_maxrss // 1000} MB")
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"limited.py: signal {os.WTERMSIG(status)}")
