// The phases in order, for the command line and for the C interface: source text to a module that a target can lower.
//
// The folder `driver` takes a command line (command_line.h) or, from `capi`, a text with options; runs the phases and a
// target; gives files, text, or a program that runs. It embeds the standard library, keeps machine code between runs
// (program_code.h) and writes C headers (header.h). What a program means is decided in the phases, never here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diag/diagnostics.h"
#include "expand/expand.h"
#include "ir/kernels.h"
#include "ir/spawns.h"
#include "irgen/irgen.h"
#include "parse/builder.h"
#include "parse/parse.h"
#include "sema/analysis.h"
#include "sema/sema.h"
#include "support/source.h"

namespace bsgp::driver {

// $BSGP_VERIFY: the phases check each other's work.
bool verifies();

struct PipelineOptions {
  unsigned opt_level = 3;
  irgen::FloatMode fp = irgen::FloatMode::Contract;
  std::vector<std::string> include_dirs;
  bool need_main = false;
  bool gpu = false;       // the program is for a GPU: sema::Options::gpu
  bool reference = false; // ... for the reference target
  bool verify = verifies();
  bool positions = false; // of device code, for remarks
  bool debug = false;     // functions, variables and lines for debuggers (-g)
  WarningPolicy warnings;
  uint32_t checks = 0; // bits of bsgp_check_kind: what the program shall find of its own mistakes
  // Called when a phase or pass is done; the module is null before there is one. May be empty.
  std::function<void(std::string_view pass, const llvm::Module* module)> after_pass;
};

// The name, in messages, of a program that comes from the standard input. Names in <> are the library's alone.
inline constexpr const char* kStandardInput = "stdin";

// Each step needs the one before it to have succeeded (nothing in `diagnostics` that stops the program).
class Pipeline {
public:
  explicit Pipeline(PipelineOptions options) : options_(std::move(options)), diagnostics_(sources_) {
    diagnostics_.setPolicy(options_.warnings);
  }

  Result<void> load(const std::string& path); // "-": the standard input
  void loadText(std::string name, std::string text);
  bool parse(); // after syntax errors also tells what is wrong in the parts that were understood

  // In place of load and parse, for other front ends: makeTree gets a builder of nodes, and the position at which the
  // text begins that messages show; node positions lie in it. What it returns stands behind the library's prelude; null
  // where the text has mistakes, which the front end tells itself. False: diagnostics() say why, or malformed().
  bool useTree(std::string name, std::string text,
               const std::function<ast::Program*(ast::Builder&, SourcePos)>& makeTree);
  // What is wrong with the tree, which is a mistake of the front end (parse/tree_check.h). Empty: nothing.
  const std::string& malformed() const { return malformed_; }
  bool analyze();
  bool expand();
  bool emit();  // irgen, and the checks that are asked for
  bool split(); // bsp
  bool afterParse() { return analyze() && expand() && emit() && split(); }
  bool all() { return parse() && afterParse(); }

  void done(std::string_view pass); // tells options.after_pass

  const PipelineOptions& options() const { return options_; }
  const SourceManager& sources() const { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  SourcePos mainFile() const { return main_file_; }
  const ast::Program& tree() const { return *tree_; }
  sema::Analysis& analysis() { return *analysis_; } // of analyze, up to expand: passes change the typed program
  const FlatProgram& flat() const { return flat_; }
  ir::Spawns& spawns() { return spawns_; }    // of emit, up to split
  ir::Kernels& kernels() { return kernels_; } // of split

private:
  ParseOptions parseOptions() const;
  sema::Options semaOptions() const;

  PipelineOptions options_;
  SourceManager sources_;
  Arena arena_;
  Diagnostics diagnostics_;
  SourcePos main_file_ = 0;
  ast::Program* tree_ = nullptr;
  bool is_text_ = false; // the tree was parsed: the files of the program are texts of the language
  std::string malformed_;
  std::unique_ptr<sema::Analysis> analysis_;
  FlatProgram flat_;
  ir::Spawns spawns_;
  ir::Kernels kernels_;
};

} // namespace bsgp::driver
