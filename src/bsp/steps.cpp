// The steps of the plan (paper, 4.2 step 7 and listing 4).
//
// For each superstep: its requires, which may set thread.size; the streams that it is first to write, as late as
// possible; its launch; then the streams that nobody reads any more and the temporary lists of collectives that ended
// in it.
#include "bsp/steps.h"

#include <algorithm>

namespace bsgp::bsp {

namespace {

using plan::Step;

struct StreamLife {
  unsigned first = UINT32_MAX, last = 0; // supersteps
};

std::vector<StreamLife> livesOf(const Crossing& crossing, size_t streams) {
  std::vector<StreamLife> lives(streams);
  for (const auto& saved : crossing.saved) {
    StreamLife& life = lives[saved->stream];
    life.first = std::min(life.first, saved->writer);
    life.last = std::max(life.last, saved->life.end / 2);
  }
  return lives;
}

class Planner {
public:
  Planner(const std::vector<ir::Spawn::Step>& steps, const Crossing& crossing, plan::Plan& plan)
      : steps_(steps), plan_(plan), begins_(steps.size() + 2), ends_(begins_), flags_(begins_) {
    std::vector<StreamLife> lives = livesOf(crossing, plan.streams.size());
    for (uint32_t stream = 0; stream < lives.size(); ++stream) {
      begins_[lives[stream].first].push_back(stream);
      ends_[lives[stream].last].push_back(stream);
    }
    for (const auto& saved : crossing.saved)
      if (saved->kind == StoredCopy::PutFlag)
        flags_[saved->writer].push_back(saved->stream);
  }

  void planSuperstep(unsigned number) {
    const ir::Spawn::Step& step = steps_[number - 1];
    add(Step::Superstep, number, step.site);
    for (size_t i = 0; i < step.requires_.size(); ++i)
      add(Step::Require, step.requires_[i], i < step.sites.size() ? step.sites[i] : plan::Site());
    addAll(Step::Allocate, begins_[number]);
    addAll(Step::Clear, flags_[number]);
    if (const plan::Kernel* kernel = kernelOf(plan_, number))
      add(Step::Launch, uint32_t(kernel - plan_.kernels.data()));
    addAll(Step::Free, ends_[number]);
    addAll(Step::FreeTemps, step.freed_scopes);
  }

private:
  void add(Step::Kind kind, uint32_t index, plan::Site site = {}) {
    plan_.steps.push_back({kind, index, std::move(site)});
  }

  void addAll(Step::Kind kind, const std::vector<uint32_t>& indices) {
    for (uint32_t index : indices)
      add(kind, index);
  }

  const std::vector<ir::Spawn::Step>& steps_;
  plan::Plan& plan_;
  std::vector<std::vector<uint32_t>> begins_, ends_, flags_; // streams, by superstep
};

} // namespace

void planSteps(const std::vector<ir::Spawn::Step>& steps, const Crossing& crossing, plan::Plan& plan) {
  Planner planner(steps, crossing, plan);
  for (unsigned number = 1; number <= steps.size(); ++number)
    planner.planSuperstep(number);
}

} // namespace bsgp::bsp
