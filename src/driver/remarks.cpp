#include "driver/remarks.h"

#include <set>

#include <fmt/format.h>

namespace bsgp::driver {

namespace {

// As diagnostics are printed, without the source text: file:line:column: remark: text. Of code of the library, the
// call.
std::string remarkLine(const SourceManager& sources, ir::Position position, const std::string& text) {
  bool library = position.called_at && sources.ofLibrary({position.at, position.at + 1});
  std::string line;
  if (SourcePos shown = library ? position.called_at : position.at) {
    LineColumn at = sources.at(shown);
    line = fmt::format("{}:{}:{}: ", at.file, at.line, at.column);
  }
  line += "remark: " + text;
  if (library) {
    LineColumn at = sources.at(position.at);
    line += fmt::format(" ({}:{})", at.file, at.line);
  }
  return line + "\n";
}

} // namespace

std::function<void(ir::Position, const std::string&)> remarkLines(const SourceManager& sources,
                                                                  std::function<void(const std::string&)> say) {
  return [&sources, say = std::move(say), seen = std::set<std::string>()](ir::Position position,
                                                                          const std::string& text) mutable {
    auto [remark, first] = seen.insert(remarkLine(sources, position, text));
    if (first)
      say(*remark);
  };
}

} // namespace bsgp::driver
