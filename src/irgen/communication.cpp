// thread.get, thread.put and thread.oldrank.
//
//   v = thread.get(r, x)      before the barrier: %s = snapshot(x)       after it, at the place: %v = get(r, %s)
//   thread.put(r, x, v)       at the place: put.mark(r), put(r, v)      after the barrier: x = landed ? value : x
//   (a get of a variable put at the same barrier: the put lands in a superstep of its own, x is read at its end)
//   thread.oldrank = r        at the place: kept in a variable          where every path has set it: oldrank(r)
#include <numeric>

#include "expand/places.h"
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

using expand::samePlace;

void DeviceEmitter::special(const Stmt* s) {
  switch (s->kind) {
  case Stmt::OldRank:
    return setOldRank(s);
  case Stmt::Put:
    return put(s);
  case Stmt::Inlined:
    return inlined(s);
  default:
    BSGP_CHECK(false, "a statement of kind %d in device code", int(s->kind));
  }
}

llvm::Value* DeviceEmitter::asRank(const Expr* e) {
  return castScalar(scalar(e), e->type, spawn_.rank_type);
}

// ---- get
void DeviceEmitter::takeSnapshots(const FlatSuperstep& next) {
  std::vector<Snapshot> taken;
  for (const Expr* wanted : next.snapshots) {
    if (std::any_of(taken.begin(), taken.end(), [&](const Snapshot& s) { return samePlace(s.place, wanted); }))
      continue;
    Leaves values = load(place(wanted)), leaves;
    const std::vector<Leaf>& shape = m.types.leaves(wanted->type);
    for (size_t i = 0; i < values.size(); ++i) {
      llvm::Value* v = toStored(values[i], shape[i].type);
      leaves.push_back(intrinsic(ir::Op::Snapshot, {v, b.getInt32(next_snapshot_++)}, v->getType(), "snapshot"));
    }
    taken.push_back({wanted, std::move(leaves)});
  }
  snapshots_ = std::move(taken);
}

const DeviceEmitter::Snapshot& DeviceEmitter::snapshotOf(const Expr* get) const {
  auto taken =
      std::find_if(snapshots_.begin(), snapshots_.end(), [&](const Snapshot& s) { return samePlace(s.place, get->b); });
  BSGP_CHECK(taken != snapshots_.end(), "thread.get without a snapshot at line %u", m.line(get->range.begin));
  return *taken;
}

Leaves DeviceEmitter::get(const Expr* e) {
  llvm::Value* from = asRank(e->a);
  const Snapshot* taken = &snapshotOf(e);
  const std::vector<Leaf>& shape = m.types.leaves(e->b->type);
  Leaves result;
  for (size_t i = 0; i < shape.size(); ++i) {
    llvm::Value* v = intrinsic(ir::Op::Get, {from, taken->leaves[i]}, m.types.stored(shape[i].type));
    result.push_back(fromStored(v, shape[i].type));
  }
  return result;
}

// thread.get(r, v)[i]: gets only that component from the other thread.
Leaves DeviceEmitter::partOf(const Expr* e) {
  bool component = e->kind == Expr::Index && e->a->kind == Expr::Get && e->a->type->isVector();
  if (!component)
    return Emitter::partOf(e);
  const Snapshot& taken = snapshotOf(e->a);
  llvm::Value* from = asRank(e->a->a);
  llvm::Value* index = indexValue(e->b);
  if (isChecked())
    checkValue(b.CreateICmpUGE(index, b.getInt64(e->a->type->count)), BSGP_VALUE_INDEX, index, e->a->type->count);
  return componentOf(taken, from, index, e->type);
}

// Branches to one block for each component; the last one is taken for any other number.
Leaves DeviceEmitter::componentOf(const Snapshot& snapshot, llvm::Value* from, llvm::Value* index, const Type* type) {
  llvm::SmallVector<std::pair<llvm::Value*, llvm::BasicBlock*>, 4> ways;
  llvm::BasicBlock* end = newBlock("end");
  for (size_t i = 0; i < snapshot.leaves.size(); ++i) {
    llvm::BasicBlock* next = nullptr;
    if (i + 1 < snapshot.leaves.size()) {
      llvm::BasicBlock* own = newBlock("component");
      next = newBlock("others");
      b.CreateCondBr(b.CreateICmpEQ(index, b.getInt64(i)), own, next);
      enter(own);
    }
    ways.push_back({intrinsic(ir::Op::Get, {from, snapshot.leaves[i]}, m.types.stored(type)), b.GetInsertBlock()});
    jump(end);
    if (next)
      enter(next);
  }
  enter(end);
  llvm::PHINode* chosen = b.CreatePHI(m.types.stored(type), ways.size());
  for (auto [value, block] : ways)
    chosen->addIncoming(value, block);
  return {fromStored(chosen, type)};
}

// ---- put
namespace {

// Returns the leaves of its root variable that an expression names. For an element found at run time, these are the
// leaves of each element, one behind the other.
llvm::SmallVector<uint32_t, 4> leavesOf(TypeMap& types, const Expr* e) {
  llvm::SmallVector<uint32_t, 4> part;
  uint32_t count = types.leafCount(e->type);
  if (e->kind != Expr::Field && e->kind != Expr::Swizzle && e->kind != Expr::Index) {
    part.resize(count);
    std::iota(part.begin(), part.end(), 0);
    return part;
  }
  llvm::SmallVector<uint32_t, 4> whole = leavesOf(types, e->a);
  auto index = [&] { return static_cast<uint32_t>(e->b->value.integer) * count; };
  if (e->kind == Expr::Index && e->b->kind != Expr::Constant)
    return whole;
  for (size_t each = types.leafCount(e->a->type), at = 0; at < whole.size(); at += each)
    for (uint32_t i = 0; i < count; ++i)
      part.push_back(whole[at + (e->kind == Expr::Swizzle ? e->lanes[i]
                                 : e->kind == Expr::Field ? types.shape(e->a->type).starts[e->index] + i
                                                          : index() + i)]);
  return part;
}

} // namespace

// It is an error (a race) if one thread puts twice to one place.
void DeviceEmitter::checkPut(llvm::Value* to, const Expr* target) {
  checkValue(b.CreateICmpUGE(to, size()), BSGP_VALUE_PUT, to);
  const Variable* root = rootVariable(target);
  uint32_t& first = put_numbers_.try_emplace(root, next_put_number_).first->second;
  if (first == next_put_number_)
    next_put_number_ += m.types.leafCount(root->type);
  for (uint32_t leaf : leavesOf(m.types, target))
    watch(ir::Op::CheckPut,
          {b.CreateSExt(to, m.int64()), b.getInt32(first + leaf), llvm::ConstantPointerNull::get(m.pointer())});
}

void DeviceEmitter::put(const Stmt* s) {
  PositionScope at(*this, s->range);
  llvm::Value* to = asRank(s->expr);
  Leaves values = value(s->value);
  if (last_superstep_) // the value is not read any more
    return;
  if (isChecked())
    checkPut(to, s->target);
  Put made{next_put_++, s->target, {}};
  const std::vector<Leaf>& shape = m.types.leaves(s->target->type);
  intrinsic(ir::Op::PutMark, {to, b.getInt32(made.id)}, rankType());
  for (size_t i = 0; i < shape.size(); ++i) {
    llvm::Value* v = toStored(values[i], shape[i].type);
    made.parts.push_back(next_part_);
    intrinsic(ir::Op::Put, {to, b.getInt32(next_part_++), v}, v->getType());
  }
  puts_.push_back(std::move(made));
}

// True if a get reads a variable that is put at the same barrier: it gives the put value, so every thread must have
// received it first.
bool DeviceEmitter::readsPuts(const FlatSuperstep& next) const {
  return std::any_of(next.snapshots.begin(), next.snapshots.end(), [&](const Expr* wanted) {
    return std::any_of(puts_.begin(), puts_.end(),
                       [&](const Put& put) { return rootVariable(put.target) == rootVariable(wanted); });
  });
}

// Values that other threads have put replace those that this thread assigned.
void DeviceEmitter::landPuts() {
  for (const Put& put : landing_) {
    llvm::Value* landed = intrinsic(ir::Op::PutLanded, {now_.epoch, b.getInt32(put.id)});
    Place target = place(put.target);
    Leaves values = load(target);
    const std::vector<Leaf>& shape = m.types.leaves(put.target->type);
    for (size_t i = 0; i < values.size(); ++i) {
      llvm::Value* v =
          intrinsic(ir::Op::PutValue, {now_.epoch, b.getInt32(put.parts[i])}, m.types.stored(shape[i].type));
      values[i] = b.CreateSelect(landed, fromStored(v, shape[i].type), values[i]);
    }
    store(target, values);
  }
  landing_.clear();
}

// ---- oldrank
void DeviceEmitter::setOldRank(const Stmt* s) {
  BSGP_CHECK(oldrank_due_, "thread.oldrank is set at line %u without a reassignment", m.line(s->range.begin));
  oldrank_at_ = s->range;
  b.CreateStore(asRank(s->expr), oldrank_);
}

void DeviceEmitter::reassign() {
  oldrank_due_ = false;
  llvm::Value* from = b.CreateLoad(rankType(), oldrank_);
  now_.last = intrinsic(ir::Op::OldRank, {from}, rankType());
  PositionScope at(*this, oldrank_at_);
  if (isChecked())
    checkValue(b.CreateICmpUGE(from, intrinsic(ir::Op::Size, {numbered_before_}, rankType())), BSGP_VALUE_OLDRANK,
               from);
  copies_.clear(); // threads' memory need not follow them
  fresh_versions_.clear();
  landPuts();
}

} // namespace bsgp::irgen
