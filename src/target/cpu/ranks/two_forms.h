// Kernels that exist in several forms: with threads as lanes of vectors, one by one, and as wavefronts. Where lanes leave
// loops at different times, or wait for each other, only data can tell which is faster: the runtime measures it.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "target/common/attributes.h"

namespace bsgp::target {

// The variable of a kernel: of type bsgp_forms, all zero.
llvm::GlobalVariable* addForms(llvm::Module& module, const std::string& kernel);

llvm::GlobalVariable* formsOf(llvm::Module& module, const std::string& kernel); // null: it has one form

// Copies the function as it is now, to be another form: for threads one by one, or as wavefronts. The copy stands behind
// it in the module, and goes through the passes that are left as a function of its own (optimize.cpp).
llvm::Function& copyAlone(llvm::Function& ranks);
llvm::Function& copyWavefront(llvm::Function& ranks);

// The forms that kernels have, by the names of their variables: a bit for each bsgp_form.
using FormsMade = llvm::StringMap<uint32_t>;

// When all functions are done: callers of kernels with several forms take the one that the launch names. Forms that
// were dropped go.
FormsMade joinForms(llvm::Module& module);

// The variables of kernels go that are not among these, and their entries in the plans are null; the others get the
// forms that were made.
void finishForms(llvm::Module& module, const FormsMade& made);

} // namespace bsgp::target
