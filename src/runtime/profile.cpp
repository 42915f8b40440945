#include "runtime/profile.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>

#include "runtime/failure.h"

namespace bsgp::runtime {
namespace {

thread_local int64_t accounted_ns = 0;

int64_t nsBetween(Profile::Clock::time_point begin, Profile::Clock::time_point end) {
  return (end - begin).count();
}

std::string linesOf(const bsgp_site* site, uint32_t first, uint32_t last) {
  const char* file = site && site->file ? site->file : "?";
  return last > first ? formatted("%s:%u-%u", file, first, last) : formatted("%s:%u", file, first);
}

uint32_t threadNumber() {
  static std::atomic<uint32_t> next{1};
  static thread_local const uint32_t number = next.fetch_add(1);
  return number;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (uint8_t(c) < 0x20)
      out += formatted("\\u%04x", c);
    else
      out += c;
  return out;
}

} // namespace

const char* Profile::nameOf(What what) {
  static constexpr const char* kNames[] = {"superstep", "require", "test"};
  return kNames[int(what)];
}

Profile::Span Profile::begin() {
  return {Clock::now(), accounted_ns};
}

uint32_t Profile::rowOf(std::string name, std::string lines, What what) {
  auto [it, fresh] = row_numbers_.try_emplace(name + "\n" + lines, uint32_t(rows_.size()));
  if (fresh)
    rows_.push_back({.name = std::move(name), .lines = std::move(lines), .what = what});
  return it->second;
}

// " block 2" of a kernel of a partition, " lists" of those that find a block's threads; else "".
static std::string partNameOf(const bsgp_plan& plan, const bsgp_kernel& kernel) {
  uint32_t number = uint32_t(&kernel - plan.kernels);
  for (uint64_t i = 0; i < plan.partition_count; ++i) {
    const bsgp_partition& partition = plan.partitions[i];
    if (number >= partition.first && number < partition.first + partition.blocks)
      return formatted(" block %u", number - partition.first);
    if (number >= partition.first && number < partition.first + partition.blocks + 2)
      return " lists";
  }
  return "";
}

uint32_t Profile::rowOf(const bsgp_plan& plan, const bsgp_kernel& kernel) {
  return rowOf(formatted("%s #%u%s", plan.name, kernel.superstep, partNameOf(plan, kernel).c_str()),
               linesOf(plan.site, kernel.first_line, kernel.last_line), What::Superstep);
}

void Profile::record(uint32_t row, const Span& span, int64_t ns, int64_t own_ns, int64_t threads, uint64_t bytes) {
  rows_[row].calls += 1;
  rows_[row].threads += uint64_t(threads);
  rows_[row].ns += own_ns;
  rows_[row].bytes += bytes;
  if (events_.size() < kMostEvents)
    events_.push_back({row, threadNumber(), nsBetween(start_, span.begin), ns, threads, bytes});
}

void Profile::launched(const bsgp_plan& plan, const bsgp_kernel& kernel, int64_t threads, const Span& span) {
  int64_t ns = nsBetween(span.begin, Clock::now());
  accounted_ns += ns;
  launchedAt(plan, kernel, threads, span.begin, ns);
}

void Profile::launchedAt(const bsgp_plan& plan, const bsgp_kernel& kernel, int64_t threads, Clock::time_point begin,
                         int64_t ns) {
  std::lock_guard lock(mutex_);
  record(rowOf(plan, kernel), {begin, 0}, ns, ns, threads, uint64_t(threads) * (kernel.loaded + kernel.stored));
}

void Profile::ran(const bsgp_plan& plan, const bsgp_kernel& kernel, const FormsRun& forms) {
  std::lock_guard lock(mutex_);
  FormsRun& sum = rows_[rowOf(plan, kernel)].forms;
  sum.add(forms);
  for (size_t i = 0; i < BSGP_FORM_STATIONS; ++i)
    for (size_t k = 0; k < 2; ++k)
      sum.stations[i][k] = std::atomic_ref(kernel.forms->stations[i][k]).load(std::memory_order_relaxed);
}

void FormsRun::compared(uint32_t first, uint32_t second, double lead) {
  bool wavefront = first == BSGP_FORM_WAVEFRONT || second == BSGP_FORM_WAVEFRONT;
  bool in_order = wavefront ? first == BSGP_FORM_WAVEFRONT : first == BSGP_FORM_LANES;
  Pairs& pairs = wavefront ? wavefront_other : lanes_alone;
  ++pairs.count;
  pairs.lead += in_order ? lead : -lead;
}

void FormsRun::add(const FormsRun& other) {
  for (uint32_t form = 0; form < BSGP_FORMS; ++form)
    blocks[form] += other.blocks[form];
  lanes_alone.count += other.lanes_alone.count, lanes_alone.lead += other.lanes_alone.lead;
  wavefront_other.count += other.wavefront_other.count, wavefront_other.lead += other.wavefront_other.lead;
}

void Profile::accountElsewhere(Clock::duration time) {
  accounted_ns += time.count();
}

void Profile::required(const bsgp_plan& plan, const bsgp_step& step, const Span& span) {
  int64_t ns = nsBetween(span.begin, Clock::now());
  int64_t own = ns - (accounted_ns - span.accounted);
  accounted_ns += own;
  const bsgp_site* site = step.site ? step.site : plan.site;
  std::lock_guard lock(mutex_);
  uint32_t line = site ? site->line : 0;
  What what = step.kind == BSGP_STEP_DECIDE ? What::Test : What::Require;
  record(rowOf(formatted("%s %s", plan.name, nameOf(what)), linesOf(site, line, line), what), span, ns, own, 0, 0);
}

void Profile::allocated(size_t bytes) {
  allocated_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  allocations_.fetch_add(1, std::memory_order_relaxed);
}

void Profile::print(FILE* to) const {
  std::lock_guard lock(mutex_);
  std::vector<const Row*> rows;
  int64_t total = 0;
  uint64_t launches = 0;
  size_t width = 9;
  for (const Row& row : rows_) {
    rows.push_back(&row);
    total += row.ns;
    launches += row.what == What::Superstep ? row.calls : 0;
    width = std::max(width, row.name.size());
  }
  std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->ns > b->ns; });
  std::fprintf(to, "where the time goes: %.3f ms, %" PRIu64 " launches; %.1f MB allocated in %" PRIu64 " pieces\n",
               double(total) / 1e6, launches, double(allocated_bytes_.load()) / 1e6, allocations_.load());
  std::fprintf(to, "  %10s %6s %8s %13s %10s %7s  %-*s  %s\n", "time ms", "%", "calls", "threads", "stream MB", "GB/s",
               int(width), "superstep", "lines");
  for (const Row* row : rows) {
    std::string speed = row->bytes && row->ns ? formatted("%.1f", double(row->bytes) / double(row->ns)) : "-";
    std::string bytes = row->bytes ? formatted("%.2f", double(row->bytes) / 1e6) : "-";
    std::string threads = row->what == What::Superstep ? formatted("%" PRIu64, row->threads) : "-";
    std::fprintf(to, "  %10.3f %6.1f %8" PRIu64 " %13s %10s %7s  %-*s  %s\n", double(row->ns) / 1e6,
                 total ? 100.0 * double(row->ns) / double(total) : 0.0, row->calls, threads.c_str(), bytes.c_str(),
                 speed.c_str(), int(width), row->name.c_str(), row->lines.c_str());
  }
  printForms(to, rows, int(width));
}

// How many times as long the first form took as what it was compared with.
static std::string ratioOf(const FormsRun::Pairs& pairs) {
  return pairs.count ? formatted("%.2fx", std::exp2(-pairs.lead / double(pairs.count))) : "-";
}

// The share of lanes that were in each loop of a wavefront.
static std::string busyLanes(const FormsRun& forms) {
  std::string text;
  for (auto [lanes, busy] : forms.stations)
    if (lanes)
      text += formatted("%s%.0f", text.empty() ? "" : ",", 100.0 * double(busy) / double(lanes));
  return text.empty() ? "-" : text;
}

// Which form ran, and why: how much longer lanes took than threads one by one, and wavefronts than others, where both
// were measured.
void Profile::printForms(FILE* to, const std::vector<const Row*>& rows, int width) {
  auto ran = [](const Row* row) { return row->forms.allBlocks() > 0; };
  auto has_wavefront = [](const Row* row) {
    return row->forms.blocks[BSGP_FORM_WAVEFRONT] || row->forms.wavefront_other.count;
  };
  if (std::none_of(rows.begin(), rows.end(), ran))
    return;
  bool wavefronts = std::any_of(rows.begin(), rows.end(), has_wavefront);
  std::fprintf(to, "what ran as lanes of vectors%s or one by one, whichever was faster:\n",
               wavefronts ? ", as wavefronts" : "");
  std::string more =
      wavefronts ? formatted("%12s %12s %10s %14s ", "wavefront %", "it takes", "compared", "lanes busy %") : "";
  std::fprintf(to, "  %12s %12s %10s %s %-*s  %s\n", "one by one %", "lanes take", "compared", more.c_str(), width,
               "superstep", "lines");
  for (const Row* row : rows) {
    const FormsRun& forms = row->forms;
    if (!ran(row))
      continue;
    auto percent = [&](bsgp_form form) { return 100.0 * double(forms.blocks[form]) / double(forms.allBlocks()); };
    if (wavefronts)
      more = formatted("%12.1f %12s %10" PRId64 " %14s ", percent(BSGP_FORM_WAVEFRONT),
                       ratioOf(forms.wavefront_other).c_str(), forms.wavefront_other.count, busyLanes(forms).c_str());
    std::fprintf(to, "  %12.1f %12s %10" PRId64 " %s %-*s  %s\n", percent(BSGP_FORM_ALONE),
                 ratioOf(forms.lanes_alone).c_str(), forms.lanes_alone.count, more.c_str(), width, row->name.c_str(),
                 row->lines.c_str());
  }
}

// The trace event format: complete events, times in microseconds.
bool Profile::writeTrace(const std::string& path) const {
  std::lock_guard lock(mutex_);
  FILE* file = std::fopen(path.c_str(), "w");
  if (!file)
    return false;
  std::fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
  const char* separator = "\n";
  for (const Event& event : events_) {
    const Row& row = rows_[event.row];
    std::fprintf(file,
                 "%s{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, "
                 "\"tid\": %u, \"args\": {\"lines\": \"%s\", \"threads\": %" PRId64 ", \"stream_bytes\": %" PRIu64 "}}",
                 separator, escaped(row.name).c_str(), nameOf(row.what), double(event.begin_ns) / 1e3,
                 double(event.ns) / 1e3, event.thread, escaped(row.lines).c_str(), event.threads, event.bytes);
    separator = ",\n";
  }
  std::fprintf(file, "\n]}\n");
  bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

} // namespace bsgp::runtime
