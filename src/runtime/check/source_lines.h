// Lines of the program's sources, for reports that show them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// Reads from texts that are remembered (checks.h), and from files as far as they can be read.
class SourceLines {
public:
  const std::string* line(const Place& place); // null: it cannot be read

private:
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace bsgp::runtime::check
