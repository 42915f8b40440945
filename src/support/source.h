// Source texts and positions in them. A position is one 32-bit offset over all files read, so a range is eight bytes.
//
// The folder `support` has what every other folder may use, and uses none: texts and positions here, arenas (arena.h),
// failures of the environment (result.h), failures of ours (check.h), numbers of 16 bits (half.h). Nothing of the
// language is in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace bsgp {

using SourcePos = uint32_t; // 0: nowhere

struct SourceRange {
  SourcePos begin = 0;
  SourcePos end = 0; // one past the last character
  bool valid() const { return begin != 0; }
};

struct LineColumn {
  std::string_view file; // as it was named on the command line or in the include
  uint32_t line = 0;     // from 1
  uint32_t column = 0;   // from 1, in bytes
};

enum class Origin : uint8_t { Program, Library };

class SourceManager {
public:
  SourceManager() = default;
  // Begins with the texts of `others`, which keep their positions. Both have them.
  static SourceManager after(const SourceManager& others);

  // The text stays owned here; a terminating 0 follows it. Refuses files that would pass 2 GiB in total.
  Result<SourcePos> addFile(const std::string& path);
  SourcePos addText(std::string name, std::string text, Origin origin = Origin::Program);

  std::string_view text(SourcePos any_position_in_file) const; // whole file
  std::string_view text(SourceRange range) const;              // as much of its file; "" where it is nowhere
  std::string_view name(SourcePos any_position_in_file) const;
  bool ofLibrary(SourceRange range) const; // in a text of the standard library
  SourcePos begin(SourcePos any_position_in_file) const;
  LineColumn at(SourcePos position) const;
  std::string_view lineText(SourcePos position) const; // without the newline
  std::vector<SourcePos> begins() const;               // of all files and texts, in the order they were added
  std::vector<std::string_view> names() const {        // likewise
    std::vector<std::string_view> all;
    for (const auto& file : files_)
      all.push_back(file->name);
    return all;
  }

private:
  struct File {
    std::string name, text;
    SourcePos begin;
    Origin origin;
    std::vector<uint32_t> line_starts;
  };
  const File& fileOf(SourcePos position) const;
  std::vector<std::shared_ptr<const File>> files_;
};

} // namespace bsgp
