// Computes the shape of each value over neighbouring lanes, and with it the branches at which lanes diverge.
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
  int64_t stride = 0;    // from one lane to the next; of addresses in bytes
  uint64_t multiple = 1; // the first lane's value is a multiple of this power of two

  bool operator==(const LaneShape&) const = default;
  static LaneShape uniform() { return {Uniform, true, 0, 1}; }
  static LaneShape varying() { return {Varying}; }
  static LaneShape linear(int64_t stride, uint64_t multiple, bool no_wrap); // varying, if the stride is very large
};

// The assumptions about a vector. A thread's row is its rank divided by something; `OneRow` assumes that lanes of two
// rows are together only in the last vector of a row. `Inside` assumes this and that no lane is at a border: values
// that grow with the rank are inside their bounds, as in max(rank - 1, 0), and comparisons such as rank > 0 give all
// lanes the same.
enum class Assume { Nothing, OneRow, Inside };

// One of several choices of an address that depends on min, max or ?: (lane_choices.cpp). In lanes that choose as
// `taken` says, the address is base + constant + sum of value * factor, with each value as a signed number of 64
// bits.
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
  struct Test { // of a growing integer, or of one that is the same for all lanes
    Growth tested;
    llvm::CmpInst::Predicate holds;
    llvm::Value* limit;                // the same for all lanes
    llvm::ICmpInst* compare = nullptr; // is true or false where the test holds; null: none
    bool is_true = false;
  };
  // An assumption about one instruction; later ones may build on it. All of them need that none of `growing` is
  // negative or wraps within the vector. They assume
  // - of a division: all lanes have the same quotient, and remainders grow;
  // - of a min, max or ?: that all lanes choose `chosen`, because the tests hold in each;
  // - of a comparison: its only test holds in all lanes or in none, and the tested value does not wrap. None is left out
  //   for != and for branches that are known to take one edge.
  struct Assumption {
    llvm::Instruction* of;
    int64_t stride; // of remainders, of the chosen value
    llvm::SmallVector<Growth, 2> growing{};
    llvm::Value* chosen = nullptr;
    llvm::SmallVector<Test, 2> tests{};
  };
  llvm::ArrayRef<Assumption> assumptions() const { return assumptions_; }
  // True if it was assumed, so that it neither wraps nor is negative within a vector.
  bool isAssumed(const llvm::Value* value) const { return assumed_.contains(value); }
  // The results that comparisons are then known to have in all lanes.
  const llvm::DenseMap<const llvm::ICmpInst*, bool>& decided() const { return decided_; }
  static bool isQuotient(const llvm::Instruction& instruction); // lane_assumptions.cpp

  // True for the sum of an assumed remainder and a constant that cannot overflow in any lane: the divisor is at most
  // a quarter of the type's numbers.
  bool isBesideRemainder(const llvm::Value& value) const;

  // The choices of a varying address for accesses of elements of `size` bytes, in each of which lanes are side by
  // side or at one place. Empty if there are no such choices, or too many. (lane_choices.cpp)
  using Ways = llvm::SmallVector<LaneWay, 4>;
  // With `asks`, a caller that takes the last one by its stride tests whether it wraps.
  Ways waysTo(llvm::Value& pointer, int64_t size, bool asks = false) const;
  bool isInLoopOfThread(const llvm::BasicBlock& block) const { // not only in the loop over threads
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
  llvm::DenseMap<const llvm::Value*, int64_t> assumed_;        // the stride of each; 0 of quotients
  llvm::DenseMap<const llvm::ICmpInst*, bool> decided_;
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_;
};

} // namespace bsgp::target
