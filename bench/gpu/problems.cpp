// The problems: most are those of bench/primitives, with their inputs and their checks.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gpu.h"

namespace bench::gpu {
namespace {

std::string checkCopy(Work& w) {
  return std::equal(w.keys, w.keys + w.n, w.out) ? "" : "not the same";
}

std::string checkScanFloat(Work& w) {
  const auto *x = reinterpret_cast<const float*>(w.keys), *out = reinterpret_cast<const float*>(w.out);
  double sum = 0;
  for (size_t i = 0; i < w.n; sum += double(x[i++]))
    if (!(std::fabs(double(out[i]) - sum) <= 1e-4 * std::max(1.0, sum)))
      return "off by more than 1e-4 at " + std::to_string(i);
  return "";
}

std::string checkRanks(Work& w) {
  for (size_t i = 0; i < w.n; ++i)
    if (w.out[i] != uint32_t(i))
      return "wrong at " + std::to_string(i);
  return "";
}

} // namespace

Problem& problemOf(Problems& problems, const std::string& name) {
  for (Problem& p : problems)
    if (p.name == name)
      return p;
  throw std::logic_error("no problem " + name);
}

Problems makeGpuProblems() {
  auto shared = makeProblems();
  auto like = [&](const std::string& name) -> const bench::Problem& {
    return *std::find_if(shared.begin(), shared.end(), [&](const bench::Problem& p) { return p.name == name; });
  };
  Problems p;
  p.push_back({.name = "copy", .bytes = 8, .setup = like("limits").setup, .check = checkCopy, .peers = {}});
  for (const char* name : {"reduce int", "reduce float", "exclusive scan int", "exclusive scan float", "compact half",
                           "histogram 256", "sort keys", "sort pairs", "faces coherent", "faces shuffled"}) {
    bool floats = name == std::string("exclusive scan float");
    const bench::Problem& from = like(floats ? "exclusive scan int" : name);
    Problem to{
        .name = name, .bytes = from.bytes, .mesh = from.mesh, .setup = from.setup, .check = from.check, .peers = {}};
    if (floats) {
      to.setup = like("reduce float").setup;
      to.check = checkScanFloat;
    }
    p.push_back(std::move(to));
  }
  p.push_back({.name = "launch",
               .bytes = 4,
               .sizes = {1, 1024, 65536},
               .setup = [](Work&) {},
               .check = checkRanks,
               .peers = {}});
  return p;
}

} // namespace bench::gpu
