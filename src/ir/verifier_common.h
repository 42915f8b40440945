// Rules that both verifiers check.
#pragma once

#include <string>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include "plan/plan.h"

namespace bsgp::ir {

using FunctionSet = llvm::SmallPtrSet<const llvm::Function*, 16>;

// "WHAT:  %x = call ...".
std::string violationAt(const llvm::Instruction& where, std::string_view what);

// "NAME: VIOLATION"; "" stays "".
std::string inFunction(const llvm::Function& function, const std::string& violation);

// Returns the violation that LLVM's verifier finds.
std::string violationOfLlvm(const llvm::Function& function);

// Checks the host code that runs a spawn: slots of the plan lie within the frame that it is given. The plan alone
// cannot know: irgen makes the frame when all spawns of a function are there.
std::string violationInFrame(const llvm::Module& module, const plan::Outline& plan);

// All functions but `ours` are free of our operations.
std::string violationOutside(const llvm::Module& module, const FunctionSet& ours);

} // namespace bsgp::ir
