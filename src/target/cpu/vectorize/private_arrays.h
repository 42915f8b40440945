// Lays out the memory of a thread that could not become registers, for all lanes.
//
//   interleaved   element 0 of all lanes, element 1 of all lanes, ...: where every access is to whole elements of one
//                 size, found by adding up offsets. Lanes that use the same index read one vector.
//   side by side  the array of lane 0, the array of lane 1, ...: all others. An address differs from lane to lane.
#pragma once

#include "target/cpu/vectorize/lane_loop.h"

namespace bsgp::target {

struct PrivateArray {
  llvm::AllocaInst* of_thread = nullptr;
  unsigned element = 0;                 // bytes; 0: side by side
  uint64_t bytes = 0;                   // of one thread
  llvm::AllocaInst* of_lanes = nullptr; // made by `create`
};

// An offset into an interleaved array, in elements: a constant and indices that count several elements each.
struct ElementOffset {
  struct Term {
    llvm::Value* index;
    int64_t elements;
  };
  int64_t constant = 0;
  llvm::SmallVector<Term, 4> terms;
};

// Before PrivateArrays is made: computes addresses in private arrays in the loop if they were computed before it.
// True if that changed anything.
bool bringAddressesIn(const LaneLoop& lanes);

class PrivateArrays {
public:
  explicit PrivateArrays(const LaneLoop& lanes);

  // Find the array of an access or an address; null if it is in none of that kind.
  const PrivateArray* interleaved(const llvm::Value* pointer) const;
  const PrivateArray* sideBySide(const llvm::Value* base) const;
  ElementOffset offset(llvm::Value* pointer) const;
  void create(unsigned width, llvm::BasicBlock& entry);
  bool areSupported() const { return supported_; }

private:
  bool collectUses(llvm::Value& pointer, PrivateArray& array, const LaneLoop& lanes);
  bool offsetsFit(const PrivateArray& array) const;

  llvm::SmallVector<PrivateArray, 4> arrays_;
  llvm::DenseMap<const llvm::Value*, unsigned> of_address_; // of interleaved arrays: number + 1
  bool supported_ = true;
};

} // namespace bsgp::target
