// Streams for the values that are saved (paper, 4.3).
//
// Requires: lifetimes. Ensures: values in one stream have one size, one numbering, and no time in common.
#include "bsp/streams.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "bsp/stream_access.h"
#include "bsp/table.h"
namespace bsgp::bsp {

namespace {

using Group = std::vector<StoredCopy*>; // may share: same bytes, same generation

// An array lies word by word, so its stream is no use to a scalar of as many bytes, nor to an array of other words.
uint32_t elementBytes(const StoredCopy& saved) {
  if (saved.kind != StoredCopy::Array)
    return saved.bytes;
  return static_cast<uint32_t>(layoutOf(*llvm::cast<llvm::AllocaInst>(saved.what)).word_bytes);
}

std::vector<Group> groupsOf(const Crossing& crossing) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Group> groups;
  for (const auto& saved : crossing.saved)
    groups[{saved->generation, saved->bytes, elementBytes(*saved)}].push_back(saved.get());
  std::vector<Group> result;
  for (auto& [key, group] : groups)
    result.push_back(std::move(group));
  return result;
}

// Copies that meet in others: a move between them is none if they have one stream.
using Alike = std::map<const StoredCopy*, std::vector<const StoredCopy*>>;

Alike findAlike(const Crossing& crossing) {
  Alike alike;
  for (const auto& [way, moves] : crossing.moves)
    for (const Move& move : moves)
      if (move.from) {
        alike[move.to].push_back(move.from);
        alike[move.from].push_back(move.to);
      }
  return alike;
}

Sharing shareOnLine(const Group& group) {
  std::vector<Lifetime> lives;
  for (const StoredCopy* saved : group)
    lives.push_back(saved->lives.front());
  return shareStreams(lives);
}

Sharing shareOnGraph(const Group& group, const Alike& alike) {
  std::map<const StoredCopy*, uint32_t> number;
  for (const StoredCopy* saved : group)
    number.emplace(saved, uint32_t(number.size()));
  std::vector<Life> lives;
  for (const StoredCopy* saved : group) {
    Life& life = lives.emplace_back(Life{saved->lives, {}});
    if (auto others = alike.find(saved); others != alike.end())
      for (const StoredCopy* other : others->second)
        if (auto known = number.find(other); known != number.end())
          life.alike.push_back(known->second);
  }
  return colourStreams(lives);
}

// Shares within the group; the numbers of its streams begin at `first`. Returns how many there are.
uint32_t shareWithin(const Group& group, uint32_t first, bool line, const Alike& alike) {
  Sharing sharing = line ? shareOnLine(group) : shareOnGraph(group, alike);
  for (size_t i = 0; i < group.size(); ++i)
    group[i]->stream = first + sharing.stream[i];
  return sharing.count;
}

// Numbers streams in the order in which the program comes to need them.
void renumber(Crossing& crossing, uint32_t count) {
  constexpr uint32_t kUnset = UINT32_MAX;
  std::vector<uint32_t> number(count, kUnset);
  uint32_t next = 0;
  for (auto& saved : crossing.saved) { // by start of life
    uint32_t& assigned = number[saved->stream];
    if (assigned == kUnset)
      assigned = next++;
    saved->stream = assigned;
  }
}

void describe(const Crossing& crossing, uint32_t count, plan::Plan& plan, plan::Report& report) {
  plan.streams.resize(count);
  for (const auto& saved : crossing.saved) {
    plan.streams[saved->stream] = {saved->bytes};
    for (Lifetime life : saved->lives)
      report.values.push_back({saved->name, life.start, life.end, saved->bytes, saved->generation, saved->stream});
  }
}

} // namespace

void assignStreams(Crossing& crossing, const ir::Freedom& freedom, plan::Plan& plan, plan::Report& report) {
  uint32_t count = 0;
  bool line =
      std::all_of(crossing.saved.begin(), crossing.saved.end(), [](auto& saved) { return saved->lives.size() == 1; });
  Alike alike = findAlike(crossing);
  for (const Group& group : groupsOf(crossing))
    count += shareWithin(group, count, line, alike);
  renumber(crossing, count);
  describe(crossing, count, plan, report);
  writeTable(crossing, freedom, plan, report);
}

} // namespace bsgp::bsp
