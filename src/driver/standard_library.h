// The standard library's text, built into the program.
#pragma once

#include <string_view>
#include <vector>

namespace bsgp::driver {

struct EmbeddedFile {
  const char* name;
  bool prelude; // read before every program; else found by #include <name>
  std::string_view text;
};

const std::vector<EmbeddedFile>& embeddedFiles();

} // namespace bsgp::driver
