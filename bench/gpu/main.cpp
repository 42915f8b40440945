// gpu_bench [--check] [--rounds N] [--size N]... [PROBLEM...]: BSGP's primitives and CUDA's on one GPU, a row of JSON
// for each peer. Used by gpu_bench.py. With --check results are compared, on whatever target BSGP_TARGET names.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu.h"

using namespace bench::gpu;

namespace {

Settings settingsOf(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--check")
      settings.check = true;
    else if (option == "--rounds" && i + 1 < argc)
      settings.rounds = std::atoi(argv[++i]);
    else if (option == "--size" && i + 1 < argc)
      settings.sizes.push_back(std::strtoull(argv[++i], nullptr, 10));
    else
      settings.only.push_back(option);
  }
  if (settings.sizes.empty() && settings.check)
    settings.sizes = {1, 1000, 65537};
  if (settings.sizes.empty())
    for (int bits = 16; bits <= 28; bits += 2)
      settings.sizes.push_back(size_t(1) << bits);
  return settings;
}

} // namespace

int main(int argc, char** argv) {
  Settings settings = settingsOf(argc, argv);
  bsgp_context* context = bsgp_context_create(nullptr);
  if (!context) {
    std::fprintf(stderr, "%s\n", bsgp_error_message());
    return 2;
  }
  bool on_gpu = std::strcmp(bsgp_context_target(context), "cuda") == 0;
  std::unique_ptr<DeviceClock> clock = on_gpu ? makeDeviceClock() : nullptr;
  if (!clock && !settings.check) {
    std::fprintf(stderr,
                 "times are of a GPU that BSGP (BSGP_TARGET=cuda) and CUDA's runtime know; --check runs anywhere\n");
    return 2;
  }
  std::printf("{\"target\": \"%s\", \"device\": %s}\n", bsgp_context_target(context),
              clock ? describeDevice().c_str() : "{}");
  bool right = false;
  {
    Problems problems = makeGpuProblems();
    if (clock) // real CUDA beside ours
      addCopy(problems);
    addOurs(problems);
    if (clock) {
      addCub(problems);
      addFaces(problems);
      addLaunch(problems);
    }
    right = measure(problems, settings, context, clock.get());
  }
  bsgp_context_destroy(context);
  return right ? 0 : 1;
}
