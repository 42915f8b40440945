"""The programs of examples/python say that what they computed is right."""
import os
import subprocess
import sys

folder = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")
wrong = []
for name in sorted(os.listdir(folder)):
    if not name.endswith(".py"):
        continue
    done = subprocess.run([sys.executable, os.path.join(folder, name)], capture_output=True, text=True)
    if done.returncode or done.stderr or "True" not in done.stdout or "False" in done.stdout:
        wrong.append(f"{name}: {done.returncode}\n{done.stdout}{done.stderr}")
sys.exit("\n".join(wrong) or None)
