#include "runtime/check/report_text.h"

#include <algorithm>
#include <cinttypes>
#include <map>

#include "runtime/check/causes.h"
#include "runtime/failure.h"

namespace bsgp::runtime::check {

std::string inText(const Place& place) {
  if (!place.isKnown())
    return "";
  return place.line ? formatted("%s:%u:%u", place.file.c_str(), place.line, place.column) : place.file;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (ptrdiff_t at = ptrdiff_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

namespace {

// "p->x" through NULL or where no memory is: there are no elements.
bool isMemberOfNothing(const Report& report) {
  const std::string &text = report.spot.text, &name = report.name;
  if ((report.what != What::Null && report.what != What::Nowhere) || name.empty() || !text.starts_with(name))
    return false;
  int open = 0; // brackets
  for (char c : text.substr(name.size())) {
    open += (c == '[') - (c == ']');
    if (open == 0 && (c == '.' || c == '>'))
      return true;
  }
  return false;
}

// A variable of a block, of a thread or of host code that is no array.
bool isNoArray(const Report& report) {
  return report.is_array && report.count == 1 && report.index == 0 && report.what != What::Value &&
         report.spot.text == report.name;
}

std::string threadOf(const Report& report) {
  return report.rank < 0 ? "host code" : formatted("thread %" PRId64, report.rank);
}

const char* verbOf(uint8_t access) {
  constexpr const char* kVerbs[] = {"reads", "writes", "atomically loads", "atomically stores", "atomically updates"};
  return access < std::size(kVerbs) ? kVerbs[access] : "reaches";
}

const char* pastOf(uint8_t access) {
  constexpr const char* kVerbs[] = {"read", "wrote", "atomically loaded", "atomically stored", "atomically updated"};
  return access < std::size(kVerbs) ? kVerbs[access] : "reached";
}

std::string raceSentence(const Report& report) {
  if (report.what == What::PutRace)
    return formatted("race: %s of superstep %u put to thread %" PRId64,
                     report.rank == report.other_rank ? "two statements" : "two threads", report.superstep,
                     report.index);
  bool both = writes(report.spot.access) && writes(report.other.access);
  return formatted("race: two threads of superstep %u at %s, %s", report.superstep, elementName(report).c_str(),
                   both ? "both write" : "one writes");
}

std::string outsideSentence(const Report& report) {
  std::string text = "outside: " + threadOf(report) + " " + verbOf(report.spot.access) + " " + elementName(report);
  std::string name = report.name.empty() ? "the memory" : report.name;
  text += formatted("; %s has %" PRId64 " element%s", name.c_str(), report.count, report.count == 1 ? "" : "s");
  if (!report.from_begin)
    text += " from there on";
  return text;
}

std::string valueSentence(const Report& report) {
  std::string who = threadOf(report), text = report.spot.text.empty() ? "a value" : report.spot.text;
  switch (report.value_kind) {
  case BSGP_VALUE_OVERFLOW:
    return formatted("overflow: %s in %s does not fit %s%s; the %soperand is %" PRId64, text.c_str(), who.c_str(),
                     report.element.empty()    ? "its type"
                     : report.element == "int" ? "an "
                                               : "a ",
                     report.element.c_str(), report.negates ? "" : "left ", report.value);
  case BSGP_VALUE_DIVISOR:
    return formatted("division by zero: %s in %s; the dividend is %" PRId64, text.c_str(), who.c_str(), report.value);
  case BSGP_VALUE_UNDEFINED:
    if (report.spot.text.empty() && report.made_count)
      text = elementName(report);
    if (report.isCopy())
      return "undefined: " + text + " is a copy of what nobody wrote, and " + who + " uses it";
    return "undefined: nobody wrote " + text + ", which " + who + " uses";
  case BSGP_VALUE_INDEX:
    if (report.name.empty())
      return formatted("outside: %s %s element %" PRId64 "; the array has %" PRId64 " element%s", who.c_str(),
                       verbOf(report.spot.access), report.value, report.count, report.count == 1 ? "" : "s");
    text = report.name;
    return formatted("outside: %s %s %s[%" PRId64 "]; %s has %" PRId64 " element%s", who.c_str(),
                     verbOf(report.spot.access), text.c_str(), report.value, text.c_str(), report.count,
                     report.count == 1 ? "" : "s");
  case BSGP_VALUE_OLDRANK:
    return formatted("oldrank: %s names %" PRId64 ", which is no rank of the superstep before", who.c_str(),
                     report.value);
  case BSGP_VALUE_SHIFT:
    return formatted("shift: %s in %s shifts by %" PRId64 ", beyond the width", text.c_str(), who.c_str(),
                     report.value);
  case BSGP_VALUE_PUT:
    return formatted("put: %s puts to %" PRId64 ", which is no rank", who.c_str(), report.value);
  }
  return "value: " + text + " in " + who;
}

// The line, and a mark below the expression.
std::string marked(const Spot& spot, SourceLines& lines, const std::string& words) {
  const std::string* line = lines.line(spot.at);
  if (!line)
    return "      " + words + "\n";
  std::string number = formatted("%7u | ", spot.at.line), margin(number.size() - 2, ' ');
  size_t column = spot.at.column ? spot.at.column - 1 : 0;
  std::string mark;
  for (size_t i = 0; i < std::min(column, line->size()); ++i)
    mark += (*line)[i] == '\t' ? '\t' : ' ';
  size_t shown = std::min(spot.text.find('\n'), spot.text.size());
  bool is_there = column < line->size() && line->compare(column, shown, spot.text, 0, shown) == 0;
  size_t length = is_there ? std::max<size_t>(1, shown) : 1; // else it is part of what the expression does
  mark += "^" + std::string(length - 1, '~');
  return number + *line + "\n" + margin + "| " + mark + (words.empty() ? "" : " " + words) + "\n";
}

std::string otherText(const Report& report) {
  if (!report.other.at.isKnown())
    return "";
  std::string who = formatted("thread %" PRId64 " (block %" PRId64 ")", report.other_rank, report.other_block);
  std::string did = report.what == What::PutRace ? "put to it, too" : pastOf(report.other.access) + std::string(" it");
  return inText(report.other.at) + ": note: " + who + " " + did +
         (report.others_too ? " (other threads may have, too)" : "") + "\n";
}

std::string insideText(const Spot& spot) {
  return spot.inside.isKnown() ? inText(spot.inside) + ": note: in the library, there\n" : "";
}

std::string causesText(const Report& report, SourceLines& lines) {
  std::string text;
  for (const Cause& cause : report.causes) {
    text += inText(cause.at) + ": note: " + sentenceOf(cause, report.causes.size() == 1) + "\n";
    if (cause.at != report.spot.at && lines.line(cause.at))
      text += marked({cause.at, {}, cause.name.substr(0, cause.name.find('.')), 0}, lines, "");
  }
  return text;
}

// True if the undefined value was read from a variable that the expression names.
bool isVariable(const Report& report) {
  return report.isOfMemory() && report.name == report.spot.text;
}

std::string memoryText(const Report& report) {
  if ((report.what == What::Value && !report.isOfMemory()) || report.what == What::PutRace ||
      report.what == What::Null || report.what == What::Nowhere)
    return "";
  std::string type = !report.made_type.empty() ? report.made_type : report.element;
  int64_t count = report.made_count ? report.made_count : report.count;
  std::string text = report.name.empty() || isVariable(report) ? "" : report.name + ", ";
  text += isNoArray(report) && !type.empty() ? type
          : type.empty()                     ? formatted("%" PRId64 " elements", count)
                                             : formatted("%s[%" PRId64 "]", type.c_str(), count);
  if (report.isOfMemory())
    text += formatted(", element %" PRId64, report.index);
  if (report.made.isKnown())
    text += std::string(report.is_array ? ", declared at " : ", allocated at ") + inText(report.made);
  return "  memory:    " + text + "\n";
}

std::string superstepText(const Report& report) {
  if (!report.superstep)
    return "";
  std::string spawn =
      report.spawn.isKnown() ? formatted(" of the spawn at %s:%u", report.spawn.file.c_str(), report.spawn.line) : "";
  return formatted("  superstep: %u%s, launch %" PRIu64 ", %s thread%s\n", report.superstep, spawn.c_str(),
                   report.launch, grouped(uint64_t(report.threads)).c_str(), report.threads == 1 ? "" : "s");
}

std::string elementsText(const Report& report) {
  constexpr size_t kMostRanges = 4;
  const auto& ranges = report.elements.ranges();
  if ((report.what == What::Value && !report.isOfMemory()) || isMemberOfNothing(report) ||
      (report.elements.count() < 2 && report.elements.isWhole()))
    return "";
  bool is_inside = report.what == What::Race && !report.from_begin;
  std::string name = report.what == What::PutRace                             ? "thread"
                     : report.name.empty() || is_inside || isVariable(report) ? "element"
                                                                              : report.name,
              list;
  size_t told = 0;
  for (auto [first, last] : ranges) {
    if (told++ == kMostRanges) {
      list += " ...";
      break;
    }
    list += told == 1 ? "" : ", ";
    list += first == last ? formatted("%s[%" PRId64 "]", name.c_str(), first)
                          : formatted("%s[%" PRId64 "..%" PRId64 "]", name.c_str(), first, last);
  }
  return formatted("  the same %s: %s%s elements, %s\n", report.what == What::Race ? "two places" : "place",
                   grouped(report.elements.count()).c_str(), report.elements.isWhole() ? "" : " or more", list.c_str());
}

std::string helpText(const Report& report) {
  switch (report.what) {
  case What::Race:
    return report.is_shared ? "  help: an atomic, another element for each thread, or block.sync() between\n"
                            : "  help: an atomic, another element for each thread, or a barrier between\n";
  case What::Freed:
    return report.freed.isKnown() ? "  help: free it later, or take its address again\n" : "";
  case What::Nowhere:
    return report.value ? "  help: literals in quotes and constants stay as they are: change a copy\n"
                        : "  help: was the pointer ever set?\n";
  default:
    return "";
  }
}

std::string spotWords(const Report& report) {
  if (report.what == What::Value)
    return "";
  std::string who = threadOf(report);
  if (report.rank >= 0)
    who += formatted(" (block %" PRId64 ")", report.block);
  return who + " " + (report.what == What::PutRace ? "puts" : verbOf(report.spot.access));
}

} // namespace

const char* nameOfKind(uint32_t kind) {
  switch (kind) {
  case BSGP_CHECK_RACE:
    return "race";
  case BSGP_CHECK_BOUNDS:
    return "bounds";
  case BSGP_CHECK_INIT:
    return "init";
  case BSGP_CHECK_ARITHMETIC:
    return "arithmetic";
  case BSGP_CHECK_LIBRARY:
    return "library";
  default:
    return "lint";
  }
}

// Elements of a race are those of the memory, wherever its pointers point to.
std::string elementName(const Report& report) {
  bool is_inside = report.what == What::Race && !report.from_begin;
  if (isMemberOfNothing(report) || (isNoArray(report) && !report.name.empty() && !report.inside_element))
    return report.spot.text;
  std::string name = is_inside && !report.name.empty()
                         ? formatted("element %" PRId64 " of the memory of %s", report.index, report.name.c_str())
                     : report.name.empty() ? formatted("element %" PRId64, report.index)
                                           : formatted("%s[%" PRId64 "]", report.name.c_str(), report.index);
  return report.inside_element ? name + formatted(", byte %" PRId64, report.inside_element) : name;
}

std::string sentenceOf(const Report& report) {
  switch (report.what) {
  case What::Race:
  case What::PutRace:
    return raceSentence(report);
  case What::Outside:
    return outsideSentence(report);
  case What::Null:
    return "outside: " + threadOf(report) + " " + verbOf(report.spot.access) + " " + elementName(report) + "; " +
           (report.name.empty() ? "the pointer" : report.name) + " is NULL";
  case What::Freed:
    return "outside: " + threadOf(report) + " " + verbOf(report.spot.access) + " " + elementName(report) +
           " after it was freed" + (report.freed.isKnown() ? " at " + inText(report.freed) : "");
  case What::Nowhere:
    return "outside: " + threadOf(report) + " " + verbOf(report.spot.access) + " " + elementName(report) +
           (report.value ? ", in memory that may only be read" : ", where there is no memory");
  case What::Misaligned:
    return "misaligned: " + threadOf(report) + " " + verbOf(report.spot.access) + " " + elementName(report) +
           formatted(" at an address that is no multiple of %" PRIu64, report.align);
  case What::Value:
    return valueSentence(report);
  }
  return "";
}

std::string headOf(const Report& report) {
  std::string at = inText(report.spot.at);
  return (at.empty() ? "" : at + ": ") + (report.isNote() ? "note: " : "error: ") + sentenceOf(report) + " [" +
         nameOfKind(report.kind) + "]";
}

std::string textOf(const Report& report, SourceLines& lines) {
  std::string text = headOf(report) + "\n" + marked(report.spot, lines, spotWords(report)) + insideText(report.spot);
  if (std::string other = otherText(report); !other.empty())
    text += other + (lines.line(report.other.at) ? marked(report.other, lines, "") : "") + insideText(report.other);
  text += causesText(report, lines);
  return text + memoryText(report) + superstepText(report) + elementsText(report) + helpText(report);
}

std::string promiseOf(const Judged& judged) {
  if (!judged.kinds)
    return "nothing was judged: no code that was compiled with checks has run";
  std::string kinds, text;
  for (uint32_t kind = BSGP_CHECK_RACE; kind <= BSGP_CHECK_LIBRARY; kind *= 2)
    if (judged.not_compiled & kind)
      kinds += (kinds.empty() ? "" : ", ") + std::string(nameOfKind(kind));
  if (!kinds.empty())
    text = "not judged: " + kinds + " (the program was compiled without)";
  if (!(judged.kinds & BSGP_CHECK_RACE))
    return text;
  const char* decider = judged.has_atomics ? "the order of atomics" : judged.has_races ? "the race" : nullptr;
  return text + (text.empty() ? "" : "; ") + formatted("%" PRIu64 " unjudged; ", judged.unjudged) +
         (judged.unjudged ? "the rest judged for " : "judged for ") +
         (decider ? formatted("this schedule: %s may influence what threads do", decider) : "every schedule") +
         (judged.on_gpu ? "; races of blocks alone: the code is for a GPU" : "");
}

std::string summaryOf(const std::vector<Report>& reports, size_t leaks, const Judged& judged) {
  std::map<uint32_t, uint64_t> by_kind;
  uint64_t errors = 0, notes = leaks;
  for (const Report& report : reports) {
    by_kind[report.kind] += !report.isNote();
    (report.isNote() ? notes : errors) += 1;
  }
  std::string kinds;
  for (auto [kind, count] : by_kind)
    if (count)
      kinds += (kinds.empty() ? "" : ", ") + formatted("%s %" PRIu64, nameOfKind(kind), count);
  std::string text = errors
                         ? formatted("check: %" PRIu64 " error%s (%s)", errors, errors == 1 ? "" : "s", kinds.c_str())
                         : "check: no errors";
  if (!errors && judged.was_told)
    text += " but the one above";
  if (!errors && !judged.kinds)
    text = "check: " + promiseOf(judged);
  if (notes)
    text += formatted(", %" PRIu64 " note%s", notes, notes == 1 ? "" : "s");
  if (judged.unknown)
    text += formatted(", %s allocations were too many to be watched", grouped(judged.unknown).c_str());
  if (judged.outside)
    text += formatted(", %s access%s outside of memory not done (--check=bounds tells which)",
                      grouped(judged.outside).c_str(), judged.outside == 1 ? "" : "es");
  if (judged.lost)
    text += formatted(", %s more findings at these places that a GPU had no room for", grouped(judged.lost).c_str());
  std::string promise = judged.kinds ? promiseOf(judged) : "";
  std::string ended = judged.ended_by ? formatted("; the program was ended early, by %s", judged.ended_by) : "";
  return text + (promise.empty() ? "" : ", " + promise) + ended + "\n";
}

} // namespace bsgp::runtime::check
