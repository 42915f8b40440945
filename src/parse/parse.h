// Tokens to a syntax tree: the program's main file with everything it includes, after the prelude.
//
// The folder `parse` takes a text (the lexer runs when it gets there); gives ast::Program (ast.h), of wrong programs
// too: it goes on at the next statement. It finds and reads included files. Names and types are left to sema. Front
// ends of other languages make the same tree themselves (builder.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diag/diagnostics.h"
#include "parse/ast.h"
#include "parse/prelude.h"
#include "support/arena.h"
#include "support/source.h"

namespace bsgp {

struct ParseOptions {
  std::vector<std::string> include_dirs; // searched after the folder of the including file
  std::vector<LibraryFile> library;      // found by path: first for <x>, last for "x"
  const Prelude* prelude = nullptr;      // stands before the program; null: nothing does
  // The file of the library that declares a name and is not part of the prelude; empty: none.
  std::function<std::string(std::string_view)> include_of{};
};

// Parses the text at `main_file` (from SourceManager::addFile or addText); returns it behind the prelude, whose texts `sources` begins
// with (SourceManager::after). There is always a program, with what could be understood; nothing in it is deeper than kMaxTreeDepth, so
// later phases may recurse. The tree points into `arena`, into the texts of `sources` and into the prelude, which must outlive it.
ast::Program* parse(SourceManager& sources, Arena& arena, Diagnostics& diagnostics, SourcePos main_file,
                    const ParseOptions& options = {});

// A program of `main`, which another front end made (builder.h), behind `prelude`.
ast::Program* join(const ast::Program& prelude, const ast::Program& main, Arena& arena);

constexpr unsigned kMaxNesting = 1000;   // of parentheses, blocks, ... as written
constexpr unsigned kMaxTreeDepth = 4000; // of the tree

namespace ast {

// The tree as indented lines, expressions as (op a b): stable, for tests and `emit ast`. With `only_file` (a position
// in a file) just what that file declares.
std::string text(const Program& program, const SourceManager& sources, SourcePos only_file = 0);

// In quotes, what does not print and what would end them escaped.
void appendQuoted(std::string& out, std::string_view bytes);

} // namespace ast
} // namespace bsgp
