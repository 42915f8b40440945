// Writes reports as JSON: one object with "errors", "notes", "unjudged", "judged", "reports" and other facts.
#include <algorithm>
#include <cinttypes>
#include <string_view>

#include "runtime/check/causes.h"
#include "runtime/check/leaks.h"
#include "runtime/check/report_text.h"
#include "runtime/failure.h"

namespace bsgp::runtime::check {
namespace {

// Returns the bytes of the character of UTF-8 that begins there; 0 if there is none.
size_t characterAt(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  size_t bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (bytes > text.size())
    return 0;
  for (size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  bool is_other = bytes > 2 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || // surrogates
                                (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F));
  return is_other ? 0 : bytes;
}

// Names of files and texts of programs may hold any bytes; JSON is UTF-8.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t bytes = characterAt(text);
    char c = text.front();
    if (bytes == 0)
      out += "\\ufffd";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (bytes == 1 && static_cast<unsigned char>(c) < 0x20)
      out += formatted("\\u%04x", c);
    else
      out += text.substr(0, bytes);
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return out + "\"";
}

// Members of an object; unknown ones are left out.
class Object {
public:
  Object& raw(const char* name, const std::string& json) {
    text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + json;
    return *this;
  }
  Object& text(const char* name, const std::string& value) { return value.empty() ? *this : raw(name, quoted(value)); }
  Object& number(const char* name, int64_t value) { return raw(name, std::to_string(value)); }
  Object& place(const char* name, const Place& at) {
    if (!at.isKnown())
      return *this;
    return raw(name, Object().text("file", at.file).number("line", at.line).number("column", at.column).done());
  }
  std::string done() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

const char* nameOf(What what) {
  switch (what) {
  case What::Race:
    return "race";
  case What::PutRace:
    return "put";
  case What::Outside:
    return "outside";
  case What::Null:
    return "null";
  case What::Freed:
    return "freed";
  case What::Nowhere:
    return "nowhere";
  case What::Misaligned:
    return "misaligned";
  case What::Value:
    return "value";
  }
  return "";
}

const char* nameOfAccess(uint8_t access) {
  constexpr const char* kNames[] = {"read", "write", "atomic load", "atomic store", "atomic update"};
  return access < std::size(kNames) ? kNames[access] : "access";
}

// A report of a value has no access, except for an index and a put.
const char* accessOf(const Report& report, const Spot& spot) {
  if (report.what == What::PutRace || (report.what == What::Value && report.value_kind == BSGP_VALUE_PUT))
    return "put";
  bool is_access = report.what != What::Value || report.value_kind == BSGP_VALUE_INDEX;
  return is_access ? nameOfAccess(spot.access) : "";
}

Object spotJson(const Report& report, const Spot& spot) {
  Object object;
  return object.place("at", spot.at)
      .place("inside", spot.inside)
      .text("text", spot.text)
      .text("access", accessOf(report, spot));
}

std::string memoryJson(const Report& report) {
  Object object;
  object.text("name", report.name).text("type", report.made_type.empty() ? report.element : report.made_type);
  object.number("elements", report.made_count ? report.made_count : report.count);
  return object.place(report.is_array ? "declared" : "allocated", report.made).place("freed", report.freed).done();
}

std::string elementsJson(const Report& report) {
  std::string text;
  for (auto [first, last] : report.elements.ranges())
    text += (text.empty() ? "" : ", ") + formatted("[%" PRId64 ", %" PRId64 "]", first, last);
  return "[" + text + "]";
}

const char* nameOf(const Cause& cause) {
  constexpr const char* kNames[] = {"variable", "result", "get", "read", "shuffle", "copy"};
  return cause.kind < std::size(kNames) ? kNames[cause.kind] : "value";
}

std::string causesJson(const Report& report) {
  std::string list;
  for (const Cause& cause : report.causes) {
    Object object;
    object.text("what", nameOf(cause)).place("at", cause.at).text("name", cause.name);
    if (cause.rank)
      object.number("rank", *cause.rank);
    bool is_only = report.causes.size() == 1;
    object.raw("sure", is_only && (cause.is_sure || cause.rank) ? "true" : "false");
    object.text("message", sentenceOf(cause, is_only));
    list += (list.empty() ? "" : ", ") + object.done();
  }
  return "[" + list + "]";
}

std::string reportJson(const Report& report) {
  Object object;
  object.text("kind", nameOfKind(report.kind)).text("what", nameOf(report.what));
  object.text("severity", report.isNote() ? "note" : "error").text("message", sentenceOf(report));
  Object spot = spotJson(report, report.spot);
  if (report.rank >= 0)
    spot.number("thread", report.rank).number("block", report.block);
  object.raw("place", spot.done());
  if (report.other.at.isKnown()) {
    Object other = spotJson(report, report.other);
    other.number("thread", report.other_rank).number("block", report.other_block);
    if (report.others_too)
      other.raw("more", "true");
    object.raw("other", other.done());
  }
  bool is_index = report.what == What::Value && report.value_kind == BSGP_VALUE_INDEX;
  if (report.what == What::Value && report.value_kind != BSGP_VALUE_UNDEFINED && !is_index)
    object.number("value", report.value);
  if (!report.causes.empty())
    object.raw("causes", causesJson(report));
  if (is_index)
    object.number("index", report.value).raw("memory", memoryJson(report));
  if (report.what != What::Value || report.isOfMemory()) {
    object.number("index", report.index).raw("memory", memoryJson(report));
    object.number("elements", int64_t(report.elements.count())).raw("ranges", elementsJson(report));
  }
  if (report.superstep)
    object.number("superstep", report.superstep)
        .number("launch", int64_t(report.launch))
        .number("threads", report.threads);
  return object.place("spawn", report.spawn).number("times", int64_t(report.times)).done();
}

std::string leaksJson(const std::vector<Leak>& leaks) {
  std::string list;
  for (const Leak& leak : leaks) {
    Object object;
    object.place("allocated", leak.made).text("type", leak.type).number("allocations", int64_t(leak.count));
    list += (list.empty() ? "" : ", ") + object.number("bytes", int64_t(leak.bytes)).done();
  }
  return "[" + list + "]";
}

} // namespace

std::string jsonOf(const std::vector<Report>& reports, const std::vector<Leak>& leaks, const Judged& judged) {
  std::string list;
  int64_t notes = 0;
  for (const Report& report : reports) {
    list += (list.empty() ? "\n  " : ",\n  ") + reportJson(report);
    notes += report.isNote();
  }
  Object object;
  object.number("errors", int64_t(reports.size()) - notes).number("notes", notes + int64_t(leaks.size()));
  if (judged.outside)
    object.number("outside", int64_t(judged.outside));
  object.number("unjudged", int64_t(judged.unjudged)).text("judged", promiseOf(judged));
  if (judged.lost)
    object.number("lost", int64_t(judged.lost));
  if (judged.ended_by)
    object.text("ended", judged.ended_by);
  object.number("unwatched", int64_t(judged.unknown));
  if (!leaks.empty())
    object.raw("leaks", leaksJson(leaks));
  return object.raw("reports", "[" + list + "]").done() + "\n";
}

} // namespace bsgp::runtime::check
