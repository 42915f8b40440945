#include "ir/check_code.h"

#include <llvm/IR/MDBuilder.h>

namespace bsgp::ir {

using namespace llvm;

namespace {
constexpr uint32_t kHardlyEver = 1, kElse = 1 << 20;
} // namespace

MDNode* unlikely(LLVMContext& context) {
  return MDBuilder(context).createBranchWeights(kHardlyEver, kElse);
}

MDNode* likely(LLVMContext& context) {
  return MDBuilder(context).createBranchWeights(kElse, kHardlyEver);
}

Value* areSet(IRBuilderBase& builder, Value* place, Value* offset, uint64_t bytes) {
  constexpr uint64_t kBefore = 7; // bits in the same byte
  static_assert(kMostBytes + kBefore <= 64);
  Type* word = bytes + kBefore <= 32 ? builder.getInt32Ty() : builder.getInt64Ty();
  Value* loaded = builder.CreateAlignedLoad(word, place, Align(1));
  Value* first = builder.CreateAnd(builder.CreateTrunc(offset, word), kBefore);
  Value* mask = ConstantInt::get(word, (uint64_t(1) << bytes) - 1);
  return builder.CreateICmpEQ(builder.CreateAnd(builder.CreateLShr(loaded, first), mask), mask);
}

} // namespace bsgp::ir
