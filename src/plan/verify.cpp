// What the runtime's executor and the text form take for granted of a Plan.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plan/plan.h"

namespace bsgp::plan {
namespace {

constexpr uint32_t kLargestBlock = 1024, kLargestWidth = 32;

const char* nameOf(Step::Kind kind) {
  static constexpr const char* kNames[] = {"require", "allocate", "clear", "launch", "free", "free temps", "superstep"};
  return kNames[kind];
}

// Within a superstep steps of one rank come after those of a lower one: what requires do decides how many threads
// streams are for.
int orderOf(Step::Kind kind) {
  static constexpr int kOrder[] = {1, 2, 2, 3, 4, 4, 0};
  return kOrder[kind];
}

class Verifier {
public:
  explicit Verifier(const Plan& plan) : plan_(plan), required_(plan.requires_.size()), streams_(plan.streams.size()) {}

  std::string run() {
    checkHead();
    checkFrame();
    for (step_ = 0; step_ < plan_.steps.size() && violation_.empty(); ++step_)
      check(plan_.steps[step_]);
    if (violation_.empty())
      checkEnd();
    return violation_;
  }

private:
  struct StreamState {
    bool live = false, freed = false;
    uint32_t generation = 0;          // when it was allocated
    const Kernel* named_by = nullptr; // the last one
  };

  template <class... Args> void fail(fmt::format_string<Args...> reason, Args&&... args) {
    if (violation_.empty())
      violation_ = where() + fmt::format(reason, std::forward<Args>(args)...);
  }

  std::string where() const {
    if (step_ >= plan_.steps.size())
      return fmt::format("spawn {}: ", plan_.name);
    const Step& step = plan_.steps[step_];
    return fmt::format("spawn {}, superstep {}, step {} ({} {}): ", plan_.name, superstep_, step_, nameOf(step.kind),
                       step.index);
  }

  void checkHead() {
    if (plan_.rank_bits != 32 && plan_.rank_bits != 64)
      fail("ranks of {} bits", plan_.rank_bits);
    if (plan_.block < 1 || plan_.block > kLargestBlock)
      fail("blocks of {} threads", plan_.block);
    if (plan_.width > kLargestWidth || (plan_.width & (plan_.width - 1)))
      fail("vectors of {} threads", plan_.width);
  }

  // Slots have the sizes of scalars, and no two share a byte.
  void checkFrame() {
    std::vector<FrameSlot> slots = plan_.slots;
    for (const FrameSlot& slot : slots)
      if (slot.bytes != 1 && slot.bytes != 2 && slot.bytes != 4 && slot.bytes != 8)
        fail("the slot {} has {} bytes", slot.name, slot.bytes);
    slots.push_back({"thread.size", plan_.size_offset, 8});
    std::sort(slots.begin(), slots.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < slots.size(); ++i)
      if (slots[i].offset - slots[i - 1].offset < slots[i - 1].bytes)
        fail("the slots {} and {} overlap", slots[i - 1].name, slots[i].name);
  }

  void check(const Step& step) {
    if (step.kind == Step::Superstep)
      return beginSuperstep(step.index);
    if (superstep_ == 0)
      return fail("a step before the first superstep");
    if (orderOf(step.kind) < orderOf(last_))
      return fail("{} stands behind {}", nameOf(step.kind), nameOf(last_));
    checkKind(step);
    last_ = step.kind;
  }

  void checkKind(const Step& step) {
    switch (step.kind) {
    case Step::Require:
      return require(step.index);
    case Step::Allocate:
      return allocate(step.index);
    case Step::Clear:
      return clear(step.index);
    case Step::Launch:
      return launch(step.index);
    case Step::Free:
      return free(step.index);
    case Step::FreeTemps:
      return step.index == 0 ? fail("scope 0 is the function's") : void();
    case Step::Superstep:
      break;
    }
  }

  void beginSuperstep(uint32_t number) {
    if (number != superstep_ + 1)
      return fail("superstep {} is next", superstep_ + 1);
    if (number > plan_.supersteps.size())
      return fail("there are {} supersteps", plan_.supersteps.size());
    const Superstep& superstep = plan_.supersteps[superstep_++];
    if (superstep.first_line > superstep.last_line || (superstep.first_line == 0 && superstep.last_line != 0))
      fail("lines {} to {}", superstep.first_line, superstep.last_line);
    generation_ += superstep.reassigned;
    last_ = Step::Superstep;
  }

  void require(uint32_t index) {
    if (index >= required_.size())
      return fail("there are {} requires", required_.size());
    if (required_[index])
      return fail("it has been run");
    required_[index] = true;
  }

  bool exists(uint32_t stream) {
    if (stream >= streams_.size())
      fail("there are {} streams", streams_.size());
    return stream < streams_.size();
  }

  void allocate(uint32_t index) {
    if (!exists(index))
      return;
    StreamState& stream = streams_[index];
    if (stream.live || stream.freed)
      return fail("it has been allocated");
    if (plan_.streams[index].bytes == 0)
      return fail("0 bytes for each thread");
    stream.live = true;
    stream.generation = generation_;
  }

  void clear(uint32_t index) {
    if (exists(index))
      checkUse(index);
  }

  // What was stored before ranks were reassigned is there for the superstep that begins with it, and no longer.
  void checkUse(uint32_t index) {
    const StreamState& stream = streams_[index];
    bool reassigned = plan_.supersteps[superstep_ - 1].reassigned;
    if (!stream.live)
      fail("stream {} is not allocated{}", index, stream.freed ? " any more" : "");
    else if (stream.generation != generation_ && !(reassigned && stream.generation + 1 == generation_))
      fail("stream {} is for the ranks of before a reassignment", index);
  }

  void launch(uint32_t index) {
    if (index >= plan_.kernels.size())
      return fail("there are {} kernels", plan_.kernels.size());
    if (index != launched_)
      return fail("kernel {} is next", launched_);
    if (last_ == Step::Launch)
      return fail("a second launch in the superstep");
    ++launched_;
    const Kernel& kernel = plan_.kernels[index];
    if (kernel.superstep != superstep_)
      return fail("{} is of superstep {}", kernel.symbol, kernel.superstep);
    for (const Param& param : kernel.params)
      checkParam(kernel, param);
  }

  void checkParam(const Kernel& kernel, const Param& param) {
    if (param.kind == Param::Frame && param.index >= plan_.slots.size())
      return fail("{} takes slot {} of {}", kernel.symbol, param.index, plan_.slots.size());
    if (param.kind != Param::Stream || !exists(param.index))
      return;
    checkUse(param.index);
    if (std::exchange(streams_[param.index].named_by, &kernel) == &kernel)
      fail("{} takes stream {} twice", kernel.symbol, param.index);
  }

  void free(uint32_t index) {
    if (!exists(index))
      return;
    if (!streams_[index].live)
      return fail("it is not allocated{}", streams_[index].freed ? " any more" : "");
    streams_[index].live = false;
    streams_[index].freed = true;
  }

  void checkEnd() {
    if (superstep_ != plan_.supersteps.size())
      fail("superstep {} does not begin", superstep_ + 1);
    if (launched_ != plan_.kernels.size())
      fail("the kernel {} is not launched", plan_.kernels[launched_].symbol);
    for (size_t i = 0; i < required_.size(); ++i)
      if (!required_[i])
        fail("the require {} is not run", plan_.requires_[i]);
    for (size_t i = 0; i < streams_.size(); ++i)
      if (!streams_[i].freed)
        fail("stream {} is not {}", i, streams_[i].live ? "freed" : "allocated");
  }

  const Plan& plan_;
  std::string violation_;
  size_t step_ = SIZE_MAX; // that is looked at
  uint32_t superstep_ = 0, generation_ = 0, launched_ = 0;
  Step::Kind last_ = Step::Superstep;
  std::vector<bool> required_;
  std::vector<StreamState> streams_;
};

} // namespace

std::string verify(const Plan& plan) {
  return Verifier(plan).run();
}

} // namespace bsgp::plan
