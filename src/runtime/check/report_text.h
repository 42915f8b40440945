// Writes reports: for people, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/source_lines.h"

namespace bsgp::runtime::check {

// The kinds of errors that were looked for, and how far the result holds for other schedules.
struct Judged {
  uint32_t kinds = 0;        // bsgp_check_kind
  uint32_t not_compiled = 0; // kinds that were asked for, but which the program was compiled without
  uint64_t unjudged = 0;
  uint64_t outside = 0;           // bad accesses that were not done and not reported, if bounds are not looked for
  bool has_atomics = false;       // the value of an atomic may have decided what was done
  uint64_t unknown = 0;           // allocations that were not checked: there were too many
  const char* ended_by = nullptr; // what ended the program before its time: a signal, exit, kEndedByFailure
  bool was_told = false;          // an error that is no report was printed
  bool on_gpu = false;            // threads of one block are not compared, nor are writes to shared memory followed
  uint64_t lost = 0;              // findings of GPUs that were counted, but not kept
  bool has_races = false;         // the value that a race left may have decided what was done
};

struct Leak; // leaks.h

std::string headOf(const Report& report); // "a.bsgp:7:5: error: outside: ... [bounds]"
std::string textOf(const Report& report, SourceLines& lines);
std::string summaryOf(const std::vector<Report>& reports, size_t leaks, const Judged& judged);
std::string jsonOf(const std::vector<Report>& reports, const std::vector<Leak>& leaks, const Judged& judged);

std::string inText(const Place& place); // "a.bsgp:7:5"; "": not known
std::string grouped(uint64_t number);   // "1,048,576"
const char* nameOfKind(uint32_t kind);
// "bins[17]"
std::string elementName(const Report& report);
std::string sentenceOf(const Report& report);
std::string promiseOf(const Judged& judged);

} // namespace bsgp::runtime::check
