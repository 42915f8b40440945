"""Prints a program that compares switches of many cases, which are cut, with arithmetic. Two cases each share a target."""
CASES = 700
NUMBERS = {"int": lambda i: i * 3 - 1000, "uint": lambda i: f"{i * 3 + (1 << 31) - 1000}u", "long": lambda i: f"{i * 3 - 1000}l"}


def switch(type, name, result):
    cases = "".join(f"  case {NUMBERS[type](i)}: case {NUMBERS[type](i + 1)}: y = {result(i // 2)}; break;\n" for i in range(0, CASES, 2))
    return f"int {name}({type} x) {{\n  int y = -1;\n  switch (x) {{\n{cases}  }}\n  return y;\n}}\n"


print(switch("int", "constants", lambda k: k * 14 + 1) + switch("uint", "of_unsigned", lambda k: k * 14 + 1) +
      switch("long", "sums", lambda k: f"int(x) * {k + 2} + 5"))
print(f"""int expected(int i) {{ return i < 0 || i % 3 != 0 || i >= {CASES * 3} ? -1 : i / 6 * 14 + 1; }}
int sum(int x) {{ return expected(x + 1000) < 0 ? -1 : x * ((x + 1000) / 6 + 2) + 5; }}
bool right(int i) {{
  return constants(i - 1000) == expected(i) && of_unsigned(uint(i) + {(1 << 31) - 1000}u) == expected(i) && sums(i - 1000) == sum(i - 1000);
}}
int main() {{
  int* wrong = dnew[1]int;
  poke(wrong, 0, 0);
  for (int i = -50; i < {CASES * 3 + 50}; i++)
    assert(right(i));
  spawn ({CASES * 3 + 100}) {{
    if (!right(int(thread.rank) - 50))
      atomic_add(&wrong[0], 1);
  }}
  assert(peek(wrong, 0) == 0);
  dfree(wrong);
  printf("all cases are right\\n");
  return 0;
}}""")
