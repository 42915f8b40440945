// Instructions in which the lanes of a warp take part together, and the barriers of a block.
#include <algorithm>

#include "block.h"
#include "lanes.h"
#include "logic.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

enum class Shuffle { up, down, bfly, idx };

int32_t sourceLane(Shuffle mode, int32_t lane, int32_t b, int32_t c, bool& in_range) {
  int32_t segment = c >> 8 & 31, clamp = c & 31;
  int32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment, from = 0;
  b &= 31;
  switch (mode) {
  case Shuffle::up:
    from = lane - b;
    in_range = from >= last;
    break;
  case Shuffle::down:
    from = lane + b;
    in_range = from <= last;
    break;
  case Shuffle::bfly:
    from = lane ^ b;
    in_range = from <= last;
    break;
  case Shuffle::idx:
    from = first | (b & ~segment);
    in_range = from <= last;
    break;
  }
  return in_range ? from : lane;
}

// d|p, a, b, c, members
template <Shuffle mode> void shuffle(Warp& w, const Op& op) {
  const uint32_t* members = w.at<uint32_t>(op.o[5]);
  uint32_t ready = w.gather(op, members), predicate = 0, values[32];
  for (unsigned i = 0; i < 32; ++i) // what comes from a lane that takes no part is not defined
    values[i] = ready & kLaneBit[i] ? w.at<uint32_t>(op.o[2])[i] : 0xa5a5a5a5;
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  const uint32_t *b = w.at<uint32_t>(op.o[3]), *c = w.at<uint32_t>(op.o[4]);
  for (; ready; ready &= ready - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(ready));
    bool in_range = false;
    int32_t from = sourceLane(mode, static_cast<int32_t>(lane), static_cast<int32_t>(b[lane]),
                              static_cast<int32_t>(c[lane]), in_range);
    d[lane] = values[from];
    predicate |= in_range ? kLaneBit[lane] : 0;
  }
  w.setPredicate(op.o[1], predicate);
}

// What is computed for the members of each lane, once for each mask.
template <class F> void forMembers(Warp& w, const Op& op, unsigned members_operand, F each) {
  const uint32_t* members = w.at<uint32_t>(op.o[members_operand]);
  for (uint32_t ready = w.gather(op, members); ready;) {
    uint32_t group = members[std::countr_zero(ready)] & w.exec;
    each(group);
    ready &= ~group;
  }
}

void setGroup(Warp& w, uint32_t offset, uint32_t group, uint32_t value) {
  uint32_t* p = w.at<uint32_t>(offset);
  *p = (*p & ~group) | (value & group);
}

enum class Vote { all, any, uni };

// p, {!}q, members
template <Vote mode> void vote(Warp& w, const Op& op) {
  uint32_t q = *w.at<uint32_t>(op.o[1]) ^ (op.aux & kNegated ? kAllLanes : 0);
  forMembers(w, op, 2, [&](uint32_t group) {
    bool all = (q & group) == group, any = (q & group) != 0;
    bool value = mode == Vote::all ? all : mode == Vote::any ? any : all || !any;
    setGroup(w, op.o[0], group, value ? kAllLanes : 0);
  });
}

void ballot(Warp& w, const Op& op) {
  uint32_t q = *w.at<uint32_t>(op.o[1]) ^ (op.aux & kNegated ? kAllLanes : 0);
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  forMembers(w, op, 2, [&](uint32_t group) { forLanes(group, [=](unsigned i) { d[i] = q & group; }); });
}

template <class T> void matchAny(Warp& w, const Op& op) {
  T values[32];
  std::copy_n(w.at<T>(op.o[1]), 32, values);
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  forMembers(w, op, 2, [&](uint32_t group) {
    forLanes(group, [&](unsigned i) { d[i] = group & lanesWhere([&](unsigned k) { return values[k] == values[i]; }); });
  });
}

// d|p, a, members
template <class T> void matchAll(Warp& w, const Op& op) {
  T values[32];
  std::copy_n(w.at<T>(op.o[2]), 32, values);
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  forMembers(w, op, 3, [&](uint32_t group) {
    T first = values[std::countr_zero(group)];
    bool same = (group & ~lanesWhere([&](unsigned k) { return values[k] == first; })) == 0;
    forLanes(group, [=](unsigned i) { d[i] = same ? group : 0; });
    setGroup(w, op.o[1], group, same ? kAllLanes : 0);
  });
}

struct Sum {
  template <class T> static T of(T a, T b) { return static_cast<T>(uint32_t(a) + uint32_t(b)); }
};
struct Least {
  template <class T> static T of(T a, T b) { return std::min(a, b); }
};
struct Greatest {
  template <class T> static T of(T a, T b) { return std::max(a, b); }
};

template <class T, class F> void reduce(Warp& w, const Op& op) {
  T values[32];
  std::copy_n(w.at<T>(op.o[1]), 32, values);
  T* d = w.at<T>(op.o[0]);
  forMembers(w, op, 2, [&](uint32_t group) {
    T result = values[std::countr_zero(group)];
    for (uint32_t rest = group & (group - 1); rest; rest &= rest - 1)
      result = F::of(result, values[std::countr_zero(rest)]);
    forLanes(group, [=](unsigned i) { d[i] = result; });
  });
}

// d|p, members: the lowest lane is elected
void elect(Warp& w, const Op& op) {
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  forMembers(w, op, 2, [&](uint32_t group) {
    auto first = static_cast<uint32_t>(std::countr_zero(group));
    forLanes(group, [=](unsigned i) { d[i] = first; });
    setGroup(w, op.o[1], group, kLaneBit[first]);
  });
}

void syncWarp(Warp& w, const Op& op) {
  if (w.gather(op, w.at<uint32_t>(op.o[0])))
    ++w.syncs;
}

// The value of an operand that must be the same in all lanes.
uint32_t uniform(Warp& w, const Op& op, uint32_t offset) {
  const uint32_t* values = w.at<uint32_t>(offset);
  auto first = static_cast<unsigned>(std::countr_zero(w.exec));
  forLanes(w.exec, [&](unsigned i) {
    if (values[i] != values[first])
      w.fault(op, i, 719, "the lanes of a warp name different barriers");
  });
  return values[first];
}

// barrier [, threads]; what aux holds: bit 0: there is a number of threads, bit 1: arrives only, bit 2: the lanes of a
// warp may come in different places.
constexpr uint32_t kCounted = 1, kArrives = 2, kUnaligned = 4;

void arriveAt(Warp& w, const Op& op, unsigned operand) {
  uint32_t number = uniform(w, op, op.o[operand]);
  if (number > 15)
    w.fault(op, static_cast<unsigned>(std::countr_zero(w.exec)), 719, "there are 16 barriers");
  uint32_t expected = op.aux & kCounted ? uniform(w, op, op.o[operand + 1]) : 0;
  w.block().arrive(w, op, static_cast<uint8_t>(number), expected, !(op.aux & kArrives), op.aux & kUnaligned);
}

void barrier(Warp& w, const Op& op) {
  arriveAt(w, op, 0);
}

// result, barrier [, threads], {!}predicate
void barrierVote(Warp& w, const Op& op) {
  uint32_t flip = op.aux & kNegated ? kAllLanes : 0;
  uint32_t q = *w.at<uint32_t>(op.o[op.aux & kCounted ? 3 : 2]) ^ flip;
  w.block().vote(w, static_cast<uint8_t>(uniform(w, op, op.o[1]) & 15), q);
  arriveAt(w, op, 1);
}

template <class F> void addReduction(Table& t, const std::string& name, bool bits) {
  if (bits) {
    t.add("redux.sync." + name + ".b32", reduce<uint32_t, F>, "444");
  } else {
    t.add("redux.sync." + name + ".u32", reduce<uint32_t, F>, "444");
    t.add("redux.sync." + name + ".s32", reduce<int32_t, F>, "444");
  }
}

void addBarrier(Table& t, const std::string& name, const std::string& aligned, uint32_t flags) {
  t.add(name + ".sync" + aligned, barrier, "4", flags);
  t.add(name + ".sync" + aligned + ":counted", barrier, "44", flags | kCounted);
  t.add(name + ".arrive" + aligned + ":counted", barrier, "44", flags | kCounted | kArrives);
  auto addVote = [&](const std::string& how, const std::string& type, BarrierVote vote, const char* operands,
                     const char* counted) {
    uint32_t aux = flags | static_cast<uint32_t>(vote) << 8;
    t.add(name + ".red." + how + aligned + type, barrierVote, operands, aux);
    t.add(name + ".red." + how + aligned + type + ":counted", barrierVote, counted, aux | kCounted);
  };
  addVote("popc", ".u32", BarrierVote::popc, "44n", "444n");
  addVote("and", ".pred", BarrierVote::all, "p4n", "p44n");
  addVote("or", ".pred", BarrierVote::any, "p4n", "p44n");
}

} // namespace

void addWarpOps(Table& t) {
  t.add("shfl.sync.up.b32", shuffle<Shuffle::up>, "F4444");
  t.add("shfl.sync.down.b32", shuffle<Shuffle::down>, "F4444");
  t.add("shfl.sync.bfly.b32", shuffle<Shuffle::bfly>, "F4444");
  t.add("shfl.sync.idx.b32", shuffle<Shuffle::idx>, "F4444");
  t.add("vote.sync.all.pred", vote<Vote::all>, "pn4");
  t.add("vote.sync.any.pred", vote<Vote::any>, "pn4");
  t.add("vote.sync.uni.pred", vote<Vote::uni>, "pn4");
  t.add("vote.sync.ballot.b32", ballot, "4n4");
  t.add("match.any.sync.b32", matchAny<uint32_t>, "444");
  t.add("match.any.sync.b64", matchAny<uint64_t>, "484");
  t.add("match.all.sync.b32", matchAll<uint32_t>, "F44");
  t.add("match.all.sync.b64", matchAll<uint64_t>, "F84");
  addReduction<Sum>(t, "add", false);
  addReduction<Least>(t, "min", false);
  addReduction<Greatest>(t, "max", false);
  addReduction<And>(t, "and", true);
  addReduction<Or>(t, "or", true);
  addReduction<Xor>(t, "xor", true);
  t.add("elect.sync", elect, "F4");
  t.add("bar.warp.sync", syncWarp, "4");
}

// Those with a number of threads end in ":counted", which the lowering appends where there is one.
void addBarriers(Table& t) {
  for (std::string name : {"bar", "bar.cta", "barrier", "barrier.cta"}) {
    bool is_short = name.starts_with("bar.") || name == "bar"; // always aligned, without saying so
    addBarrier(t, name, "", is_short ? 0 : kUnaligned);
    if (!is_short)
      addBarrier(t, name, ".aligned", 0);
  }
}

} // namespace bsgp::emulator
