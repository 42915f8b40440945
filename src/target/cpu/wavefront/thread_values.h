// The values of a thread that are made on one side of a cut and used on another.
//
//   cheap, of the rank and of values that all threads share    computed again where a segment begins
//   made in front of the region                                an element of an array of the run for each thread; loaded
//                                                              when the thread enters
//   made in a segment, used in others                          a variable of the place
//   used behind the region                                     an element of an array, stored at the end of the thread
//
// A phi at a point is a variable that is set on each edge to it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/wavefront/segments.h"

namespace bsgp::target {

// The code where values are asked for.
struct ThreadFrame {
  uint32_t run = 0;                       // threads of a run
  llvm::BasicBlock* entry = nullptr;      // of the function
  llvm::Value* first = nullptr;           // number of the run's first thread, i64
  llvm::Value* index_before = nullptr;    // number of the thread in its run, i32: in front of the region,
  llvm::AllocaInst* index = nullptr;      // of the thread in a place,
  llvm::Value* index_behind = nullptr;    // and behind the region
  std::vector<llvm::BasicBlock*> tops;    // of segments: a block of its own in front of the point's code; of the first
                                          // segment, in which a thread enters, one behind which it has an index
  llvm::BasicBlock* top_behind = nullptr; // the same behind the region
};

class ThreadValues {
public:
  // `before`: the blocks of an iteration in front of the region.
  ThreadValues(const LaneLoop& lanes, const WavefrontRegion& region, const ThreadFrame& frame,
               llvm::SmallPtrSet<const llvm::BasicBlock*, 16> before)
      : lanes_(lanes), region_(region), frame_(frame), before_(std::move(before)) {}

  // A side is the number of a segment, or one of these.
  static constexpr unsigned kBehind = ~0u, kBefore = ~1u;
  unsigned sideOf(const llvm::BasicBlock* block) const;
  // Gives a value on a side, before it is asked for.
  void know(const llvm::Instruction& value, unsigned side, llvm::Value& there) { known_[{&value, side}] = &there; }
  // Returns the value on that side of the cuts.
  llvm::Value* at(llvm::Value* value, unsigned side);
  // The variable that holds the value, of a phi at a point: callers set it on edges.
  llvm::AllocaInst* variableOf(llvm::Instruction& value);
  llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }
  llvm::ArrayRef<llvm::AllocaInst*> arrays() const { return arrays_; }
  // Gives each thread of the run its own copy of a private array: one for each place is not enough if sides share it.
  void spread(llvm::AllocaInst& array);

private:
  bool isStation(unsigned side) const;
  bool isMadeAgain(llvm::Instruction& value, unsigned side);
  unsigned costOf(const llvm::Value& value);
  llvm::IRBuilder<> builderAt(unsigned side);
  llvm::Value* find(llvm::Instruction& value, unsigned side);
  llvm::Value* again(llvm::Instruction& value, unsigned side);
  llvm::Value* indexAt(unsigned side);
  llvm::Value* counterAt(const LaneCounter& counter, unsigned side);
  llvm::Value* load(llvm::Instruction& value, unsigned side);
  llvm::Value* loadElement(llvm::Instruction& value, unsigned side);
  llvm::Value* elementAt(llvm::AllocaInst& array, unsigned side);
  llvm::AllocaInst* arrayOfRun(llvm::Type* type, const llvm::Twine& name, llvm::Align align);
  llvm::AllocaInst* arrayOf(llvm::Instruction& value);

  const LaneLoop& lanes_;
  const WavefrontRegion& region_;
  const ThreadFrame& frame_;
  const llvm::SmallPtrSet<const llvm::BasicBlock*, 16> before_;
  llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, llvm::Value*> known_, made_again_;
  llvm::DenseMap<const llvm::Instruction*, llvm::AllocaInst*> variable_of_, array_of_, spread_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> costs_;
  llvm::DenseMap<unsigned, llvm::Value*> indices_;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables_, arrays_;
};

} // namespace bsgp::target
