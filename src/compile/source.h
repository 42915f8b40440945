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
  // Reports an error of the front end; a place outside of its texts is taken for the begin of the first one. help: the way out; empty:
  // none.
  std::function<void(SourceRange where, const std::string& message, const std::string& help)> error;
};

// A program of another language.
struct Tree {
  // The main text first, then those that it includes; one at least. Each node of the tree has its place in one of them.
  std::vector<Text> texts;
  // Returns the program (TreeMaker::nodes.program), or null where `error` was called. It stands behind the library's prelude. It runs
  // in a thread with a deep stack, and not at all where the code is cached. Nodes live as long as this compile. What it throws, the
  // session's call throws.
  std::function<ast::Program*(TreeMaker&)> make;
  std::vector<std::string> library{}; // files of the library that texts of BSGP would include: "random.bsgp"
  // Equal texts and equal keys give equal trees: the front end's name and version, and all else that `make` reads. Empty: the
  // code of the tree is not cached.
  std::string key{};
  // Kinds of warnings that are about the text of a program, and mean nothing for this front end.
  std::vector<std::string> silent{};
  // The way out that an error or a warning of the compiler shows, in words of the front end; what it returns replaces the help in words
  // of BSGP. Diagnostic::kind says which message it is (diag/*_messages.def). Empty: the help remains.
  std::function<std::string(const Diagnostic&)> help{};
};

using Source = std::variant<Text, Tree>;

// The name, in messages, of a program that comes from the standard input. Names in <> are the library's alone.
inline constexpr const char* kStandardInput = "stdin";

// The text of a file; "-": the standard input, up to its end.
Result<Text> readText(const std::string& path);

} // namespace bsgp::compile
