// The flow graph that streams are assigned by (figure 4 of the paper), as text and as Graphviz. Two nodes for a
// superstep, its beginning and its end; an edge for each stored value, from its definition to its last use; a path of
// one stream's values.
#include <algorithm>

#include <fmt/format.h>

#include "plan/report.h"
#include "plan/table.h"
#include "plan/words.h"

namespace bsgp::plan {
namespace {

// 2*superstep is its beginning, 2*superstep+1 its end.
std::string timeName(uint32_t time) {
  return fmt::format("{} {}", time % 2 ? "end" : "begin", time / 2);
}
std::string nodeName(uint32_t time) {
  return fmt::format("{}{}", time % 2 ? "end" : "begin", time / 2);
}

uint32_t bytesOf(const std::vector<Stream>& streams) {
  uint32_t sum = 0;
  for (const Stream& stream : streams)
    sum += stream.bytes;
  return sum;
}

uint32_t bytesUnshared(const Report& report) {
  uint32_t sum = 0;
  for (const StreamValue& value : report.values)
    sum += value.bytes;
  return sum;
}

std::string valuesText(const Report& report) {
  std::vector<Row> rows{{"value", "from", "to", "bytes", "generation", "stream"}};
  for (const StreamValue& value : report.values)
    rows.push_back({value.name, timeName(value.start), timeName(value.end), std::to_string(value.bytes),
                    std::to_string(value.generation), std::to_string(value.stream)});
  return table(rows, 4);
}

// The values of a stream in the order in which they live in it.
std::vector<const StreamValue*> valuesOf(const Report& report, uint32_t stream) {
  std::vector<const StreamValue*> values;
  for (const StreamValue& value : report.values)
    if (value.stream == stream)
      values.push_back(&value);
  std::stable_sort(values.begin(), values.end(), [](auto* a, auto* b) { return a->start < b->start; });
  return values;
}

std::string assignmentText(const Plan& plan, const Report& report) {
  std::vector<Row> rows;
  for (uint32_t i = 0; i < plan.streams.size(); ++i) {
    std::vector<std::string> names;
    std::vector<const StreamValue*> values = valuesOf(report, i);
    for (const StreamValue* value : values)
      names.push_back(value->name);
    rows.push_back({fmt::format("stream {}", i), fmt::format("{} bytes/thread", plan.streams[i].bytes)});
    if (!values.empty()) // else only moves give it memory
      rows.back().insert(rows.back().end(),
                         {fmt::format("generation {}", values.front()->generation), join(names, " -> ")});
  }
  return table(rows, 4);
}

// From the beginning of a superstep to its end, and on to those that may come next.
std::string waysText(const Plan& plan, uint32_t superstep) {
  std::string end = nodeName(2 * superstep + 1);
  std::string text = fmt::format("  {} -> {} [color=gray];\n", nodeName(2 * superstep), end);
  for (uint32_t next : nextOf(plan, superstep))
    if (next)
      text += fmt::format("  {} -> {} [color=gray];\n", end, nodeName(2 * next));
  return text;
}

const char* colour(uint32_t stream) {
  static constexpr const char* kColours[] = {"#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd",
                                             "#8c564b", "#e377c2", "#17becf", "#bcbd22"};
  return kColours[stream % std::size(kColours)];
}

} // namespace

std::string streamsText(const Plan& plan, const Report& report) {
  std::string text = heading(plan) + "\n";
  if (report.values.empty())
    return text + "  no value is stored across a barrier\n";
  text += fmt::format("  flow graph: source begin 1, sink end {}\n", plan.supersteps.size()) + valuesText(report);
  text += fmt::format("  assignment: {} streams for {} values, {} bytes/thread (unshared {})\n", plan.streams.size(),
                      report.values.size(), bytesOf(plan.streams), bytesUnshared(report));
  return text + assignmentText(plan, report);
}

std::string streamsDot(const Plan& plan, const Report& report) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=TB;\n  node [shape=ellipse];\n", quoted(plan.name));
  uint32_t last = uint32_t(plan.supersteps.size()) * 2 + 1;
  for (uint32_t time = 2; time <= last; ++time)
    text += fmt::format("  {} [label=\"{}\"];\n", nodeName(time), timeName(time));
  for (uint32_t i = 1; i <= plan.supersteps.size(); ++i)
    text += waysText(plan, i);
  for (const StreamValue& value : report.values)
    text +=
        fmt::format("  {} -> {} [label={}, color=\"{}\", penwidth=2];\n", nodeName(value.start), nodeName(value.end),
                    quoted(fmt::format("{} (stream {})", value.name, value.stream)), colour(value.stream));
  return text + "}\n";
}

} // namespace bsgp::plan
