"""Programs of any size: for each construct the phases that are counted, the size to begin with, and the text for n."""


def repeat(line, n):
    return "".join(line.replace("%", str(i)) for i in range(n))


def spawn(body, before=""):
    return (before + "export void f(int* a, int* b, int n) {\n  spawn (n) {\n    int x = a[thread.rank];\n    int y = x + 1;\n" + body +
            "    b[thread.rank] = x + y;\n  }\n}\n")


def lines(line):
    return lambda n: spawn(repeat(line, n))


def in_par(n):
    return spawn(repeat("    int z% = x + %;\n", n) + "    par {\n" + repeat("      scan(+, z%);\n", n) + "    }\n" +
                 repeat("    y = y + z%;\n", n))


def syncs(n):
    return spawn("    shared int t[];\n" + repeat("    t[block.rank] = x;\n    block.sync();\n    x = x + t[(block.rank + %) & 31];\n    block.sync();\n", n))


def wide_syncs(n):
    return syncs(n).replace("spawn (n)", "spawn (n) width(8)")


def switch(n):
    return spawn("    switch (x) {\n" + repeat("    case %: y = y + a[% * 7]; break;\n", n) + "    }\n")


def host_cases(n):
    return "export int f(int x, int y) {\n  switch (x) {\n" + repeat("  case %: y = y * % + x; break;\n", n) + "  }\n  return y;\n}\n"


def sum_of_parts(n):
    return "export int f(int x) { return " + " + ".join(f"x * {i}" for i in range(n)) + "; }\n"


def nested_sums(n):
    return "export int f(int x) { return " + "(" * n + "x" + " + 1)" * n + "; }\n"


def nested_subscripts(n):
    return "export int f(int* a) { return " + "a[" * n + "0" + "]" * n + "; }\n"


def ladder(n):
    return spawn(repeat("    if (x == %) { y = y * 3 + %; a[% * 7] = y; }\n", n))


def struct_values(n):
    return (f"struct S {{ int v[{n}]; }};\nint last(S s, int i) {{ s.v[i] = 3; return s.v[i + 1]; }}\n"
            "export int g(S* from, S* to, int n, int i) {\n  S h;\n  h.v[0] = i;\n  S t = h;\n  spawn (n) {\n    S s = from[thread.rank];\n"
            "    s.v[0] = last(s, 1);\n    to[thread.rank] = s;\n  }\n  return last(t, i);\n}\n")


def copies(n):
    return spawn(repeat("    S s% = from[x & 7];\n", n) + repeat("    x = x + s%.v[(x + %) & 3];\n", n),
                 "struct S { int v[4]; };\n").replace("int* a,", "int* a, S* from,")


def locals_over_barriers(n):
    return spawn(repeat("    int z% = a[(thread.rank * %) & 7];\n    barrier;\n", n) + repeat("    y = y + z%;\n", n))


def host_variables(n):
    return ("export void f(int* b, int n) {\n" + repeat("  int h% = n + %;\n", n) + "  spawn (n) {\n    int y = 0;\n" + repeat("    y = y + h%;\n", n) +
            "    b[thread.rank] = y;\n  }\n}\n")


def functions(n):
    return spawn(repeat("    y = f%(y);\n", n), repeat("int f%(int x) { return x * % + 1; }\n", n))


def generic_structs(n):
    return spawn(repeat("    P(V%) p%;\n    p%.set(V%(y));\n    y = p%.sum();\n", n),
                 "struct P(T) {\n  T a;\n  T b;\n  void set(T x) { a = x; b = x; }\n  int sum() { return a.v + b.v; }\n};\n" +
                 repeat("struct V% { int v; };\n", n))


def views(n):
    return (repeat("void g%(float[,] u, const int[,,] c) { spawn (u.width, u.height) { u[thread.y, thread.x] += c[%, thread.y, thread.x]; } }\n", n) +
            "export void f(device float[,] u, device int[,,] c) {\n" + repeat("  float[,] v% = dnew[%, 4]float;\n  g%(v%, c);\n  g%(u, c);\n", n) + "}\n")


def spawns(n):
    return "export void f(int* a, int n) {\n" + repeat("  spawn (n) { int x = a[thread.rank]; barrier; a[n - 1 - thread.rank] = x + %; }\n", n) + "}\n"


def divergent_loops(n):
    return spawn(repeat("    for (int i% = 0; i% < x; i%++)\n      y = y * 3 + a[i%];\n", n))


def partitioned_loops(n):
    return divergent_loops(n).replace("spawn (n)", "spawn (n) partition")


def partitioned_nest(n):
    return spawn(repeat("    for (int i% = 0; i% < x; i%++) {\n      y = y * 3 + a[i%];\n", n) + "    }\n" * n).replace("spawn (n)", "spawn (n) partition")


def nested_host_loops(n):
    return spawn(repeat("    for (int i% = 0; i% < 3; i%++) {\n      barrier;\n      x = x * 3 + a[(thread.rank + i%) & 7];\n", n) + "    }\n" * n)


def values_over_host_loops(n):
    return spawn(repeat("    int z% = a[(thread.rank * %) & 7];\n    for (int i% = 0; i% < 3; i%++) {\n      barrier;\n      x = x + i%;\n    }\n", n) +
                 repeat("    y = y + z%;\n", n))


def values_around_a_host_loop(n):
    return spawn(repeat("    int z% = a[(thread.rank * %) & 7];\n", n) + "    for (int i = 0; i < 3; i++) {\n      barrier;\n" +
                 repeat("      z% = z% * 5 + thread.get(i, z%);\n", n) + "    }\n" + repeat("    y = y + z%;\n", n))


def values_that_rotate(n):
    return spawn(repeat("    int z% = a[(thread.rank * %) & 7];\n", n) + "    for (int i = 0; i < 3; i++) {\n      barrier;\n      int t = z0;\n" +
                 "".join(f"      z{i} = z{i + 1};\n" for i in range(n - 1)) + f"      z{n - 1} = t;\n    }}\n" + repeat("    y = y * 3 + z%;\n", n))


def host_branches(n):
    return spawn(repeat("    if (n > %) {\n      barrier;\n      y = y + a[(thread.rank + %) & 7];\n    } else {\n      x = x + y;\n      barrier;\n    }\n", n))


def host_switch(n):
    return spawn("    require int h = n;\n    switch (n) {\n" +
                 repeat("    case %:\n      barrier;\n      y = y + a[(thread.rank + %) & 7] + h;\n      require h = h + 1;\n", n) + "    }\n    y = y + h;\n")


def with_chain(n, wait):
    return spawn("    y = n;\n" + repeat("    x = x * x + %;\n    y = y * y + %;\n", n) + wait)


def hashed_lock(n):
    return with_chain(n, "    while (atomic_cas(&a[x & 7], 0, 1) != 0);\n")


def hashed_flag(n):
    return with_chain(n, "    if (x > 5)\n      a[y + 1 & 7] = 1;\n    while (atomic_load(&a[y & 7]) == 0);\n")


def tried_again(n):
    return spawn("    bool done = false;\n    while (!done) {\n      int old = atomic_load(&a[x & 7]);\n      int z = old;\n" +
                 repeat("      z = z * z + %;\n", n) + "      done = atomic_cas(&a[x & 7], old, z) == old;\n    }\n")


def watched_accesses(n):
    return spawn("    int v[8];\n    for (int i = 0; i < 8; i++)\n      v[i] = i;\n" +
                 repeat("    y = y * 3 + a[(x + y) & %];\n    v[x & 7] = y;\n    if (y > 5)\n      a[x & 7] = v[y & 7];\n", n // 2) +
                 repeat("    a[x & 7] += a[x & 7] * % + 1 & 255;\n", n)) # one long block


def watched_host_code(n):
    body = "    p[(x + y) & 63] = y;\n    y = y * 3 + p[x & 63] + a[y & 7];\n    g%(y);\n    if (y > 5)\n      a[x & 7] = r.v[y & 3];\n"
    return (repeat("void g%(int& x) { x += %; }\n", n) +
            "struct R { int v[4]; };\nexport int f(host int* p, int x) {\n  int a[8], y = x;\n  R r;\n  for (int i = 0; i < 8; i++)\n    a[i] = r.v[i & 3] = i;\n" +
            repeat(body, n) + "  return y;\n}\n")


def structure(n, type="int"):
    return (f"struct S {{ {type} " + ", ".join(f"a{i}" for i in range(n)) + "; };\n" +
            "inline S larger(S x, S y) identity(S(" + ", ".join("0" for i in range(n)) + ")) {\n  S r;\n  bool c = x.a0 < y.a0;\n" +
            repeat("  r.a% = c ? max(x.a%, y.a0) : y.a%;\n", n) + "  return r;\n}\n")


def with_structure(n, body, type="int"):
    return spawn("    S s;\n" + repeat("    s.a% = x * %;\n", n) + body, structure(n, type)).replace("int* b,", "int* b, S* to,")


def reduced_structures(n):
    return with_structure(n, "    S most = block.reduce(larger, s);\n    y = most.a0;\n")


def stored_bytes(n):
    return with_structure(n, "    to[thread.rank] = s;\n", "uchar")


# Loops of "code" begin with more than the number up to which kernels get passes that compare all loops with each other,
# but for those that are named few: of them there are fewer all the time.
PROGRAMS = {
    "scans": ("check", 16, lines("    scan(+, x);\n")),
    "scans_in_par": ("check", 16, in_par),
    "reduces": ("check", 4, lines("    y = y + reduce(+, x);\n")),
    "sorts": ("check", 4, lines("    { int k% = x * %; thread.sortby(k%); }\n")),
    "forks": ("check", 4, lines("    thread.fork(x & 1);\n")),
    "barriers": ("check", 16, lines("    barrier;\n    x = x * 3 + a[(thread.rank + %) & 7];\n")),
    "gets": ("check", 16, lines("    barrier;\n    y = y + thread.get(thread.rank + %, x);\n")),
    "puts": ("check", 16, lines("    thread.put(thread.rank + %, y, x);\n    barrier;\n")),
    "host_loops": ("check", 8, lines("    for (int i% = 0; i% < 3; i%++) {\n      barrier;\n      x = x * 3 + a[(thread.rank + i%) & 7];\n    }\n")),
    "nested_host_loops": ("check", 4, nested_host_loops),
    "host_branches": ("check", 8, host_branches),
    "host_switch": ("check", 8, host_switch),
    "values_over_host_loops": ("check", 8, values_over_host_loops),
    "values_around_a_host_loop": ("check", 8, values_around_a_host_loop),
    "values_that_rotate": ("check", 8, values_that_rotate),
    "locals_over_barriers": ("check", 8, locals_over_barriers),
    "requires": ("check", 16, lines("    require int r% = n + %;\n    y = y + r%;\n    barrier;\n")),
    "host_variables": ("check", 32, host_variables),
    "functions": ("check", 32, functions),
    "generic_structs": ("check", 8, generic_structs),
    "spawns": ("check", 16, spawns),
    "views": ("check", 8, views),
    "few_block_syncs": ("code", 5, syncs),
    "few_block_syncs_wide": ("code", 5, wide_syncs),
    "block_syncs": ("code", 55, syncs),
    "block_scans": ("code", 16, lines("    x = block.scan(rop_add, x);\n")),
    "divergent_loops": ("code", 110, divergent_loops),
    "partitioned_loops": ("check", 16, partitioned_loops),
    "partitioned_nest": ("check", 4, partitioned_nest),
    "hashed_lock": ("check", 16, hashed_lock),
    "hashed_flag": ("check", 16, hashed_flag),
    "tried_again": ("check", 16, tried_again),
    "switch": ("code", 100, switch),
    "many_cases": ("object", 260, switch),
    "many_cases_of_the_host": ("avx512", 100, host_cases),
    "sum_of_parts": ("check", 250, sum_of_parts),
    "nested_sums": ("check", 100, nested_sums),
    "nested_subscripts": ("check", 100, nested_subscripts),
    "ladder": ("code", 60, ladder),
    "struct_values": ("code", 250, struct_values),
    "copies": ("code", 50, copies),
    "gathers": ("code", 350, lines("    y = y * 3 + a[(x + y) & %];\n")),
    "wide_gathers": ("wide", 350, lines("    y = y * 3 + a[(x + y) & %];\n")),
    "reduced_structures": ("object", 1, reduced_structures),
    "stored_bytes": ("object", 48, stored_bytes),
    "watched_accesses": ("watched", 150, watched_accesses),
    "watched_host_code": ("watched", 100, watched_host_code),
    "ptx_divergent_loops": ("ptx", 12, divergent_loops),
    "ptx_switch": ("ptx", 25, switch),
}
