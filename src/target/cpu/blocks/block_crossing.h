// Values and private arrays that live from one region of a block kernel to another.
#pragma once

#include "target/cpu/blocks/block_uniform.h"

namespace bsgp::target {

// The cost of computing a value again, without its operands, in simple instructions: more than kCheapAgain is not cheap, and
// kNeverAgain stands for an instruction that is no expression of its operands.
constexpr unsigned kCheapAgain = 6, kNeverAgain = 1000;
unsigned costOfOneAgain(const llvm::Instruction& instruction);

// Puts values that cross into variables of the thread (allocas at its entry): stored where they are made, loaded at the
// top of each block that uses them. Afterwards a region refers only to what is its own, uniform, the rank or the lane,
// or the address of an alloca.
// Returns the allocas whose contents live across a cut: those variables, and private arrays.
llvm::DenseSet<const llvm::AllocaInst*> storeWhatCrosses(llvm::Function& thread, const Regions& regions,
                                                         const UniformValues& uniform, const BlockTerms& terms);

// Values made in the region of `guard`, before it, and used behind it that would have to be stored if it were cut
// there.
unsigned valuesAcross(llvm::BasicBlock& guard, const Regions& regions, const UniformValues& uniform,
                      const BlockTerms& terms);

} // namespace bsgp::target
