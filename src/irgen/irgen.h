// From the flat program to an LLVM module: host functions, requires, and one function per spawn with all its
// supersteps.
//
// The folder `irgen` takes FlatProgram; gives ir::Spawns: code in the form of ir/operations.h, and what it knows of
// host code beside it (ir/host_facts.h). Host code is complete then. What is fused to an fma is decided here
// (fused.cpp). It optimizes nothing and cuts nothing: bsp does.
#pragma once

#include <string>

#include "expand/flat.h"
#include "ir/spawns.h"
#include "support/source.h"

namespace bsgp {
class Diagnostics;
}

namespace bsgp::irgen {

enum class FloatMode { Contract, Strict, Fast }; // a*b+c within one expression fused (default), never, or any algebra

struct Options {
  FloatMode fp = FloatMode::Contract;
  bool verify = true;     // have LLVM check each function that is made
  bool positions = false; // give device code debug locations: ir/position.h
  bool debug = false;     // positions in host code, too, its functions and its variables: debug_info.h
  bool applied = false;   // exports have an entry too that takes the addresses of its arguments: bsgp_export::apply
  bool checked = false;   // marks what SSA values do not show, for src/check: undefined values, indices, divisors
  uint64_t max_instructions =
      1'000'000; // device code of one spawn after inlining; past it an error naming the call chain
};

// Diagnostics: only expansion past the limit.
ir::Spawns emitModule(const FlatProgram& flat, const SourceManager& sources, const Options& options,
                      Diagnostics& diagnostics);

// The symbol of the entry of an export that takes the addresses of its arguments (Options::applied).
inline std::string applySymbolOf(const std::string& export_symbol) {
  return "bsgp_apply." + export_symbol;
}

} // namespace bsgp::irgen
