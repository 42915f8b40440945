// Marks the places where the program reads its variables: promotion to SSA values forgets them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::check {

// Adds a freeze of the value beside each read of a variable that may be unset, at the read's position. Requires:
// scalar variables are allocas.
void markReads(llvm::Function& function);
void dropReads(llvm::Function& function);

bool isRead(const llvm::Value* value);
// Returns the value that was read, before casts: it was set exactly if `value` was. Other values are returned
// themselves.
llvm::Value* sourceOf(llvm::Value* value);

} // namespace bsgp::check
