// Requires: what is visible outside are `bsgp_main`, `main` of entry.h, which does nothing but hand it to the runtime,
// and entries of exported functions, which give a status and take nothing wider than a register of the plain machine.
// Ensures:
//
//   define i32 @f(...) {                                    ; plain
//     br (load acquire @cpus.chosen != 0), go, choose
//   choose:
//     status = call @bsgp_rt_choose_cpu(call or null, @cpus)
//     br (status == 0), go, refuse
//   refuse: ret status
//   go:     ret (tail call @f.entered(...))                 ; f as it was
//   }
#include "target/cpu/machine/entry_guard.h"

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/machine/machine.h"

namespace bsgp::target {

using namespace llvm;

namespace {

Function& replaceBy(Function& entry) {
  std::string name = entry.getName().str();
  auto* guard = Function::Create(entry.getFunctionType(), entry.getLinkage(), "", *entry.getParent());
  guard->setAttributes(entry.getAttributes());
  entry.replaceAllUsesWith(guard);
  entry.setLinkage(GlobalValue::InternalLinkage);
  entry.setName(name + ".entered");
  guard->setName(name);
  return *guard;
}

void guardEntry(Function& entry, GlobalVariable& cpus, bool has_call) {
  Module& module = *entry.getParent();
  LLVMContext& context = module.getContext();
  Function& guard = replaceBy(entry);
  auto* start = BasicBlock::Create(context, "start", &guard);
  auto* choose = BasicBlock::Create(context, "choose", &guard);
  auto* refuse = BasicBlock::Create(context, "refuse", &guard);
  auto* go = BasicBlock::Create(context, "go", &guard);
  IRBuilder<> builder(start);
  LoadInst* chosen = builder.CreateAlignedLoad(builder.getInt32Ty(), &cpus, Align(4), "chosen");
  chosen->setAtomic(AtomicOrdering::Acquire);
  builder.CreateCondBr(builder.CreateIsNotNull(chosen), go, choose);
  builder.SetInsertPoint(choose);
  auto* type = FunctionType::get(builder.getInt32Ty(), {builder.getPtrTy(), builder.getPtrTy()}, false);
  Value* call = has_call ? static_cast<Value*>(guard.getArg(0)) : ConstantPointerNull::get(builder.getPtrTy());
  Value* status = builder.CreateCall(module.getOrInsertFunction("bsgp_rt_choose_cpu", type), {call, &cpus}, "status");
  builder.CreateCondBr(builder.CreateIsNull(status), go, refuse);
  builder.SetInsertPoint(refuse);
  builder.CreateRet(status);
  builder.SetInsertPoint(go);
  forwardCall(builder, guard, entry);
}

} // namespace

void forwardCall(IRBuilder<>& builder, Function& from, Function& to) {
  SmallVector<Value*, 8> arguments(make_pointer_range(from.args()));
  CallInst* call = builder.CreateCall(&to, arguments);
  call->setAttributes(to.getAttributes());
  call->setTailCall();
  builder.CreateRet(call);
}

void guardEntries(Module& module, GlobalVariable& cpus, const TargetMachine& plain) {
  SmallVector<Function*, 8> entries;
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() && function.getName() != "main")
      entries.push_back(&function);
  for (Function* entry : entries)
    guardEntry(*entry, cpus, entry->getName() == "bsgp_main");
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      describeFunction(function, plain);
}

} // namespace bsgp::target
