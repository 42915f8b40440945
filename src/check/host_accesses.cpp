// Host code reads and writes by plain addresses: of variables that stay in memory, of the program's variables, and
// through pointers. Runs when scalars are SSA values, so what is left are those.
//
//   store i32 %v, ptr (gep %p, %i)    =>    %q = check.access(gep, %p, site);  store i32 %v, ptr %q
//
// The runtime gets the addresses of unset variables of this function that others see (references, a spawn's requires)
// when they begin and when the function returns.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "check/accesses.h"
#include "check/host.h"
#include "check/shadow_arrays.h"
#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

namespace {

class HostAccesses {
public:
  HostAccesses(Function& function, Origins& origins, Sites& sites, uint32_t checks)
      : function_(function), origins_(origins), sites_(sites), checks_(checks), arrays_(function),
        layout_(function.getParent()->getDataLayout()) {}

  void run() {
    SmallVector<Instruction*, 64> all;
    for (Instruction& instruction : instructions(function_))
      all.push_back(&instruction);
    for (Instruction* instruction : all)
      if (isa<LoadInst, StoreInst>(instruction))
        watch(*instruction);
      else if (checks_ & BSGP_CHECK_INIT)
        follow(*instruction);
  }

private:
  enum class Root { Own, Visible, Program, Constant, Elsewhere };

  // Classifies the memory that the address was computed from.
  Root rootOf(const Value* base) const {
    if (isa<AllocaInst>(base))
      return arrays_.groupOf(base) != ShadowArrays::kNone ? Root::Own : Root::Visible;
    if (auto* global = dyn_cast<GlobalVariable>(base))
      return global->isConstant() ? Root::Constant : Root::Program;
    bool is_call = base == function_.getArg(0);
    return is_call ? Root::Own : Root::Elsewhere;
  }

  // A variable's memory has an extent that the program shows, unless it comes by reference.
  Watched describe(Root root, const Value* base) const {
    Watched watched;
    watched.is_access = true;
    watched.checks = BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT;
    watched.space = root == Root::Elsewhere ? BSGP_MEMORY_HOST
                    : root == Root::Visible ? BSGP_MEMORY_THREAD
                                            : BSGP_MEMORY_CONSTANT;
    if (auto* array = dyn_cast<AllocaInst>(base))
      watched.extent = array->getAllocationSize(layout_)->getFixedValue();
    else if (auto* global = dyn_cast<GlobalVariable>(base); global && root != Root::Elsewhere)
      describeGlobal(*global, watched);
    return watched;
  }

  void watch(Instruction& at) {
    unsigned operand = isa<LoadInst>(at) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex();
    Value *address = at.getOperand(operand), *base = origins_.base(address);
    Root root = arrays_.groupOf(address) != ShadowArrays::kNone ? Root::Own : rootOf(base);
    if (root == Root::Constant && isa<StoreInst>(at)) // no place in a literal may be written: the runtime reports it
      root = Root::Elsewhere;
    if (root == Root::Own || address->getType()->getPointerAddressSpace() != 0 ||
        (root == Root::Constant && base == address))
      return;
    Watched watched = describe(root, base);
    watched.access = isa<LoadInst>(at) ? BSGP_ACCESS_READ : BSGP_ACCESS_WRITE;
    watched.bytes = uint32_t(layout_.getTypeStoreSize(getLoadStoreType(&at)));
    IRBuilder<> builder(&at);
    at.setOperand(operand, builder.CreateCall(declare(ir::Op::CheckAccess, address->getType()),
                                              {address, base, sites_.add(at, watched)}));
  }

  // Tells the runtime of operations on whole memory: a variable begins or ends, memory is set or copied.
  void follow(Instruction& instruction) {
    if (ir::opOf(instruction) == ir::Op::CheckUnset)
      return begin(cast<CallInst>(instruction));
    if (auto* cleared = dyn_cast<MemSetInst>(&instruction))
      return tell(*instruction.getNextNode(), cleared->getDest(), cleared->getLength(), true);
    if (auto* moved = dyn_cast<MemTransferInst>(&instruction))
      return callRuntime(*instruction.getNextNode(), "bsgp_rt_check_host_moved",
                         {moved->getDest(), moved->getSource(), moved->getLength()});
    if (isa<ReturnInst>(instruction))
      for (Instruction& variable : function_.getEntryBlock())
        if (auto* array = dyn_cast<AllocaInst>(&variable); array && rootOf(array) == Root::Visible)
          end(instruction, *array);
  }

  void begin(CallInst& mark) {
    if (rootOf(baseOf(mark.getArgOperand(0))) != Root::Own)
      tell(*mark.getNextNode(), mark.getArgOperand(0), mark.getArgOperand(1), false);
  }

  void end(Instruction& at, AllocaInst& variable) {
    Type* wide = Type::getInt64Ty(function_.getContext());
    tell(at, &variable, ConstantInt::get(wide, variable.getAllocationSize(layout_)->getFixedValue()), true);
  }

  void tell(Instruction& before, Value* address, Value* bytes, bool is_set) {
    if (rootOf(baseOf(address)) == Root::Own)
      return;
    callRuntime(before, "bsgp_rt_check_host_variable",
                {address, bytes, ConstantInt::get(Type::getInt32Ty(function_.getContext()), is_set)});
  }

  void callRuntime(Instruction& before, StringRef name, ArrayRef<Value*> given) {
    SmallVector<Value*, 4> arguments{function_.getArg(0)};
    append_range(arguments, given);
    SmallVector<Type*, 4> types;
    for (Value* argument : arguments)
      types.push_back(argument->getType());
    IRBuilder<> builder(&before);
    auto* type = FunctionType::get(builder.getVoidTy(), types, false);
    builder.CreateCall(function_.getParent()->getOrInsertFunction(name, type), arguments)->setDoesNotThrow();
  }

  FunctionCallee declare(ir::Op op, Type* type) { return ir::declare(*function_.getParent(), op, type); }

  Function& function_;
  Origins& origins_;
  Sites& sites_;
  const uint32_t checks_;
  ShadowArrays arrays_;
  const DataLayout& layout_;
};

} // namespace

void watchHostAccesses(Function& function, Origins& origins, Sites& sites, uint32_t checks) {
  HostAccesses(function, origins, sites, checks).run();
}

} // namespace bsgp::check
