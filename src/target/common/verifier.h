// Holds the modules of targets to what is true from the lowering of kernels to code generation, whatever passes run
// in between. A violation is a bug of ours, never of the user's program.
//
// - LLVM's rules.
// - Nothing is left of the contract (ir/operations.h): none of its functions and, where code is for a CPU, no shared
//   variable.
// - A kernel takes nothing from outside but the few functions of kOfKernels, on a GPU not even those: a function of the
//   host's mathematics would give other bits on other machines, and a GPU has none. Nor an instruction or intrinsic of
//   which code generation makes such a call. Calls that give the same bits whoever does them are let through, which code
//   generation makes for a CPU that has no instruction for them: fma (libm), conversions of halves (libgcc), and memcpy
//   and memset.
//
// ir/verifier.h checks a kernel's arguments and plan before they are made into constants.
#pragma once

#include <string>
#include <string_view>

#include <llvm/IR/Module.h>

namespace bsgp::target {

// Ours take a five-thousandth of a compile's time, LLVM's nearly a hundredth.
enum class Rules { Ours, All };

// Returns a sentence that names the place and the violation, or "".
std::string violationIn(const llvm::Module& module, Rules rules = Rules::All);
std::string violationIn(const llvm::Function& function);

// Ends the compiler if there is a violation, which `pass` has left.
void checkAfter(std::string_view pass, const llvm::Module& module, Rules rules = Rules::All);
void checkAfter(std::string_view pass, const llvm::Function& function);

} // namespace bsgp::target
