// The math functions as vector IR: each is straight code for one element, which is written anew for a vector of them.
#pragma once

#include <memory>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "bsgp/arrays.h"

namespace bsgp::arrays {

// The functions for the code of one function, the user. They are read where one is first needed.
class MathFunctions {
public:
  explicit MathFunctions(llvm::Function& user) : user_(user) {}
  // The code of the function at the builder's place. operands: vectors. Null: there is no such function.
  llvm::Value* write(llvm::IRBuilder<>& builder, bsgp_operation operation, llvm::ArrayRef<llvm::Value*> operands);
  // The same as a call, for functions that the user needs often: each is compiled once.
  llvm::Value* call(llvm::IRBuilder<>& builder, bsgp_operation operation, llvm::ArrayRef<llvm::Value*> operands);

private:
  llvm::Function* function(bsgp_operation operation, const llvm::Type* type);

  llvm::Function& user_;
  std::unique_ptr<llvm::Module> functions_;
};

} // namespace bsgp::arrays
