"""Runs the programs of docs/arrays.md and compares what they print with the page. Usage: run_page.py ROOT BUILD FOLDER"""
import os
import re
import subprocess
import sys

root, build, folder = sys.argv[1:]
page = open(os.path.join(root, "docs", "arrays.md")).read()
programs = re.findall(r"```cpp\n(.*?)```", page, re.S)
c_program = re.search(r"```c\n(.*?)```", page, re.S)[1]


def with_words(words):
    """The program of the page in which they stand."""
    return next(text for text in programs if words in text)


program, complex_numbers, function, mistake = (with_words(words) for words in ("int main", "complex_literals", "Parameter ", "a + b; //"))


def run(name, text, compiler, *options):
    source, target = os.path.join(folder, name), os.path.join(folder, name + ".out")
    open(source, "w").write(text)
    subprocess.run([*compiler, source, *options, "-I", f"{root}/include", "-L", f"{build}/lib", "-lbsgp", f"-Wl,-rpath,{build}/lib", "-o", target],
                   check=True)
    return subprocess.run([target], capture_output=True, text=True, check=True).stdout


def expect(got, want):
    if got != want:
        sys.exit(f"got\n{got}\nin place of\n{want}")


def shown(behind):
    """The indented lines behind a text of the page."""
    return "".join(line[4:] + "\n" for line in re.match(r"(?:    .*\n)+", page[page.index(behind) + len(behind):])[0].splitlines())


cpp = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror"]
expect(run("edges.cpp", program, cpp), shown("    $ ./edges\n"))
head = "#include <cstdio>\n#include <bsgp/arrays.hpp>\nusing namespace bsgp::arrays;\nint main() {"
body = mistake.replace("a + b; // throws bsgp::Exception", "try { a + b; } catch (const bsgp::Exception& e) { std::puts(e.what()); }")
expect(run("mistake.cpp", head + body + "}\n", cpp), shown("throws bsgp::Exception\n```\n\n"))
expect(run("complex.cpp", head + complex_numbers + "}\n", cpp), shown("item<int64_t>());\n```\n\n"))
points = "std::vector<float> measured = {0, 0, 1, 3, 4, 1}; int64_t count = 2;"
passes = "(long long)distances.explain(from(measured, {count, 3}), from({0.0f, 0.0f, 1.0f})).kernels"
printed = f'std::printf("%g %g %lld\\n", near.to<float>()[0], near.to<float>()[1], {passes});'
expect(run("function.cpp", head + points + function + printed + "}\n", cpp), "0 5 2\n")
got = [run("target.cpp", head + with_words("With with(").replace("cuda", target) + "}\n", cpp) for target in ("cpu", "reference")]
expect(got[0], shown("item<double>());\n```\n\n"))
expect(got[1], got[0])
expect(run("matrices.cpp", head + with_words("using namespace linalg") + "}\n", cpp), shown("main[1] / main[0]);\n```\n\n"))
expect(run("fourier.cpp", head + with_words("fft::rfft(") + "}\n", cpp), shown("frequency);\n```\n\n"))
words = "Array words = from(std::vector<int>{3, 5, 3, -1});"
printed = 'std::printf("%lld %lld\\n", (long long)counts.to<int64_t>()[3], (long long)counts.to<int64_t>()[999]);'
expect(run("scatter.cpp", head + words + with_words("scatter(") + printed + "}\n", cpp), "2 1\n")
colors = "Array red = full({2, 2}, 1, float32), green = red + 1, blue = red + 2;"
printed = 'std::printf("%g\\n", gray.to<float>()[3]);'
expect(run("vectors.cpp", head + colors + with_words("vector3(") + printed + "}\n", cpp), "1.8\n")
text = "#include <stdio.h>\n#include <stdlib.h>\n#include <bsgp/bsgp.h>\nint main(void) { float* values = calloc(1000000, 4);" + c_program
expect(run("c.c", text + 'printf("%g\\n", result); return 0; }\n', ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror"]), "1e+06\n")
