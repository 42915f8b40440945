// All that a compile depends on beside the program, declared once; and the options of each phase, made from it here alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bsp/bsp.h"
#include "diag/diagnostics.h"
#include "irgen/irgen.h"
#include "sema/sema.h"
#include "target/cpu/cpu_target.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::compile {

// $BSGP_VERIFY: the phases check each other's work.
bool verifies();

enum class Target : uint8_t { Cpu, Reference, Gpu };

irgen::FloatMode floatModeNamed(std::string_view name);    // strict, contract, fast
target::Wavefronts wavefrontsNamed(std::string_view name); // off, marked, auto, all

struct Options {
  Target target = Target::Cpu;
  unsigned opt_level = 3;
  irgen::FloatMode fp = irgen::FloatMode::Contract;
  std::vector<std::string> include_dirs;
  WarningPolicy warnings;
  bsp::PartitionOptions partition;
  uint32_t checks = 0;    // bits of bsgp_check_kind: what the program shall find of its own mistakes
  bool need_main = false; // a program to run, not functions for others
  bool interface = false; // the C header of the exports is wanted, and interface.h of them
  bool remarks = false;   // on what became slower than it looks
  bool debug = false;     // functions, variables and lines for debuggers (-g)
  bool verify = verifies();
  bool uses_cache = true; // false: machine code is made in any case

  std::string cpu = "native"; // as target::CpuOptions::cpu
  std::string triple;         // as target::CpuOptions::triple
  unsigned vector_width = 0;  // as target::CpuOptions::vector_width
  target::Wavefronts wavefronts = target::Wavefronts::Marked;
  unsigned sm = 75;                   // of Target::Gpu: target::GpuOptions::sm
  std::vector<std::string> libraries; // paths of shared objects that have extern functions

  // Called when a phase or pass is done; the module is null before there is one. May be empty. Passes are then
  // reported in the order of the program: nothing runs in parallel.
  std::function<void(std::string_view pass, const llvm::Module* module)> after_pass;
};

sema::Options semaOptions(const Options& options, std::function<std::string(std::string_view)> include_of);
irgen::Options irgenOptions(const Options& options);
bsp::Options bspOptions(const Options& options);
target::CpuOptions machineOptions(const Options& options); // without what belongs to one program
target::GpuOptions gpuOptions(const Options& options);

// Equal texts: a program becomes the same code, and the same is said of it.
std::string text(const Options& options);

} // namespace bsgp::compile
