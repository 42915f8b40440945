#include "arrays/engine.h"

#include <atomic>
#include <map>
#include <memory>

#include <pthread.h>
#include <unistd.h>

#include "arrays/again.h"
#include "arrays/device/memory.h"
#include "arrays/device/run.h"
#include "arrays/rows.h"
#include "arrays/run.h"
#include "arrays/whole.h"

namespace bsgp::arrays {

namespace {

std::atomic<int64_t> evaluations{0}, kernels{0};

// Graphs may share nodes, so one is evaluated at a time. Never destroyed: threads may evaluate while the process ends.
struct Engine {
  std::recursive_mutex mutex;
  std::map<unsigned, std::unique_ptr<runtime::Pool>> pools;
  KnownForms known;
};

Engine& engine() {
  static auto* const only = new Engine;
  // A child of a process that evaluates on another thread begins with a lock that nobody holds.
  static const int handles_forks = pthread_atfork([] { only->mutex.lock(); }, [] { only->mutex.unlock(); },
                                                  [] { new (&only->mutex) std::recursive_mutex; });
  static_cast<void>(handles_forks);
  return *only;
}

runtime::Pool& poolOf(Engine& engine, unsigned threads) {
  auto& pool = engine.pools[threads];
  if (!pool)
    pool = std::make_unique<runtime::Pool>(runtime::Pool::Options{.threads = threads});
  return *pool;
}

// Kernels of one evaluation, which may be inside of another one.
class Measured {
public:
  explicit Measured(size_t all) : before_(std::exchange(progress(), {0, int64_t(all)})) {}
  ~Measured() { progress() = before_; }
  void oneMore() {
    ++progress().done;
    kernels.fetch_add(1, std::memory_order_relaxed);
  }

private:
  Progress before_;
};

// A single number needs no kernel.
Result<void> storeScalar(Node& node) {
  auto buffer = allocate(node.bytes(), "a number");
  if (!buffer)
    return buffer.error();
  std::memcpy((*buffer)->data(), &node.scalar, node.bytes());
  setValues(node, buffer.take());
  return {};
}

Result<void> runAlone(const Kernel& kernel, runtime::Pool& pool) {
  return kernel.alone->kind == Kind::Rows ? runRows(kernel, pool) : runWhole(kernel, pool);
}

Result<void> runOne(const Kernel& kernel, runtime::Pool& pool) {
  if (runtime::asksToEnd())
    return runtime::interruption();
  if (kernel.alone)
    return runAlone(kernel, pool);
  Prepared prepared;
  makeReady(prepared, kernel, options().compile);
  return run(prepared, pool);
}

// A node may equal one that itself equals another.
template <class Give> void giveEqual(const Schedule& schedule, const Give& give) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [node, other] : schedule.equal)
      if (!node->isComputed() && other->isComputed())
        give(*node, other->values), changed = true;
  }
}

// Its nodes that have values are arrays from now on, and lose their operands.
void finish(const Kernel& kernel) {
  auto finishOne = [](Node& node) {
    if (node.values)
      setValues(node, node.values);
  };
  if (kernel.alone)
    finishOne(*kernel.alone);
  for (const Output& output : kernel.outputs)
    finishOne(*output.node);
}

// Gives `wanted` their values on the target of the options, which is not the CPU's loops.
Result<void> runOnTarget(const Schedule& schedule, std::span<Node* const> wanted) {
  runtime::Pool& pool = poolOf(engine(), options().threads);
  kernels.fetch_add(int64_t(schedule.kernels.size()), std::memory_order_relaxed);
  return runOn(options().target, schedule, wanted, [&](const Kernel& kernel) { return runOne(kernel, pool); });
}

// Each kernel goes when it is done, and with it the arrays that nothing else reads.
Result<void> runByLoops(Schedule& schedule, runtime::Pool& pool) {
  Measured measured(schedule.kernels.size());
  for (Kernel& next : schedule.kernels) {
    Kernel kernel = std::move(next);
    if (auto done = runOne(kernel, pool); !done)
      return done;
    finish(kernel);
    measured.oneMore();
  }
  return {};
}

// Arrays that the kernels make for others alone.
void findLastReads(Bound& bound, std::span<Node* const> outputs) {
  std::map<Node*, size_t> last;
  const std::vector<Kernel>& kernels = bound.schedule.kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    for (const Output& output : kernels[i].outputs)
      last[output.node.get()] = i;
    if (kernels[i].alone)
      last[kernels[i].alone.get()] = i;
    for (const Load& load : kernels[i].loads)
      if (last.count(load.array.get()))
        last[load.array.get()] = i;
  }
  for (Node* output : outputs)
    last.erase(output);
  for (const auto& [node, other] : bound.schedule.equal)
    last.erase(other.get());
  bound.read_last.resize(kernels.size());
  for (const auto& [node, kernel] : last)
    bound.read_last[kernel].push_back(NodeRef::to(*node));
}

Result<void> runKernels(Bound& bound) {
  runtime::Pool& pool = poolOf(engine(), options().threads);
  Measured measured(bound.prepared.size());
  for (size_t i = 0; i < bound.prepared.size(); ++i) {
    const Kernel& kernel = bound.schedule.kernels[i];
    if (runtime::asksToEnd())
      return runtime::interruption();
    if (!kernel.alone)
      makeReady(*bound.prepared[i], kernel, options().compile);
    if (auto done = kernel.alone ? runAlone(kernel, pool) : run(*bound.prepared[i], pool); !done)
      return done;
    measured.oneMore();
    for (const NodeRef& node : bound.read_last[i])
      node->values = nullptr;
  }
  return {};
}

// The nodes of its graph lose their values.
void forget(const Bound& bound, std::span<const NodeRef> slots) {
  for (const NodeRef& slot : slots)
    slot->values = nullptr;
  for (const Kernel& kernel : bound.schedule.kernels) {
    if (kernel.alone)
      kernel.alone->values = nullptr;
    for (const Output& output : kernel.outputs)
      output.node->values = nullptr;
  }
  for (const auto& [node, other] : bound.schedule.equal)
    node->values = nullptr;
}

Result<void> runKnown(const KnownForms::Found& found, std::span<Node* const> wanted) {
  auto& [slots, outputs, bound] = *found.known;
  for (size_t i = 0; i < slots.size(); ++i)
    slots[i]->values = found.leaves[i]->values;
  auto done = runKernels(bound);
  for (size_t i = 0; done && i < wanted.size(); ++i)
    setValues(*wanted[i], outputs[i]->values);
  forget(bound, slots);
  return done;
}

} // namespace

Progress& progress() {
  thread_local Progress own;
  return own;
}

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
  bool by_loops = options().target == Target::Cpu;
  if (by_loops)
    if (auto found = here.known.find(open, options().fuse))
      return runKnown(*found, open);
  Schedule schedule = makeSchedule(open, options().fuse);
  auto done = by_loops ? runByLoops(schedule, poolOf(here, options().threads)) : runOnTarget(schedule, open);
  if (!done)
    return done;
  if (!by_loops)
    for (const Kernel& kernel : schedule.kernels)
      finish(kernel);
  giveEqual(schedule, setValues);
  return {};
}

EngineLock::EngineLock(Wish wish) {
  if (wish == Try)
    is_held_ = engine().mutex.try_lock();
  else
    engine().mutex.lock();
}

EngineLock::~EngineLock() {
  if (is_held_)
    engine().mutex.unlock();
}

Bound bindable(std::span<Node* const> nodes, bool fuse) {
  Bound bound;
  bound.schedule = makeSchedule(nodes, fuse);
  std::erase_if(bound.schedule.equal, [](const auto& pair) { return pair.first->isComputed(); });
  for (size_t i = 0; i < bound.schedule.kernels.size(); ++i)
    bound.prepared.push_back(std::make_unique<Prepared>());
  findLastReads(bound, nodes);
  return bound;
}

Result<std::vector<NodeRef>> runBound(Bound& bound, std::span<const NodeRef> slots, std::span<const NodeRef> arguments,
                                      std::span<const NodeRef> outputs) {
  evaluations.fetch_add(1, std::memory_order_relaxed);
  for (size_t i = 0; i < slots.size(); ++i)
    slots[i]->values = arguments[i]->values;
  std::vector<Node*> wanted;
  for (const NodeRef& output : outputs)
    wanted.push_back(output.get());
  Result<void> done = options().target == Target::Cpu ? runKernels(bound) : runOnTarget(bound.schedule, wanted);
  giveEqual(bound.schedule, [](Node& node, const BufferRef& values) { node.values = values; });
  std::vector<NodeRef> made;
  for (size_t i = 0; done && i < outputs.size(); ++i) {
    made.emplace_back(new Node(Kind::Values, outputs[i]->type, outputs[i]->shape));
    made.back()->values = outputs[i]->values;
    if (!made.back()->values) {
      made.back()->scalar = outputs[i]->scalar;
      done = storeScalar(*made.back());
    }
  }
  forget(bound, slots);
  if (!done)
    return done.error();
  return made;
}

void evaluateLongChain(Node& node) {
  constexpr int32_t kLongestChain =
      8192; // two chains that read each other take a time to schedule that grows with its square
  int64_t most = options().most_pending;
  bool is_long = node.pending > most || node.chain > kLongestChain;
  if (!is_long || int64_t(node.bytes()) > most / 16 || node.kind == Kind::Open)
    return;
  EngineLock lock(
      EngineLock::Try); // who waited here might hold what the other thread needs; a later operation tries again
  if (!lock.isHeld())
    return;
  Node* nodes[] = {&node};
  if (!evaluate(nodes))
    node.pending = 0, node.chain = 0; // not tried again before as much has come to it
}

Explanation explain(std::span<Node* const> nodes) {
  std::lock_guard lock(engine().mutex);
  return explain(makeSchedule(nodes, options().fuse));
}

Counts counts() {
  return {evaluations.load(std::memory_order_relaxed), kernels.load(std::memory_order_relaxed)};
}

} // namespace bsgp::arrays
