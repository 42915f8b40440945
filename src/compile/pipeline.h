// The phases in order: a text, or the tree of another front end, to a module that a target can lower.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/library.h"
#include "compile/options.h"
#include "compile/source.h"
#include "diag/diagnostics.h"
#include "expand/expand.h"
#include "ir/kernels.h"
#include "ir/spawns.h"
#include "parse/parse.h"
#include "sema/analysis.h"
#include "support/source.h"

namespace bsgp::compile {

// Each step needs the one before it to have succeeded (nothing in `diagnostics` that stops the program).
class Pipeline {
public:
  // Compiles one program. The library must live as long.
  Pipeline(const Library& library, Options options, Source source);

  // Syntax errors do not hide what is wrong in the parts that were understood. False: diagnostics() say why, or malformed().
  bool parse();
  // Says which node breaks a rule of the tree, which is a mistake of the front end (parse/tree_check.h). Empty: the tree is sound.
  const std::string& malformed() const { return malformed_; }
  bool isText() const { return std::holds_alternative<Text>(source_); }
  bool stops() const { return diagnostics_.stop(); } // for the program's mistakes
  bool analyze();
  bool expand();
  bool emit();  // irgen, and the checks that are asked for
  bool split(); // bsp
  bool afterParse() { return analyze() && expand() && emit() && split(); }
  bool all() { return parse() && afterParse(); }

  void done(std::string_view pass); // calls options.after_pass

  const Options& options() const { return options_; }
  const SourceManager& sources() const { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  SourcePos mainFile() const { return texts_.front(); }
  const ast::Program& tree() const { return *tree_; }
  sema::Analysis& analysis() { return *analysis_; } // of analyze, up to expand: passes change the typed program
  const FlatProgram& flat() const { return flat_; }
  ir::Spawns& spawns() { return spawns_; }    // of emit, up to split
  ir::Kernels& kernels() { return kernels_; } // of split
  const ir::Kernels& kernels() const { return kernels_; }

private:
  ParseOptions parseOptions() const;
  void reportMistakesOfLibrary();
  bool parseText();
  bool makeTree(const Tree& tree);
  const ast::Program& libraryOf(const Tree& tree);

  const Library& library_;
  Options options_;
  Source source_;
  const Prelude& prelude_;
  SourceManager sources_;
  Arena arena_;
  Diagnostics diagnostics_;
  std::vector<SourcePos> texts_; // of the source
  ast::Program* tree_ = nullptr;
  std::string malformed_;
  std::unique_ptr<sema::Analysis> analysis_;
  FlatProgram flat_;
  ir::Spawns spawns_;
  ir::Kernels kernels_;
};

// The failure of a front end whose tree is malformed.
Error malformedTree(const Pipeline& pipeline);

} // namespace bsgp::compile
