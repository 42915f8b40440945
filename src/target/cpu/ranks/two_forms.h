// Kernels that exist twice: with threads as lanes of vectors, and with threads one by one. Where lanes leave loops at
// different times, or wait for each other, only data can tell which is faster: the runtime measures it.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "target/common/attributes.h"

namespace bsgp::target {

// The variable of a kernel: of type bsgp_forms, all zero.
llvm::GlobalVariable* addForms(llvm::Module& module, const std::string& kernel);

llvm::GlobalVariable* formsOf(llvm::Module& module, const std::string& kernel); // null: it has one form

// Copies the function as it is now, to be the form for threads one by one. The copy stands behind it in the module, and
// goes through the passes that are left as a function of its own (optimize.cpp).
llvm::Function& copyAlone(llvm::Function& ranks);

using FormNames = llvm::StringSet<>; // of variables

// When all functions are done: callers of kernels with two forms take the one that the launch names. Returns the
// variables of these.
FormNames joinForms(llvm::Module& module);

// The variables of kernels go that are not among these, and their entries in the plans are null.
void dropForms(llvm::Module& module, const FormNames& kept);

} // namespace bsgp::target
