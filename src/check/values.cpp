#include "check/values.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "ir/operations.h"
#include "ir/supersteps.h"

namespace bsgp::check {

using namespace llvm;

namespace {

Intrinsic::ID withOverflow(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
    return Intrinsic::sadd_with_overflow;
  case Instruction::Sub:
    return Intrinsic::ssub_with_overflow;
  default:
    return Intrinsic::smul_with_overflow;
  }
}

bool mayOverflow(const Instruction& instruction) {
  auto* operation = dyn_cast<OverflowingBinaryOperator>(&instruction);
  return operation && operation->hasNoSignedWrap() && instruction.getOpcode() != Instruction::Shl &&
         instruction.getType()->isIntegerTy() && instruction.getType()->getIntegerBitWidth() <= 64 &&
         instruction.getDebugLoc();
}

// Names the signed integer type.
const char* typeOf(unsigned bits) {
  switch (bits) {
  case 8:
    return "char";
  case 16:
    return "short";
  case 32:
    return "int";
  default:
    return "long";
  }
}

// Returns the kind of the access whose index is tested, as far as the uses show it.
uint8_t accessOf(const CallInst& test) {
  for (const Value* value = test.getArgOperand(0); !value->use_empty();) {
    const User* user = nullptr;
    for (const User* other : value->users())
      if (other != &test && !user)
        user = other;
    if (isa_and_nonnull<LoadInst>(user))
      return BSGP_ACCESS_READ;
    if (auto* store = dyn_cast_or_null<StoreInst>(user); store && store->getValueOperand() != value)
      return BSGP_ACCESS_WRITE;
    if (!isa_and_nonnull<SelectInst, GetElementPtrInst, AddrSpaceCastInst>(user))
      break;
    value = user;
  }
  return BSGP_ACCESS_SOMEHOW;
}

// Drops a test that is not asked for; an index stays as it is.
void drop(CallInst& test, bool is_index) {
  Value* bad = test.getArgOperand(0);
  test.eraseFromParent();
  if (is_index && isa<Instruction>(bad))
    bad->replaceUsesWithIf(ConstantInt::getFalse(bad->getContext()),
                           [&](const Use& use) { return isa<SelectInst>(use.getUser()) && use.getOperandNo() == 0; });
}

void watchOverflow(BinaryOperator& operation, Sites& sites) {
  IRBuilder<> builder(&operation);
  Value* both = builder.CreateBinaryIntrinsic(withOverflow(operation.getOpcode()), operation.getOperand(0),
                                              operation.getOperand(1));
  Watched watched;
  watched.bytes = operation.getType()->getIntegerBitWidth() / 8;
  watched.element = typeOf(operation.getType()->getIntegerBitWidth());
  bool negates = operation.getOpcode() == Instruction::Sub && match(operation.getOperand(0), PatternMatch::m_Zero());
  watched.flags = negates ? BSGP_SITE_NEGATES : 0;
  Value* left = builder.CreateSExt(operation.getOperand(negates), builder.getInt64Ty());
  builder.CreateCall(ir::declare(*operation.getModule(), ir::Op::CheckValue),
                     {builder.CreateExtractValue(both, 1), builder.getInt32(BSGP_VALUE_OVERFLOW), left,
                      builder.getInt64(0), sites.add(operation, watched)});
  Value* result = builder.CreateExtractValue(both, 0);
  result->takeName(&operation);
  operation.replaceAllUsesWith(result);
  operation.eraseFromParent();
}

bool hasNoSite(const Instruction& instruction) {
  ir::Op op = ir::opOf(instruction);
  if (op != ir::Op::CheckValue && op != ir::Op::CheckPut)
    return false;
  auto& call = cast<CallInst>(instruction);
  return isa<ConstantPointerNull>(call.getArgOperand(call.arg_size() - 1));
}

} // namespace

void watchArithmetic(Function& function, Sites& sites) {
  SmallVector<BinaryOperator*, 64> operations;
  for (Instruction& instruction : instructions(function))
    if (mayOverflow(instruction))
      operations.push_back(cast<BinaryOperator>(&instruction));
  for (BinaryOperator* operation : operations)
    watchOverflow(*operation, sites);
}

void placeValueChecks(Function& function, Sites& sites, uint32_t checks) {
  SmallVector<CallInst*, 16> tests;
  for (Instruction& instruction : instructions(function))
    if (hasNoSite(instruction))
      tests.push_back(cast<CallInst>(&instruction));
  for (CallInst* test : tests) {
    bool is_put = ir::opOf(*test) == ir::Op::CheckPut;
    uint32_t wanted = is_put ? uint32_t(BSGP_CHECK_RACE) : bsgp_kind_of_value(ir::constantArgument(*test, 1));
    bool is_index = !is_put && ir::constantArgument(*test, 1) == BSGP_VALUE_INDEX;
    if (!(wanted & checks)) {
      drop(*test, is_index);
      continue;
    }
    Watched watched;
    watched.is_index = is_index;
    if (is_index)
      watched.access = accessOf(*test);
    watched.extent = is_put ? 0 : ir::constantArgument(*test, 3);
    test->setArgOperand(test->arg_size() - 1, sites.add(*test, watched));
  }
}

void dropPromises(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    if (isa<OverflowingBinaryOperator>(instruction) && isa<BinaryOperator>(instruction))
      instruction.setHasNoSignedWrap(false), instruction.setHasNoUnsignedWrap(false);
    if (auto* element = dyn_cast<GetElementPtrInst>(&instruction))
      element->setNoWrapFlags(GEPNoWrapFlags::none());
    if (isa<LoadInst>(instruction))
      instruction.setMetadata(LLVMContext::MD_invariant_load, nullptr);
  }
}

} // namespace bsgp::check
