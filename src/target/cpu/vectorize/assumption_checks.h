// Emits code that tests whether the assumptions hold for a vector, and for how many vectors behind it.
#pragma once

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

class AssumptionChecks {
public:
  AssumptionChecks(const LaneLoop& lanes, const LaneShapes& shapes)
      : lanes_(lanes), shapes_(shapes), assumptions_(shapes.assumptions()), width_(shapes.width()) {}

  // i1: all hold where the first lane has these counters. All lanes are taken to be there.
  llvm::Value* hold(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> counters);
  // If they hold: the number of vectors for which they do, this one and those behind it (i64, at least 1), of at most
  // `most`.
  llvm::Value* vectors(llvm::IRBuilder<>& builder, llvm::Value* most);
  // The first lane's quotient, remainder or choice, or what all lanes find, for each assumption.
  llvm::ArrayRef<llvm::Value*> values() const { return values_; }
  // The number that is added to the value from vector to vector.
  int64_t step(size_t assumption) const;

private:
  // They hold no longer once `from`, which grows by `step` from vector to vector, is greater than `top`. Neither has a
  // sign.
  struct Bound {
    llvm::Value *top, *from;
    uint64_t step;
  };

  llvm::Value* isOneQuotient(const LaneShapes::Assumption& row);
  llvm::Value* isInside(const LaneShapes::Assumption& inside);
  llvm::Value* isAlike(const LaneShapes::Assumption& alike);
  llvm::Value* holds(const LaneShapes::Test& test);
  void bound(const LaneShapes::Test& test, llvm::Value* last, llvm::Value* limit);
  void boundAlike(const LaneShapes::Test& test, llvm::Value* holds, llvm::Value* last, llvm::Value* limit);
  llvm::Value* goesOn(const LaneShapes::Growth& growth);
  llvm::Value* again(llvm::Value* value);
  uint64_t perVector(int64_t stride) const { return uint64_t(std::abs(stride)) * width_; }

  const LaneLoop& lanes_;
  const LaneShapes& shapes_;
  const llvm::ArrayRef<LaneShapes::Assumption> assumptions_;
  const unsigned width_;
  llvm::IRBuilder<>* builder_ = nullptr;
  llvm::ArrayRef<llvm::Value*> counters_;
  llvm::SmallVector<llvm::Value*, 4> values_;
  llvm::SmallVector<Bound, 8> bounds_;
};

} // namespace bsgp::target
