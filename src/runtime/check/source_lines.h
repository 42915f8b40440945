// Lines of the program's sources, for reports that show them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// Keeps the text of a program compiled in this process under that name, which need not be a file. The last 256 names
// are kept.
void rememberSource(const std::string& name, const std::string& text);

// Looks lines up in the kept texts, and in files, as far as they can be read.
class SourceLines {
public:
  const std::string* line(const Place& place); // null: it cannot be read

private:
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace bsgp::runtime::check
