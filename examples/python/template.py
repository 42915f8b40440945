"""One text for several types and sizes: T and BLOCK are given by keywords, and the lines of a loop are written by Python. The fastest
size is measured."""
import bsgp as bp
import numpy


def add_of(type_name, block):
    lines = "\n".join(f"    target[at + {i} * step] = a[at + {i} * step] + b[at + {i} * step];" for i in range(block))
    return bp.compile(f"""
export add(T* target, const T* a, const T* b, int n) {{
  spawn (n / BLOCK) {{
    int at = thread.rank, step = n / BLOCK;
{lines}
  }}
}}
""", T=type_name, BLOCK=block).add


for type_name in ("float", "double", bp.int32):
    add = add_of(type_name, 4)
    dtype = numpy.dtype({"float": "f4", "double": "f8"}.get(type_name, "i4"))
    a, b = numpy.arange(1 << 16, dtype=dtype), numpy.ones(1 << 16, dtype)
    target = numpy.empty_like(a)
    add(target, a, b, a.size)
    print(dtype, (target == a + b).all())

a, b, target = numpy.ones((3, 1 << 20), numpy.float32)
best, table = bp.tune({block: lambda add=add_of("float", block): add(target, a, b, a.size) for block in (1, 2, 4, 8)})
print(best in (1, 2, 4, 8), len(table.rows))
