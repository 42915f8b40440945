// What each value of a thread looks like over neighbouring lanes, and with it, where lanes part.
#pragma once

#include "target/cpu/vectorize/divergence.h"
#include "target/cpu/vectorize/private_arrays.h"

namespace bsgp::target {

struct LaneShape {
  enum Kind : uint8_t { Unknown, Uniform, Linear, Varying };
  Kind kind = Unknown;
  bool no_wrap = false;  // of integers: lanes that run do not go past the ends of the signed type
  int64_t stride = 0;    // from one lane to the next; bytes of addresses
  uint64_t multiple = 1; // the first lane's value is a multiple of this power of two

  bool operator==(const LaneShape&) const = default;
  static LaneShape uniform() { return {Uniform, true, 0, 1}; }
  static LaneShape varying() { return {Varying}; }
  static LaneShape linear(int64_t stride, uint64_t multiple, bool no_wrap); // varying, if the stride is very large
};

class LaneShapes {
public:
  // `in_rows`: assume that no lanes but the last few of a row are together in a vector with those of the next one,
  // where a thread's row is its rank divided by something.
  LaneShapes(const LaneLoop& lanes, Divergence& flow, const PrivateArrays& arrays, unsigned width, bool in_rows);

  LaneShape of(const llvm::Value* value) const;
  bool isUniform(const llvm::Value* value) const { return of(value).kind == LaneShape::Uniform; }
  bool isVarying(const llvm::Value* value) const { return of(value).kind == LaneShape::Varying; }
  const Divergence& flow() const { return flow_; }
  unsigned width() const { return width_; }

  // What was assumed: all lanes' quotients are the same, and remainders go on by `stride`. That asks, beside a quotient
  // that is so, that what the dividend is made of neither is negative nor wraps within the vector where it is extended.
  struct Growth {
    llvm::Value* value;
    int64_t stride;
  };
  struct Row {
    llvm::BinaryOperator* division;
    int64_t stride;
    llvm::SmallVector<Growth, 2> extended;
  };
  llvm::ArrayRef<Row> rows() const { return rows_; }

private:
  void solve();
  void findRows();
  bool update(llvm::Instruction& instruction);
  LaneShape compute(const llvm::Instruction& instruction) const;
  LaneShape phi(const llvm::PHINode& phi) const;
  bool liesWithin(LaneShape shape, uint64_t size) const;
  bool isSameAbove(const llvm::Value& value, uint64_t bit) const;
  bool isSameSide(const llvm::ICmpInst& compare) const;
  LaneShape binary(const llvm::BinaryOperator& operation) const;
  LaneShape cast(const llvm::CastInst& cast) const;
  LaneShape address(const llvm::GetElementPtrInst& address) const;
  LaneShape call(const llvm::CallInst& call) const;
  bool areUniform(const llvm::User& user) const;
  bool anyUnknown(const llvm::User& user) const;

  const LaneLoop& lanes_;
  Divergence& flow_;
  const PrivateArrays& arrays_;
  const unsigned width_;
  const llvm::DataLayout& layout_;
  llvm::SmallVector<Row, 4> rows_;
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_;
};

} // namespace bsgp::target
