#include "plan/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "plan/words.h"

namespace bsgp::plan {

std::string table(const std::vector<Row>& rows, size_t indent) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i + 1 < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string join(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string lines(uint32_t first, uint32_t last) {
  if (first == 0)
    return "";
  return last > first ? fmt::format("lines {}-{}", first, last) : fmt::format("line {}", first);
}

std::string inParentheses(const Site& site) {
  return site.line ? fmt::format(" ({})", siteText(site)) : "";
}

std::string ways(const std::vector<uint32_t>& next) {
  std::vector<std::string> names;
  for (uint32_t number : next)
    names.push_back(number ? fmt::format("superstep {}", number) : "the end");
  return join(names, ", or ");
}

// " [r, w*]": each thread reads its own element, and writes any; "" where it reaches none.
std::string accessText(const Param& param) {
  std::vector<std::string> words;
  if (param.reads != Access::None)
    words.push_back(param.reads == Access::Any ? "r*" : "r");
  if (param.writes != Access::None)
    words.push_back(param.writes == Access::Any ? "w*" : "w");
  return words.empty() ? "" : " [" + join(words) + "]";
}

std::string paramNames(const Kernel& kernel, const std::vector<std::string>& slots) {
  std::vector<std::string> names;
  for (const Param& param : kernel.params) {
    if (param.kind == Param::Stream)
      names.push_back(fmt::format("stream {}", param.index));
    else if (param.kind == Param::Size)
      names.push_back("thread.size");
    else if (param.kind == Param::OldSize)
      names.push_back("old thread.size");
    else if (param.kind == Param::Block)
      names.push_back("partition.block");
    else if (param.kind == Param::Append)
      names.push_back("append to " + slots[param.index]);
    else
      names.push_back(slots[param.index]);
    names.back() += accessText(param);
  }
  return join(names);
}

std::string heading(const Plan& plan) {
  return fmt::format("spawn {}{}", word(plan.name), inParentheses(plan.site));
}

} // namespace bsgp::plan
