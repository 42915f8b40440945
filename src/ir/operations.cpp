#include "ir/operations.h"

#include <array>

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>

#include "support/check.h"

namespace bsgp::ir {

namespace {

using namespace llvm;

// The assumptions that LLVM may make of a function.
enum class Effects {
  Pure,        // a function of its arguments; may be computed anywhere they are known
  Observe,     // looks at other threads: stays where control flow put it, and may be dropped if unused
  Hand,        // hands something on in the order of threads; changes no memory that the program names
  Place,       // the same everywhere in the superstep it stands in
  Communicate, // changes state that other threads will see, but no memory that the program names
  Meet,        // orders memory among threads that meet here, in whatever copies of the code
  Fence,       // everything in memory may change here
  Stop,        // may end the thread
  Talk,        // output
  Watch,       // looks at the actions of other threads and may report them; changes nothing that the program sees
};

enum class Overload { None, Rank, Value, ValueAndRank };

struct Entry {
  Op op;
  std::string_view name;
  Overload overload;
  Effects effects;
};

constexpr std::array kTable = {
    Entry{Op::Enter, "bsgp.enter", Overload::None, Effects::Fence},
    Entry{Op::Barrier, "bsgp.barrier", Overload::None, Effects::Fence},
    Entry{Op::Reassign, "bsgp.barrier.reassign", Overload::None, Effects::Fence},
    Entry{Op::Meet, "bsgp.barrier.meet", Overload::None, Effects::Fence},
    Entry{Op::Decide, "bsgp.decide", Overload::None, Effects::Communicate},
    Entry{Op::Require, "bsgp.require", Overload::None, Effects::Communicate},
    Entry{Op::Rank, "bsgp.rank", Overload::Rank, Effects::Pure},
    Entry{Op::Size, "bsgp.size", Overload::Rank, Effects::Pure},
    Entry{Op::OldRank, "bsgp.oldrank", Overload::Rank, Effects::Fence},
    Entry{Op::Param, "bsgp.param", Overload::Value, Effects::Pure},
    Entry{Op::Snapshot, "bsgp.snapshot", Overload::Value, Effects::Observe},
    Entry{Op::Get, "bsgp.get", Overload::ValueAndRank, Effects::Observe},
    Entry{Op::PutMark, "bsgp.put.mark", Overload::Rank, Effects::Communicate},
    Entry{Op::Put, "bsgp.put", Overload::ValueAndRank, Effects::Communicate},
    Entry{Op::PutLanded, "bsgp.put.landed", Overload::None, Effects::Pure},
    Entry{Op::PutValue, "bsgp.put.value", Overload::Value, Effects::Pure},
    Entry{Op::Assert, "bsgp.assert", Overload::None, Effects::Stop},
    Entry{Op::Print, "bsgp.print", Overload::None, Effects::Talk},
    Entry{Op::BlockSync, "bsgp.block.sync", Overload::None, Effects::Fence},
    Entry{Op::WarpShuffle, "bsgp.warp.shuffle", Overload::Value, Effects::Observe},
    Entry{Op::WarpBallot, "bsgp.warp.ballot", Overload::None, Effects::Observe},
    Entry{Op::WarpSync, "bsgp.warp.sync", Overload::None, Effects::Meet},
    Entry{Op::TileRank, "bsgp.tile.rank", Overload::None, Effects::Place},
    Entry{Op::TileSize, "bsgp.tile.size", Overload::None, Effects::Place},
    Entry{Op::TileId, "bsgp.tile.id", Overload::None, Effects::Place},
    Entry{Op::Append, "bsgp.append", Overload::Value, Effects::Hand},
    Entry{Op::AppendTake, "bsgp.append.take", Overload::None, Effects::Hand},
    Entry{Op::CheckAccess, "bsgp.check.access", Overload::Value, Effects::Watch},
    Entry{Op::CheckValue, "bsgp.check.value", Overload::None, Effects::Watch},
    Entry{Op::CheckIsWritten, "bsgp.check.is_written", Overload::Value, Effects::Watch},
    Entry{Op::CheckSetWritten, "bsgp.check.set_written", Overload::Value, Effects::Watch},
    Entry{Op::CheckPut, "bsgp.check.put", Overload::None, Effects::Watch},
    Entry{Op::CheckBlockSync, "bsgp.check.block_sync", Overload::None, Effects::Watch},
    Entry{Op::CheckWarpSync, "bsgp.check.warp_sync", Overload::None, Effects::Watch},
    Entry{Op::CheckFence, "bsgp.check.fence", Overload::None, Effects::Watch},
    Entry{Op::CheckUndefined, "bsgp.check.undefined", Overload::Value, Effects::Pure},
    Entry{Op::CheckUnset, "bsgp.check.unset", Overload::None, Effects::Talk},
};

const Entry& entryOf(Op op) {
  for (const Entry& entry : kTable)
    if (entry.op == op)
      return entry;
  BSGP_CHECK(false, "operation %d has no function", int(op));
  __builtin_unreachable();
}

StringMap<Op> operationsByName() {
  StringMap<Op> operations;
  for (const Entry& entry : kTable)
    operations[entry.name] = entry.op;
  return operations;
}

std::string suffix(Type* type) {
  if (auto* pointer = dyn_cast<PointerType>(type))
    return fmt::format(".p{}", pointer->getAddressSpace());
  if (type->isHalfTy())
    return ".f16";
  if (type->isFloatTy())
    return ".f32";
  if (type->isDoubleTy())
    return ".f64";
  if (auto* vector = dyn_cast<FixedVectorType>(type))
    return fmt::format(".v{}i{}", vector->getNumElements(), vector->getScalarSizeInBits());
  BSGP_CHECK(type->isIntegerTy(), "only scalars are passed to our functions");
  return fmt::format(".i{}", type->getIntegerBitWidth());
}

// One name means one signature in the whole module, and two spawns of a module may differ in their rank type: the
// 64-bit one is marked.
std::string nameOf(const Entry& entry, Type* type, Type* rank_type) {
  std::string name(entry.name);
  if (entry.overload != Overload::None)
    name += suffix(type);
  if (entry.overload == Overload::ValueAndRank && rank_type->isIntegerTy(64))
    name += ".r64";
  return name;
}

FunctionType* signature(Op op, LLVMContext& context, Type* type, Type* rank) {
  Type* none = Type::getVoidTy(context);
  Type* id = Type::getInt32Ty(context); // also an epoch, a version, a snapshot
  Type *pointer = PointerType::get(context, 0), *bit = Type::getInt1Ty(context), *wide = Type::getInt64Ty(context);
  auto function = [](Type* result, std::initializer_list<Type*> arguments) {
    return FunctionType::get(result, arguments, false);
  };
  switch (op) {
  case Op::Enter:
    return function(id, {});
  case Op::Barrier:
  case Op::Reassign:
  case Op::Meet:
  case Op::Decide:
  case Op::Require:
    return function(id, {id});
  case Op::Rank:
  case Op::Size:
    return function(type, {id});
  case Op::OldRank:
    return function(none, {type});
  case Op::Param:
    return function(type, {id, id});
  case Op::Snapshot:
    return function(id, {type, id});
  case Op::Get:
    return function(type, {rank, id});
  case Op::PutMark:
    return function(none, {type, id});
  case Op::Put:
    return function(none, {rank, id, type});
  case Op::PutLanded:
    return function(bit, {id, id});
  case Op::PutValue:
    return function(type, {id, id});
  case Op::Assert:
    return function(none, {bit, pointer});
  case Op::Print:
    return FunctionType::get(none, {pointer}, true);
  case Op::BlockSync:
  case Op::WarpSync:
    return function(none, {});
  case Op::WarpShuffle:
    return function(type, {type, id});
  case Op::WarpBallot:
    return function(id, {bit});
  case Op::TileRank:
  case Op::TileSize:
    return function(id, {});
  case Op::TileId:
    return function(wide, {});
  case Op::Append:
    return function(none, {PointerType::get(context, kDeviceSpace), type, CmpInst::makeCmpResultType(type)});
  case Op::AppendTake:
    return function(wide, {PointerType::get(context, kDeviceSpace), wide});
  case Op::CheckAccess:
    return function(type, {type, type, pointer});
  case Op::CheckValue:
    return function(none, {bit, id, wide, wide, pointer});
  case Op::CheckIsWritten:
    return function(bit, {type, pointer});
  case Op::CheckSetWritten:
    return function(none, {type, bit, pointer});
  case Op::CheckPut:
    return function(none, {wide, id, pointer});
  case Op::CheckBlockSync:
  case Op::CheckWarpSync:
  case Op::CheckFence:
    return function(none, {});
  case Op::CheckUndefined:
    return function(type, {});
  case Op::CheckUnset:
    return function(none, {pointer, wide});
  case Op::None:
    break;
  }
  BSGP_CHECK(false, "operation %d has no signature", int(op));
  __builtin_unreachable();
}

void addWellBehaved(Function& function) {
  for (auto kind : {Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree})
    function.addFnAttr(kind);
}

void describe(Function& function, Effects effects) {
  function.setDoesNotThrow();
  switch (effects) {
  case Effects::Pure:
    function.setMemoryEffects(MemoryEffects::none());
    function.addFnAttr(Attribute::Speculatable);
    return addWellBehaved(function);
  case Effects::Observe:
    function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
    function.setConvergent();
    return addWellBehaved(function);
  case Effects::Place:
    function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
    function.addFnAttr(Attribute::Speculatable);
    return addWellBehaved(function);
  case Effects::Communicate:
    function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    function.setConvergent();
    function.setCannotDuplicate();
    return addWellBehaved(function);
  case Effects::Meet:
    function.addFnAttr(Attribute::WillReturn);
    return function.setConvergent();
  case Effects::Fence:
    function.setConvergent();
    return function.setCannotDuplicate();
  case Effects::Stop: // no willreturn: code behind it must not be computed before it
    function.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    return;
  case Effects::Talk:
    function.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    return addWellBehaved(function);
  case Effects::Hand: // its argument is a parameter, and must not become a choice of two
    function.addFnAttr(Attribute::NoMerge);
    [[fallthrough]];
  case Effects::Watch:
    function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    return addWellBehaved(function);
  }
}

} // namespace

Op opNamed(StringRef name) {
  if (!name.starts_with("bsgp."))
    return Op::None;
  static const StringMap<Op> operations = operationsByName();
  for (; !name.empty(); name = name.rsplit('.').first) {
    auto found = operations.find(name);
    if (found != operations.end())
      return found->second;
    if (!name.contains('.'))
      break;
  }
  return Op::None;
}

Op opOf(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? opNamed(callee->getName()) : Op::None;
}

FunctionCallee declare(Module& module, Op op, Type* type, Type* rank_type) {
  const Entry& entry = entryOf(op);
  BSGP_CHECK(entry.overload == Overload::None || type, "%s needs a type", entry.name.data());
  BSGP_CHECK(entry.overload != Overload::ValueAndRank || rank_type, "%s needs a rank type", entry.name.data());
  std::string name = nameOf(entry, type, rank_type);
  if (Function* known = module.getFunction(name))
    return known;
  auto* function =
      Function::Create(signature(op, module.getContext(), type, rank_type), GlobalValue::ExternalLinkage, name, module);
  describe(*function, entry.effects);
  return function;
}

// "bsgp.check.is_written" is bsgp_rt_check_is_written, or bsgp_rt_check_host_is_written.
std::string runtimeFunctionOf(Op check, bool of_host) {
  constexpr std::string_view kPrefix = "bsgp.check.";
  std::string_view name = entryOf(check).name;
  BSGP_CHECK(name.starts_with(kPrefix), "operation %d is no check", int(check));
  return std::string(of_host ? "bsgp_rt_check_host_" : "bsgp_rt_check_").append(name.substr(kPrefix.size()));
}

static constexpr char kListedRank[] = "bsgp.listed";

void markListedRank(Instruction& rank) {
  rank.setMetadata(kListedRank, MDNode::get(rank.getContext(), {}));
}

Instruction* listedRankIn(ArrayRef<BasicBlock*> blocks) {
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : *block)
      if (isa<LoadInst>(instruction) && instruction.hasMetadata(kListedRank))
        return &instruction;
  return nullptr;
}

void dropUnusedDeclarations(Module& module) {
  for (Function& function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty() && function.getName().starts_with("bsgp."))
      function.eraseFromParent();
}

} // namespace bsgp::ir
