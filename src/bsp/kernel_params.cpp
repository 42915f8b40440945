#include "bsp/kernel_params.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

namespace bsgp::bsp {

using namespace llvm;

KernelParams::~KernelParams() {
  for (auto& [key, argument] : arguments_) {
    argument->replaceAllUsesWith(PoisonValue::get(argument->getType())); // of a body that was given up
    delete argument;
  }
}

Value* KernelParams::get(plan::Param::Kind kind, uint32_t index, Type* type, std::string name) {
  Argument*& argument = arguments_[{kind, index}];
  if (!argument)
    argument = new Argument(type, name);
  return argument;
}

Function* KernelParams::addTo(Function* body, std::vector<plan::Param>& params) {
  SmallVector<Type*, 16> types;
  for (auto& [key, argument] : arguments_)
    types.push_back(argument->getType());
  auto* type = FunctionType::get(Type::getVoidTy(body->getContext()), types, false);
  auto* kernel = Function::Create(type, body->getLinkage(), body->getAddressSpace(), "", body->getParent());
  kernel->setAttributes(body->getAttributes());
  kernel->takeName(body);
  kernel->splice(kernel->end(), body);
  unsigned position = 0;
  for (auto& [key, placeholder] : arguments_) {
    Argument* argument = kernel->getArg(position++);
    params.push_back({key.first, key.second});
    argument->takeName(placeholder);
    placeholder->replaceAllUsesWith(argument);
    if (key.first == plan::Param::Stream)
      argument->addAttr(Attribute::NoAlias);
  }
  body->eraseFromParent();
  return kernel;
}

} // namespace bsgp::bsp
