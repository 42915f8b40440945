//   call @k.ranks(launch, ...)   =>   br (launch->form == BSGP_FORM_ALONE), alone, others
//                                     alone:  call @k.ranks.alone(launch, ...)
//                                     others: the same for wavefronts, else call @k.ranks(launch, ...)
#include "target/cpu/ranks/two_forms.h"

#include <cstddef>

#include <llvm/ADT/StringSet.h>
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

void chooseAt(CallInst& call, Function& other_form, bsgp_form number) {
  IRBuilder<> builder(&call);
  Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), call.getArgOperand(0), offsetof(bsgp_launch, form));
  Value* form = builder.CreateLoad(builder.getInt32Ty(), place, "form");
  Instruction *other, *rest;
  SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(form, builder.getInt32(number)), &call, &other, &rest);
  auto* copy = cast<CallInst>(call.clone());
  copy->setCalledFunction(&other_form);
  copy->insertBefore(other);
  call.moveBefore(rest);
}

void joinForm(Function& form, const char* attribute, bsgp_form number) {
  Function* lanes = form.getParent()->getFunction(textOf(form, attribute));
  BSGP_CHECK(lanes, "%s is a form of no function", form.getName().str().c_str());
  SmallVector<CallInst*, 2> calls;
  for (User* user : lanes->users())
    calls.push_back(cast<CallInst>(user));
  for (CallInst* call : calls)
    chooseAt(*call, form, number);
}

Function& copyAs(Function& ranks, const char* attribute, const char* suffix) {
  ValueToValueMapTy copies;
  Function* copy = CloneFunction(&ranks, copies);
  copy->setName(ranks.getName() + suffix);
  copy->addFnAttr(attribute, ranks.getName());
  return *copy;
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
  return copyAs(ranks, kAloneAttribute, ".alone");
}

Function& copyWavefront(Function& ranks) {
  return copyAs(ranks, kWavefrontAttribute, ".wavefront");
}

FormsMade joinForms(Module& module) {
  FormsMade made;
  for (Function& function : make_early_inc_range(module))
    if (function.hasFnAttribute(kDroppedAttribute))
      function.eraseFromParent();
  for (auto [attribute, number] :
       {std::pair(kAloneAttribute, BSGP_FORM_ALONE), std::pair(kWavefrontAttribute, BSGP_FORM_WAVEFRONT)})
    for (Function& function : module)
      if (function.hasFnAttribute(attribute) && !function.isDeclaration()) {
        made[textOf(function, kFormsAttribute)] |= 1u << BSGP_FORM_LANES | 1u << number;
        joinForm(function, attribute, number);
      }
  return made;
}

// In the first of several parts the functions of other parts may not even be declared.
void finishForms(Module& module, const FormsMade& made) {
  for (const auto& form : made) {
    GlobalVariable* forms = module.getNamedGlobal(form.getKey());
    if (!forms)
      continue;
    std::vector<uint64_t> words(cast<ArrayType>(forms->getValueType())->getNumElements());
    words[offsetof(bsgp_forms, made) / sizeof(uint64_t)] = form.getValue();
    forms->setInitializer(ConstantDataArray::get(module.getContext(), words));
  }
  StringSet<> all;
  for (Function& function : module)
    if (StringRef forms = textOf(function, kFormsAttribute); !forms.empty())
      all.insert(forms);
  for (const auto& name : all)
    if (GlobalVariable* forms = module.getNamedGlobal(name.getKey()); forms && !made.contains(name.getKey())) {
      forms->replaceAllUsesWith(ConstantPointerNull::get(forms->getType()));
      forms->eraseFromParent();
    }
}

} // namespace bsgp::target
