// What an instruction costs for a vector of lanes, in simple vector operations.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

// Of one instruction, for all lanes together.
unsigned costOfLanes(const llvm::Instruction& instruction, const LaneShapes& shapes);
// Of a turn, for all lanes together, and for one thread alone.
double costOfTurn(const LaneLoop& lanes, const LaneShapes& shapes);
bool isMostlySerial(const LaneLoop& lanes, const LaneShapes& shapes); // more than half of a turn: lane by lane
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes);
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes,
                    llvm::function_ref<bool(const llvm::Instruction&)> part); // what of that these instructions are
// What a turn costs more where only some lanes may be: to part, to meet, and to read and write under masks.
double costOfMasks(const LaneLoop& lanes, const LaneShapes& shapes,
                   llvm::function_ref<bool(const llvm::BasicBlock&)> is_partial);
// What a turn costs more for accesses under a mask that the machine makes lane by lane only.
double costOfMissing(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                     const llvm::TargetTransformInfo& machine, unsigned width);
// Are there so many accesses lane by lane, each lane's behind a branch of its own, that the code generator would take
// very long?
bool hasTooManyPieces(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                      const llvm::TargetTransformInfo& machine, unsigned width);
// How many vectors to run side by side where lanes stay together: one chain of additions leaves the units idle.
unsigned chainsAtOnce(const LaneLoop& lanes, const LaneShapes& shapes);
// May it fail, or never end, where it runs although no lane is there, with operands that nobody computed?
bool isRiskyForNone(const llvm::Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays);
// Has a form for vectors; all other calls are made lane by lane.
bool isWidenedCall(const llvm::CallInst& call);
bool isIgnored(const llvm::Instruction& instruction); // lanes need no code for it: markers, assumptions
// A call without a form for vectors, or an atomic access.
bool isOneByOne(const llvm::Instruction& instruction);

} // namespace bsgp::target
