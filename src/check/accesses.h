// Which accesses are watched, and how.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "check/origins.h"
#include "check/sites.h"

namespace bsgp::check {

// The pointer that an address was computed from, as far as SSA values show.
llvm::Value* baseOf(llvm::Value* address);

// Memory of the program's arrays and of blocks has an extent that the program shows.
void describeGlobal(const llvm::GlobalVariable& global, Watched& watched);

// Before each load, store and atomic of memory that other threads can see, and before each sync. To be done while the
// function is as irgen made it.
void watchAccesses(llvm::Function& function, Sites& sites);

// Once scalar variables are SSA values: the pointer that each address was computed from, as far as the function shows.
// With bounds, accesses by pointers to one of several arrays of a block are guarded.
void findBases(llvm::Function& function, Origins& origins, Sites& sites, uint32_t checks);

// Then: an index into an array of a thread that is outside of it reads 0 and writes nothing.
void guardPrivateArrays(llvm::Function& function, Origins& origins, Sites& sites);

// Tests before the access an address whose array is known only at run time: i1, it is outside. Null if the array is
// unknown.
llvm::Value* tellOutside(llvm::IRBuilder<>& builder, llvm::Value* address, Watched watched, Origins& origins,
                         Sites& sites);

} // namespace bsgp::check
