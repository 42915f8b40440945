// Where the program reads its variables: promotion to SSA values forgets it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::check {

// Beside each read of a variable that may hold what nobody has set, a freeze of what was read, at the read's position.
// Requires: scalar variables are allocas.
void markReads(llvm::Function& function);
void dropReads(llvm::Function& function);

bool isRead(const llvm::Value* value);
// What was read, before casts: it was set where the value was. Other values are themselves.
llvm::Value* sourceOf(llvm::Value* value);

} // namespace bsgp::check
