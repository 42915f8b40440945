// The supersteps, their epochs, and the operations at the barriers between them.
#include "ir/names.h"
#include "ir/unset.h"
#include "irgen/device_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

DeviceEmitter::DeviceEmitter(ModuleEmitter& module, HostFrame& frame, const FlatSpawn& spawn)
    : Emitter(module), frame_(frame), spawn_(spawn), first_steps_(spawn.supersteps.size()),
      arrivals_(spawn.supersteps.size()) {}

void DeviceEmitter::emit(const std::string& name) {
  fn = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), false), llvm::GlobalValue::InternalLinkage, name,
                              m.module);
  fn->setDoesNotThrow();
  if (m.debug())
    scope_ = m.debug()->newFunction(name, spawn_.range.begin);
  entry_ = llvm::BasicBlock::Create(m.context, "entry", fn);
  exit_ = newBlock("exit");
  llvm::BasicBlock* body = newBlock("body");
  body->insertInto(fn);
  b.SetInsertPoint(entry_);
  numbering_ = intrinsic(ir::Op::Enter, {}, nullptr, "epoch");
  beginEpoch(numbering_);
  allocas_behind_ = now_.last;
  versions_[0] = now_;
  fresh_versions_.insert(0);
  b.SetInsertPoint(body);
  openScope();
  for (size_t i = 0; i < spawn_.supersteps.size(); ++i)
    if (live() || arrivals_[i].block)
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
  last_superstep_ = superstep.next.empty();
  arrive(superstep, number);
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
      ExpandedCallScope called(*this, item.called_at, item.stmt->range);
      topLevel(item.stmt);
    }
  }
  BSGP_CHECK(!oldrank_due_ || !live(), "superstep %zu never sets thread.oldrank", number + 1);
  if (live())
    leave(superstep, number);
}

// True if the next superstep follows this one, and only this one.
bool DeviceEmitter::goesOn(size_t number) const {
  const FlatSuperstep& superstep = spawn_.supersteps[number];
  return superstep.next.size() == 1 && superstep.next[0] == number + 1 && !spawn_.supersteps[number + 1].meets;
}

llvm::BasicBlock* DeviceEmitter::wayTo(uint32_t number) {
  Arrival& arrival = arrivals_[number];
  if (!arrival.block)
    arrival = {newBlock("superstep"), numbering_};
  return arrival.block;
}

// Begins a superstep that edges lead to by a barrier of its own. A snapshot needs another barrier, because it stands
// before one that comes behind one superstep alone.
void DeviceEmitter::arrive(const FlatSuperstep& superstep, size_t number) {
  auto written = static_cast<uint32_t>(number);
  if (llvm::BasicBlock* block = arrivals_[number].block) {
    enter(block);
    puts_.clear(); // those of edges that end here
    snapshots_.clear();
    numbering_ = arrivals_[number].numbering;
    barrier(superstep.renumbered ? ir::Op::Meet : ir::Op::Barrier);
    if (!superstep.snapshots.empty()) {
      steps_.push_back({written, true});
      first_steps_[number] = static_cast<uint32_t>(steps_.size());
      takeSnapshots(superstep);
      barrier(ir::Op::Barrier);
    }
  }
  steps_.push_back({written});
  if (!first_steps_[number])
    first_steps_[number] = static_cast<uint32_t>(steps_.size());
}

// Emits the edges from the end of a superstep.
void DeviceEmitter::leave(const FlatSuperstep& ended, size_t number) {
  if (!ended.next.empty() && goesOn(number))
    endSuperstep(spawn_.supersteps[ended.next[0]]);
  else if (!ended.next.empty() && !puts_.empty())
    settlePuts();
  steps_.back().ends = true;
  if (ended.next.empty())
    return jump(exit_);
  if (goesOn(number))
    return;
  if (ended.next.size() == 1)
    return jump(wayTo(ended.next[0]));
  llvm::Value* way = intrinsic(ir::Op::Decide, {b.getInt32(tests_++)}, nullptr, "way");
  llvm::SwitchInst* ways = b.CreateSwitch(way, wayTo(ended.next.back()));
  for (uint32_t i = 0; i + 1 < ended.next.size(); ++i)
    ways->addCase(b.getInt32(i), wayTo(ended.next[i]));
  b.ClearInsertionPoint();
}

namespace {

// True if every path through it sets thread.oldrank.
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

// Emits a statement that every thread passes. Values follow their threads as soon as the old rank is known.
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

// Ends a superstep by the barrier that begins the next one.
void DeviceEmitter::endSuperstep(const FlatSuperstep& next) {
  if (readsPuts(next))
    settlePuts();
  takeSnapshots(next);
  steps_.back().ends = true;
  barrier(next.reassigned ? ir::Op::Reassign : ir::Op::Barrier);
  oldrank_due_ = next.reassigned;
  if (oldrank_due_)
    oldrank_ = newAlloca(rankType(), alignmentOf(spawn_.rank_type), "oldrank");
}

// Lets the puts land in a superstep of their own.
void DeviceEmitter::settlePuts() {
  barrier(ir::Op::Barrier);
  steps_.push_back({steps_.back().written, true});
  landPuts();
}

void DeviceEmitter::barrier(ir::Op op) {
  landing_ = std::exchange(puts_, {});
  llvm::CallInst* epoch = intrinsic(op, {b.getInt32(static_cast<uint32_t>(steps_.size()))}, nullptr, "epoch");
  beginEpoch(epoch);
  if (op != ir::Op::Barrier)
    numbered_before_ = std::exchange(numbering_, epoch);
}

// ---- the values of an epoch
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

// Emits an operation that gives the same in all supersteps of a numbering.
llvm::Value* DeviceEmitter::ofNumbering(ir::Op op, const char* name) {
  Anchor& anchor = numbering_ == now_.epoch ? now_ : older_numbering_;
  if (anchor.epoch != numbering_)
    anchor = {numbering_, numbering_};
  return behind(anchor, [&] { return intrinsic(op, {numbering_}, rankType(), name); });
}

llvm::Value* DeviceEmitter::rank() {
  if (!rank_)
    rank_ = ofNumbering(ir::Op::Rank, "rank");
  return rank_;
}

llvm::Value* DeviceEmitter::size() {
  if (!size_)
    size_ = ofNumbering(ir::Op::Size, "size");
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
  auto unset = frame_.unset.find(v);
  if (isChecked() && (unset != frame_.unset.end() || v->kind == Variable::Global)) {
    auto* offset = llvm::ConstantAsMetadata::get(b.getInt64(slots_.back().offset));
    auto* made = llvm::cast<llvm::Instruction>(parameter);
    made->setMetadata(ir::kMayBeUnset, llvm::MDNode::get(m.context, {offset}));
    ir::setCause(*made, causeOf(frame_.unset.lookup(v), v->type, leaf));
  }
  if (scalar.type->isBool())
    parameter = behind(anchor, [&] { return llvm::cast<llvm::Instruction>(fromStored(parameter, scalar.type)); });
  return known[leaf] = parameter;
}

} // namespace bsgp::irgen
