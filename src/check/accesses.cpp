#include "check/accesses.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "ir/operations.h"
#include "ir/supersteps.h"
#include "support/check.h"

namespace bsgp::check {

using namespace llvm;

namespace {

struct Access {
  Instruction* instruction;
  unsigned pointer; // operand
  Type* type;       // of the value that is read or written
  Align align;
  uint8_t kind;
};

bool accessOf(Instruction& instruction, Access& access) {
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    access = {load, 0, load->getType(), load->getAlign(),
              uint8_t(load->isAtomic() ? BSGP_ACCESS_ATOMIC_LOAD : BSGP_ACCESS_READ)};
  else if (auto* store = dyn_cast<StoreInst>(&instruction))
    access = {store, 1, store->getValueOperand()->getType(), store->getAlign(),
              uint8_t(store->isAtomic() ? BSGP_ACCESS_ATOMIC_STORE : BSGP_ACCESS_WRITE)};
  else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
    access = {update, 0, update->getType(), update->getAlign(), BSGP_ACCESS_ATOMIC_UPDATE};
  else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    access = {exchange, 0, exchange->getCompareOperand()->getType(), exchange->getAlign(), BSGP_ACCESS_ATOMIC_UPDATE};
  else
    return false;
  return true;
}

CallInst* call(IRBuilder<>& builder, ir::Op op, ArrayRef<Value*> arguments, Type* type = nullptr) {
  return builder.CreateCall(ir::declare(*builder.GetInsertBlock()->getModule(), op, type), arguments);
}

// Whole numbers that are added, combined bit by bit or compared: in whatever order threads come, the same is left.
bool leavesTheSame(const Instruction& at) {
  auto* update = dyn_cast<AtomicRMWInst>(&at);
  if (!update || !update->getType()->isIntegerTy())
    return false;
  switch (update->getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return true;
  default:
    return false;
  }
}

// True for the counters by which threads of the library's sorts take tiles: a sort gives the same whoever takes which.
bool sharesWork(const Instruction& at, const Sites& sites) {
  return isa<AtomicRMWInst>(at) && sites.isWatchedAs(Watch::SharedWork, at);
}

// `order`: bits of bsgp_check_site_flag for the operations that order threads in its superstep.
void watch(const Access& access, uint8_t order, Sites& sites) {
  Instruction& at = *access.instruction;
  Value* address = at.getOperand(access.pointer);
  Value* base = baseOf(address);
  unsigned space = address->getType()->getPointerAddressSpace();
  auto* global = dyn_cast<GlobalVariable>(base);
  bool of_program = global && global->isConstant() && base != address;
  if (space != ir::kDeviceSpace && space != ir::kSharedSpace && !of_program)
    return;
  Watched watched;
  watched.is_access = true, watched.access = access.kind;
  watched.bytes = uint32_t(at.getModule()->getDataLayout().getTypeStoreSize(access.type).getFixedValue());
  watched.align = uint32_t(access.align.value());
  watched.flags = order;
  if ((at.use_empty() && leavesTheSame(at)) || sharesWork(at, sites))
    watched.flags |= BSGP_SITE_NO_RESULT;
  if (space == ir::kSharedSpace)
    watched.space = BSGP_MEMORY_SHARED;
  if (global)
    describeGlobal(*global, watched);
  if (sites.isWatchedAs(Watch::Exchange, at))
    watched.checks = ~uint32_t(BSGP_CHECK_RACE);
  IRBuilder<> builder(&at);
  Type* type = address->getType();
  if (base->getType() != type)
    base = builder.CreateAddrSpaceCast(base, type);
  at.setOperand(access.pointer, call(builder, ir::Op::CheckAccess, {address, base, sites.add(at, watched)}, type));
}

// Compares an access with its array in place, so that the runtime need not report what is found here.
void guardJoined(CallInst& access, const Watched& watched, Origins& origins, Sites& sites) {
  IRBuilder<> builder(&access);
  Value* address = access.getArgOperand(0);
  Value* bad = tellOutside(builder, address, watched, origins, sites);
  if (!bad)
    return;
  Value* told = builder.CreateIntToPtr(builder.getInt64(BSGP_TOLD_ADDRESS), address->getType());
  access.setArgOperand(0, builder.CreateSelect(bad, told, address));
}

// Returns the check that an operation needs by the language's rules, whatever the library does for it on CPUs:
// warp.sync orders a warp, shuffles and votes order nothing.
ir::Op watchOf(const Instruction& instruction, const Sites& sites) {
  ir::Op op = ir::opOf(instruction);
  if (op == ir::Op::WarpSync || (op == ir::Op::BlockSync && sites.isWatchedAs(Watch::WarpSync, instruction)))
    return ir::Op::CheckWarpSync;
  return op == ir::Op::BlockSync && !sites.isWatchedAs(Watch::Exchange, instruction) ? ir::Op::CheckBlockSync
                                                                                     : ir::Op::None;
}

// The operations that order threads in each superstep, beside its end.
class OrderInSteps {
public:
  OrderInSteps(Function& function) : steps_(function) {
    BSGP_CHECK(steps_.violation().empty(), "%s", steps_.violation().c_str());
  }
  void note(const Access& access) {
    if (access.kind == BSGP_ACCESS_ATOMIC_LOAD || access.kind == BSGP_ACCESS_ATOMIC_STORE)
      flags_[steps_.stepOf(*access.instruction)] |= BSGP_SITE_ORDERS;
  }
  void note(const Instruction& sync, ir::Op op) {
    flags_[steps_.stepOf(sync)] |= op == ir::Op::CheckFence ? BSGP_SITE_ORDERS : BSGP_SITE_SYNCS;
  }
  uint8_t around(const Instruction& instruction) const { return flags_.lookup(steps_.stepOf(instruction)); }

private:
  const ir::Supersteps steps_;
  DenseMap<unsigned, uint8_t> flags_; // bits of bsgp_check_site_flag
};

} // namespace

Value* baseOf(Value* address) {
  while (true) {
    if (auto* element = dyn_cast<GEPOperator>(address))
      address = element->getPointerOperand();
    else if (auto* cast = dyn_cast<AddrSpaceCastOperator>(address))
      address = cast->getPointerOperand();
    else
      return address;
  }
}

void describeGlobal(const GlobalVariable& global, Watched& watched) {
  watched.space = global.getAddressSpace() == ir::kSharedSpace ? BSGP_MEMORY_SHARED : BSGP_MEMORY_CONSTANT;
  watched.extent = global.getParent()->getDataLayout().getTypeAllocSize(global.getValueType());
  const MDNode* declared = global.getMetadata(ir::kDeclared);
  if (!declared)
    return;
  auto number = [&](unsigned operand) {
    return uint32_t(mdconst::extract<ConstantInt>(declared->getOperand(operand))->getZExtValue());
  };
  watched.element = cast<MDString>(declared->getOperand(0))->getString();
  watched.element_bytes = number(1), watched.declared = number(2);
}

void watchAccesses(Function& function, Sites& sites) {
  SmallVector<Access, 64> accesses;
  SmallVector<std::pair<Instruction*, ir::Op>, 8> syncs;
  for (Instruction& instruction : instructions(function)) {
    Access access;
    if (accessOf(instruction, access))
      accesses.push_back(access);
    else if (ir::Op op = watchOf(instruction, sites); op != ir::Op::None)
      syncs.emplace_back(&instruction, op);
    else if (isa<FenceInst>(instruction))
      syncs.emplace_back(&instruction, ir::Op::CheckFence);
  }
  OrderInSteps order(function);
  for (const Access& access : accesses)
    order.note(access);
  for (auto [instruction, op] : syncs)
    order.note(*instruction, op);
  for (const Access& access : accesses)
    watch(access, order.around(*access.instruction), sites);
  for (auto [instruction, op] : syncs) {
    IRBuilder<> builder(instruction);
    call(builder, op, {});
  }
}

void findBases(Function& function, Origins& origins, Sites& sites, uint32_t checks) {
  SmallVector<CallInst*, 64> accesses;
  for (Instruction& instruction : instructions(function))
    if (ir::opOf(instruction) == ir::Op::CheckAccess)
      accesses.push_back(cast<CallInst>(&instruction));
  for (CallInst* access : accesses) {
    Value* base = origins.base(access->getArgOperand(0));
    if (base->getType() == access->getType())
      access->setArgOperand(1, base);
    Watched& watched = sites.at(cast<Constant>(access->getArgOperand(2)));
    if (watched.space != BSGP_MEMORY_SHARED)
      continue;
    if (auto* array = dyn_cast<GlobalVariable>(base))
      describeGlobal(*array, watched);
    else if (checks & BSGP_CHECK_BOUNDS)
      guardJoined(*access, Watched(watched), origins, sites);
  }
}

} // namespace bsgp::check
