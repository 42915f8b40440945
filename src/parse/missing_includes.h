// Which files of the library a program needs and does not include, by the names in its text: asked where one is missing,
// so that all of them are told at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostics.h"
#include "lex/lex.h"
#include "parse/ast.h"
#include "support/arena.h"

namespace bsgp {

using IncludeOf = std::function<std::string(std::string_view)>; // as in ParseOptions

// The names in a program's files that files of the library declare.
struct LibraryNames {
  struct Use {
    SourceRange first{};   // where it is called, or is a variable's type; invalid: nowhere
    bool declared = false; // the program has one of its own
  };
  std::unordered_map<std::string_view, Use> uses;
};

// Adds those of one file, whose text begins at `base`.
void findLibraryNames(const std::vector<Token>& tokens, std::string_view text, SourcePos base,
                      const IncludeOf& include_of, LibraryNames& names);

// The files that declare them and were not read ("<text.bsgp>"), each with its first use, in the order of the text.
std::vector<ast::MissingInclude> missingIncludes(const LibraryNames& names, const IncludeOf& include_of,
                                                 const std::unordered_set<std::string>& files_read, Arena& arena);

// Where messages tell of a missing include: tells of the others that the program needs.
void tellOtherIncludes(const ast::Program& program, const IncludeOf& include_of, Diagnostics& diagnostics);

} // namespace bsgp
