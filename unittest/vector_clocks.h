// Six threads of two blocks, and what comes before what in a trace of what they do, by vector clocks.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace bsgp::test {

constexpr int64_t kBlock = 64, kWarp = 32, kRanks[] = {0, 1, 40, 64, 65, 104};
constexpr size_t kThreads = 6;
constexpr int kOpen = 1 << 30;

using Clock = std::array<int, kThreads>;

inline void join(Clock& clock, const Clock& other) {
  for (size_t i = 0; i < kThreads; ++i)
    clock[i] = std::max(clock[i], other[i]);
}

// A place: the block whose shared memory it is in, or -1, and the byte where it begins.
struct Place {
  int64_t block;
  uint64_t at;
  auto operator<=>(const Place&) const = default;
};

// What comes before what, by clocks of threads. An operation is told of before it is done, by when its thread does the
// next: `least` is what threads have seen for sure, if each was done when it was told of; `most` what they may have seen.
class Clocks {
public:
  struct Thread {
    Clock least{}, most{};
    std::optional<std::pair<Clock, Clock>> fence;
    std::optional<Place> acquires; // and may not have yet
    int told = 0;
    bool is_load = false;
    Clock before{};                                 // what it had seen
    std::vector<std::pair<Place, size_t>> releases; // and may not have yet
  };

  // Its stamp.
  int access(size_t thread) {
    see(thread);
    Thread& t = threads[thread];
    ++t.least[thread];
    return ++t.most[thread];
  }
  void store(size_t thread, Place place) {
    done(thread);
    release(thread, place, threads[thread].most, true);
    overtake(place);
    sure_[place] = threads[thread].least;
  }
  void load(size_t thread, Place place) {
    done(thread);
    acquire(thread, place, true);
  }
  void update(size_t thread, Place place) {
    done(thread);
    Clock before = sure_[place];
    if (const auto& fence = threads[thread].fence) {
      release(thread, place, fence->second, false);
      join(sure_[place], fence->first);
    }
    acquire(thread, place, false);
    join(threads[thread].least, before);
  }
  void fence(size_t thread) {
    done(thread);
    threads[thread].fence = {threads[thread].least, threads[thread].most};
  }
  void sync(int64_t first, int64_t count) {
    Clock least{}, most{};
    forThreads(first, count, [&](size_t i) {
      done(i);
      join(least, threads[i].least), join(most, threads[i].most);
    });
    forThreads(first, count, [&](size_t i) { join(threads[i].least, least), join(threads[i].most, most); });
  }

  Thread threads[kThreads];

private:
  struct Release {
    Clock most;
    bool is_store;
    int told, done;
  };

  template <class Function> static void forThreads(int64_t first, int64_t count, const Function& function) {
    for (size_t i = 0; i < kThreads; ++i)
      if (kRanks[i] >= first && kRanks[i] < first + count)
        function(i);
  }
  void release(size_t thread, Place place, const Clock& most, bool is_store) {
    threads[thread].releases.emplace_back(place, released_[place].size());
    released_[place].push_back({most, is_store, ++step_, kOpen});
  }
  void acquire(size_t thread, Place place, bool is_load) {
    Thread& t = threads[thread];
    t.acquires = place, t.told = ++step_, t.is_load = is_load, t.before = t.least;
    join(t.least, sure_[place]);
    see(thread);
  }
  // Who is about to load may see another store.
  void overtake(Place place) {
    for (size_t i = 0; i < kThreads; ++i)
      if (Thread& t = threads[i]; t.acquires == place && t.is_load) {
        t.before[i] = t.least[i];
        t.least = t.before;
      }
  }
  // What was stored before another store is gone, if both were done in that order before it was loaded.
  bool mayBeSeen(const Release& release, const std::vector<Release>& all, int acquired) const {
    for (const Release& other : all)
      if (other.is_store && release.done < other.told && other.done < acquired)
        return false;
    return true;
  }
  void see(size_t thread) {
    Thread& t = threads[thread];
    if (t.acquires)
      for (const Release& release : released_[*t.acquires])
        if (mayBeSeen(release, released_[*t.acquires], t.told))
          join(t.most, release.most);
  }
  void done(size_t thread) {
    see(thread);
    Thread& t = threads[thread];
    t.acquires.reset();
    for (const auto& [place, number] : t.releases)
      released_[place][number].done = ++step_;
    t.releases.clear();
  }

  int step_ = 0;
  std::map<Place, Clock> sure_;
  std::map<Place, std::vector<Release>> released_;
};

} // namespace bsgp::test
