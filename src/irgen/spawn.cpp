// A spawn on the host: its device function, its requires, its plan, and the call that runs it.
#include <fmt/format.h>

#include "irgen/device_emitter.h"
#include "irgen/host_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

namespace {

plan::FrameSlot describe(ModuleEmitter& m, const Slot& slot) {
  const Type* type = slot.variable->type;
  std::string name = std::string(slot.variable->name) + m.types.leafName(type, slot.leaf);
  if (slot.version)
    name += fmt::format("@{}", slot.version + 1);
  return {std::move(name), slot.offset, m.types.leaves(type)[slot.leaf].type->size};
}

ir::Spawn::Step describe(ModuleEmitter& m, const FlatSuperstep& superstep) {
  ir::Spawn::Step step;
  step.site = m.planSite({superstep.first, superstep.last});
  step.freed_first = superstep.ended_rounds;
  step.freed_scopes = superstep.freed_scopes;
  for (const FlatItem& item : superstep.items)
    if (item.require) {
      step.requires_.push_back(item.require->id);
      step.sites.push_back(m.planSite(item.require->range));
    }
  return step;
}

// Describes the edges from superstep `number` (from 1): to its next step, or to the supersteps that follow it in the
// program.
void describeWays(ModuleEmitter& m, const FlatSuperstep& written, const DeviceEmitter& device, size_t number,
                  ir::Spawn& spawn) {
  ir::Spawn::Step& step = spawn.steps[number - 1];
  const auto& steps = device.steps();
  bool ends = steps[number - 1].ends;
  if (!ends && number < steps.size() && steps[number].written == steps[number - 1].written)
    step.next = {static_cast<uint32_t>(number + 1)};
  if (ends)
    for (uint32_t next : written.next)
      step.next.push_back(device.firstStep(next));
  bool last = number == steps.size();
  if (!last && step.next.empty())
    spawn.outline.supersteps.back().next = {0};
  else if (last || step.next != std::vector<uint32_t>{static_cast<uint32_t>(number + 1)})
    spawn.outline.supersteps.back().next = step.next;
  if (ends && written.test) {
    step.decides = written.test->code->id;
    step.decided_at = m.planSite(written.test->range);
  }
}

void describeSteps(ModuleEmitter& m, const FlatSpawn& flat, const DeviceEmitter& device, ir::Spawn& spawn) {
  for (const DeviceEmitter::Step& step : device.steps()) {
    const FlatSuperstep& written = flat.supersteps[step.written];
    uint32_t first = m.line(written.first), last = m.line(written.last);
    if (step.settles) {
      spawn.outline.supersteps.push_back({last, last, false});
      spawn.steps.emplace_back().site = m.planSite({written.last, written.last});
    } else {
      spawn.outline.supersteps.push_back({first, last, written.reassigned});
      spawn.steps.push_back(describe(m, written));
    }
    describeWays(m, written, device, spawn.steps.size(), spawn);
  }
}

// Describes the spawn as far as it is known before bsp; the symbols of the requires are added as they are made.
ir::Spawn describe(ModuleEmitter& m, const HostFrame& frame, const FlatSpawn& flat, const DeviceEmitter& device) {
  ir::Spawn spawn;
  spawn.function = device.function();
  spawn.range = flat.range;
  spawn.is_partition = flat.is_partition;
  plan::Outline& outline = spawn.outline;
  outline.site = m.planSite(flat.range);
  outline.name = fmt::format("{}:{}", frame.function->name, outline.site.line);
  outline.symbol = fmt::format("plan.{}.{}", nameOf(frame.function), frame.spawns);
  outline.rank_bits = flat.rank_type->bits;
  outline.block = flat.block;
  outline.width = flat.width;
  for (const Slot& slot : device.slots())
    outline.slots.push_back(describe(m, slot));
  describeSteps(m, flat, device, spawn);
  return spawn;
}

} // namespace

void HostEmitter::special(const Stmt* s) {
  BSGP_CHECK(s->kind == Stmt::Spawn && s->flat, "a statement of kind %d in host code", int(s->kind));
  spawn(s);
}

void HostEmitter::spawn(const Stmt* s) {
  const FlatSpawn& flat = *s->flat;
  BSGP_CHECK(frame_.exists, "'%s' is not marked as having a spawn", std::string(frame_.function->name).c_str());
  // The host's part is evaluated before the device function is made, but slots are known only after it.
  const Expr* size = flat.size ? flat.size : s->expr;
  llvm::Value* threads = b.CreateIntCast(scalar(size), m.int64(), isSigned(size->type));
  use(threads, size->range);
  uint32_t size_offset = frame_.allocate(8, 8);
  b.CreateAlignedStore(threads, inFrame(size_offset), llvm::Align(8));

  m.findUses(flat);
  DeviceEmitter device(m, frame_, flat);
  device.emit(fmt::format("spawn.{}.{}", nameOf(frame_.function), frame_.spawns));
  ir::Spawn made = describe(m, frame_, flat, device);
  ++frame_.spawns;
  made.outline.size_offset = size_offset;
  if (std::any_of(flat.supersteps.begin(), flat.supersteps.end(), [](auto& superstep) { return superstep.test; }))
    made.outline.decision_offset = frame_.allocate(4, 4);
  std::vector<std::vector<Slot>> slots(flat.requires_.size() + 1); // by version
  for (const Slot& slot : device.slots())
    slots[slot.version].push_back(slot);
  for (const FlatRequire* require : flat.requires_) {
    BSGP_CHECK(require->id == made.outline.requires_.size(), "requires are not numbered in order");
    HostEmitter emitter(m, frame_);
    llvm::Function* function = emitter.emitRequire(flat, *require, made.outline, slots[require->id + 1]);
    made.outline.requires_.push_back(function->getName().str());
  }

  fillSlots(slots[0]);
  auto* plan = new llvm::GlobalVariable(m.module, m.int8(), true, llvm::GlobalValue::ExternalLinkage, nullptr,
                                        made.outline.symbol);
  m.emitted.spawns.push_back(std::move(made));
  m.spawn_sources.push_back({&flat, {device.slots().begin(), device.slots().end()}});
  PositionScope at(*this, s->range);
  runtime("bsgp_rt_run", {call_, plan, frame_address_});
}

// i32 @f.require.N(ptr %call, ptr %frame)
llvm::Function* HostEmitter::emitRequire(const FlatSpawn& spawn, const FlatRequire& require,
                                         const plan::Outline& outline, std::span<const Slot> slots) {
  require_ = &require, rank_type_ = spawn.rank_type, size_offset_ = outline.size_offset;
  beginFunction(llvm::Function::Create(llvm::FunctionType::get(m.int32(), {m.pointer(), m.pointer()}, false),
                                       llvm::GlobalValue::InternalLinkage,
                                       fmt::format("{}.require.{}", nameOf(frame_.function), frame_.requires_++),
                                       m.module),
                require.range);
  fn->setDoesNotThrow();
  frame_address_ = fn->getArg(1);
  call_->setName("call");
  frame_address_->setName("frame");
  b.SetInsertPoint(entry_);
  b.CreateStore(b.getInt32(0), status_);
  llvm::BasicBlock* body = newBlock("body");
  body->insertInto(fn);
  b.SetInsertPoint(body);
  ExpandedCallScope called(*this, require.called_at, require.range);
  openScope();
  stmts(require.body);
  closeScope();
  if (live()) {
    if (size_) {
      llvm::Value* size = b.CreateLoad(size_->getAllocatedType(), size_);
      use(size, require.range);
      b.CreateAlignedStore(b.CreateSExt(size, m.int64()), inFrame(size_offset_), llvm::Align(8));
    }
    fillSlots(slots);
    if (require.test)
      b.CreateAlignedStore(wayOf(*require.test), inFrame(outline.decision_offset), llvm::Align(4));
    jump(exit_);
  }
  b.SetInsertPoint(entry_);
  b.CreateBr(body);
  enter(exit_);
  if (live())
    b.CreateRet(b.CreateLoad(m.int32(), status_));
  finish();
  return fn;
}

// Returns the number of the edge to take: that of the value that the test has, or the last edge.
llvm::Value* HostEmitter::wayOf(const FlatTest& test) {
  PositionScope at(*this, test.range);
  Place result = variable(test.result);
  llvm::Value* value = load(result)[0];
  llvm::Value* way = b.getInt32(static_cast<uint32_t>(test.values.size()));
  for (size_t i = test.values.size(); i-- > 0;) {
    llvm::Value* here = b.CreateICmpEQ(value, llvm::ConstantInt::get(value->getType(), uint64_t(test.values[i]), true));
    way = b.CreateSelect(here, b.getInt32(static_cast<uint32_t>(i)), way);
  }
  return way;
}

// Copies the values of a version that device code reads out of the variables, which may go on changing.
void HostEmitter::fillSlots(std::span<const Slot> slots) {
  for (const Slot& slot : slots) {
    Place whole = variable(slot.variable);
    const Leaf& leaf = m.types.leaves(whole.type)[slot.leaf];
    llvm::Type* type = m.types.stored(leaf.type);
    llvm::Value* v = b.CreateAlignedLoad(type, offset(whole.address, leaf.offset), alignmentOf(leaf.type));
    b.CreateAlignedStore(v, inFrame(slot.offset), alignmentOf(leaf.type));
  }
}

} // namespace bsgp::irgen
