//   call @k.ranks(launch, ...)   =>   br (launch->form == BSGP_FORM_ALONE), alone, lanes
//                                     alone: call @k.ranks.alone(launch, ...)
//                                     lanes: call @k.ranks(launch, ...)
#include "target/cpu/ranks/two_forms.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "plan/plan_abi.h"
#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

StringRef textOf(const Function& function, const char* attribute) {
  return function.getFnAttribute(attribute).getValueAsString();
}

void chooseAt(CallInst& call, Function& alone) {
  IRBuilder<> builder(&call);
  Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), call.getArgOperand(0), offsetof(bsgp_launch, form));
  Value* form = builder.CreateLoad(builder.getInt32Ty(), place, "form");
  Value* chosen = builder.CreateICmpEQ(form, builder.getInt32(BSGP_FORM_ALONE));
  Instruction *one_by_one, *lanes;
  SplitBlockAndInsertIfThenElse(chosen, &call, &one_by_one, &lanes);
  auto* other = cast<CallInst>(call.clone());
  other->setCalledFunction(&alone);
  other->insertBefore(one_by_one);
  call.moveBefore(lanes);
}

void joinForm(Function& alone) {
  Function* lanes = alone.getParent()->getFunction(textOf(alone, kAloneAttribute));
  BSGP_CHECK(lanes, "%s is a form of no function", alone.getName().str().c_str());
  SmallVector<CallInst*, 2> calls;
  for (User* user : lanes->users())
    calls.push_back(cast<CallInst>(user));
  for (CallInst* call : calls)
    chooseAt(*call, alone);
}

} // namespace

GlobalVariable* addForms(Module& module, const std::string& kernel) {
  auto* type = ArrayType::get(Type::getInt64Ty(module.getContext()), sizeof(bsgp_forms) / sizeof(uint64_t));
  return new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                            ConstantAggregateZero::get(type), kernel + ".forms");
}

GlobalVariable* formsOf(Module& module, const std::string& kernel) {
  return module.getNamedGlobal(kernel + ".forms");
}

Function& copyAlone(Function& ranks) {
  ValueToValueMapTy copies;
  Function* alone = CloneFunction(&ranks, copies);
  alone->setName(ranks.getName() + ".alone");
  alone->addFnAttr(kAloneAttribute, ranks.getName());
  return *alone;
}

FormNames joinForms(Module& module) {
  FormNames kept;
  for (Function& function : module)
    if (function.hasFnAttribute(kAloneAttribute) && !function.isDeclaration()) {
      kept.insert(textOf(function, kFormsAttribute));
      joinForm(function);
    }
  return kept;
}

void dropForms(Module& module, const FormNames& kept) {
  FormNames all;
  for (Function& function : module)
    if (StringRef forms = textOf(function, kFormsAttribute); !forms.empty())
      all.insert(forms);
  for (const auto& name : all)
    if (GlobalVariable* forms = module.getNamedGlobal(name.getKey()); forms && !kept.contains(name.getKey())) {
      forms->replaceAllUsesWith(ConstantPointerNull::get(forms->getType()));
      forms->eraseFromParent();
    }
}

} // namespace bsgp::target
