// Estimates the cost of code for a vector of lanes, in simple vector operations.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

// The cost of one instruction, for all lanes together.
unsigned costOfLanes(const llvm::Instruction& instruction, const LaneShapes& shapes);
// The costs of an iteration, for all lanes together, and for one thread alone.
double costOfTurn(const LaneLoop& lanes, const LaneShapes& shapes);
// more than half of an iteration runs lane by lane
bool isMostlySerial(const LaneLoop& lanes, const LaneShapes& shapes);
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes);
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes,
                    llvm::function_ref<bool(const llvm::Instruction&)> part); // the share of these instructions
// The extra cost of an iteration in which only some lanes may run: to diverge, to reconverge, and to read and write
// under masks.
double costOfMasks(const LaneLoop& lanes, const LaneShapes& shapes,
                   llvm::function_ref<bool(const llvm::BasicBlock&)> is_partial);
// The extra cost of an iteration for accesses under a mask that the machine does lane by lane only.
double costOfMissing(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                     const llvm::TargetTransformInfo& machine, unsigned width);
// True if there are so many accesses lane by lane, each lane's behind a branch of its own, that the code generator
// would take very long.
bool hasTooManyPieces(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                      const llvm::TargetTransformInfo& machine, unsigned width);
// Returns how many vectors to run side by side in innermost loops: one chain of additions leaves the units idle.
unsigned chainsAtOnce(const LaneLoop& lanes, const LaneShapes& shapes);
// True if the instruction may fail, or never end, when it runs for no lane, with operands that were not computed.
bool isRiskyForNone(const llvm::Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays);
// True if the call has a form for vectors; all other calls are made lane by lane.
bool isWidenedCall(const llvm::CallInst& call);
bool isIgnored(const llvm::Instruction& instruction); // lanes need no code for it: markers, assumptions
// True for a call without a form for vectors, and for an atomic access.
bool isOneByOne(const llvm::Instruction& instruction);

} // namespace bsgp::target
