#include "arrays/engine.h"

#include <atomic>
#include <map>
#include <memory>

#include <unistd.h>

#include "arrays/device/memory.h"
#include "arrays/device/run.h"
#include "arrays/rows.h"
#include "arrays/run.h"

namespace bsgp::arrays {

namespace {

std::atomic<int64_t> evaluations{0}, kernels{0};

// Graphs may share nodes, so one is evaluated at a time. Never destroyed: threads may evaluate while the process ends.
struct Engine {
  std::mutex mutex;
  std::map<unsigned, std::unique_ptr<runtime::Pool>> pools;
};

Engine& engine() {
  static auto* const only = new Engine;
  return *only;
}

runtime::Pool& poolOf(Engine& engine, unsigned threads) {
  auto& pool = engine.pools[threads];
  if (!pool)
    pool = std::make_unique<runtime::Pool>(runtime::Pool::Options{.threads = threads});
  return *pool;
}

// A single number needs no kernel.
Result<void> storeScalar(Node& node) {
  auto buffer = allocate(node.bytes(), "a number");
  if (!buffer)
    return buffer.error();
  std::memcpy((*buffer)->data(), &node.scalar, node.bytes());
  setValues(node, buffer.take());
  return {};
}

// Each kernel goes when it is done, and with it the arrays that nothing else reads.
Result<void> runByLoops(Schedule& schedule, runtime::Pool& pool) {
  for (Kernel& next : schedule.kernels) {
    Kernel kernel = std::move(next);
    if (auto done = kernel.rows ? runRows(kernel, pool) : run(kernel, pool, options().compile); !done)
      return done;
  }
  return {};
}

// A node may equal one that itself equals another.
void shareValues(const Schedule& schedule) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [node, other] : schedule.equal)
      if (!node->isComputed() && other->isComputed())
        setValues(*node, other->values), changed = true;
  }
}

} // namespace

Options& options() {
  thread_local Options own;
  return own;
}

Result<void> setOptions(const Options& wanted) {
  if (wanted.target != Target::Cpu) {
    std::lock_guard lock(engine().mutex);
    if (auto there = contextOf(wanted.target); !there)
      return there.error();
  }
  options() = wanted;
  return {};
}

Result<void> evaluate(std::span<Node* const> nodes) {
  Engine& here = engine();
  std::lock_guard lock(here.mutex);
  std::vector<Node*> open;
  for (Node* node : nodes)
    if (!node->isComputed() && node->kind == Kind::Scalar) {
      if (auto stored = storeScalar(*node); !stored)
        return stored;
    } else if (!node->isComputed()) {
      open.push_back(node);
    }
  if (open.empty())
    return {};
  evaluations.fetch_add(1, std::memory_order_relaxed);
  Schedule schedule = makeSchedule(open, options().fuse);
  kernels.fetch_add(int64_t(schedule.kernels.size()), std::memory_order_relaxed);
  Target target = options().target;
  auto done =
      target == Target::Cpu ? runByLoops(schedule, poolOf(here, options().threads)) : runOn(target, schedule, open);
  if (done)
    shareValues(schedule);
  return done;
}

Explanation explain(std::span<Node* const> nodes) {
  std::lock_guard lock(engine().mutex);
  return explain(makeSchedule(nodes, options().fuse));
}

Counts counts() {
  return {evaluations.load(std::memory_order_relaxed), kernels.load(std::memory_order_relaxed)};
}

} // namespace bsgp::arrays
