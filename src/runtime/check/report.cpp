#include "runtime/check/report.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/check/causes.h"
#include "runtime/check/launch.h"

namespace bsgp::runtime::check {
namespace {

// A spawn of the library is reported at the program's call of the library.
Spot spotOf(const bsgp_check_site* site, const Who& who) {
  if (!site)
    return {};
  Spot spot{placeOf(site->at), placeOf(site->inside), site->text ? site->text : "", site->access};
  if (!spot.at.of_library || !who.launch || !who.launch->library_call)
    return spot;
  spot.inside = spot.inside.isKnown() ? spot.inside : spot.at;
  spot.at = placeOf(who.launch->library_call);
  spot.text.clear();
  return spot;
}

uint32_t kindOf(const Finding& finding) {
  if (finding.what == What::Race || finding.what == What::PutRace)
    return BSGP_CHECK_RACE;
  if (finding.what != What::Value)
    return BSGP_CHECK_BOUNDS;
  return bsgp_kind_of_value(finding.value_kind);
}

// True for memory of scalars, which have no named parts: a smaller access is by a pointer to a smaller type.
bool isOfScalars(const Allocation& memory) {
  constexpr std::string_view kScalars[] = {"char", "uchar", "short", "ushort", "int",    "uint",
                                           "long", "ulong", "half",  "float",  "double", "bool"};
  bool known = placeIfLoaded(memory.made).isKnown() && memory.made.site->text;
  return known && std::ranges::find(kScalars, std::string_view(memory.made.site->text)) != std::end(kScalars);
}

// An access may reach a part of a vector or a struct: elements are those of the memory.
int64_t elementBytes(const Finding& finding) {
  uint32_t reached = finding.site->element_bytes, whole = finding.allocation ? finding.allocation->element_bytes : 0;
  if (whole && reached && reached < whole && isOfScalars(*finding.allocation))
    return reached;
  if (whole && (!reached || whole % reached == 0))
    return whole;
  if (reached)
    return reached;
  return std::max<int64_t>(finding.site->bytes, 1);
}

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

void describeMemory(Report& report, const Finding& finding) {
  const bsgp_check_site& site = *finding.site;
  report.name = site.name ? site.name : "";
  report.element = site.element ? site.element : "";
  report.align = site.align;
  report.negates = site.flags & BSGP_SITE_NEGATES;
  report.is_array = site.space >= BSGP_MEMORY_SHARED;
  report.is_shared = site.space == BSGP_MEMORY_SHARED;
  report.made = placeOf(site.declared);
  report.freed = {};
  report.made_type.clear();
  report.made_count = 0;
  const Allocation* memory = finding.allocation;
  if (!memory || report.is_array)
    return;
  report.made = placeIfLoaded(memory->made);
  if (memory->is_freed.load(std::memory_order_acquire))
    report.freed = placeIfLoaded(memory->freed);
  bool known = report.made.isKnown();
  report.made_type = known && memory->made.site->text ? memory->made.site->text : "";
  report.made_count = memory->count;
}

void describeThread(Report& report, const Finding& finding) {
  const Who& who = finding.who;
  report.rank = who.rank;
  report.block = who.rank / std::max<int64_t>(who.block, 1);
  report.other_rank = finding.other_rank;
  report.other_block = finding.other_rank / std::max<int64_t>(who.block, 1);
  report.others_too = finding.others_too;
  report.value = finding.value;
  report.threads = who.threads;
  report.superstep = 0;
  report.spawn = {};
  if (!who.launch)
    return;
  report.launch = who.launch->number;
  if (who.launch->kernel)
    report.superstep = who.launch->kernel->superstep;
  if (who.launch->plan)
    report.spawn = placeOf(who.launch->plan->site);
}

CallFindings* callOf(const Who& who) {
  return who.call || !who.launch ? who.call : who.launch->call;
}

// Adds a finding to a report of equal ones. The finding with the lowest element, and then with the lowest rank,
// describes them all, so that no schedule changes the text.
void include(Report& report, const Finding& finding, const Spot& spot, const Spot& other, uint64_t when) {
  bool is_new = report.times++ == 0;
  int64_t bytes = elementBytes(finding), index = floorDivide(finding.offset, bytes);
  report.when = is_new ? when : std::min(report.when, when);
  report.elements.add(index);
  if (is_new) {
    report.what = finding.what;
    report.value_kind = finding.value_kind;
    report.kind = kindOf(finding);
  }
  bool same_launch = finding.who.launch && finding.who.launch->number == report.launch;
  bool is_lower = index < report.index || (index == report.index && same_launch && finding.who.rank < report.rank);
  if (!is_new && !is_lower)
    return;
  describeMemory(report, finding);
  report.spot = spot;
  report.other = other;
  report.index = index;
  report.inside_element = finding.offset - index * bytes;
  report.count = int64_t(finding.room) / bytes;
  report.from_begin = finding.from_begin;
  describeThread(report, finding);
  report.causes = causesOf(finding);
}

} // namespace

Place placeIfLoaded(const Where& where) {
  return where.unloads == timesUnloaded() ? placeOf(where.site) : Place{};
}

Place placeOf(const bsgp_site* site) {
  return site && site->file ? Place{site->file, site->line, site->column, site->of_library != 0} : Place{};
}

void Elements::add(int64_t index) {
  auto next = ranges_.upper_bound(index);
  auto before = next == ranges_.begin() ? ranges_.end() : std::prev(next);
  if (before != ranges_.end() && index <= before->second)
    return;
  bool joins_before = before != ranges_.end() && before->second + 1 == index;
  bool joins_next = next != ranges_.end() && next->first == index + 1;
  if (!joins_before && !joins_next && ranges_.size() == kMostRanges)
    return addUnlisted(index);
  count_ += unlisted_.erase(index) == 0;
  int64_t first = joins_before ? before->first : index, last = joins_next ? next->second : index;
  if (joins_next)
    ranges_.erase(next);
  ranges_[first] = last;
}

void Elements::addUnlisted(int64_t index) {
  if (unlisted_.size() < kMostUnlisted)
    count_ += unlisted_.insert(index).second;
  else
    is_whole_ &= unlisted_.contains(index);
}

void Reports::add(const Finding& finding) {
  Spot spot = spotOf(finding.site, finding.who), other = spotOf(finding.other, finding.who);
  Place made = finding.allocation ? placeIfLoaded(finding.allocation->made) : Place{};
  Place low = spot.at, high = other.at;
  if (finding.other && high < low)
    std::swap(low, high);
  uint32_t more = finding.what == What::Value ? finding.value_kind : 0;
  std::lock_guard lock(mutex_);
  auto [found, is_new] = reports_.try_emplace(Key{finding.what, more, low, high, made});
  Report& report = found->second;
  uint64_t when = finding.who.launch ? 2 * finding.who.launch->number : 2 * launch_.load() + 1;
  include(report, finding, spot, other, when);
  if (report.isNote())
    return;
  if (is_new)
    errors_.fetch_add(1, std::memory_order_relaxed);
  CallFindings* call = callOf(finding.who);
  if (!call)
    report.latest = findings_.fetch_add(1, std::memory_order_relaxed) + 1;
  else if (!call->key)
    *call = {&found->first, std::make_shared<Report>()};
  if (call && call->key == &found->first)
    include(*call->first, finding, spot, other, when);
}

std::optional<Report> Reports::firstOf(const CallFindings& call) const {
  std::lock_guard lock(mutex_);
  return call.key ? std::optional(*call.first) : std::nullopt;
}

std::vector<Report> Reports::sorted() const {
  std::lock_guard lock(mutex_);
  std::vector<Report> all;
  for (const auto& [key, report] : reports_)
    all.push_back(report);
  std::stable_sort(all.begin(), all.end(), [](const Report& a, const Report& b) {
    return std::tie(a.when, a.spot.at, a.kind, a.other.at, a.made) <
           std::tie(b.when, b.spot.at, b.kind, b.other.at, b.made);
  });
  return all;
}

Report Reports::since(uint64_t findings) const {
  std::lock_guard lock(mutex_);
  const Report* first = nullptr;
  for (const auto& [key, report] : reports_)
    if (report.latest > findings && (!first || report.latest < first->latest))
      first = &report;
  return first ? *first : Report{};
}

} // namespace bsgp::runtime::check
