#include "arrays/compiled/cache.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "compile/compiler_build.h"
#include "runtime/code_cache.h"

namespace bsgp::arrays {

namespace {

constexpr double kLoopNs = 0.08;        // of an addition for a place, by a loop
constexpr double kCompileNs = 3e6;      // of a segment of a few additions
constexpr double kOperationNs = 40'000; // of each more
constexpr double kLookNs = 3e5;         // loops of a segment that takes less do not look for its code on the disk
constexpr double kLeastNs = 500;        // a kernel whose loops take less is not looked at
constexpr size_t kMostSegments = 512;

std::atomic<int64_t> compiled{0};

struct Known {
  double spent_ns = 0; // by loops
  CompiledSegment code;
  bool failed = false;         // LLVM made none; not tried again
  bool was_looked_for = false; // on the disk
};

// Never destroyed: code may run while the process ends.
std::unordered_map<std::string, Known>& knownSegments() {
  static auto* const all = new std::unordered_map<std::string, Known>;
  return *all;
}

// Objects between runs of programs, by segment, machine and build.
struct Disk {
  runtime::CodeCache cache;
  std::string key; // of machine and build

  runtime::Hash128 keyOf(const Segment& segment) const { return runtime::hash128(key + segment.text()); }
};

const Disk& disk() {
  static const Disk* const only = [] {
    auto* made = new Disk;
    std::string build = compile::compilerBuild(), machine = machineOfCode();
    auto cache = runtime::CodeCache::fromEnvironment();
    if (cache && !build.empty() && !machine.empty())
      made->cache = *cache, made->key = "arrays " + build + machine;
    return made;
  }();
  return *only;
}

// None where the disk has none, or one that cannot be linked.
CompiledSegment fromDisk(const Segment& segment) {
  auto object = disk().cache.find(disk().keyOf(segment));
  auto linked = object ? linkSegment(segment, *object) : Result<CompiledSegment>(CompiledSegment());
  return linked ? linked.take() : CompiledSegment();
}

Result<CompiledSegment> madeAnew(const Segment& segment) {
  auto object = generateSegment(segment);
  if (!object)
    return object.error();
  compiled.fetch_add(1, std::memory_order_relaxed);
  disk().cache.keep(disk().keyOf(segment), *object);
  return linkSegment(segment, *object);
}

// The code of a segment, or none where loops are better.
CompiledSegment codeOf(const Segment& segment, int64_t places, Compile wish) {
  auto& all = knownSegments();
  if (all.size() >= kMostSegments)
    all.clear(); // plans that run hold their code
  Known& known = all[segment.text()];
  known.spent_ns += double(places) * segment.cost() * kLoopNs;
  bool pays = wish == Compile::Always || known.spent_ns > kCompileNs + kOperationNs * double(segment.operations.size());
  if (!known.was_looked_for && (pays || known.spent_ns >= kLookNs)) {
    known.was_looked_for = true;
    known.code = fromDisk(segment);
  }
  if (known.code.run || known.failed || !pays)
    return known.code;
  if (auto made = madeAnew(segment))
    known.code = made.take();
  else
    known.failed = true;
  return known.code;
}

} // namespace

int Plan::compiled() const {
  return int(std::count_if(code.begin(), code.end(), [](const CompiledSegment& one) { return one.run != nullptr; }));
}

Plan planOf(const Kernel& kernel, int64_t places, Compile wish) {
  Plan plan;
  bool is_small = double(places) * double(kernel.code.size()) * kLoopNs < kLeastNs;
  if (wish == Compile::Never || (is_small && wish == Compile::WhenItPays))
    return plan;
  plan.steps = stepsOf(kernel);
  bool any = false;
  for (const Segment& segment : plan.steps.segments) {
    plan.code.push_back(codeOf(segment, places, wish));
    any |= plan.code.back().run != nullptr;
  }
  if (!any)
    return {};
  return plan;
}

int64_t compiledSegments() {
  return compiled.load(std::memory_order_relaxed);
}

} // namespace bsgp::arrays
