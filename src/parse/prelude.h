// The files of the library that stand before every program: parsed once, for any number of programs at a time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/diagnostics.h"
#include "parse/ast.h"
#include "support/arena.h"
#include "support/source.h"

namespace bsgp {

// A file of the standard library, whose text is built in and lives as long as the process.
struct LibraryFile {
  std::string_view path;
  std::string_view text;
};

// The parser remembers these names of the files that it has read.
struct NamesOfFiles {
  struct Name {
    bool is_type = false;
    bool is_builtin = false;
    std::string_view normalized; // as TypeExpr::name has it
    bool is_generic = false;
  };
  std::unordered_set<std::string> files_read_;
  std::unordered_map<std::string_view, Name> names_;                           // that are types
  std::unordered_map<std::string_view, std::vector<ast::TypeParam>> generics_; // by their names
  std::unordered_map<std::string_view, std::string_view> type_parameters_;     // of all structs above, and whose
  std::unordered_map<std::string_view, std::vector<ast::Function*>> lambdas_;  // by name, with their clauses
  unsigned unnamed_types_ = 0;
};

// Nothing changes it once it is made: parsers on several threads may read it at the same time. It must outlive the programs.
class Prelude {
public:
  // `files` in their order. They may include each other, and those of `library`.
  explicit Prelude(std::span<const LibraryFile> files, std::span<const LibraryFile> library = {});

  const SourceManager& sources() const { return sources_; } // of its texts, from position 1
  const ast::Program& tree() const { return *tree_; }
  const NamesOfFiles& names() const { return names_; }
  const std::vector<Diagnostic>& messages() const { return messages_; } // mistakes of the library's author

private:
  SourceManager sources_;
  Arena arena_;
  NamesOfFiles names_;
  const ast::Program* tree_ = nullptr;
  std::vector<Diagnostic> messages_;
};

} // namespace bsgp
