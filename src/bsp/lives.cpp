// Liveness of the stored copies on the graph of supersteps, chain by chain: within a chain one thing follows the other,
// and a life is an interval.
//
// A copy that is read in another chain than the one it begins in lives from that chain's beginning on, and at the end of
// all supersteps that lead there. Copies are values of SSA form: where one begins comes before all of its reads.
#include "bsp/lives.h"

#include <algorithm>

#include <llvm/ADT/MapVector.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

void findLife(const ir::Supersteps& steps, StoredCopy& copy) {
  unsigned home = steps.step(copy.begin / 2).chain;
  SmallMapVector<unsigned, Lifetime, 4> lives; // by chain
  lives[home] = {copy.begin, copy.begin};
  std::vector<uint32_t> reads = copy.reads;
  while (!reads.empty()) {
    uint32_t time = reads.back();
    reads.pop_back();
    unsigned chain = steps.step(time / 2).chain;
    auto [life, fresh] = lives.insert({chain, {beginning(chain), time}});
    life->second.end = std::max(life->second.end, time);
    if (fresh)
      for (unsigned before : steps.step(chain).from)
        reads.push_back(end(before));
  }
  for (auto& [chain, life] : lives)
    copy.lives.push_back(life);
  std::sort(copy.lives.begin(), copy.lives.end(), [](Lifetime a, Lifetime b) { return a.start < b.start; });
}

// Streams that have one memory: a value that goes on as it was beside what it became, or that became two.
void findSharedMemory(Crossing& crossing) {
  std::vector<StoredCopy*> found;
  auto note = [&](StoredCopy& copy) {
    if (!std::exchange(copy.shares_memory, true))
      found.push_back(&copy);
  };
  DenseMap<StoredCopy*, SmallVector<StoredCopy*, 2>> become;
  for (auto& [way, moves] : crossing.moves) {
    DenseMap<StoredCopy*, StoredCopy*> first;
    for (const Move& move : moves) {
      if (!move.from)
        continue;
      become[move.from].push_back(move.to);
      auto [other, fresh] = first.try_emplace(move.from, move.to);
      if (fresh && !livesOn(crossing, *move.from, way))
        continue;
      note(*move.from);
      note(*move.to);
      note(*other->second);
    }
  }
  while (!found.empty()) {
    StoredCopy* copy = found.back();
    found.pop_back();
    for (StoredCopy* to : become[copy])
      note(*to);
  }
}

} // namespace

bool livesOn(const Crossing& crossing, const StoredCopy& copy, Way way) {
  uint32_t time = beginning(way.second);
  auto behind = partition_point(copy.lives, [&](Lifetime life) { return life.start <= time; });
  if (behind == copy.lives.begin() || std::prev(behind)->end < time)
    return false;
  if (copy.begin != time)
    return true;
  return copy.writer == 0 && !crossing.moved_to.contains({&copy, way});
}

void findLives(const ir::Supersteps& steps, Crossing& crossing) {
  for (auto& copy : crossing.saved)
    findLife(steps, *copy);
  for (auto& [way, moves] : crossing.moves)
    for (const Move& move : moves) {
      crossing.moved_from.insert({move.from, way});
      crossing.moved_to.insert({move.to, way});
    }
  findSharedMemory(crossing);
  // Nothing may be stored in its place by the superstep that reads it last: another stream has that memory.
  for (auto& copy : crossing.saved)
    if (copy->shares_memory)
      for (Lifetime& life : copy->lives)
        life.end = std::max(life.end, end(life.end / 2));
}

} // namespace bsgp::bsp
