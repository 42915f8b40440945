// Names of values: an alloca or value that belongs to source variable `x` is called "x~"; parts are "x.field~". LLVM
// may append to it.
#pragma once

#include <string>

#include <llvm/IR/Value.h>

namespace bsgp::ir {

// Cuts the name back to the variable's; "" for a value without one.
std::string sourceName(const llvm::Value& value);

} // namespace bsgp::ir
