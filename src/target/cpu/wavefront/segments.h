// Cuts an iteration of a loop over threads around divergent loops, and the part between the cuts into segments.
//
//   before                  all threads of a run, side by side
//   ---- entry
//   feed    (entry)         a thread enters                    a *point* is a block at which a thread may wait;
//   L1      a loop around   a segment from there on            a segment is the code from one point to the next ones;
//   L2      a loop inside   a station                          a *station* is a loop whose iterations are repeated for
//   exits   of L2, of L1    segments                           the lanes that are in it, while enough of them are
//   ---- end
//   behind                  all threads of a run, side by side
//
// After "Control Flow Emulation on Tiled SIMD Architectures" (Lashari, Lhotak, McCool, 2008), where a segment is a
// kernel and a point a program counter.
#pragma once

#include <vector>

#include <llvm/IR/Dominators.h>

#include "target/cpu/vectorize/lane_loop.h"

namespace bsgp::target {

struct Segment {
  llvm::BasicBlock* point = nullptr;
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks; // from the point on, in reverse postorder
  bool station = false;                           // its blocks are a loop's
};

struct WavefrontRegion {
  llvm::BasicBlock *before = nullptr, *entry = nullptr; // the last block in front of the region; its first
  llvm::BasicBlock *end = nullptr, *behind = nullptr;   // its last block; the first one behind it
  std::vector<Segment> segments;                        // by points, in reverse postorder
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> segment_of;

  bool contains(const llvm::BasicBlock* block) const { return segment_of.contains(block); }
};

using IsWavefront = llvm::function_ref<bool(const llvm::Loop&)>;

// Finds the region of the first of these loops in an iteration. It makes the region's entry and end blocks of their
// own: analyses of the function are no longer valid. Nullopt: there is no such loop, or the region's flow cannot be
// cut (`reason`).
std::optional<WavefrontRegion> cutRegion(LaneLoop& lanes, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
                                         IsWavefront is_wavefront, std::string& reason);

} // namespace bsgp::target
