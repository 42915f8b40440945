#include "target/cpu/ranks/blocks_entry.h"

#include <cstddef>

#include <llvm/IR/Module.h>

#include "plan/plan_abi.h"

namespace bsgp::target {

using namespace llvm;

namespace {

Value* launchField(IRBuilder<>& builder, Value* launch, Type* type, size_t offset, const char* name) {
  return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), launch, offset), name);
}

// The argument's bytes stand at the beginning of its slot: integers of every width can be loaded there, and a bool as
// the byte it is stored in.
Value* loadParameter(IRBuilder<>& builder, Value* params, unsigned index, Type* type) {
  Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), params, index);
  if (!type->isIntegerTy(1))
    return builder.CreateAlignedLoad(type, slot, Align(8));
  return builder.CreateIsNotNull(builder.CreateAlignedLoad(builder.getInt8Ty(), slot, Align(8)));
}

} // namespace

BlocksEntry startBlocks(IRBuilder<>& builder, Module& module, ArrayRef<Type*> types, const std::string& name) {
  Type* i64 = builder.getInt64Ty();
  auto* type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), i64, i64}, false);
  BlocksEntry entry;
  entry.function = Function::Create(type, GlobalValue::InternalLinkage, name + ".blocks", module);
  entry.function->setDoesNotThrow();
  const char* names[] = {"launch", "first_block", "end_block"};
  for (Argument& argument : entry.function->args())
    argument.setName(names[argument.getArgNo()]);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", entry.function));
  Value* launch = entry.function->getArg(0);
  entry.size = launchField(builder, launch, i64, offsetof(bsgp_launch, size), "size");
  Value* params = launchField(builder, launch, builder.getPtrTy(), offsetof(bsgp_launch, params), "params");
  for (auto [index, parameter] : enumerate(types))
    entry.parameters.push_back(loadParameter(builder, params, unsigned(index), parameter));
  return entry;
}

} // namespace bsgp::target
