// A program as it is given to a compile: a text of the language, or the tree of another front end.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "diag/diagnostics.h"
#include "parse/ast.h"
#include "parse/builder.h"

namespace bsgp::compile {

struct Text {
  std::string name; // in messages
  std::string text;
};

// A front end makes the tree with this: nodes, the positions at which its texts begin, and messages of its own.
struct TreeMaker {
  ast::Builder& nodes;
  std::vector<SourcePos> texts;
  // Reports an error of the front end. help: the way out; empty: none.
  std::function<void(SourceRange where, const std::string& message, const std::string& help)> error;
};

// A program of another language.
struct Tree {
  // The main text first, then those that it includes. Each node of the tree has its place in one of them.
  std::vector<Text> texts;
  // Returns the program (TreeMaker::nodes.program), or null where `error` was called. It stands behind the library's prelude. It is not
  // called where the code is cached.
  std::function<ast::Program*(TreeMaker&)> make;
  // Equal texts and equal keys give equal trees: the front end's name and version, and all else that `make` reads. Empty: the
  // code of the tree is not cached.
  std::string key;
  // The way out that a message of the compiler shows, in words of the front end; what it returns replaces the help in words of BSGP.
  // Empty: the help remains.
  std::function<std::string(const Diagnostic&)> help;
};

using Source = std::variant<Text, Tree>;

// The name, in messages, of a program that comes from the standard input. Names in <> are the library's alone.
inline constexpr const char* kStandardInput = "stdin";

// The text of a file; "-": the standard input, up to its end.
Result<Text> readText(const std::string& path);

} // namespace bsgp::compile
