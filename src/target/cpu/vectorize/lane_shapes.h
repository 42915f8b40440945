// What each value of a thread looks like over neighbouring lanes, and with it, where lanes part.
#pragma once

#include <optional>

#include <llvm/IR/InstrTypes.h>

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

// What to assume of a vector. `OneRow`: that no lanes but the last few of a row are together in it with those of the
// next one, where a thread's row is its rank divided by something. `Inside`: this, and that no lane is at a border, where
// what goes on with the rank is kept within bounds, as max(rank - 1, 0) is; and that lanes find the same where they
// compare it, as in rank > 0.
enum class Assume { Nothing, OneRow, Inside };

// One of several ways to an address, where it depends on min, max or ?: (lane_choices.cpp). In lanes that choose as
// `taken` says the address is base + constant + sum of value * factor, with each value as a signed number of 64 bits.
struct LaneWay {
  llvm::Value* base = nullptr;
  int64_t constant = 0, stride = 0; // bytes
  bool may_wrap = false;            // a value of 32 bits may go past the ends of its type within a vector
  llvm::SmallVector<std::pair<llvm::Value*, int64_t>, 4> terms{};
  llvm::SmallVector<std::pair<llvm::Instruction*, bool>, 2>
      taken{}; // true: the left operand, or as the condition is true
};

class LaneShapes {
public:
  LaneShapes(const LaneLoop& lanes, Divergence& flow, const PrivateArrays& arrays, unsigned width, Assume assume);

  LaneShape of(const llvm::Value* value) const;
  bool isUniform(const llvm::Value* value) const { return of(value).kind == LaneShape::Uniform; }
  bool isVarying(const llvm::Value* value) const { return of(value).kind == LaneShape::Varying; }
  const Divergence& flow() const { return flow_; }
  unsigned width() const { return width_; }

  struct Growth {
    llvm::Value* value;
    int64_t stride; // from one lane to the next
  };
  struct Test { // of an integer that goes on, or of one that is the same for all lanes
    Growth tested;
    llvm::CmpInst::Predicate holds;
    llvm::Value* limit;                // the same for all lanes
    llvm::ICmpInst* compare = nullptr; // that is true or false where it holds; null: none
    bool is_true = false;
  };
  // What was assumed, of one instruction; later ones may build on it. Of a division: all lanes' quotients are the same,
  // and remainders go on. Of a min, max or ?: that all lanes choose `chosen`, as the tests hold in each. Of a comparison:
  // its only test holds in all lanes, or (unless it is !=, or its branches are known to go one way) in none, and what it
  // tests does not wrap. Each asks that none of `growing` is negative or wraps within the vector.
  struct Assumption {
    llvm::Instruction* of;
    int64_t stride; // of remainders, of what is chosen
    llvm::SmallVector<Growth, 2> growing{};
    llvm::Value* chosen = nullptr;
    llvm::SmallVector<Test, 2> tests{};
  };
  llvm::ArrayRef<Assumption> assumptions() const { return assumptions_; }
  // Was it assumed, so that it neither wraps nor is negative within a vector?
  bool isAssumed(const llvm::Value* value) const { return assumed_.contains(value); }
  // What comparisons are then known to be in all lanes.
  const llvm::DenseMap<const llvm::ICmpInst*, bool>& decided() const { return decided_; }
  static bool isQuotient(const llvm::Instruction& instruction); // lane_assumptions.cpp

  // Is it a remainder that was assumed and a constant, a sum that no lane's number can be too large for? What is
  // divided by is then at most a quarter of the type's numbers.
  bool isBesideRemainder(const llvm::Value& value) const;

  // Ways to where an access of elements of `size` bytes leads, on each of which lanes are side by side or at one place;
  // none: there are no such ways, or too many. Of varying addresses. (lane_choices.cpp)
  using Ways = llvm::SmallVector<LaneWay, 4>;
  // With `asks`, who takes the last one by its stride asks whether it wraps.
  Ways waysTo(llvm::Value& pointer, int64_t size, bool asks = false) const;
  bool isInLoopOfThread(const llvm::BasicBlock& block) const { // not only in that over the threads
    return flow_.loops().getLoopFor(&block) != lanes_.loop;
  }

private:
  void solve();
  void assume(Assume what); // lane_assumptions.cpp
  void assumeRow(llvm::BinaryOperator& division);
  void assumeInside(llvm::Instruction& choice);
  bool assumeChoice(llvm::Instruction& choice, llvm::Value& chosen, Assumption inside);
  void decide(const Test& test);
  void assumeAlike(llvm::ICmpInst& compare);
  bool isAsked(const llvm::Value& condition, unsigned depth = 0) const;
  bool addTests(llvm::Value& condition, bool wanted, Assumption& inside, unsigned depth = 0);
  bool addTest(llvm::Value& tested, llvm::CmpInst::Predicate holds, llvm::Value& limit, Assumption& inside);
  std::optional<int64_t> strideOf(llvm::Value& value, llvm::SmallVectorImpl<Growth>& extended, unsigned depth = 0);
  std::optional<int64_t> strideOfResult(llvm::Instruction& instruction, llvm::SmallVectorImpl<Growth>& extended,
                                        unsigned depth);
  bool addPointer(Ways& ways, llvm::Value& pointer, unsigned depth = 0) const; // lane_choices.cpp
  bool addTerm(Ways& ways, llvm::Value& value, int64_t factor, unsigned depth) const;
  bool addSum(Ways& ways, llvm::Instruction& sum, int64_t factor, unsigned depth) const;
  bool addChoice(Ways& ways, llvm::Instruction& choice, llvm::function_ref<bool(Ways&, llvm::Value&)> add) const;
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
  llvm::SmallVector<Assumption, 4> assumptions_;
  llvm::SmallPtrSet<const llvm::Value*, 16> same_, irregular_; // known to have stride 0; to have none
  llvm::DenseMap<const llvm::Value*, int64_t> assumed_;        // what they are of: the stride, 0 of quotients
  llvm::DenseMap<const llvm::ICmpInst*, bool> decided_;
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_;
};

} // namespace bsgp::target
