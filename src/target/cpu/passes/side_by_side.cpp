#include "target/cpu/passes/side_by_side.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "target/common/attributes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

using Parts = SmallVector<Value*, 4>;

class Divider {
public:
  Divider(Function& function, unsigned lanes, unsigned narrow)
      : function_(function), lanes_(lanes), narrow_(narrow), count_(lanes / narrow) {}

  bool run() {
    ReversePostOrderTraversal<Function*> order(&function_);
    for (BasicBlock* block : order)
      for (Instruction& instruction : *block)
        if (isLikeLanes(instruction))
          found_.push_back(&instruction);
    gone_.insert(found_.begin(), found_.end());
    for (Instruction* instruction : found_)
      divide(*instruction);
    for (auto [phi, parts] : phis_)
      fill(*phi, parts);
    for (Instruction* instruction : found_)
      if (!instruction->use_empty() && !instruction->getType()->isVoidTy())
        joinFor(*instruction);
    for (Instruction* instruction : found_) {
      if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType())); // among those that go
      instruction->eraseFromParent();
    }
    return !found_.empty();
  }

private:
  bool isWide(const Type* type) const {
    auto* vector = dyn_cast<FixedVectorType>(type);
    return vector && vector->getNumElements() == lanes_;
  }

  FixedVectorType* narrowed(Type* type) const { return FixedVectorType::get(type->getScalarType(), narrow_); }

  // True if each lane of the result depends on one lane of the operands.
  bool isLikeLanes(const Instruction& instruction) const {
    if (auto* store = dyn_cast<StoreInst>(&instruction))
      return store->isSimple() && isWide(store->getValueOperand()->getType()) &&
             hasWholeBytes(*store->getValueOperand());
    if (auto* call = dyn_cast<IntrinsicInst>(&instruction))
      return isDividedCall(*call);
    if (isBits(instruction))
      return true;
    if (!isWide(instruction.getType()))
      return false;
    if (auto* load = dyn_cast<LoadInst>(&instruction))
      return load->isSimple() && hasWholeBytes(*load);
    if (auto* cast = dyn_cast<CastInst>(&instruction))
      return isWide(cast->getOperand(0)->getType());
    if (isa<ShuffleVectorInst>(instruction))
      return getSplatValue(&instruction) != nullptr;
    return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst, PHINode, FreezeInst, GetElementPtrInst>(instruction);
  }

  static bool hasWholeBytes(const Value& value) { return value.getType()->getScalarSizeInBits() % 8 == 0; }

  bool isDividedCall(const IntrinsicInst& call) const {
    switch (call.getIntrinsicID()) {
    case Intrinsic::masked_gather:
    case Intrinsic::masked_load:
    case Intrinsic::masked_expandload:
      return isWide(call.getType());
    case Intrinsic::masked_scatter:
    case Intrinsic::masked_store:
      return isWide(call.getArgOperand(0)->getType());
    default:
      return isWide(call.getType()) && isTriviallyVectorizable(call.getIntrinsicID());
    }
  }

  // True for a mask as a number of which nothing is asked but how many bits are set, or whether any is.
  bool isBits(const Instruction& instruction) const {
    auto* cast = dyn_cast<BitCastInst>(&instruction);
    return cast && isWide(cast->getOperand(0)->getType()) && cast->getType()->isIntegerTy(lanes_) &&
           all_of(cast->users(), [](const User* user) {
             using namespace PatternMatch;
             auto* compare = dyn_cast<ICmpInst>(user);
             return match(user, m_Intrinsic<Intrinsic::ctpop>()) ||
                    (compare && compare->isEquality() && match(compare->getOperand(1), m_Zero()));
           });
  }

  // ---- parts

  Parts partsOf(Value* value) {
    if (auto found = parts_.find(value); found != parts_.end())
      return found->second;
    Parts parts;
    if (auto* constant = dyn_cast<Constant>(value)) {
      for (unsigned part = 0; part != count_; ++part)
        parts.push_back(constantPart(*constant, part));
    } else {
      auto* instruction = dyn_cast<Instruction>(value);
      BasicBlock::iterator behind =
          instruction ? *instruction->getInsertionPointAfterDef() : function_.getEntryBlock().getFirstInsertionPt();
      IRBuilder<> builder(behind->getParent(), behind);
      for (unsigned part = 0; part != count_; ++part)
        parts.push_back(builder.CreateShuffleVector(value, lanesOf(part)));
    }
    return parts_[value] = parts;
  }

  SmallVector<int, 16> lanesOf(unsigned part) const {
    SmallVector<int, 16> lanes;
    for (unsigned lane = 0; lane != narrow_; ++lane)
      lanes.push_back(int(part * narrow_ + lane));
    return lanes;
  }

  Constant* constantPart(Constant& constant, unsigned part) const {
    SmallVector<Constant*, 16> elements;
    for (unsigned lane = 0; lane != narrow_; ++lane)
      elements.push_back(constant.getAggregateElement(part * narrow_ + lane));
    return ConstantVector::get(elements);
  }

  // ---- division

  void divide(Instruction& instruction) {
    if (auto* phi = dyn_cast<PHINode>(&instruction)) {
      Parts& parts = parts_[phi];
      for (unsigned part = 0; part != count_; ++part)
        parts.push_back(
            PHINode::Create(narrowed(phi->getType()), phi->getNumIncomingValues(), phi->getName(), phi->getIterator()));
      phis_.push_back({phi, parts});
      return;
    }
    if (isBits(instruction))
      return divideBits(instruction);
    Parts parts;
    IRBuilder<> builder(&instruction);
    for (unsigned part = 0; part != count_; ++part)
      parts.push_back(partOf(builder, instruction, part));
    if (!instruction.getType()->isVoidTy())
      parts_[&instruction] = parts;
  }

  Value* partOf(IRBuilder<>& builder, Instruction& instruction, unsigned part) {
    if (isa<ShuffleVectorInst>(instruction))
      return part ? splat_ : splat_ = builder.CreateVectorSplat(narrow_, getSplatValue(&instruction));
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      Type* type = narrowed(load->getType());
      auto [place, align] = placeOf(builder, load->getPointerOperand(), type, load->getAlign(), part);
      return copied(builder.CreateAlignedLoad(type, place, align), instruction);
    }
    if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      Value* value = partsOf(store->getValueOperand())[part];
      auto [place, align] = placeOf(builder, store->getPointerOperand(), value->getType(), store->getAlign(), part);
      return copied(builder.CreateAlignedStore(value, place, align), instruction);
    }
    if (auto* call = dyn_cast<IntrinsicInst>(&instruction))
      return partOfCall(builder, *call, part);
    Instruction* made = instruction.clone();
    for (Use& use : made->operands())
      if (isWide(use->getType()))
        use.set(partsOf(use)[part]);
    made->mutateType(narrowed(instruction.getType()));
    return builder.Insert(made, instruction.getName());
  }

  static Value* copied(Instruction* made, const Instruction& from) {
    made->copyMetadata(from);
    return made;
  }

  // The place of a part in memory; a part's first element may be less aligned than the whole.
  std::pair<Value*, Align> placeOf(IRBuilder<>& builder, Value* pointer, Type* type, Align align, unsigned part) {
    uint64_t offset = part * function_.getDataLayout().getTypeStoreSize(type).getFixedValue();
    return {builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, offset), commonAlignment(align, offset)};
  }

  Value* partOfCall(IRBuilder<>& builder, IntrinsicInst& call, unsigned part) {
    SmallVector<Value*, 4> arguments;
    for (Value* argument : call.args())
      arguments.push_back(isWide(argument->getType()) ? partsOf(argument)[part] : argument);
    Intrinsic::ID id = call.getIntrinsicID();
    if (id == Intrinsic::masked_expandload && part)
      arguments[0] = behindTaken(builder, call, part);
    if (id == Intrinsic::masked_load)
      movePlace(builder, arguments, 0, narrowed(call.getType()), part);
    if (id == Intrinsic::masked_store)
      movePlace(builder, arguments, 1, arguments[0]->getType(), part);
    SmallVector<Type*, 4> types;
    bool of_result = !isTriviallyVectorizable(id) || isVectorIntrinsicWithOverloadTypeAtArg(id, -1);
    if (of_result && call.getType()->isVectorTy())
      types.push_back(narrowed(call.getType()));
    for (auto [number, argument] : enumerate(arguments))
      if (isOverloaded(id, number))
        types.push_back(argument->getType());
    CallInst* made = builder.CreateCall(Intrinsic::getDeclaration(function_.getParent(), id, types), arguments);
    made->copyMetadata(call);
    if (isa<FPMathOperator>(made))
      made->copyFastMathFlags(&call);
    return made;
  }

  static bool isOverloaded(Intrinsic::ID id, unsigned argument) {
    switch (id) {
    case Intrinsic::masked_gather:
    case Intrinsic::masked_load:
      return argument == 0;
    case Intrinsic::masked_scatter:
    case Intrinsic::masked_store:
      return argument < 2;
    case Intrinsic::masked_expandload:
      return false;
    default:
      return isVectorIntrinsicWithOverloadTypeAtArg(id, argument);
    }
  }

  // `pointer`: the number of that argument of a masked access; its alignment is the next one.
  void movePlace(IRBuilder<>& builder, SmallVectorImpl<Value*>& arguments, unsigned pointer, Type* type,
                 unsigned part) {
    Align align(cast<ConstantInt>(arguments[pointer + 1])->getZExtValue());
    auto [place, at] = placeOf(builder, arguments[pointer], type, align, part);
    arguments[pointer] = place;
    arguments[pointer + 1] = builder.getInt32(at.value());
  }

  // The elements of an expanding load for a part lie behind those that the parts before it take.
  Value* behindTaken(IRBuilder<>& builder, IntrinsicInst& call, unsigned part) {
    Value* bits = builder.CreateBitCast(partsOf(call.getArgOperand(1))[part - 1], builder.getIntNTy(narrow_));
    Value* taken = builder.CreateZExt(builder.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), builder.getInt64Ty());
    Value*& place = part == 1 ? expanded_ = call.getArgOperand(0) : expanded_;
    return place = builder.CreateInBoundsGEP(call.getType()->getScalarType(), place, taken);
  }

  void divideBits(Instruction& bits) {
    Parts parts = partsOf(bits.getOperand(0));
    for (User* user : make_early_inc_range(bits.users())) {
      auto* asked = cast<Instruction>(user);
      IRBuilder<> builder(asked);
      Value* result = nullptr;
      if (isa<ICmpInst>(asked)) {
        Value* any = parts[0];
        for (unsigned part = 1; part != count_; ++part)
          any = builder.CreateOr(any, parts[part]);
        Value* number = builder.CreateBitCast(any, builder.getIntNTy(narrow_));
        result =
            builder.CreateICmp(cast<ICmpInst>(asked)->getPredicate(), number, ConstantInt::get(number->getType(), 0));
      } else {
        result = ConstantInt::get(asked->getType(), 0);
        for (Value* part : parts) {
          Value* number = builder.CreateBitCast(part, builder.getIntNTy(narrow_));
          Value* count = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, builder.CreateZExt(number, asked->getType()));
          result = builder.CreateAdd(result, count);
        }
      }
      asked->replaceAllUsesWith(result);
      asked->eraseFromParent();
    }
  }

  void fill(PHINode& phi, const Parts& parts) {
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      Parts values = partsOf(phi.getIncomingValue(i));
      for (unsigned part = 0; part != count_; ++part)
        cast<PHINode>(parts[part])->addIncoming(values[part], phi.getIncomingBlock(i));
    }
  }

  // Puts the parts together for users that look at all lanes.
  void joinFor(Instruction& instruction) {
    auto looks_at_all = [&](Use& use) { return !gone_.contains(use.getUser()); };
    if (none_of(instruction.uses(), looks_at_all))
      return;
    BasicBlock::iterator behind = isa<PHINode>(instruction) ? instruction.getParent()->getFirstInsertionPt()
                                                            : std::next(instruction.getIterator());
    IRBuilder<> builder(instruction.getParent(), behind);
    Value* whole = concatenateVectors(builder, parts_[&instruction]);
    instruction.replaceUsesWithIf(whole, looks_at_all);
  }

  Function& function_;
  const unsigned lanes_, narrow_, count_;
  std::vector<Instruction*> found_; // those that are divided, in reverse postorder
  SmallPtrSet<const User*, 32> gone_;
  DenseMap<Value*, Parts> parts_;
  std::vector<std::pair<PHINode*, Parts>> phis_;
  Value *splat_ = nullptr, *expanded_ = nullptr; // of the instruction that is being divided
};

} // namespace

PreservedAnalyses SideBySidePass::run(Function& function, FunctionAnalysisManager& analyses) {
  unsigned lanes = 0;
  function.getFnAttribute(kSideBySideAttribute).getValueAsString().getAsInteger(10, lanes);
  auto& machine = analyses.getResult<TargetIRAnalysis>(function);
  unsigned narrow = machine.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 32;
  if (narrow == 0 || lanes <= narrow || lanes % narrow)
    return PreservedAnalyses::all();
  return Divider(function, lanes, narrow).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::target
