#include "runtime/check/checker.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <unistd.h>

#include "runtime/check/checked_call.h"
#include "runtime/check/checks.h"
#include "runtime/check/launch.h"
#include "runtime/check/leaks.h"
#include "runtime/check/report_text.h"
#include "runtime/environment.h"
#include "runtime/failure.h"
#include "runtime/output.h"

// A program that was compiled with --check defines it: bits of bsgp_check_kind.
extern "C" [[gnu::weak]] const uint32_t bsgp_program_checks;

namespace bsgp::runtime::check {
namespace {

constexpr uint32_t kUsual = BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT | BSGP_CHECK_ARITHMETIC;

std::atomic<uint32_t> made_here{0};
std::atomic<bool> were_declined{false};

uint32_t kindNamed(std::string_view name) {
  for (uint32_t kind = BSGP_CHECK_RACE; kind <= BSGP_CHECK_LIBRARY; kind *= 2)
    if (name == nameOfKind(kind))
      return kind;
  return name == "1" || name == "true" || name == "all" ? kUsual : 0;
}

std::string cannotWrite(const std::string& path) {
  return formatted("cannot write the reports to '%s': %s", path.c_str(), std::strerror(errno));
}

// It is tried before the program has run for hours. The file keeps its contents.
bool canWrite(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  return file && std::fclose(file) == 0;
}

bool writeFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool done = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file && std::fclose(file) != 0)
    done = false;
  if (!done)
    std::fprintf(stderr, "bsgp: error: %s\n", cannotWrite(path).c_str());
  return done;
}

} // namespace

Result<uint32_t> kindsOf(std::string_view list) {
  uint32_t kinds = 0;
  constexpr const char* kThereAre = "there are race, bounds, init, arithmetic, lint and library";
  for (std::string_view rest = list; list != "0" && list != "off" && !list.empty();) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, comma);
    if (name.empty())
      return Error{std::string("a name is missing; ") + kThereAre};
    uint32_t kind = kindNamed(name);
    if (!kind)
      return Error{formatted("there is no check '%.*s'; %s", int(name.size()), name.data(), kThereAre)};
    kinds |= kind;
    if (comma == rest.size())
      break;
    rest.remove_prefix(comma + 1);
  }
  constexpr uint32_t kOfMemory = BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT;
  return (kinds & BSGP_CHECK_LIBRARY) && !(kinds & kOfMemory) ? kinds | kUsual : kinds;
}

namespace {

Result<Settings> settings(const char* wanted) {
  Settings made;
  const char* list = wanted && *wanted ? wanted : environment("BSGP_CHECK");
  if (!list)
    made.kinds = &bsgp_program_checks ? bsgp_program_checks : 0;
  if (list) {
    auto kinds = kindsOf(list);
    if (!kinds)
      return Error{(list == wanted ? "" : "the environment variable BSGP_CHECK: ") + kinds.message()};
    made.kinds = *kinds;
  }
  auto limit = numberFrom("BSGP_CHECK_LIMIT", made.limit);
  if (!limit)
    return limit.error();
  made.limit = *limit;
  if (const char* path = environment("BSGP_CHECK_JSON"))
    made.json_path = path;
  if (made.kinds && !made.json_path.empty() && !canWrite(made.json_path))
    return Error{cannotWrite(made.json_path)};
  return made;
}

} // namespace

Result<std::unique_ptr<Watch>> makeChecks(const char* wanted) {
  auto given = settings(wanted);
  if (!given)
    return given.error();
  if (!given->kinds && (wanted || environment("BSGP_CHECK")))
    were_declined = true;
  return given->kinds ? std::unique_ptr<Watch>(std::make_unique<Checker>(*given)) : nullptr;
}

bool checksWereDeclined() {
  return were_declined;
}

void endWithoutMemoryForChecks() noexcept {
  constexpr char kText[] = "error: there is no memory left for what is kept of a program that is checked\n";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(1);
}

void codeLooksFor(uint32_t kinds) {
  made_here.fetch_or(kinds);
}

Checker::~Checker() {
  allocations.forAll([&](Allocation& allocation) {
    shadows.drop(allocation.races);
    shadows.drop(allocation.written);
  });
  for (auto& puts : puts_)
    shadows.drop(puts);
}

// When the epochs have all been used, entries of earlier launches are dropped, once none of them runs.
void Checker::begin(bsgp_check_launch& launch, Orders& orders, int64_t threads) {
  static std::atomic<uint64_t> serial{0};
  std::unique_lock lock(launch_mutex_);
  auto beginsAnew = [this] { return launches_ && launches_ % entry::kEpochs == 0; };
  launch_ended_.wait(lock, [&] { return !beginsAnew() || running_ == 0; });
  if (beginsAnew())
    forgetLaunches();
  ++running_;
  launch.number = ++launches_;
  reports.launched(launches_);
  launch.serial = serial.fetch_add(1, std::memory_order_relaxed) + 1;
  launch.epoch = uint32_t((launches_ - 1) % entry::kEpochs) + 1;
  launch.layout = entry::Layout(threads);
  launch.orders = &orders;
  launch.histories = std::make_shared<Histories>();
  launch.shown = std::make_shared<Shown>();
  shadows.begin(launch.number);
}

void Checker::end(const bsgp_check_launch& launch) {
  shadows.end(launch.number);
  std::lock_guard lock(launch_mutex_);
  --running_;
  launch_ended_.notify_all();
}

void Checker::forgetLaunches() {
  auto clear = [](std::atomic<RaceShadow*>& slot) {
    if (RaceShadow* shadow = slot.load(std::memory_order_acquire))
      shadow->clear();
  };
  allocations.forAll([&](Allocation& allocation) { clear(allocation.races); });
  for (auto& puts : puts_)
    clear(puts);
}

// Memory that callers get may be written by them.
bool Checker::add(void* block, uint64_t bytes, Space space, Origin origin) {
  Allocation* allocation = allocations.add(block, bytes, space, origin);
  if (allocation && origin.site && looksFor(BSGP_CHECK_INIT))
    allocation->written.store(new WrittenBytes(bytes), std::memory_order_release);
  return allocation != nullptr;
}

void Checker::moved(uintptr_t to, uintptr_t from, uint64_t bytes) {
  auto there = allocations.writtenAt(to, bytes), here = allocations.writtenAt(from, bytes);
  if (there.bytes && here.bytes)
    return there.bytes->copy(there.offset, *here.bytes, here.offset, bytes);
  std::vector<UnsetRanges::Range> left; // relative to `from`
  if (here.bytes)
    here.bytes->forUnwritten(here.offset, bytes,
                             [&](uint64_t at, uint64_t count) { left.emplace_back(at, at + count); });
  else
    for (auto [begin, end] : unset.within(from, bytes))
      left.emplace_back(begin - from, end - from);
  if (there.bytes)
    there.bytes->set(there.offset, bytes, true);
  else
    unset.set(to, bytes);
  for (auto [begin, end] : left)
    if (there.bytes)
      there.bytes->set(there.offset + begin, end - begin, false);
    else
      unsetVariable(to + begin, end - begin);
}

// It may be memory of `new`, passed by reference.
void Checker::setVariable(uintptr_t begin, uint64_t bytes, bool is_set) {
  if (auto memory = allocations.writtenAt(begin, bytes); memory.bytes)
    memory.bytes->set(memory.offset, bytes, is_set);
  else
    is_set ? unset.set(begin, bytes) : unsetVariable(begin, bytes);
}

// Compiled code may have cached that there are none (bsgp_check_known).
void Checker::unsetVariable(uintptr_t begin, uint64_t bytes) {
  if (unset.unset(begin, bytes))
    allocations.changed();
}

// Structs have gaps, and a program that copies an array may use a part of it: a copy to the host is reported if none
// of it was written, else undefined values are reported at their use.
void Checker::copied(const void* to, Space to_space, const void* from, uint64_t bytes, const bsgp_site* site,
                     bsgp_call* call) {
  if (!looksFor(BSGP_CHECK_INIT))
    return;
  auto target = reinterpret_cast<uintptr_t>(to), begin = reinterpret_cast<uintptr_t>(from);
  Allocation* memory = allocations.at(begin);
  auto here = allocations.writtenAt(begin, bytes);
  auto there = allocations.writtenAt(target, bytes);
  if (!there.bytes && (!site || to_space == Space::Device)) // the caller's own
    return;
  bool is_nothing = here.bytes && memory->space == Space::Device && site && to_space == Space::Host &&
                    follows_writes_.load() && here.bytes->none(here.offset, bytes);
  if (!is_nothing) {
    if (Allocation* copy = there.bytes ? allocations.at(target) : nullptr; copy && here.bytes)
      here.bytes->forUnwritten(here.offset, bytes, [&](uint64_t at, uint64_t count) {
        unset_copies.add(*copy, there.offset + at, count, site);
      });
    return moved(target, begin, bytes);
  }
  setVariable(target, bytes, true);
  bsgp_check_site watched{};
  watched.at = site;
  Finding finding;
  finding.what = What::Value;
  finding.value_kind = BSGP_VALUE_UNDEFINED;
  finding.site = &watched;
  finding.allocation = memory;
  finding.offset = int64_t(here.offset);
  finding.copied = unset_copies.of(*memory, here.offset);
  finding.who.call = findingsOf(call);
  reports.add(finding);
}

// If the memory is no allocation and its length is unknown, variables behind it may be a part of it.
void Checker::reached(const void* pointer, uint64_t bytes, bool holds_pointers) {
  constexpr uint64_t kFar = 1 << 20;
  std::vector<std::pair<uintptr_t, uint64_t>> open{{reinterpret_cast<uintptr_t>(pointer), bytes}};
  std::unordered_set<const Allocation*> seen;
  while (!open.empty()) {
    auto [begin, length] = open.back();
    open.pop_back();
    Allocation* memory = allocations.at(begin);
    WrittenBytes* written = memory ? memory->written.load(std::memory_order_acquire) : nullptr;
    if (!written)
      unset.set(begin, length ? length : kFar);
    if (written && !seen.insert(memory).second)
      continue;
    if (written)
      begin = memory->begin, length = memory->extent.load(std::memory_order_relaxed), written->setFirst(length);
    if (!holds_pointers || (memory && memory->space == Space::Device))
      continue;
    for (uintptr_t at = (begin + 7) / 8 * 8; at + 8 <= begin + length; at += 8)
      if (uintptr_t other = *reinterpret_cast<const uintptr_t*>(at); allocations.at(other))
        open.emplace_back(other, 0);
  }
}

void Checker::reachedByCallers() {
  allocations.forAll([](Allocation& memory) {
    WrittenBytes* written = memory.written.load(std::memory_order_acquire);
    if (written && memory.space == Space::Host && !memory.is_freed.load(std::memory_order_relaxed))
      written->setFirst(memory.bytes);
  });
}

Allocation* Checker::free(void* block, const bsgp_site* at) {
  Allocation* allocation = allocations.free(block, at);
  if (allocation)
    shadows.drop(allocation->races);
  return allocation;
}

// An access under way during the free may have made them again.
void Checker::forget(Allocation* allocation) {
  shadows.drop(allocation->races);
  shadows.drop(allocation->written);
  allocations.forget(allocation);
}

RaceShadow& Checker::putsOf(uint32_t put, uint64_t count) {
  return shadows.ofAtLeast(puts_[put], count);
}

// The checks in code of a shared library of the program are unknown: it may be all of them.
uint32_t Checker::judgedKinds() const {
  uint32_t known = made_here.load() | (&bsgp_program_checks ? bsgp_program_checks : 0);
  return settings_.kinds & (known || !saw_code_.load() ? known : settings_.kinds);
}

bool Checker::reportAll(const char* ended_by, bool was_reported) {
  std::lock_guard lock(tell_mutex_);
  if (has_told_)
    return true;
  has_told_ = true;
  std::vector<Report> all = reports.sorted();
  uint32_t kinds = judgedKinds();
  Judged judged{kinds,           settings_.kinds & ~kinds, unjudged_.load(),
                outside_.load(), has_atomics_.load(),      allocations.unknown()};
  judged.ended_by = ended_by, judged.was_told = was_reported;
  judged.on_gpu = on_gpu_.load(), judged.lost = lost_.load();
  judged.has_races = std::any_of(all.begin(), all.end(), [](const Report& r) { return r.kind == BSGP_CHECK_RACE; });
  SourceLines lines;
  std::string text;
  uint64_t told = 0;
  for (const Report& report : all)
    if (told < settings_.limit) {
      text += textOf(report, lines);
      ++told;
    }
  if (told < all.size())
    text += formatted("check: %zu %s not shown (--check-limit %" PRIu64 ")\n", size_t(all.size() - told),
                      all.size() - told == 1 ? "report is" : "reports are", settings_.limit);
  std::vector<Leak> leaks;
  if (looksFor(BSGP_CHECK_LINT) && !tells_calls_)
    leaks = leaksOf(allocations);
  text += textOf(leaks);
  text += summaryOf(all, leaks.size(), judged);
  flush();
  std::fwrite(text.data(), 1, text.size(), stderr);
  return settings_.json_path.empty() || writeFile(settings_.json_path, jsonOf(all, leaks, judged));
}

std::string Checker::firstError(const CallFindings& call, uint64_t before) const {
  std::optional<Report> first = reports.firstOf(call);
  if (!tells_calls_ || (!first && reports.findings() <= before))
    return "";
  SourceLines lines;
  std::string text = textOf(first ? *first : reports.since(before), lines);
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

} // namespace bsgp::runtime::check
