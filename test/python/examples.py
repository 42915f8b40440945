"""The programs of examples/python say that what they computed is right, and make the pictures of the folder."""
import filecmp
import os
import subprocess
import sys

folder = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")
wrong = []
for name in sorted(os.listdir(folder)):
    if not name.endswith(".py"):
        continue
    picture = name.replace(".py", ".png")
    has_picture = os.path.exists(os.path.join(folder, picture))
    made = os.path.join(sys.argv[1], picture)
    words = [made] if has_picture else []
    done = subprocess.run([sys.executable, os.path.join(folder, name), *words], capture_output=True, text=True)
    if has_picture and not filecmp.cmp(made, os.path.join(folder, picture), shallow=False):
        wrong.append(f"{name} makes another picture: {made}")
    if done.returncode or done.stderr or "True" not in done.stdout or "False" in done.stdout:
        wrong.append(f"{name}: {done.returncode}\n{done.stdout}{done.stderr}")
sys.exit("\n".join(wrong) or None)
