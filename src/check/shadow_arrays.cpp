#include "check/shadow_arrays.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

ShadowArrays::ShadowArrays(Function& function) : function_(function) {
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* array = dyn_cast<AllocaInst>(&instruction)) {
      auto group = static_cast<unsigned>(groups_.size());
      groups_.emplace_back().arrays.push_back(array);
      parents_.push_back(group);
      follow(*array, group);
    }
  closeJoins();
  for (Instruction& instruction : instructions(function))
    if (ir::opOf(instruction) == ir::Op::CheckUnset)
      marks_.push_back(cast<CallInst>(&instruction));
}

unsigned ShadowArrays::find(unsigned group) const {
  while (parents_[group] != group)
    group = parents_[group] = parents_[parents_[group]];
  return group;
}

void ShadowArrays::unite(unsigned a, unsigned b) {
  a = find(a), b = find(b);
  if (a == b)
    return;
  if (groups_[a].arrays.size() + groups_[a].loads.size() < groups_[b].arrays.size() + groups_[b].loads.size())
    std::swap(a, b);
  parents_[b] = a;
  Group &into = groups_[a], &from = groups_[b];
  into.arrays.insert(into.arrays.end(), from.arrays.begin(), from.arrays.end());
  into.loads.insert(into.loads.end(), from.loads.begin(), from.loads.end());
  into.escapes |= from.escapes, into.unset |= from.unset;
}

// Follows all pointers computed from the array's address.
void ShadowArrays::follow(AllocaInst& array, unsigned group) {
  SmallVector<Value*, 16> open{&array};
  pointers_[&array] = group;
  while (!open.empty())
    for (Use& use : open.pop_back_val()->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      bool derives = isa<PHINode, SelectInst, AddrSpaceCastInst, FreezeInst>(user) ||
                     (isa<GetElementPtrInst>(user) && use.getOperandNo() == 0);
      if (!derives) {
        visit(use, find(group));
        continue;
      }
      auto [known, added] = pointers_.try_emplace(user, group);
      if (!added) {
        unite(known->second, group);
        continue;
      }
      if (isa<PHINode, SelectInst>(user))
        joins_.push_back(user);
      open.push_back(user);
    }
}

// True for functions of the runtime that keep no pointer: they write, or read what was tested.
static bool keepsNothing(const Instruction& user) {
  constexpr StringRef kNames[] = {"bsgp_rt_print", "bsgp_rt_new", "bsgp_rt_dnew", "bsgp_rt_dtempnew"};
  auto* call = dyn_cast<CallInst>(&user);
  return call && call->getCalledFunction() && is_contained(kNames, call->getCalledFunction()->getName());
}

unsigned ShadowArrays::visit(Use& use, unsigned group) {
  Group& own = groups_[group];
  auto* user = cast<Instruction>(use.getUser());
  if (auto* load = dyn_cast<LoadInst>(user)) {
    own.loads.push_back(load);
  } else if (ir::opOf(*user) == ir::Op::CheckUnset) {
    own.unset = true;
  } else {
    bool stores = isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex();
    own.escapes |= !stores && !isa<ICmpInst>(user) && !user->isLifetimeStartOrEnd() && !keepsNothing(*user);
  }
  return group;
}

// Closes groups with a pointer that may also come from elsewhere.
void ShadowArrays::closeJoins() {
  for (Instruction* join : joins_)
    for (Use& use : join->operands())
      if (use->getType()->isPointerTy() && !isa<Constant>(use) && !pointers_.count(use))
        groups_[find(pointers_.lookup(join))].escapes = true;
}

unsigned ShadowArrays::groupOf(const Value* pointer) const {
  auto known = pointers_.find(pointer);
  if (known == pointers_.end())
    return kNone;
  unsigned group = find(known->second);
  return groups_[group].escapes ? kNone : group;
}

std::vector<unsigned> ShadowArrays::unsetGroups() const {
  std::vector<unsigned> groups;
  for (unsigned i = 0; i < groups_.size(); ++i)
    if (find(i) == i && groups_[i].unset && !groups_[i].escapes)
      groups.push_back(i);
  return groups;
}

void ShadowArrays::make(unsigned group) {
  groups_[group].made = true;
  for (AllocaInst* array : groups_[group].arrays)
    makeArray(*array);
}

// The shadow lives as long as the array does; at the array's beginning none of it is set.
void ShadowArrays::makeArray(AllocaInst& array) {
  uint64_t bytes = array.getAllocationSize(array.getModule()->getDataLayout())->getFixedValue();
  IRBuilder<> builder(&array);
  AllocaInst* shadow = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes), nullptr,
                                            array.getName().split('~').first + ".set");
  shadow->setAlignment(array.getAlign());
  shadows_[&array] = shadow;
  for (User* user : array.users()) {
    auto* call = dyn_cast<CallInst>(user);
    if (!call)
      continue;
    builder.SetInsertPoint(call->getNextNode());
    if (call->getIntrinsicID() == Intrinsic::lifetime_start)
      builder.CreateLifetimeStart(shadow);
    else if (call->getIntrinsicID() == Intrinsic::lifetime_end)
      builder.CreateLifetimeEnd(shadow);
    else if (ir::opOf(*call) == ir::Op::CheckUnset)
      builder.CreateMemSet(shadow, builder.getInt8(0), bytes, shadow->getAlign());
  }
}

Value* ShadowArrays::shadowOf(Value* pointer) {
  if (isa<Constant>(pointer)) // null
    return pointer;
  auto known = shadows_.find(pointer);
  return known == shadows_.end() ? made(*cast<Instruction>(pointer)) : known->second;
}

// Repeats the steps from the shadow's address.
Value* ShadowArrays::made(Instruction& pointer) {
  Instruction* copy = pointer.clone();
  copy->insertInto(pointer.getParent(), std::next(pointer.getIterator()));
  if (isa<PHINode>(pointer)) {
    copy->moveBefore(&pointer);
  }
  shadows_[&pointer] = copy;
  for (Use& use : copy->operands())
    if (use->getType()->isPointerTy())
      use.set(shadowOf(use.get()));
  return copy;
}

// Sets unset memory to 0: LLVM takes a branch on uninitialized memory for unreachable.
void ShadowArrays::finish() {
  for (CallInst* mark : marks_) {
    auto* array = dyn_cast<AllocaInst>(mark->getArgOperand(0));
    IRBuilder<> builder(mark);
    builder.CreateMemSet(mark->getArgOperand(0), builder.getInt8(0), mark->getArgOperand(1),
                         array ? MaybeAlign(array->getAlign()) : MaybeAlign());
    mark->eraseFromParent();
  }
}

} // namespace bsgp::check
