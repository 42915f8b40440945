// How each instruction that moves values moves their shadows.
//
//   %x = phi int [ %u, ... ], [ 1, ... ]        %x.set = phi i1 [ false, ... ], [ true, ... ]
//   %y = load int, %p                           %y.set = check.is_written(%p)
//   store %x, %p                                check.set_written(%p, %x.set)
//   %g = get(%r, snapshot(%v))                  %g.set = get(%r, snapshot(%v.set))
#include "check/shadow_values.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "check/reads.h"
#include "ir/unset.h"
#include "support/check.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;
using ir::opOf;

ShadowValues::ShadowValues(Function& function, Sites& sites)
    : function_(function), module_(*function.getParent()), sites_(sites), arrays_(function),
      undefined_(function, arrays_), steps_(function), true_(ConstantInt::getTrue(function.getContext())),
      false_(ConstantInt::getFalse(function.getContext())) {
  BSGP_CHECK(steps_.violation().empty(), "%s", steps_.violation().c_str());
  findIds();
}

void ShadowValues::findIds() {
  for (Instruction& instruction : instructions(function_)) {
    Op op = opOf(instruction);
    if (op != Op::Snapshot && op != Op::Put)
      continue;
    unsigned& next = op == Op::Snapshot ? next_snapshot_ : next_part_;
    next = std::max(next, ir::constantArgument(cast<CallInst>(instruction), 1) + 1);
  }
}

Value* ShadowValues::note(Value* value) {
  if (auto* instruction = dyn_cast<Instruction>(value); instruction && made_.insert(instruction).second)
    all_made_.push_back(instruction);
  return value;
}

CallInst* ShadowValues::call(IRBuilder<>& builder, Op op, ArrayRef<Value*> arguments, Type* type, Type* rank) {
  return cast<CallInst>(note(builder.CreateCall(ir::declare(module_, op, type, rank), arguments)));
}

Value* ShadowValues::of(Value* value) const {
  value = sourceOf(value);
  if (isUnset(value))
    return false_;
  if (!undefined_.contains(value) || tested_.contains(value))
    return true_;
  return shadows_.lookup(value);
}

// Returns the shadow of a value that `by` moves, and notes the move.
Value* ShadowValues::moved(Value* value, Instruction& by) {
  Value* shadow = of(value);
  if (shadow != true_)
    moves_.add(by, value);
  return shadow;
}

void ShadowValues::visit(Instruction& instruction) {
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return visitStore(*store);
  if (opOf(instruction) == Op::Put)
    return visitPut(cast<CallInst>(instruction));
  if (opOf(instruction) == Op::Snapshot)
    return visitSnapshot(cast<CallInst>(instruction));
  if (!mayBeUndefined(&instruction) || isa<PHINode>(instruction))
    return;
  if (isa<AtomicRMWInst>(instruction))
    return visitExchange(instruction);
  shadows_[&instruction] = make(instruction);
}

Value* ShadowValues::make(Instruction& value) {
  if (auto* load = dyn_cast<LoadInst>(&value))
    return ofLoad(*load);
  if (auto* select = dyn_cast<SelectInst>(&value))
    return ofSelect(*select);
  if (isa<CastInst, FreezeInst>(value))
    return moved(value.getOperand(0), value);
  auto& from = cast<CallInst>(value);
  switch (opOf(value)) {
  case Op::Get:
    return ofGet(from);
  case Op::PutValue:
    return received(from);
  case Op::WarpShuffle:
    return ofShuffle(from);
  case Op::Param:
    return ofParameter(from);
  default:
    return false_; // CheckUndefined
  }
}

Value* ShadowValues::ofSelect(SelectInst& select) {
  Value *yes = moved(select.getTrueValue(), select), *no = moved(select.getFalseValue(), select);
  IRBuilder<> builder(&select);
  return yes == no ? yes : note(builder.CreateSelect(select.getCondition(), yes, no));
}

void ShadowValues::beginPhis() {
  for (BasicBlock& block : function_)
    for (PHINode& phi : block.phis()) {
      if (!mayBeUndefined(&phi))
        continue;
      PHINode* shadow = PHINode::Create(true_->getType(), phi.getNumIncomingValues(), "", phi.getIterator());
      for (BasicBlock* from : phi.blocks())
        shadow->addIncoming(true_, from);
      shadows_[&phi] = note(shadow);
    }
}

void ShadowValues::endPhis(BasicBlock& block) {
  for (BasicBlock* next : successors(&block))
    for (PHINode& phi : next->phis()) {
      auto* shadow = mayBeUndefined(&phi) ? cast<PHINode>(shadows_.lookup(&phi)) : nullptr;
      for (unsigned i = 0; shadow && i < phi.getNumIncomingValues(); ++i)
        if (phi.getIncomingBlock(i) == &block)
          shadow->setIncomingValue(i, moved(phi.getIncomingValue(i), phi));
    }
}

// ---- memory

// Reads the shadow of a host variable: for a thread the address of host memory is an offset in the frame, which the
// runtime knows.
Value* ShadowValues::ofParameter(CallInst& parameter) {
  IRBuilder<> builder(parameter.getNextNode());
  Watched watched;
  watched.space = BSGP_MEMORY_HOST;
  watched.bytes = uint32_t(module_.getDataLayout().getTypeStoreSize(parameter.getType()));
  Value* offset = mdconst::extract<ConstantInt>(parameter.getMetadata(ir::kMayBeUnset)->getOperand(0));
  Value* address = builder.CreateIntToPtr(offset, builder.getPtrTy());
  return call(builder, Op::CheckIsWritten, {address, sites_.add(parameter, watched)}, address->getType());
}

// A shadow in memory has all bits of each byte.
Type* ShadowValues::shadowType(Type* type) const {
  return IntegerType::get(type->getContext(), unsigned(module_.getDataLayout().getTypeStoreSizeInBits(type)));
}

static Value* siteOf(Value* address) {
  return cast<CallInst>(address)->getArgOperand(2);
}

// Asks behind the load: a thread that sees another one's store also sees that it was written.
Value* ShadowValues::ofLoad(LoadInst& load) {
  IRBuilder<> builder(load.getNextNode());
  Value* address = load.getPointerOperand();
  if (isWatched(address))
    return call(builder, Op::CheckIsWritten, {address, siteOf(address)}, address->getType());
  Type* bytes = shadowType(load.getType());
  Value* shadow = note(builder.CreateAlignedLoad(bytes, arrays_.shadowOf(address), load.getAlign()));
  return note(builder.CreateICmpEQ(shadow, Constant::getAllOnesValue(bytes)));
}

void ShadowValues::visitStore(StoreInst& store) {
  IRBuilder<> builder(&store);
  Value *address = store.getPointerOperand(), *value = store.getValueOperand();
  if (isWatched(address) && value->getType()->isVectorTy())
    setLanes(builder, store);
  else if (isWatched(address))
    setWritten(builder, address, of(value));
  else if (unsigned group = arrays_.groupOf(address); arrays_.isMade(group))
    setBytes(builder, store, group);
}

void ShadowValues::setBytes(IRBuilder<>& builder, StoreInst& store, unsigned group) {
  Value* shadow = moved(store.getValueOperand(), store);
  if (shadow != true_)
    moves_.addStore(group, store);
  note(builder.CreateAlignedStore(note(builder.CreateSExt(shadow, shadowType(store.getValueOperand()->getType()))),
                                  arrays_.shadowOf(store.getPointerOperand()), store.getAlign()));
}

void ShadowValues::setWritten(IRBuilder<>& builder, Value* address, Value* shadow) {
  call(builder, Op::CheckSetWritten, {address, shadow, siteOf(address)}, address->getType());
}

// A vector that is stored whole was made lane by lane.
void ShadowValues::setLanes(IRBuilder<>& builder, StoreInst& store) {
  Value* address = store.getPointerOperand();
  setWritten(builder, address, true_);
  Type* lane = store.getValueOperand()->getType()->getScalarType();
  auto* part = dyn_cast<InsertElementInst>(store.getValueOperand());
  for (; part; part = dyn_cast<InsertElementInst>(part->getOperand(0))) {
    Value* shadow = of(part->getOperand(1));
    if (shadow == true_)
      continue;
    Watched watched;
    watched.is_access = true, watched.access = BSGP_ACCESS_WRITE;
    watched.bytes = uint32_t(module_.getDataLayout().getTypeStoreSize(lane));
    Value* place = note(builder.CreateGEP(lane, address, part->getOperand(2)));
    call(builder, Op::CheckSetWritten, {place, shadow, sites_.add(store, watched)}, address->getType());
  }
}

Value* ShadowValues::beforeUpdate(Instruction& update) {
  Value* address = update.getOperand(0);
  if (!isWatched(address))
    return true_;
  IRBuilder<> builder(&update);
  Value* before = call(builder, Op::CheckIsWritten, {address, siteOf(address)}, address->getType());
  setWritten(builder, address, true_);
  return before;
}

void ShadowValues::visitExchange(Instruction& exchange) {
  Value* address = exchange.getOperand(0);
  IRBuilder<> builder(&exchange);
  shadows_[&exchange] = call(builder, Op::CheckIsWritten, {address, siteOf(address)}, address->getType());
  setWritten(builder, address, of(exchange.getOperand(1)));
}

Value* ShadowValues::placeOf(Value& value, const Instruction& user) const {
  auto* from = dyn_cast<Instruction>(sourceOf(&value));
  bool is_near = from && isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(from) && isWatched(from->getOperand(0)) &&
                 steps_.stepOf(*from) == steps_.stepOf(user);
  return is_near ? from->getOperand(0) : nullptr;
}

// ---- other threads

Value* ShadowValues::ofNumbering(IRBuilder<>& builder, Op op, const Instruction& place, Type* type) {
  const ir::Superstep& step = steps_.step(steps_.stepOf(place));
  return call(builder, op, {steps_.step(steps_.firstOfGeneration(step.generation)).begin}, type, type);
}

// A get from a thread that does not exist gives 0: not set. That would not hold for a value that is the same
// everywhere, so the bit includes a test of the thread's rank, which always holds: no thread has the largest number.
void ShadowValues::visitSnapshot(CallInst& snapshot) {
  if (snapshot.use_empty())
    return;
  IRBuilder<> builder(&snapshot);
  Type* rank_type = cast<CallInst>(*snapshot.user_begin())->getArgOperand(0)->getType();
  Value* rank = ofNumbering(builder, Op::Rank, snapshot, rank_type);
  Value* is_there = note(builder.CreateICmpNE(rank, Constant::getAllOnesValue(rank_type)));
  Value* shadow = moved(snapshot.getArgOperand(0), snapshot);
  Value* bit = shadow == true_ ? is_there : note(builder.CreateAnd(is_there, shadow));
  Type* byte = builder.getInt8Ty();
  snapshots_[&snapshot] =
      call(builder, Op::Snapshot, {note(builder.CreateZExt(bit, byte)), builder.getInt32(next_snapshot_++)}, byte,
           rank_type);
}

Value* ShadowValues::ofGet(CallInst& get) {
  IRBuilder<> builder(&get);
  Value* rank = get.getArgOperand(0);
  auto* snapshot = cast<CallInst>(get.getArgOperand(1));
  const ir::Superstep& step = steps_.step(steps_.stepOf(get));
  if (of(snapshot->getArgOperand(0)) == true_ && !step.reassigned)
    return note(builder.CreateICmpULT(rank, ofNumbering(builder, Op::Size, get, rank->getType())));
  Value* bit = call(builder, Op::Get, {rank, snapshots_.lookup(snapshot)}, builder.getInt8Ty(), rank->getType());
  return note(builder.CreateTrunc(bit, true_->getType()));
}

unsigned ShadowValues::shadowPart(unsigned part) {
  auto [known, added] = shadow_parts_.try_emplace(part, next_part_);
  next_part_ += added;
  return known->second;
}

void ShadowValues::visitPut(CallInst& put) {
  unsigned part = ir::constantArgument(put, 1);
  if (!undefined_.isPutPart(part))
    return;
  IRBuilder<> builder(&put);
  Value* rank = put.getArgOperand(0);
  Value* bit = note(builder.CreateZExt(moved(put.getArgOperand(2), put), builder.getInt8Ty()));
  moves_.addPut(part, put);
  call(builder, Op::Put, {rank, builder.getInt32(shadowPart(part)), bit}, bit->getType(), rank->getType());
}

Value* ShadowValues::received(CallInst& value) {
  IRBuilder<> builder(&value);
  unsigned part = shadowPart(ir::constantArgument(value, 1));
  Value* bit = call(builder, Op::PutValue, {value.getArgOperand(0), builder.getInt32(part)}, builder.getInt8Ty());
  return note(builder.CreateTrunc(bit, true_->getType()));
}

Value* ShadowValues::ofShuffle(CallInst& shuffle) {
  Value* sent = moved(shuffle.getArgOperand(0), shuffle);
  if (sent == true_)
    return sent;
  IRBuilder<> builder(&shuffle);
  Value* bits = note(builder.CreateZExt(sent, builder.getInt32Ty()));
  Value* got = call(builder, Op::WarpShuffle, {bits, shuffle.getArgOperand(1)}, builder.getInt32Ty());
  return note(builder.CreateICmpNE(got, builder.getInt32(0)));
}

// ---- at the end

void ShadowValues::finish() {
  dropUnasked();
  arrays_.finish();
}

static bool joins(const Value* value) {
  return isa<PHINode, SelectInst>(value) && value->getType()->isIntegerTy(1);
}

// Folds phis and selects of set values alone.
void ShadowValues::fold() {
  DenseSet<const Value*> unset;
  std::vector<const Value*> open;
  auto add = [&](const Value* value) {
    if (unset.insert(value).second)
      open.push_back(value);
  };
  for (Instruction* made : all_made_)
    if (!joins(made))
      add(made);
    else if (is_contained(made->operands(), false_))
      add(made);
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    for (const User* user : value->users())
      if (joins(user) && made_.contains(cast<Instruction>(user)))
        add(user);
  }
  for (Instruction* made : all_made_)
    if (joins(made) && !unset.contains(made))
      made->replaceAllUsesWith(true_);
}

// Drops the shadows that no test, no store and no other thread uses.
void ShadowValues::dropUnasked() {
  DenseSet<const Instruction*> asked;
  std::vector<const Instruction*> open;
  auto ask = [&](const Instruction* made) {
    if (made_.contains(made) && asked.insert(made).second)
      open.push_back(made);
  };
  for (Instruction* made : all_made_)
    if (Op op = opOf(*made); op == Op::CheckValue || op == Op::CheckSetWritten || op == Op::Put || isa<StoreInst>(made))
      ask(made);
  while (!open.empty()) {
    const Instruction* made = open.back();
    open.pop_back();
    for (const Value* operand : made->operands())
      if (auto* instruction = dyn_cast<Instruction>(operand))
        ask(instruction);
  }
  erase_if(all_made_, [&](Instruction* made) { return asked.contains(made); });
  for (Instruction* made : all_made_)
    made->dropAllReferences();
  for (Instruction* made : all_made_)
    made->eraseFromParent();
}

} // namespace bsgp::check
