// Within a chain of supersteps a stream gets memory when it is first stored, is reused for the values that share it,
// and gives it back behind the last one. Between chains: a copy that lives on keeps its memory; one that joins others
// takes over the memory of its source on that edge; one that ends there gives it back.
#include "bsp/stream_lives.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "bsp/lives.h"

namespace bsgp::bsp {

using namespace llvm;
using plan::Step;

namespace {

// Orders moves that happen at once: first those to streams that are not read any more, then the rings that remain. A
// source that ends here and goes to one stream alone swaps memory with it, so that no two streams share it.
//   held  streams that have memory at the beginning of the edge
//   dead  ... and no value that lives on: those that have memory after the moves keep it
class MovesAtOnce {
public:
  MovesAtOnce(const std::set<uint32_t>& held, std::set<uint32_t>& dead) : held_(held), dead_(dead) {}

  void add(uint32_t to, uint32_t from) {
    from_[to] = from;
    readers_[from].insert(to);
  }

  std::vector<Step> run() {
    for (auto [to, from] : from_)
      if (!readers_.contains(to))
        ready_.insert(to);
    while (!from_.empty())
      ready_.empty() ? swapFirst() : moveTo(*ready_.begin());
    return std::move(steps_);
  }

private:
  void moveTo(uint32_t to) {
    ready_.erase(to);
    uint32_t from = take(to);
    bool is_last = dead_.contains(from) && !readers_.contains(from);
    steps_.push_back({is_last ? Step::Swap : Step::Move, to, {}, from});
    if (is_last && !held_.contains(to))
      dead_.erase(from);
    if (!readers_.contains(from) && from_.contains(from))
      ready_.insert(from);
  }

  // Only rings are left, so one stream reads the old memory of this one, which the swap puts where this one reads
  // from.
  void swapFirst() {
    uint32_t to = from_.begin()->first, from = take(to), reader = *readers_[to].begin();
    steps_.push_back({Step::Swap, to, {}, from});
    take(reader);
    if (reader != from)
      add(reader, from);
  }

  // Takes the move to this stream from the open ones.
  uint32_t take(uint32_t to) {
    uint32_t from = from_[to];
    from_.erase(to);
    readers_[from].erase(to);
    if (readers_[from].empty())
      readers_.erase(from);
    return from;
  }

  const std::set<uint32_t>& held_;
  std::set<uint32_t>& dead_;
  std::map<uint32_t, uint32_t> from_; // of the streams that are still to be written to
  std::map<uint32_t, std::set<uint32_t>> readers_;
  std::set<uint32_t> ready_; // streams that are not read
  std::vector<Step> steps_;
};

} // namespace

class StreamLivesFinder {
public:
  StreamLivesFinder(const ir::Supersteps& steps, const Crossing& crossing) : steps_(steps), crossing_(crossing) {}

  StreamLives run() {
    findTurns();
    for (auto& [place, turns] : turns_)
      followStream(place.second, turns);
    for (const ir::Superstep& step : steps_.all())
      for (unsigned next : step.next)
        if (leavesChain(step.number, next))
          findChanges({step.number, next});
    return std::move(result_);
  }

private:
  // A value's time in a stream, in one chain.
  struct Turn {
    Lifetime life;
    const StoredCopy* copy;
  };

  void findTurns() {
    for (const auto& copy : crossing_.saved)
      for (Lifetime life : copy->lives) {
        turns_[{steps_.step(life.start / 2).chain, copy->stream}].push_back({life, copy.get()});
        if (life.start == beginning(steps_.step(life.start / 2).chain) && !isStored(*copy, life))
          entering_[life.start / 2].push_back(copy.get());
      }
    for (auto& [place, turns] : turns_)
      std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.life.start < b.life.start; });
  }

  // True if its writer stores it in this chain.
  static bool isStored(const StoredCopy& copy, Lifetime life) { return copy.writer && life.start == copy.begin; }

  // Memory that another stream may have is not written to: the next value gets its own.
  void followStream(uint32_t stream, const std::vector<Turn>& turns) {
    const Turn* before = nullptr;
    for (const Turn& turn : turns) {
      if (isStored(*turn.copy, turn.life) && (!before || before->copy->shares_memory))
        result_.allocated_[turn.life.start / 2].push_back(stream);
      before = &turn;
    }
    if (!goesOn(*before->copy, before->life))
      result_.freed_[before->life.end / 2].push_back(stream);
    else
      leaving_[before->life.end / 2].push_back(stream);
  }

  // True if it lives in other supersteps behind the last one of this chain, or is the source of a move there.
  bool goesOn(const StoredCopy& copy, Lifetime life) const {
    unsigned last = life.end / 2;
    return life.end == end(last) && any_of(steps_.step(last).next, [&](unsigned next) {
             Way way{last, next};
             return leavesChain(last, next) &&
                    (livesOn(crossing_, copy, way) || crossing_.moved_from.contains({&copy, way}));
           });
  }

  // An edge back to a chain's begin leaves it, too.
  bool leavesChain(unsigned from, unsigned to) const { return !steps_.inOneChain(from, to) || to <= from; }

  void findChanges(Way way) {
    std::set<uint32_t> kept, held, dead;
    if (auto copies = entering_.find(way.second); copies != entering_.end())
      for (const StoredCopy* copy : copies->second)
        kept.insert(copy->stream);
    if (auto streams = leaving_.find(way.first); streams != leaving_.end())
      held.insert(streams->second.begin(), streams->second.end());
    std::set_difference(held.begin(), held.end(), kept.begin(), kept.end(), std::inserter(dead, dead.end()));
    std::vector<Step> steps;
    if (auto moves = crossing_.moves.find(way); moves != crossing_.moves.end())
      steps = stepsOf(moves->second, held, dead);
    for (uint32_t stream : dead)
      steps.push_back({Step::Free, stream, {}});
    if (!steps.empty())
      result_.changes_[way] = std::move(steps);
  }

  // An undefined copy gets memory when the others have moved. Takes the streams that keep no memory out of `dead`.
  static std::vector<Step> stepsOf(const std::vector<Move>& all, const std::set<uint32_t>& held,
                                   std::set<uint32_t>& dead) {
    MovesAtOnce moves(held, dead);
    std::vector<Step> undefined;
    for (const Move& move : all)
      if (!move.from)
        undefined.push_back({Step::Allocate, move.to->stream, {}});
      else if (move.to->stream != move.from->stream)
        moves.add(move.to->stream, move.from->stream);
    std::vector<Step> steps = moves.run();
    steps.insert(steps.end(), undefined.begin(), undefined.end());
    return steps;
  }

  const ir::Supersteps& steps_;
  const Crossing& crossing_;
  StreamLives result_;
  std::map<std::pair<unsigned, uint32_t>, std::vector<Turn>> turns_; // by chain and stream
  std::map<unsigned, std::vector<const StoredCopy*>> entering_;      // by superstep: those that have memory before it
  // by superstep: streams that may live on behind it
  std::map<unsigned, std::vector<uint32_t>> leaving_;
};

StreamLives streamLives(const ir::Supersteps& steps, const Crossing& crossing) {
  return StreamLivesFinder(steps, crossing).run();
}

} // namespace bsgp::bsp
