// Compiling while the program runs: the formula of the command line becomes vector code for all processors.
#include <cstdio>
#include <string>
#include <vector>

#include <bsgp/bsgp.hpp>

namespace {

std::string programOf(const std::string& formula) {
  return "export table(float* to, int n, float low, float high) {\n"
         "  spawn (n) {\n"
         "    float x = low + (high - low) * (float)thread.rank / (float)(n - 1);\n"
         "    to[thread.rank] = " +
         formula +
         ";\n"
         "  }\n"
         "}\n";
}

} // namespace

int main(int argc, char** argv) try {
  if (argc > 2) {
    std::fprintf(stderr, "formula: '%s' is one argument too many\nusage: formula [FORMULA]\n", argv[2]);
    return 1;
  }
  std::string formula = argc > 1 ? argv[1] : "x * x - x";
  bsgp::Program program(programOf(formula).c_str(), {.name = "formula"});
  auto table = program.function<void(float*, int, float, float)>("table");

  const int n = 1'000'001;
  bsgp::Context context;
  bsgp::DeviceArray<float> values(context, n);
  table(context, values.data(), n, -1, 1);
  std::vector<float> found = values.toHost();
  std::printf("%8s  %s\n", "x", formula.c_str());
  for (int i = 0; i < n; i += n / 8)
    std::printf("%8.2f  %.4f\n", -1 + 2.0 * i / (n - 1), found[i]);
  double sum = 0;
  for (float value : found)
    sum += value;
  std::printf("mean of %d values: %.4f\n", n, sum / n);
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 1;
}
