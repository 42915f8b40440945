#include "compile/remarks.h"

#include <memory>
#include <set>

#include <fmt/format.h>

namespace bsgp::compile {

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

std::function<void(ir::Position, const std::string&)> remarkLines(const Pipeline& pipeline,
                                                                  std::function<void(const std::string&)> say) {
  auto seen = std::make_shared<std::set<std::string>>(); // by all copies: options are copied for each machine
  auto tell = [&sources = pipeline.sources(), say = std::move(say), seen](ir::Position position,
                                                                          const std::string& text) {
    auto [remark, first] = seen->insert(remarkLine(sources, position, text));
    if (first)
      say(*remark);
  };
  for (const Remark& remark : pipeline.flat().program->remarks)
    tell({remark.range.begin, 0}, remark.text);
  for (const plan::Report& report : pipeline.kernels().reports)
    for (const plan::PartitionRemark& remark : report.partition)
      tell({remark.place, 0}, remark.text);
  return tell;
}

target::PlaceOf debugPlaces(const Pipeline& pipeline) {
  if (!pipeline.options().debug)
    return {};
  const SourceManager& sources = pipeline.sources();
  return [&sources](SourcePos position) { return sources.at(position); };
}

} // namespace bsgp::compile
