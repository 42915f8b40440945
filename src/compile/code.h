// The machine code of a program, with all that is said of it: as a value, and as the text in which it is cached.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/interface.h"
#include "compile/options.h"
#include "compile/pipeline.h"
#include "runtime/hash.h"

namespace bsgp::compile {

// As Diagnostics renders them, for files and for terminals.
struct Messages {
  std::string plain, colored;
};
Messages messagesOf(const Pipeline& pipeline);

struct Code {
  std::vector<std::string> objects; // for target::Jit
  Messages warnings;
  std::string remarks;                // lines
  std::vector<std::string> exports;   // symbols
  std::vector<std::string> libraries; // that the program names; load them by sharedLibraries (libraries.h)
  std::string header;                 // of C
  Interface interface;                // likewise only where the options ask for it
};

// Runs the phases behind the parser and the target. Nothing: the program has errors, which the pipeline's diagnostics have. Fails
// where the machine cannot be compiled for.
Result<std::optional<Code>> makeCode(Pipeline& pipeline);

std::string entryOf(const Code& code);
std::optional<Code> codeOf(std::string_view entry); // nothing: the entry is damaged

// Hashes of all that the code depends on: the build of the compiler, the options, and of a text what the parser has read; of a tree its
// texts and its key.
runtime::Hash128 keyOf(const Pipeline& parsed, const std::string& build);
runtime::Hash128 keyOf(const Tree& tree, const Options& options, const std::string& build);

std::vector<std::string> exportsOf(const Program& program);

} // namespace bsgp::compile
