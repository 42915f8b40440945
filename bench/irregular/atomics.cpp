#include <algorithm>
#include <atomic>
#include <memory>

#include "problem.h"

namespace bench {
namespace {

using Atomic = std::atomic_ref<int>;
constexpr auto kRelaxed = std::memory_order_relaxed;

using Exported = bsgp_status(bsgp_context*, int32_t*, int32_t*, int32_t);

template <bool kLeast> void extreme(int& place, int value) {
  Atomic atomic(place);
  int old = atomic.load(kRelaxed);
  while ((kLeast ? value < old : value > old) && !atomic.compare_exchange_weak(old, value, kRelaxed))
    ;
}
void cas(int& place, int) {
  int expected = 0;
  Atomic(place).compare_exchange_strong(expected, 77, kRelaxed);
}
void add(int& place, int value) {
  Atomic(place).fetch_add(value, kRelaxed);
}
void bitAnd(int& place, int value) {
  Atomic(place).fetch_and(value, kRelaxed);
}
void bitOr(int& place, int value) {
  Atomic(place).fetch_or(value, kRelaxed);
}
void bitXor(int& place, int value) {
  Atomic(place).fetch_xor(value, kRelaxed);
}
void exchange(int& place, int) {
  Atomic(place).exchange(77, kRelaxed);
}
void store(int& place, int) {
  Atomic(place).store(77, std::memory_order_release);
}

struct Operation {
  const char* name;
  int start; // at each place
  Exported *vectors, *alone;
  void (*loop)(int* p, const int* places, size_t begin, size_t end);
};

template <void (*kOne)(int&, int)> void loop(int* p, const int* places, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    kOne(p[places[i]], int(i));
}

const Operation kOperations[] = {
    {"min", 1 << 30, atomic_min_at, atomic_min_at_width1, loop<extreme<true>>},
    {"max", -1, atomic_max_at, atomic_max_at_width1, loop<extreme<false>>},
    {"add", 0, atomic_add_at, atomic_add_at_width1, loop<add>},
    {"and", -1, atomic_and_at, atomic_and_at_width1, loop<bitAnd>},
    {"or", 0, atomic_or_at, atomic_or_at_width1, loop<bitOr>},
    {"xor", 0, atomic_xor_at, atomic_xor_at_width1, loop<bitXor>},
    {"cas", 0, atomic_cas_at, atomic_cas_at_width1, loop<cas>},
    {"exchange", 0, atomic_exchange_at, atomic_exchange_at_width1, loop<exchange>},
    {"store", 0, atomic_store_at, atomic_store_at_width1, loop<store>},
};
constexpr const char* kWhere[] = {"random", "equal", "rank"};

struct Memory {
  Array<int> p, places, found;
};

std::shared_ptr<Memory> makeMemory(bsgp_context* context, int n, int where) {
  auto memory = std::make_shared<Memory>(
      Memory{Array<int>(context, size_t(4) * n), Array<int>(context, n), Array<int>(context, n)});
  Random random(1);
  for (int i = 0; i < n; ++i)
    memory->places.data()[i] = where == 0 ? int(random.below(4 * n)) : where == 1 ? 5 : i;
  return memory;
}

Problem operationProblem(bsgp_context* context, Team& team, Size size, const Operation& operation, int where) {
  int n = size(2000000, 500000);
  auto memory = makeMemory(context, n, where);
  int *p = memory->p.data(), *places = memory->places.data();
  return {std::string("atomic_") + operation.name + ", " + kWhere[where] + " places",
          [=] { std::fill_n(p, memory->p.size(), operation.start); },
          [=] { bsgp::check(operation.vectors(context, p, places, n)); },
          [=] { bsgp::check(operation.alone(context, p, places, n)); },
          [=, &team] { team.pieces(n, kPiece, [=](size_t b, size_t e) { operation.loop(p, places, b, e); }); },
          [=] { return digestOf(p, memory->p.size()); }};
}

Problem loadProblem(bsgp_context* context, Team& team, Size size, int where) {
  int n = size(2000000, 500000);
  auto memory = makeMemory(context, n, where);
  int *p = memory->p.data(), *places = memory->places.data(), *found = memory->found.data();
  for (size_t i = 0; i < memory->p.size(); ++i)
    p[i] = int(mixed(uint32_t(i)));
  auto loop = [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      found[i] = Atomic(p[places[i]]).load(std::memory_order_acquire);
  };
  return {std::string("atomic_load, ") + kWhere[where] + " places",
          [] {},
          [=] { bsgp::check(atomic_load_at(context, p, places, found, n)); },
          [=] { bsgp::check(atomic_load_at_width1(context, p, places, found, n)); },
          [=, &team] { team.pieces(n, kPiece, loop); },
          [=] { return digestOf(found, memory->found.size()); }};
}

} // namespace

void addAtomics(Problems& to, bsgp_context* context, Team& team, Size size) {
  for (int where : {0, 1, 2}) {
    for (const Operation& operation : kOperations)
      to.push_back([=, &team] { return operationProblem(context, team, size, operation, where); });
    to.push_back([=, &team] { return loadProblem(context, team, size, where); });
  }
}

} // namespace bench
