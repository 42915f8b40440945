// The commands of bsgpc. Each returns the exit status of the process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/session.h"
#include "driver/pass_log.h"

namespace bsgp::driver {

struct CommandLine {
  std::string file; // "-": the standard input
  bool fromStandardInput() const { return file == "-"; }
  std::string output, header, depfile, link_options; // build, compile
  std::string form;                                  // emit
  std::string target = "auto";
  std::string gpu;    // "": the one that is there, or code that any can run
  std::string triple; // of another kind of machine; empty: of this one
  std::string cpu;    // build, compile, emit llvm and asm: one or more, with commas between them
  unsigned vector_width = 0;
  std::string wavefronts = "marked";
  std::string partition; // the word
  bsp::PartitionOptions partition_options;
  bool remarks = false;
  bool debug = false;
  std::string fp = "contract";
  std::vector<std::string> include_dirs, libraries;
  std::vector<std::string> warning_words; // of -W
  WarningPolicy warnings;                 // the same
  std::vector<std::string> arguments;     // of the program
  unsigned opt_level = 3;
  int threads = 0;
  std::string shuffle;
  std::string profile; // "": no; "1": a table; else the trace's path
  std::string check;   // kinds, with commas between them
  std::string check_json;
  std::optional<uint64_t> check_limit;
  uint32_t checks = 0; // the same as bits of bsgp_check_kind
  bool json = false, dot = false;
  bool time_passes = false;
  std::string print_after;
};

int runCommand(const CommandLine& line);
int buildCommand(const CommandLine& line);
int compileCommand(const CommandLine& line);
int emitCommand(const CommandLine& line);
int checkCommand(const CommandLine& line);

// The commands share these (commands.cpp).
Result<compile::Options> compileOptions(const CommandLine& line, PassLog& log);
std::vector<std::string> cpuNames(const CommandLine& line);
void show(const compile::Messages& messages); // to stderr
int failure(const std::string& message);      // "bsgpc: message" to stderr; 1

} // namespace bsgp::driver
