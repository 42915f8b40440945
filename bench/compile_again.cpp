// compile_again COUNT THREADS: compiles a small kernel again and again in one process, each time with another number in it.
// Prints CPU and wall milliseconds of one, for bench/run.py.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <bsgp/bsgp.h>

namespace {

void check(bsgp_status status) {
  if (status == BSGP_OK)
    return;
  std::fprintf(stderr, "%s\n", bsgp_error_message());
  std::exit(1);
}

void compileOnce(int number) {
  std::string text = "export axpy(device float* y, device float* x, float a, int n) {\n"
                     "  spawn (n) {\n"
                     "    i = thread.rank;\n"
                     "    y[i] = a * x[i] + y[i] + " +
                     std::to_string(number) + ".0f;\n  }\n}\n";
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.opt_level = 1;
  bsgp_program* program = nullptr;
  check(bsgp_compile(text.c_str(), &options, &program));
  void* function = nullptr;
  check(bsgp_program_function(program, "axpy", &function));
  check(bsgp_program_destroy(program));
}

} // namespace

int main(int argc, char** argv) {
  int count = argc > 1 ? std::atoi(argv[1]) : 100, threads = argc > 2 ? std::atoi(argv[2]) : 1;
  compileOnce(0); // what is done once in a process
  auto begin = std::chrono::steady_clock::now();
  clock_t cpu = std::clock();
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] {
      for (int i = t; i < count; i += threads)
        compileOnce(i + 1);
    });
  for (std::thread& thread : all)
    thread.join();
  double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.2f %.2f\n", double(std::clock() - cpu) * 1000 / double(CLOCKS_PER_SEC) / count, wall / count);
}
