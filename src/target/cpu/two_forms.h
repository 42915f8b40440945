// Kernels that exist twice: with threads as lanes of vectors, and with threads one by one. Where lanes leave loops at
// different times, or wait for each other, only data can tell which is faster: the runtime measures it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace bsgp::target {

// Of functions with a loop over ranks: they may have two forms, and this variable of the module is what the runtime
// then keeps its choice in.
inline constexpr char kFormsAttribute[] = "bsgp-forms";
// Of the form for threads one by one: the name of the other one.
inline constexpr char kAloneAttribute[] = "bsgp-alone";

// The variable of a kernel: of type bsgp_forms, all zero.
llvm::GlobalVariable* addForms(llvm::Module& module, const std::string& kernel);

llvm::GlobalVariable* formsOf(llvm::Module& module, const std::string& kernel); // null: it has one form

// What the function is now, as the form for threads one by one. Goes through what is left of the pipeline by itself.
llvm::Function& copyAlone(llvm::Function& ranks);

// When all functions are done: callers of kernels with two forms take the one that the launch names; the variables of
// the others go, and their kernels' entries in the plans are null.
void joinForms(llvm::Module& module);

} // namespace bsgp::target
