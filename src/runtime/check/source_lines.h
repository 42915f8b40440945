// Lines of the program's sources, for reports that show them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// A program was compiled in this process from a text of that name, which need not be a file. Of the last 256 names.
void rememberSource(const std::string& name, const std::string& text);

// Of texts that are remembered, and of files, as far as they can be read.
class SourceLines {
public:
  const std::string* line(const Place& place); // null: it cannot be read

private:
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace bsgp::runtime::check
