// Checks the rules of a Plan that the runtime's executor and the text form rely on. The steps are walked once, in
// their order: each is reached from one before it, so the state there is known; where edges join, the same must hold
// on all.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "plan/plan.h"
#include "plan/table.h"
#include "plan/ways.h"

namespace bsgp::plan {
namespace {

constexpr uint32_t kLargestBlock = 1024, kLargestWidth = 32;

const char* nameOf(Step::Kind kind) {
  static constexpr const char* kNames[] = {"require", "allocate", "clear", "launch", "free", "free temps", "superstep",
                                           "decide",  "branch",   "jump",  "move",   "swap", "blocks"};
  return kNames[kind];
}

// Within a superstep, steps of one rank come after those of a lower one: requires decide the number of threads that
// streams are for. Edges come last: the steps that only some of the edges to another superstep have.
enum Rank { Begin, Requires, Allocates, Launches, Frees, Decides, Branches, Edges };
Rank rankOf(Step::Kind kind) {
  static constexpr Rank kRanks[] = {Requires, Allocates, Allocates, Launches, Frees, Frees,   Begin,
                                    Decides,  Branches,  Edges,     Edges,    Edges, Launches};
  return kRanks[kind];
}

class Verifier {
public:
  explicit Verifier(const Plan& plan)
      : plan_(plan), ways_(plan), required_(plan.requires_.size()), defined_(plan.streams.size()),
        named_by_(plan.streams.size()) {
    state_.streams.resize(plan.streams.size());
  }

  std::string run() {
    checkHead();
    checkFrame();
    for (step_ = 0; step_ < plan_.steps.size() && violation_.empty(); ++step_) {
      arrive();
      check(plan_.steps[step_]);
    }
    if (violation_.empty())
      checkEnd();
    return violation_;
  }

private:
  struct StreamState {
    bool live = false, freed = false;
    uint32_t generation = 0; // when it was allocated
  };
  struct State {
    std::vector<StreamState> streams;
    uint32_t generation = 0, before = 0; // of ranks: now, and before the last reassignment
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
                       step.kind == Step::Jump ? step.other : step.index);
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
    if (decides(plan_))
      slots.push_back({"decision", plan_.decision_offset, 4});
    std::sort(slots.begin(), slots.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < slots.size(); ++i)
      if (slots[i].offset - slots[i - 1].offset < slots[i - 1].bytes)
        fail("the slots {} and {} overlap", slots[i - 1].name, slots[i].name);
  }

  // ---- edges

  // Edges that join may have ranks of several numberings: for streams allocated there a new one begins.
  void arrive() {
    if (ways_.isTarget(step_)) {
      if (step_ < plan_.steps.size() && plan_.steps[step_].kind != Step::Superstep)
        beginEdge(plan_.steps[step_].kind);
      if (is_reached_)
        meet(step_);
      auto known = known_.find(step_);
      is_reached_ = known != known_.end();
      if (is_reached_)
        state_ = known->second;
      if (ways_.meet(step_))
        beginGeneration();
    }
    if (!is_reached_ && step_ < plan_.steps.size())
      fail("no step before it leads here");
  }

  void beginEdge(Step::Kind kind) {
    if (kind != Step::Jump && !mayBeOnEdge(kind))
      fail("a branch or jump leads here");
    rank_ = Edges;
  }

  void beginGeneration() {
    state_.generation = state_.before = ++generations_;
    for (StreamState& stream : state_.streams)
      stream.generation = state_.generation;
  }

  // Notes that the present state holds on one of the edges to the step.
  void meet(size_t step) {
    auto [other, fresh] = known_.try_emplace(step, state_);
    for (size_t i = 0; i < state_.streams.size() && !fresh; ++i)
      if (bool live = state_.streams[i].live; live != other->second.streams[i].live)
        return fail("stream {} is {}allocated on this way to step {}, and is {}on another", i, live ? "" : "not ", step,
                    live ? "not " : "");
  }

  void leadTo(uint32_t step) {
    if (step > plan_.steps.size())
      return fail("there are {} steps", plan_.steps.size());
    meet(step);
  }

  static bool mayBeOnEdge(Step::Kind kind) {
    return rankOf(kind) == Allocates || rankOf(kind) == Frees || kind == Step::Move || kind == Step::Swap;
  }

  // ---- steps

  void check(const Step& step) {
    if (last_ == Step::Decide && step.kind != Step::Branch)
      return fail("{} stands behind decide", nameOf(step.kind));
    if (step.kind == Step::Superstep)
      return beginSuperstep(step.index);
    if (superstep_ == 0)
      return fail("a step before the first superstep");
    checkOrder(step.kind);
    checkKind(step);
    last_ = step.kind;
  }

  void checkOrder(Step::Kind kind) {
    Rank rank = rankOf(kind);
    bool begins_edge = rank_ == Branches || (ways_.any() && rank_ >= Launches && rank == Allocates);
    if (mayBeOnEdge(kind) && (rank_ == Edges || begins_edge))
      rank = Edges;
    if (kind == Step::FreeTemps && rank_ == Begin) // it frees temporaries of iterations that are over
      rank = Begin;
    if (rank < rank_ || (rank == Branches && rank_ < Decides))
      return fail("{} stands behind {}", nameOf(kind), nameOf(last_));
    rank_ = rank;
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
    case Step::Blocks:
      return runBlocks(step.index);
    case Step::Free:
      return free(step.index);
    case Step::FreeTemps:
      return step.index == 0 ? fail("scope 0 is the function's") : void();
    case Step::Decide:
      way_ = 0;
      return require(step.index);
    case Step::Branch:
      return step.index == way_++ ? leadTo(step.other) : fail("way {} is next", way_ - 1);
    case Step::Jump:
      leadTo(step.other);
      is_reached_ = false;
      return;
    case Step::Move:
      return move(step);
    case Step::Swap:
      return swap(step);
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
    if (superstep.reassigned)
      state_.before = std::exchange(state_.generation, ++generations_);
    last_ = Step::Superstep;
    rank_ = Begin;
  }

  void require(uint32_t index) {
    if (index >= required_.size())
      return fail("there are {} requires", required_.size());
    if (required_[index])
      return fail("it has been run");
    required_[index] = true;
  }

  void launch(uint32_t index) {
    if (index >= plan_.kernels.size())
      return fail("there are {} kernels", plan_.kernels.size());
    if (index != launched_)
      return fail("kernel {} is next", launched_);
    if (last_ == Step::Launch || last_ == Step::Blocks)
      return fail("a second launch in the superstep");
    checkKernel(index);
  }

  void checkKernel(uint32_t index) {
    if (index != launched_++ || index >= plan_.kernels.size())
      return fail("the kernel {} does not come next", index);
    const Kernel& kernel = plan_.kernels[index];
    if (kernel.superstep != superstep_)
      return fail("{} is of superstep {}", kernel.symbol, kernel.superstep);
    for (const Param& param : kernel.params)
      checkParam(kernel, param);
  }

  void runBlocks(uint32_t index) {
    if (index != partitions_ || index >= plan_.partitions.size())
      return fail("partition {} of {} is next", partitions_, plan_.partitions.size());
    const Partition& partition = plan_.partitions[partitions_++];
    if (last_ != Step::Launch || partition.blocks.empty() || partition.blocks[0].kernel + 1 != launched_)
      return fail("block 0 is not the kernel of the launch before");
    for (size_t i = 1; i < partition.blocks.size(); ++i)
      checkKernel(partition.blocks[i].kernel);
    for (const Partition::Block& block : partition.blocks)
      checkBehind(block, partition);
    checkKernel(partition.count);
    checkKernel(partition.list);
    checkRanks(partition.counts);
    checkRanks(partition.ranks);
    if (exists(partition.counters))
      checkUse(partition.counters);
  }

  void checkBehind(const Partition::Block& block, const Partition& partition) {
    for (uint32_t next : block.next)
      if (next == 0 || next >= partition.blocks.size())
        fail("block {} of {} comes behind another", next, partition.blocks.size());
    if (std::adjacent_find(block.next.begin(), block.next.end(), std::greater_equal()) != block.next.end())
      fail("the blocks behind one are not in their order");
  }

  void checkRanks(uint32_t stream) {
    if (!exists(stream))
      return;
    checkUse(stream);
    if (plan_.streams[stream].bytes != plan_.rank_bits / 8)
      fail("stream {} has {} bytes for each rank", stream, plan_.streams[stream].bytes);
  }

  void checkParam(const Kernel& kernel, const Param& param) {
    if (takesSlot(param) && param.index >= plan_.slots.size())
      return fail("{} takes slot {} of {}", kernel.symbol, param.index, plan_.slots.size());
    if (param.kind != Param::Stream || !exists(param.index))
      return;
    checkUse(param.index);
    if (std::exchange(named_by_[param.index], &kernel) == &kernel)
      fail("{} takes stream {} twice", kernel.symbol, param.index);
  }

  // ---- streams

  bool exists(uint32_t stream) {
    if (stream >= plan_.streams.size())
      fail("there are {} streams", plan_.streams.size());
    return stream < plan_.streams.size();
  }

  void allocate(uint32_t index) {
    if (!exists(index))
      return;
    StreamState& stream = state_.streams[index];
    if (!ways_.any() && (stream.live || stream.freed))
      return fail("it has been allocated");
    if (plan_.streams[index].bytes == 0)
      return fail("0 bytes for each thread");
    stream.live = defined_[index] = true;
    stream.generation = state_.generation;
  }

  void clear(uint32_t index) {
    if (exists(index))
      checkUse(index);
  }

  bool checkLive(uint32_t index) {
    const StreamState& stream = state_.streams[index];
    if (!stream.live)
      fail("stream {} is not allocated{}", index, stream.freed ? " any more" : "");
    return stream.live;
  }

  // A stream stored before ranks were reassigned may be read by the superstep that begins with that, but by no later
  // one.
  void checkUse(uint32_t index) {
    uint32_t generation = state_.streams[index].generation;
    bool reassigned = plan_.supersteps[superstep_ - 1].reassigned;
    if (checkLive(index) && generation != state_.generation && !(reassigned && generation == state_.before))
      fail("stream {} is for the ranks of before a reassignment", index);
  }

  void free(uint32_t index) {
    if (!exists(index))
      return;
    StreamState& stream = state_.streams[index];
    if (!stream.live)
      return fail("it is not allocated{}", stream.freed ? " any more" : "");
    stream.live = false;
    stream.freed = true;
  }

  // False if the memory of one would not do for the other.
  bool areAlike(const Step& step) {
    if (!exists(step.index) || !exists(step.other))
      return false;
    uint32_t bytes = plan_.streams[step.index].bytes, other = plan_.streams[step.other].bytes;
    if (bytes != other)
      fail("streams {} and {} have {} and {} bytes/thread", step.index, step.other, bytes, other);
    return bytes == other;
  }

  void move(const Step& step) {
    if (!areAlike(step) || !checkLive(step.other))
      return;
    state_.streams[step.index] = state_.streams[step.other];
    defined_[step.index] = true;
  }

  // One of them may have no memory.
  void swap(const Step& step) {
    if (!areAlike(step) || (!state_.streams[step.index].live && !checkLive(step.other)))
      return;
    defined_[step.index] = defined_[step.other] = true;
    std::swap(state_.streams[step.index], state_.streams[step.other]);
  }

  void checkEnd() {
    if (superstep_ != plan_.supersteps.size())
      fail("superstep {} does not begin", superstep_ + 1);
    if (partitions_ != plan_.partitions.size())
      fail("the partition {} is not run", partitions_);
    if (launched_ != plan_.kernels.size())
      fail("the kernel {} is not launched", plan_.kernels[launched_].symbol);
    for (size_t i = 0; i < required_.size(); ++i)
      if (!required_[i])
        fail("the require {} is not run", plan_.requires_[i]);
    if (last_ == Step::Decide)
      fail("nothing stands behind decide");
    arrive();
    for (size_t i = 0; i < defined_.size(); ++i)
      if (bool live = is_reached_ && state_.streams[i].live; live || !defined_[i])
        fail("stream {} is not {}", i, live ? "freed" : "allocated");
    if (violation_.empty())
      checkNext();
  }

  // Compares the edges that the outline lists with those of the steps.
  void checkNext() {
    for (uint32_t number = 1; number <= plan_.supersteps.size(); ++number) {
      std::vector<uint32_t> said = nextOf(plan_, number), found = ways_.next(number);
      std::sort(said.begin(), said.end());
      said.erase(std::unique(said.begin(), said.end()), said.end());
      if (said != found)
        fail("behind superstep {} comes {}, and not {}", number, ways(found), ways(said));
    }
  }

  const Plan& plan_;
  const Ways ways_;
  std::string violation_;
  size_t step_ = SIZE_MAX; // the step that is looked at
  uint32_t superstep_ = 0, launched_ = 0, partitions_ = 0, way_ = 0;
  Step::Kind last_ = Step::Superstep;
  Rank rank_ = Begin;
  std::vector<bool> required_, defined_; // defined: streams that have got memory
  std::vector<const Kernel*> named_by_;  // by stream, the last one
  uint32_t generations_ = 0;
  bool is_reached_ = true;
  State state_;                   // before the step, if it is reached
  std::map<size_t, State> known_; // of steps that branches and jumps lead to
};

} // namespace

std::string verify(const Plan& plan) {
  return Verifier(plan).run();
}

} // namespace bsgp::plan
