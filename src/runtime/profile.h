// Measures time per superstep, require and test of a loop or branch, with source lines; also as a trace for Perfetto
// or chrome://tracing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/plan_abi.h"

namespace bsgp::runtime {

// The run of a kernel with several forms (bsgp_kernel::forms): the blocks that ran in each, and the measurements.
struct FormsRun {
  struct Pairs { // of equal work in two forms
    int64_t count = 0;
    double lead = 0; // sum over them of log2(time of the second / time of the first)
  };
  int64_t blocks[BSGP_FORMS] = {};
  Pairs lanes_alone, wavefront_other;            // lanes and one by one; a wavefront and what it was compared with
  uint64_t stations[BSGP_FORM_STATIONS][2] = {}; // as in bsgp_forms, of all runs until now

  void compared(uint32_t first, uint32_t second, double lead);
  void add(const FormsRun& other);
  int64_t allBlocks() const { return blocks[BSGP_FORM_LANES] + blocks[BSGP_FORM_ALONE] + blocks[BSGP_FORM_WAVEFRONT]; }
};

class Profile {
public:
  using Clock = std::chrono::steady_clock;
  struct Span {
    Clock::time_point begin;
    int64_t accounted = 0; // ns of this thread that had a row of their own by then
  };
  static Span begin();

  void launched(const bsgp_plan& plan, const bsgp_kernel& kernel, int64_t threads, const Span& span);
  void ran(const bsgp_plan& plan, const bsgp_kernel& kernel, const FormsRun& forms); // of the last launch
  // For a device that measured the time itself; the row of a require has none of it.
  void launchedAt(const bsgp_plan& plan, const bsgp_kernel& kernel, int64_t threads, Clock::time_point begin,
                  int64_t ns);
  // Counts time of this thread that has a row of its own, or waits for work that has one.
  static void accountElsewhere(Clock::duration time);
  // Counts a require or a test, without the spawns inside it.
  void required(const bsgp_plan& plan, const bsgp_step& step, const Span& span);
  void allocated(size_t bytes);

  void print(FILE* to) const;                     // the table
  bool writeTrace(const std::string& path) const; // false: the file cannot be written

private:
  enum class What : uint8_t { Superstep, Require, Test };
  struct Row {
    std::string name, lines;
    What what = What::Require;
    uint64_t calls = 0, threads = 0, bytes = 0; // bytes: of streams, loaded and stored
    int64_t ns = 0;
    FormsRun forms{};
  };
  struct Event {
    uint32_t row, thread;
    int64_t begin_ns, ns, threads;
    uint64_t bytes;
  };
  static constexpr size_t kMostEvents = 1 << 20; // later launches are in the table alone

  static const char* nameOf(What what);
  uint32_t rowOf(std::string name, std::string lines, What what);
  uint32_t rowOf(const bsgp_plan& plan, const bsgp_kernel& kernel);
  static void printForms(FILE* to, const std::vector<const Row*>& rows, int width);
  void record(uint32_t row, const Span& span, int64_t ns, int64_t own_ns, int64_t threads, uint64_t bytes);

  const Clock::time_point start_ = Clock::now();
  std::atomic<uint64_t> allocated_bytes_{0}, allocations_{0};
  mutable std::mutex mutex_; // of all below
  std::unordered_map<std::string, uint32_t> row_numbers_;
  std::vector<Row> rows_;
  std::vector<Event> events_;
};

} // namespace bsgp::runtime
