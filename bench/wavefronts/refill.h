// Loops by hand whose lanes are refilled: a queue of ranks, and vectors side by side.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "../primitives/team.h"
#include "lanes.h"

namespace bench {

#if defined(BENCH_LANES)

constexpr int kRounds = 4;

// Ranks for the vectors of a member of the team, from those that all members share.
class Queue {
public:
  Queue(std::atomic<int>& shared, int end) : shared_(shared), end_(end) {}

  // Ranks for some of the lanes: for these lanes, from `first` on.
  template <class M> M take(M lanes, int& first) {
    if (begin_ == claimed_)
      claim();
    unsigned bits = bitsOf(lanes);
    int wanted = std::popcount(bits), given = std::min(wanted, claimed_ - begin_);
    first = begin_;
    begin_ += given;
    if (given == wanted)
      return lanes;
    return maskOf<M>(_pdep_u32((1u << given) - 1, bits));
  }

private:
  static constexpr int kClaim = 256;

  void claim() {
    if (shared_.load(std::memory_order_relaxed) >= end_)
      return;
    int at = shared_.fetch_add(kClaim, std::memory_order_relaxed);
    begin_ = std::min(at, end_);
    claimed_ = std::min(at + kClaim, end_);
  }

  std::atomic<int>& shared_;
  int end_, begin_ = 0, claimed_ = 0;
};

// Stores the lanes of the mask at the places `ranks`.
template <class T, class R, class V, class M> void scatter(T* out, R ranks, V values, M mask) {
  unsigned bits = bitsOf(mask);
  if (!bits)
    return;
  alignas(kBytes) typename std::remove_reference_t<decltype(ranks[0])> at[sizeof(R) / sizeof(ranks[0])];
  alignas(kBytes) typename std::remove_reference_t<decltype(values[0])> from[sizeof(V) / sizeof(values[0])];
  std::memcpy(at, &ranks, sizeof ranks);
  std::memcpy(from, &values, sizeof values);
  for (; bits; bits &= bits - 1) {
    int lane = std::countr_zero(bits);
    out[at[lane]] = T(from[lane]);
  }
}

// Vectors side by side. Each has: ranks; occupied, the lanes that hold one; live, those that go round; step(): once
// round; meet(task, queue): what stands between loops, for the lanes that are occupied and not live, and new ranks.
template <class Lanes, int kVectors> struct Side {
  Lanes first;
  Side<Lanes, kVectors - 1> rest;

  [[gnu::always_inline]] void step() {
    first.step();
    rest.step();
  }
  [[gnu::always_inline]] bool look(const typename Lanes::Task& task, Queue& queue) {
    bool goes = meetIfMany(first, task, queue);
    return rest.look(task, queue) || goes;
  }
};
template <class Lanes> struct Side<Lanes, 0> {
  [[gnu::always_inline]] void step() {}
  [[gnu::always_inline]] bool look(const typename Lanes::Task&, Queue&) { return false; }
};

template <class Lanes>
[[gnu::always_inline]] inline bool meetIfMany(Lanes& v, const typename Lanes::Task& task, Queue& queue) {
  constexpr int kAll = int(sizeof(v.ranks) / sizeof(v.ranks[0]));
  if (std::popcount(bitsOf(v.live)) <= kAll - kAll / 4)
    v.meet(task, queue);
  return bitsOf(v.occupied);
}

// All ranks below n, on all members of the team. A lane goes round until it leaves; every few rounds, vectors that a
// quarter of their lanes have left are met.
template <class Lanes, int kVectors> void refilled(Team& team, int n, const typename Lanes::Task& task) {
  std::atomic<int> shared{0};
  team.run([&](unsigned) {
    Queue queue(shared, n);
    Side<Lanes, kVectors> vectors{};
    while (vectors.look(task, queue)) {
      for (int round = 0; round < kRounds; ++round)
        vectors.step();
    }
  });
}

#endif

} // namespace bench
