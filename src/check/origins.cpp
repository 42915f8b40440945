#include "check/origins.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>

namespace bsgp::check {

using namespace llvm;

namespace {

// The one value that comes in beside the phi itself; null: there are several.
Value* onlyValue(const PHINode& phi) {
  Value* only = nullptr;
  for (Value* value : phi.incoming_values())
    if (value != &phi && value != only) {
      if (only)
        return nullptr;
      only = value;
    }
  return only;
}

} // namespace

uint64_t Origins::extentOf(const Value& root) const {
  if (auto* array = dyn_cast<AllocaInst>(&root))
    return array->getAllocationSize(layout_)->getFixedValue();
  auto* global = dyn_cast<GlobalVariable>(&root);
  return global ? layout_.getTypeAllocSize(global->getValueType()).getFixedValue() : kUnknown;
}

SmallVector<const Value*, 4> Origins::roots(Value* pointer) const {
  SmallVector<const Value*, 4> found;
  SmallPtrSet<const Value*, 8> seen;
  SmallVector<const Value*, 8> open{pointer};
  while (!open.empty()) {
    const Value* at = getUnderlyingObject(open.pop_back_val(), 0);
    if (!seen.insert(at).second)
      continue;
    if (auto* phi = dyn_cast<PHINode>(at))
      open.append(phi->value_op_begin(), phi->value_op_end());
    else if (auto* select = dyn_cast<SelectInst>(at))
      open.append({select->getTrueValue(), select->getFalseValue()});
    else
      found.push_back(at);
  }
  return found;
}

SmallVector<uint64_t, 4> Origins::extents(Value* pointer) const {
  SmallSetVector<uint64_t, 4> found;
  for (const Value* root : roots(pointer))
    found.insert(extentOf(*root));
  return SmallVector<uint64_t, 4>(found.begin(), found.end());
}

Value* Origins::of(Value* pointer, Part part) {
  SmallVector<GEPOperator*, 8> steps;
  Value* result = nullptr;
  for (Value* at = pointer; !result;) {
    if (Value* known = known_.lookup({at, unsigned(part)})) {
      result = known;
    } else if (auto* step = dyn_cast<GEPOperator>(at)) {
      steps.push_back(step);
      at = step->getPointerOperand();
    } else if (auto* cast = dyn_cast<AddrSpaceCastOperator>(at)) {
      at = cast->getPointerOperand();
    } else {
      result = ofRoot(at, part);
    }
  }
  for (GEPOperator* step : reverse(steps)) {
    if (part == Part::Offset)
      result = behind(*step, result);
    known_[{step, unsigned(part)}] = result;
  }
  return result;
}

Value* Origins::behind(GEPOperator& step, Value* offset) {
  Type* i64 = offset->getType();
  auto* instruction = dyn_cast<GetElementPtrInst>(&step);
  if (!instruction) { // by constants
    APInt bytes(layout_.getIndexTypeSizeInBits(step.getType()), 0);
    step.accumulateConstantOffset(layout_, bytes);
    return ConstantInt::get(i64, cast<ConstantInt>(offset)->getValue() + bytes.sextOrTrunc(64));
  }
  IRBuilder<> builder(instruction->getNextNode());
  builder.SetCurrentDebugLocation(instruction->getDebugLoc());
  Value* part = emitGEPOffset(&builder, layout_, instruction, /*NoAssumptions=*/true);
  return builder.CreateAdd(offset, builder.CreateSExtOrTrunc(part, i64));
}

Value* Origins::ofRoot(Value* root, Part part) {
  if (auto* phi = dyn_cast<PHINode>(root))
    return ofPhi(*phi, part);
  if (auto* select = dyn_cast<SelectInst>(root))
    return ofSelect(*select, part);
  Type* i64 = Type::getInt64Ty(root->getContext());
  switch (part) {
  case Part::Base:
    return root;
  case Part::Offset:
    return ConstantInt::get(i64, 0);
  case Part::Extent:
    return ConstantInt::get(i64, extentOf(*root));
  }
  return nullptr;
}

Value* Origins::ofPhi(PHINode& phi, Part part) {
  Type* type = part == Part::Base ? phi.getType() : Type::getInt64Ty(phi.getContext());
  PHINode* made = PHINode::Create(type, phi.getNumIncomingValues(), phi.getName() + ".origin", phi.getIterator());
  made->setDebugLoc(phi.getDebugLoc());
  known_[{&phi, unsigned(part)}] = made;
  joins_.push_back(made);
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    Value* value = of(phi.getIncomingValue(i), part);
    IRBuilder<> builder(phi.getIncomingBlock(i)->getTerminator());
    if (value->getType() != type)
      value = builder.CreateAddrSpaceCast(value, type);
    made->addIncoming(value, phi.getIncomingBlock(i));
  }
  return made;
}

Value* Origins::ofSelect(SelectInst& select, Part part) {
  IRBuilder<> builder(&select);
  Type* type = part == Part::Base ? select.getType() : builder.getInt64Ty();
  auto side = [&](Value* pointer) {
    Value* value = of(pointer, part);
    return value->getType() == type ? value : builder.CreateAddrSpaceCast(value, type);
  };
  Value *yes = side(select.getTrueValue()), *no = side(select.getFalseValue());
  Value* made = yes == no ? yes : builder.CreateSelect(select.getCondition(), yes, no);
  known_[{&select, unsigned(part)}] = made;
  return made;
}

void Origins::simplify() {
  SmallVector<WeakTrackingVH, 8> open(joins_);
  while (!open.empty()) {
    Value* last = open.pop_back_val();
    auto* phi = dyn_cast_or_null<PHINode>(last);
    Value* only = phi ? onlyValue(*phi) : nullptr;
    if (!only)
      continue;
    for (User* user : phi->users())
      if (isa<PHINode>(user) && user != phi)
        open.push_back(user);
    phi->replaceAllUsesWith(only);
    phi->eraseFromParent();
  }
}

} // namespace bsgp::check
