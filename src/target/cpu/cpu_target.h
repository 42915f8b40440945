// The CPU target: kernels become loops over the ranks of a block, plans become constants, the module machine code.
//
// The folder `target/cpu` takes ir::Kernels; gives an object file, assembly, or code in this process (Jit).
// lower_kernels.cpp puts the loops around kernels, optimize.cpp has the passes in order, `vectorize` turns threads into
// lanes. Host code is only optimized and compiled. Which form of a kernel runs, on how many processors, and for which
// of several CPUs is left to the runtime.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/kernels.h"
#include "ir/position.h"
#include "support/result.h"
#include "target/common/debug_lines.h"

namespace bsgp::target {

// Which loops run as wavefronts, where the places of threads that have left are taken by others.
enum class Wavefronts : uint8_t {
  Off,
  Marked, // those that have the word, where it is faster by the clock
  Auto,   // all that threads leave at different times, where it is faster
  All,    // the same, without asking the clock
};

struct CpuOptions {
  unsigned opt_level = 3;
  std::string triple;         // the kind of machine, as otherMachine reads it; empty: this one
  std::string cpu = "native"; // native, x86-64-v2, x86-64-v3, x86-64-v4, or a name LLVM knows
  bool reference = false;     // one lane at a time, in the launch's shuffled order: the oracle
  // Threads that run at once: 4, 8, 16, or 1: none do. 0: what the machine's vectors hold, where that helps.
  unsigned vector_width = 0;
  Wavefronts wavefronts = Wavefronts::Marked;
  bool verify = false; // hold the module to all of target/common/verifier.h after every pass
  std::function<void(std::string_view pass, const llvm::Module&)> after_pass;
  // Is called with places whose code is slower than it looks (the place is unknown without irgen's positions). May be
  // empty.
  std::function<void(ir::Position, const std::string&)> remark;
  // Completes the module that has the program's variables, between its optimization and its code. May be empty.
  std::function<void(llvm::Module&)> before_code;
  PlaceOf place_of;   // makes DWARF lines, where irgen has made debug information; empty: none is written
  bool debug = false; // Jit::link announces the code to debuggers
  // Jit::link looks symbols up by address first, then in the libraries (paths of shared objects), then in the
  // process.
  std::vector<std::pair<std::string, void*>> symbols;
  std::vector<std::string> libraries;
};

// The triple in LLVM's words; empty where it means this kind of machine. Fails on one that no code can be made for.
Result<std::string> otherMachine(const std::string& triple);

// Kernels to `void(const bsgp_launch*, int64_t first_block, int64_t end_block)`, @plan.* to constants. Host code
// untouched.
void lowerKernels(ir::Kernels& program, const CpuOptions& options);

// Ahead of time, of the lowered module: makes each kernel once for each of `cpus`. When the program is first entered,
// the runtime takes the last of them whose instructions the machine has (it is *like* that CPU). Every entry is
// guarded: a machine like none of them gets a message instead of the program. Returns the CPU to compile the rest
// for, which all of `cpus` are like.
Result<std::string> addCpus(ir::Kernels& program, const std::vector<std::string>& cpus);

// Returns the features that a machine must have to be like this CPU, as bits of bsgp_cpu.
Result<uint64_t> cpuFeatures(const std::string& cpu);

// Stock optimization of the lowered module for the machine.
Result<void> optimize(ir::Kernels& program, const CpuOptions& options);

// Generates code of the optimized module. It can be called once: code generation uses the module up.
Result<void> emitObject(ir::Kernels& program, const CpuOptions& options, const std::string& path);
Result<std::string> emitAssembly(ir::Kernels& program, const CpuOptions& options);

// Machine code of the lowered module, as the bytes of an object file: optimizes and generates.
Result<std::string> compileObject(ir::Kernels& program, const CpuOptions& options);

// The same as object files that belong together, made on all processors; the files do not depend on the number of
// these. If passes or remarks are reported, it runs on one processor and makes one file.
Result<std::vector<std::string>> compileObjects(ir::Kernels& program, const CpuOptions& options);

// Returns what cpu "native" stands for: the machine's name and all its features.
std::string thisMachine();

// Machine code in this process, of the objects that compileObjects made, in this process or in another.
// Symbols of the runtime and of the process (extern C functions) are found by name; the error for one that is missing
// names it.
class Jit {
public:
  static Result<std::unique_ptr<Jit>> link(const std::vector<std::string>& objects, const CpuOptions& options);
  ~Jit();
  Result<void*> lookup(const std::string& symbol);

private:
  Jit();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace bsgp::target
