// What both verifiers say in the same words.
#pragma once

#include <string>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace bsgp::ir {

using FunctionSet = llvm::SmallPtrSet<const llvm::Function*, 16>;

// "WHAT:  %x = call ...".
std::string violationAt(const llvm::Instruction& where, std::string_view what);

// "NAME: VIOLATION"; "" stays "".
std::string inFunction(const llvm::Function& function, const std::string& violation);

// What LLVM's verifier says.
std::string violationOfLlvm(const llvm::Function& function);

// In all functions but `ours`: none of our operations.
std::string violationOutside(const llvm::Module& module, const FunctionSet& ours);

} // namespace bsgp::ir
