#!/usr/bin/env python3
"""closed_pipe.py COMMAND...: runs it with a standard output that nobody reads and SIGPIPE ignored; prints what it said and its
exit status."""
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE, text=True, restore_signals=False, timeout=120)
print(done.stderr + f"exit status {done.returncode}")
