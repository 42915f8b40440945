"""Is each variable that anything here reads in src/runtime/environment.def, and each of the program's in docs/cli.md?"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "src/runtime/environment.def").read_text()
known = set(re.findall(r"^\w*VARIABLE\((\w+)\)", table, re.M))
for_users = set(re.findall(r"^VARIABLE\((\w+)\)", table, re.M))
read = set()
for folder in ("src", "tools", "test", "bench"):
    for path in (root / folder).rglob("*"):
        if path.suffix in (".cpp", ".h", ".py", ".cfg"):
            text = path.read_text(errors="ignore")
            read |= set(re.findall(r"(?:getenv|environment|numberFrom|number|get|setenv)\(\"(BSGP_\w+)\"", text))
            read |= set(re.findall(r"environ(?:ment)?\[\"(BSGP_\w+)\"\]", text))
read |= set(re.findall(r"\$\{?(BSGP_\w+)", (root / "dev").read_text()))
documented = set(re.findall(r"`(BSGP_\w+)`", (root / "docs/cli.md").read_text().split("## Environment")[1]))
wrong = [f"{name} is read, and not in environment.def" for name in sorted(read - known)]
wrong += [f"{name} is in environment.def, and not in docs/cli.md" for name in sorted(for_users - documented)]
wrong += [f"{name} is in docs/cli.md, and not in environment.def" for name in sorted(documented - for_users)]
assert len(read) > 15, read
sys.exit("\n".join(wrong) or 0)
