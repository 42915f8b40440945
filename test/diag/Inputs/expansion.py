"""expansion.py WHAT DEPTH: collectives or plain functions that call the next one twice, collectives that call it ten times;
with "library_" in front, the last one calls the library."""
import sys

what, depth = sys.argv[1], int(sys.argv[2])
library, what = what.startswith("library_"), what.removeprefix("library_")
if what == "functions":
    print(f"int f0(int x) {{ return {'(int)tan((double)x)' if library else 'x * x'} + 1; }}")
    for i in range(1, depth):
        print(f"int f{i}(int x) {{ return f{i - 1}(x + 1) * f{i - 1}(x * 3 + {i}); }}")
    call = f"f{depth - 1}"
else:
    times = 2 if what == "collectives" else 10
    print(f"inline int c0(int x) {{\n  y = x + 1;\n  {'scan(+, y)' if library else 'barrier'};\n  return y;\n}}")
    for i in range(1, depth):
        print(f"inline int c{i}(int x) {{")
        for _ in range(times):
            print(f"  x = c{i - 1}(x);")
        print("  return x;\n}")
    call = f"c{depth - 1}"
print(f"void main() {{\n  int* p = dnew[10]int;\n  spawn (10) {{\n    x = {call}(thread.rank);\n    p[thread.rank] = x;")
if what == "supersteps":
    print("    x = c3(x);\n" * 10)
print("  }\n}")
