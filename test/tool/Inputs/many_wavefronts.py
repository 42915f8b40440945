"""Prints a program of many spawns with wavefronts, large enough to be compiled in parts."""
SPAWN = """  spawn (n) {
    uint k = thread.rank * 2654435761u;
    int c = 0;
    wavefront while ((k >> 5 & 31) != 0) { k = k * 1664525u + 1013904223u; c++; }
    o[thread.rank] = c;
    barrier;
    int x = o[n - 1 - thread.rank];
    wavefront while (x > 3) x = x * 7 / 8;
    barrier;
    best = reduce(max, x);
    o[thread.rank] = x;
  }
"""
print("int main() {\n  const int n = 10000;\n  int* o = dnew[n]int;\n  int best = 0;\n" + 12 * SPAWN + '  printf("%d\\n", best);\n  return 0;\n}')
