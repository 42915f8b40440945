// The standard library's text, built into the program.
#pragma once

#include <string_view>
#include <vector>

namespace bsgp::compile {

// A file of the library is read before every program, before those for one kind of target, or by #include <name>.
enum class LibraryPart { Every, Cpu, Gpu, Include };

struct EmbeddedFile {
  const char* name;
  LibraryPart part;
  std::string_view text;
};

const std::vector<EmbeddedFile>& embeddedFiles();

} // namespace bsgp::compile
