// The steps of the plan (paper, 4.2 step 7 and listing 4).
//
// Each superstep first frees the temporary lists of iterations that have ended. Then come its requires, which may set
// thread.size; the streams that it is first to write, as late as possible; its launch; then it frees the streams that
// are not read any more and the temporary lists of collectives that ended in it. Last come the edges: a decision, and
// for each edge the streams that swap memory on it (stream_lives.h).
#include "bsp/steps.h"

#include <algorithm>

#include "bsp/stream_lives.h"

namespace bsgp::bsp {

namespace {

using plan::Step;

class Planner {
public:
  Planner(const std::vector<ir::Spawn::Step>& steps, const ir::Supersteps& graph, const Crossing& crossing,
          const std::vector<PartitionStreamRange>& of_partitions, plan::Plan& plan)
      : steps_(steps), of_partitions_(of_partitions), plan_(plan), streams_(streamLives(graph, crossing)),
        starts_(steps.size()), flags_(steps.size() + 1) {
    for (const auto& saved : crossing.saved)
      if (saved->kind == StoredCopy::PutFlag)
        flags_[saved->writer].push_back(saved->stream);
  }

  void run() {
    for (unsigned number = 1; number <= steps_.size(); ++number) {
      planSuperstep(number);
      planWays(number);
    }
    starts_.push_back(uint32_t(plan_.steps.size())); // the end
    for (size_t step : jumps_)
      plan_.steps[step].other = starts_[plan_.steps[step].other - 1];
  }

private:
  void planSuperstep(unsigned number) {
    const ir::Spawn::Step& step = steps_[number - 1];
    starts_[number - 1] = uint32_t(plan_.steps.size());
    add(Step::Superstep, number, step.site);
    addAll(Step::FreeTemps, step.freed_first);
    for (size_t i = 0; i < step.requires_.size(); ++i)
      add(Step::Require, step.requires_[i], i < step.sites.size() ? step.sites[i] : plan::Site());
    addAll(Step::Allocate, streams_.allocated(number));
    addAll(Step::Clear, flags_[number]);
    if (const plan::Kernel* kernel = kernelOf(plan_, number))
      planLaunch(uint32_t(kernel - plan_.kernels.data()));
    addAll(Step::Free, streams_.freed(number));
    addAll(Step::FreeTemps, step.freed_scopes);
  }

  // The streams of a partition live as long as its threads.
  void planLaunch(uint32_t kernel) {
    const plan::Partition* partition = partitionOf(plan_, kernel);
    if (!partition)
      return add(Step::Launch, kernel);
    uint32_t number = uint32_t(partition - plan_.partitions.data());
    auto [first, end] = of_partitions_[number];
    for (uint32_t stream = first; stream < end; ++stream)
      add(Step::Allocate, stream);
    add(Step::Launch, kernel);
    add(Step::Blocks, number);
    for (uint32_t stream = first; stream < end; ++stream)
      add(Step::Free, stream);
  }

  // An edge without steps is a branch to the superstep; else it leads to the steps, which stand behind.
  void planWays(unsigned number) {
    const std::vector<uint32_t>& next = steps_[number - 1].next;
    if (next.size() > 1)
      add(Step::Decide, steps_[number - 1].decides, steps_[number - 1].decided_at);
    std::vector<std::pair<size_t, uint32_t>> open; // branches, where they lead
    for (uint32_t way = 0; way + 1 < next.size(); ++way) {
      if (!changesOn(number, next[way])) {
        jumpTo(Step::Branch, way, next[way]);
        continue;
      }
      open.push_back({plan_.steps.size(), next[way]});
      add(Step::Branch, way);
    }
    if (!next.empty())
      planWay(number, next.back(), open.empty());
    else if (number < steps_.size())
      jumpTo(Step::Jump, 0, uint32_t(steps_.size() + 1));
    for (size_t i = 0; i < open.size(); ++i) {
      plan_.steps[open[i].first].other = uint32_t(plan_.steps.size());
      planWay(number, open[i].second, i + 1 == open.size());
    }
  }

  bool changesOn(unsigned from, unsigned to) const { return !streams_.changesOn({from, to}).empty(); }

  // `last`: the next superstep stands right behind.
  void planWay(unsigned from, unsigned to, bool last) {
    for (const Step& change : streams_.changesOn({from, to}))
      plan_.steps.push_back(change);
    if (!last || to != from + 1)
      jumpTo(Step::Jump, 0, to);
  }

  void jumpTo(Step::Kind kind, uint32_t index, uint32_t superstep) {
    jumps_.push_back(plan_.steps.size());
    plan_.steps.push_back({kind, index, {}, superstep});
  }

  void add(Step::Kind kind, uint32_t index, plan::Site site = {}) {
    plan_.steps.push_back({kind, index, std::move(site)});
  }

  void addAll(Step::Kind kind, const std::vector<uint32_t>& indices) {
    for (uint32_t index : indices)
      add(kind, index);
  }

  const std::vector<ir::Spawn::Step>& steps_;
  const std::vector<PartitionStreamRange>& of_partitions_;
  plan::Plan& plan_;
  const StreamLives streams_;
  std::vector<uint32_t> starts_;             // of each superstep: its first step
  std::vector<size_t> jumps_;                // steps that name a superstep until all are there
  std::vector<std::vector<uint32_t>> flags_; // streams, by superstep
};

} // namespace

void planSteps(const std::vector<ir::Spawn::Step>& steps, const ir::Supersteps& graph, const Crossing& crossing,
               const std::vector<PartitionStreamRange>& of_partitions, plan::Plan& plan) {
  Planner(steps, graph, crossing, of_partitions, plan).run();
}

} // namespace bsgp::bsp
