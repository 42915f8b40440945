// The sequence of supersteps, their epochs, and what stands at the barriers between them.
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

DeviceEmitter::DeviceEmitter(ModuleEmitter& module, HostFrame& frame, const FlatSpawn& spawn)
    : Emitter(module), frame_(frame), spawn_(spawn) {}

void DeviceEmitter::emit(const std::string& name) {
  fn = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), false), llvm::GlobalValue::InternalLinkage, name,
                              m.module);
  fn->setDoesNotThrow();
  entry_ = llvm::BasicBlock::Create(m.context, "entry", fn);
  exit_ = newBlock("exit");
  llvm::BasicBlock* body = newBlock("body");
  body->insertInto(fn);
  b.SetInsertPoint(entry_);
  beginEpoch(intrinsic(ir::Op::Enter, {}, nullptr, "epoch"));
  allocas_behind_ = now_.last;
  versions_[0] = now_;
  fresh_versions_.insert(0);
  b.SetInsertPoint(body);
  openScope();
  for (size_t i = 0; i < spawn_.supersteps.size() && live(); ++i)
    superstep(spawn_.supersteps[i], i);
  closeScope();
  jump(exit_);
  enter(exit_);
  if (live())
    b.CreateRetVoid();
  b.SetInsertPoint(entry_);
  b.CreateBr(body);
  finish();
}

void DeviceEmitter::superstep(const FlatSuperstep& superstep, size_t number) {
  steps_.push_back({static_cast<uint32_t>(number), false});
  last_superstep_ = number + 1 == spawn_.supersteps.size();
  if (!oldrank_due_)
    landPuts();
  for (const FlatItem& item : superstep.items) {
    if (!live())
      return;
    if (item.require) {
      llvm::CallInst* version = intrinsic(ir::Op::Require, {b.getInt32(item.require->id)}, nullptr, "version");
      versions_[item.require->id + 1] = {version, version};
      fresh_versions_.insert(item.require->id + 1);
    } else {
      topLevel(item.stmt);
    }
  }
  BSGP_CHECK(!oldrank_due_ || !live(), "superstep %zu never sets thread.oldrank", number + 1);
  if (!last_superstep_ && live())
    endSuperstep(superstep, spawn_.supersteps[number + 1]);
}

namespace {

// On every path through it.
bool setsOldRank(const Stmt* s) {
  if (!s)
    return false;
  switch (s->kind) {
  case Stmt::OldRank:
    return true;
  case Stmt::Block:
  case Stmt::Sequence:
    return std::any_of(s->stmts.begin(), s->stmts.end(), setsOldRank);
  case Stmt::If:
    return setsOldRank(s->body) && setsOldRank(s->otherwise);
  case Stmt::Loop:
    return setsOldRank(s->init) || (s->test_last && setsOldRank(s->body));
  default:
    return false;
  }
}

} // namespace

// A statement that every thread passes. Values follow their threads as soon as the old rank is known.
void DeviceEmitter::topLevel(const Stmt* s) {
  if (!s || !live())
    return;
  bool block = s->kind == Stmt::Block;
  if (block || s->kind == Stmt::Sequence) {
    if (block)
      openScope();
    for (const Stmt* part : s->stmts)
      topLevel(part);
    if (block)
      closeScope();
    return;
  }
  stmt(s);
  if (oldrank_due_ && setsOldRank(s) && live())
    reassign();
}

void DeviceEmitter::beginEpoch(llvm::Value* epoch) {
  now_ = {epoch, llvm::cast<llvm::Instruction>(epoch)};
  rank_ = size_ = block_rank_ = block_id_ = nullptr;
  copies_.clear();
  fresh_versions_.clear();
}

void DeviceEmitter::endSuperstep(const FlatSuperstep& ended, const FlatSuperstep& next) {
  if (readsPuts(ended)) {
    barrier(ir::Op::Barrier);
    steps_.push_back({steps_.back().written, true});
    landPuts();
  }
  takeSnapshots(ended);
  barrier(next.reassigned ? ir::Op::Reassign : ir::Op::Barrier);
  oldrank_due_ = next.reassigned;
  if (oldrank_due_)
    oldrank_ = newAlloca(rankType(), alignmentOf(spawn_.rank_type), "oldrank");
}

void DeviceEmitter::barrier(ir::Op op) {
  landing_ = std::exchange(puts_, {});
  beginEpoch(intrinsic(op, {b.getInt32(static_cast<uint32_t>(steps_.size()))}, nullptr, "epoch"));
}

// ---- what an epoch says
llvm::CallInst* DeviceEmitter::intrinsic(ir::Op op, llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* type,
                                         const llvm::Twine& name) {
  return b.CreateCall(ir::declare(m.module, op, type, rankType()), arguments, name);
}

llvm::Value* DeviceEmitter::behind(Anchor& anchor, llvm::function_ref<llvm::Instruction*()> make) {
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(anchor.last->getParent(), std::next(anchor.last->getIterator()));
  llvm::Instruction* made = make();
  anchor.last = made;
  return made;
}

llvm::Value* DeviceEmitter::rank() {
  if (!rank_)
    rank_ = behind(now_, [&] { return intrinsic(ir::Op::Rank, {now_.epoch}, rankType(), "rank"); });
  return rank_;
}

llvm::Value* DeviceEmitter::size() {
  if (!size_)
    size_ = behind(now_, [&] { return intrinsic(ir::Op::Size, {now_.epoch}, rankType(), "size"); });
  return size_;
}

llvm::Value* DeviceEmitter::parameter(const Variable* v, uint32_t version, uint32_t leaf) {
  std::vector<llvm::Value*>& known = parameters_[{v, version}];
  known.resize(std::max<size_t>(known.size(), leaf + 1));
  if (known[leaf])
    return known[leaf];
  BSGP_CHECK(versions_.contains(version), "version %u of '%s' is read before its require", version,
             std::string(v->name).c_str());
  const Leaf& scalar = m.types.leaves(v->type)[leaf];
  auto number = static_cast<uint32_t>(slots_.size());
  slots_.push_back({v, version, leaf, frame_.allocate(scalar.type->size, scalar.type->align)});
  Anchor& anchor = versions_[version];
  llvm::Type* type = m.types.stored(scalar.type);
  std::string name = std::string(v->name) + m.types.leafName(v->type, leaf) + "~";
  llvm::Value* parameter =
      behind(anchor, [&] { return intrinsic(ir::Op::Param, {b.getInt32(number), anchor.epoch}, type, name); });
  if (scalar.type->isBool())
    parameter = behind(anchor, [&] { return llvm::cast<llvm::Instruction>(fromStored(parameter, scalar.type)); });
  return known[leaf] = parameter;
}

} // namespace bsgp::irgen
