// What an instruction costs for a vector of lanes, in simple vector operations.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

unsigned costOfLanes(const llvm::Instruction& instruction, const LaneShapes& shapes);
// Of a turn, for all lanes together, and for one thread alone.
double costOfTurn(const LaneLoop& lanes, const LaneShapes& shapes);
bool isMostlySerial(const LaneLoop& lanes, const LaneShapes& shapes); // more than half of a turn: lane by lane
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes);
double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes,
                    llvm::function_ref<bool(const llvm::Instruction&)> part); // what of that these instructions are
// What comes on top of a turn for accesses that the machine cannot make under a mask, but lane by lane.
double costOfMissing(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                     const llvm::TargetTransformInfo& machine, unsigned width);
// Do more accesses go lane by lane, each lane's behind a branch of its own, than the code generator takes in its
// stride?
bool hasTooManyPieces(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                      const llvm::TargetTransformInfo& machine, unsigned width);
// How many vectors to run side by side where lanes stay together: one chain of additions leaves the units idle.
unsigned chainsAtOnce(const LaneLoop& lanes, const LaneShapes& shapes);
// Might fail or never end if it ran for no lane, with operands that nobody computed.
bool isRiskyForNone(const llvm::Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays);
// Has a form for vectors; all other calls are made lane by lane.
bool isWidenedCall(const llvm::CallInst& call);
bool isIgnored(const llvm::Instruction& instruction); // of no effect on lanes
// A call without a form for vectors, or an atomic access.
bool isOneByOne(const llvm::Instruction& instruction);

} // namespace bsgp::target
