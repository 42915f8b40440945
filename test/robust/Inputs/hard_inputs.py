#!/usr/bin/env python3
"""Programs that are hard to read: hard_inputs.py NAME prints one, hard_inputs.py alone lists the names."""
import random
import sys

DEEP = 100_000
BULK = 10 << 20  # bytes


def bulk(unit):
    """`unit` formatted with 0, 1, ... until 10 MB are full."""
    parts, size = [], 0
    while size < BULK:
        parts.append(unit.format(len(parts)))
        size += len(parts[-1])
    return "".join(parts)


def deep_parentheses():
    return f"int f(int a) {{ return {'(' * DEEP}a{')' * DEEP}; }}\n"


def deep_unary():
    return f"int f(int a) {{ return {'- ' * DEEP}a; }}\n"


def deep_blocks():
    return f"void f() {{ {'{' * DEEP}{'}' * DEEP} }}\n"


def deep_ifs():
    return f"void f(int a) {{ {'if (a) ' * DEEP} a = 1; }}\n"


def deep_else_ifs():
    return f"void f(int a) {{ {'if (a) a = 1; else ' * DEEP} a = 2; }}\n"


def deep_loops():
    return f"void f(int a) {{ {'while (a) ' * DEEP} a = 1; }}\n"


def deep_spawns():
    return f"void f(int n) {{ {'spawn (n) ' * DEEP} n = 1; }}\n"


def deep_initializers():
    return f"void f() {{ int x = {'{' * DEEP}1{'}' * DEEP}; }}\n"


def deep_indexing():
    return f"void f(int* p) {{ p{'[p' * DEEP}[0]{']' * DEEP} = 1; }}\n"


def deep_calls():
    return f"int g(int x) {{ return x; }}\nint f(int a) {{ return {'g(' * DEEP}a{')' * DEEP}; }}\n"


def deep_pointers():
    return f"void f(int {'*' * DEEP} p) {{ }}\n"


def deep_dimensions():
    return f"void f() {{ int p{'[1]' * DEEP}; }}\n"


def deep_conditionals():
    return f"int f(int a) {{ return {'a ? a : ' * DEEP} a; }}\n"


def deep_assignments():
    return f"void f(int a) {{ {'a = ' * DEEP} a; }}\n"


def deep_members():
    return f"struct S {{ int x; }};\nvoid f(S s) {{ s{'.x' * DEEP} = 1; }}\n"


def long_sum():
    return f"int f(int a) {{ return {'a+' * 1_000_000}a; }}\n"


def long_logical():
    return f"bool f(bool a) {{ return {'a && ' * DEEP}a; }}\n"


def long_comma():
    return f"void f(int a) {{ {'a, ' * DEEP}a; }}\n"


def long_sum_on_device():
    return f"void f(int* p, int n) {{ spawn (n) {{ a = thread.rank; p[a] = {'a+' * 20_000}a; }} }}\n"


def many_statements():
    return "void f(int a) {\n" + bulk("  a = a * 3 + {};\n") + "}\n"


def many_locals():
    return "void f(int a) {\n" + bulk("  local{0} = a + {0};\n") + "}\n"


def many_functions():
    return bulk("int f{0}(int a) {{ return a + {0}; }}\n")


def many_errors():
    return "void f() {\n" + bulk("  g{}(;\n") + "}\n"


def many_unknown_names():
    return "void f(int a) {\n" + bulk("  a = unknown{};\n") + "}\n"


def many_overloads():
    return "".join(f"struct S{i} {{ int x; }};\nint f(S{i} s) {{ return s.x; }}\n" for i in range(3000)) + \
           "void g(S7 s) {\n" + "  f(s);\n" * 3000 + "}\n"


def large_comment():
    return "/*" + "word " * (BULK // 5) + "*/\nvoid f() {}\n"


def large_string():
    return 'void f() { printf("%s", "' + "word " * (BULK // 5) + '"); }\n'


def large_table():
    return "const int t[] = {" + "1," * 1_000_000 + "};\n"


def long_line():
    return "void f(int a) { " + "a = a + 1; " * (1_000_000 // 11) + " unknown(); }\n"


def long_name():
    return "void f() { " + "n" * 1_000_000 + " = other" + "n" * 1_000_000 + "; }\n"


def long_number():
    return "long f() { return " + "1" * 1_000_000 + "; }\n"


def garbage():
    return bytes(random.Random(1).randbytes(BULK))


def garbage_text():
    return "".join(chr(random.Random(2).randrange(32, 127)) for _ in range(1)) + \
           "".join(random.Random(3).choices("".join(map(chr, range(32, 127))) + "\n\t", k=BULK))


def empty():
    return ""


def only_comments():
    return "// nothing\n/* here */\n// at all"


def nul_bytes():
    return "void f() {\0 int a\0 = 1;\n \0\0\0 }\n\0"


def crlf():
    return "// windows\r\nvoid f(int a) {\r\n  a = 1; // one\r\n  /* two\r\n  */ a = 2;\r\n}\r\n"


def crlf_error():
    return "void f(int a) {\r\n  a = b;\r\n}\r\n"


def carriage_returns():
    return "// old\rvoid f(int a) {\r  a = b;\r}\r"


def byte_order_mark():
    return "\ufeffvoid f(int a) { a = 1; }\n"


def utf16():
    return "void f(int a) { a = 1; }\n".encode("utf-16")


def unclosed_everything():
    return 'void f(int a { int b[3 = { if (a { while (b[ spawn (n { "text\n\'c\n/* comment'


def unclosed_braces():
    return "void f() {\n" * DEEP


def closing_braces():
    return "}" * DEEP


def closing_parentheses():
    return "void f() { " + ")" * DEEP + " }\n"


def no_newline_at_end():
    return "void f() {} // the end"


def longest_arrays():
    return ("struct S { int v[1 << 27]; float w[1 << 27]; };\nint g(S s, int i) { return s.v[i]; }\n"
            "int main() {\n  int host[1 << 28];\n  host[1] = 2;\n  S s;\n  s.v[host[1]] = 3;\n  int* a = dnew[1]int;\n"
            "  spawn (1) {\n    int x[1 << 28];\n    char y[1 << 28];\n    S z;\n    x[thread.rank] = 3;\n    y[x[0]] = 1;\n    z.w[y[3]] = 1;\n"
            "    barrier;\n    a[0] = x[0] + g(z, 1);\n  }\n  return g(s, 2);\n}\n")


PROGRAMS = {name: make for name, make in list(globals().items()) if callable(make) and name not in ("bulk",)}


def main():
    if len(sys.argv) < 2:
        print("\n".join(PROGRAMS))
        return
    text = PROGRAMS[sys.argv[1]]()
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())


if __name__ == "__main__":
    main()
