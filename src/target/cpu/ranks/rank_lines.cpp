#include "target/cpu/ranks/rank_lines.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Module.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kBits = 64;

// 0: a type that has no lines.
unsigned bitsOf(const Type* type) {
  if (type->isPointerTy())
    return kBits;
  return type->isIntegerTy() && type->getIntegerBitWidth() <= kBits ? type->getIntegerBitWidth() : 0;
}

bool mayBeComputedBefore(const Instruction& value) {
  return (isa<BinaryOperator, CastInst, CmpInst, SelectInst, ExtractValueInst, GetElementPtrInst, FreezeInst>(value) ||
          isa<IntrinsicInst>(value)) &&
         !value.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&value);
}

Intrinsic::ID withOverflow(unsigned opcode) {
  return opcode == Instruction::Add   ? Intrinsic::sadd_with_overflow
         : opcode == Instruction::Sub ? Intrinsic::ssub_with_overflow
                                      : Intrinsic::smul_with_overflow;
}

} // namespace

Value* RankLines::uniform(Value* value) {
  if (isa<Constant>(value))
    return value;
  if (auto known = uniform_.find(value); known != uniform_.end())
    return known->second;
  if (Value* other = others_ ? others_(*value) : nullptr)
    return uniform_[value] = other;
  auto* instruction = dyn_cast<Instruction>(value);
  Value* made = instruction && mayBeComputedBefore(*instruction) ? makeUniform(*instruction) : nullptr;
  return uniform_[value] = made;
}

Value* RankLines::makeUniform(Instruction& value) {
  SmallVector<Value*, 4> operands;
  for (Value* operand : value.operands()) {
    operands.push_back(isa<Function>(operand) ? operand : uniform(operand));
    if (!operands.back())
      return nullptr;
  }
  Instruction* copy = value.clone();
  copy->setDebugLoc({});
  for (auto [index, operand] : enumerate(operands))
    copy->setOperand(unsigned(index), operand);
  return builder_.Insert(copy);
}

RankLine RankLines::constant(int64_t number) {
  Value* value = builder_.getInt64(uint64_t(number));
  return {value, value, builder_.getTrue()};
}

std::optional<RankLine> RankLines::of(Value* value) {
  if (auto known = lines_.find(value); known != lines_.end())
    return known->second;
  lines_[value] = std::nullopt; // of a loop
  std::optional<RankLine> made = make(*value);
  lines_[value] = made;
  return made;
}

std::optional<RankLine> RankLines::make(Value& value) {
  if (!bitsOf(value.getType()))
    return {};
  if (Value* same = uniform(&value)) {
    Value* number = value.getType()->isPointerTy() ? builder_.CreatePtrToInt(same, builder_.getInt64Ty())
                                                   : builder_.CreateSExt(same, builder_.getInt64Ty());
    return RankLine{number, number, builder_.getTrue()};
  }
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return {};
  if (ir::opOf(*instruction) == ir::Op::Rank)
    return RankLine{builder_.getInt64(0), builder_.CreateSub(size_, builder_.getInt64(1)), builder_.getTrue()};
  if (auto* cast = dyn_cast<CastInst>(instruction))
    return ofCast(*cast);
  if (auto* element = dyn_cast<GetElementPtrInst>(instruction))
    return ofElement(*element);
  if (auto* part = dyn_cast<ExtractValueInst>(instruction)) {
    auto* both = dyn_cast<WithOverflowInst>(part->getAggregateOperand());
    bool is_result = both && both->isSigned() && part->getIndices()[0] == 0;
    return is_result ? ofOperation(*both) : std::nullopt;
  }
  if (isa<FreezeInst>(instruction))
    return of(instruction->getOperand(0));
  if (auto* operation = dyn_cast<BinaryOperator>(instruction))
    return ofArithmetic(operation->getOpcode(), operation->getOperand(0), operation->getOperand(1));
  return {};
}

std::optional<RankLine> RankLines::ofOperation(const WithOverflowInst& operation) {
  return ofArithmetic(operation.getBinaryOp(), operation.getLHS(), operation.getRHS());
}

std::optional<RankLine> RankLines::ofArithmetic(unsigned opcode, Value* left, Value* right) {
  unsigned bits = bitsOf(left->getType());
  if (opcode == Instruction::Shl) {
    auto* by = dyn_cast<ConstantInt>(right);
    std::optional<RankLine> line = by && by->getZExtValue() < bits - 1 ? of(left) : std::nullopt;
    return line ? combine(Instruction::Mul, *line, constant(int64_t(1) << by->getZExtValue()), bits) : line;
  }
  if (opcode != Instruction::Add && opcode != Instruction::Sub && opcode != Instruction::Mul)
    return {};
  if (opcode == Instruction::Mul && !uniform(left) && !uniform(right))
    return {};
  std::optional<RankLine> a = of(left), b = of(right);
  return a && b ? combine(opcode, *a, *b, bits) : std::nullopt;
}

std::optional<RankLine> RankLines::combine(unsigned opcode, const RankLine& left, const RankLine& right,
                                           unsigned bits) {
  Value* exact = both(left.exact, right.exact);
  auto end = [&](Value* a, Value* b) {
    Value* result = builder_.CreateBinaryIntrinsic(withOverflow(opcode), a, b);
    exact = both(exact, builder_.CreateNot(builder_.CreateExtractValue(result, 1)));
    return builder_.CreateExtractValue(result, 0);
  };
  Value *first = end(left.first, right.first), *last = end(left.last, right.last);
  return within({first, last, exact}, bits);
}

// As signed numbers of so many bits they are the same.
RankLine RankLines::within(const RankLine& line, unsigned bits) {
  if (bits == kBits)
    return line;
  Value* exact = line.exact;
  for (Value* end : {line.first, line.last}) {
    Value* cut = builder_.CreateTrunc(end, builder_.getIntNTy(bits));
    exact = both(exact, builder_.CreateICmpEQ(builder_.CreateSExt(cut, builder_.getInt64Ty()), end));
  }
  return {line.first, line.last, exact};
}

std::optional<RankLine> RankLines::ofCast(CastInst& cast) {
  std::optional<RankLine> line = bitsOf(cast.getSrcTy()) ? of(cast.getOperand(0)) : std::nullopt;
  if (!line)
    return line;
  switch (cast.getOpcode()) {
  case Instruction::SExt:
  case Instruction::AddrSpaceCast:
  case Instruction::PtrToInt:
    return bitsOf(cast.getType()) == kBits || cast.getOpcode() == Instruction::SExt
               ? line
               : std::optional(within(*line, bitsOf(cast.getType())));
  case Instruction::Trunc:
    return within(*line, bitsOf(cast.getType()));
  case Instruction::ZExt:
    for (Value* end : {line->first, line->last})
      line->exact = both(line->exact, builder_.CreateICmpSGE(end, builder_.getInt64(0)));
    return line;
  default:
    return {};
  }
}

std::optional<RankLine> RankLines::ofElement(GetElementPtrInst& element) {
  const DataLayout& layout = element.getModule()->getDataLayout();
  if (element.getType()->isVectorTy())
    return {};
  std::optional<RankLine> line = of(element.getPointerOperand());
  for (auto index = gep_type_begin(element); line && index != gep_type_end(element); ++index) {
    std::optional<RankLine> by;
    if (StructType* type = index.getStructTypeOrNull()) {
      auto field = unsigned(cast<ConstantInt>(index.getOperand())->getZExtValue());
      by = constant(int64_t(layout.getStructLayout(type)->getElementOffset(field).getFixedValue()));
    } else if ((by = of(index.getOperand()))) {
      int64_t bytes = int64_t(index.getSequentialElementStride(layout).getFixedValue());
      by = combine(Instruction::Mul, *by, constant(bytes), kBits);
    }
    line = by ? combine(Instruction::Add, *line, *by, kBits) : std::nullopt;
  }
  return line;
}

} // namespace bsgp::target
