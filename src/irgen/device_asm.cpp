// asm on a GPU: one call of LLVM's inline assembly. An output that is read too ("+r") is an output and an input tied to
// it.
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>

#include "irgen/device_emitter.h"

namespace bsgp::irgen {

// Registers hold a half as its bits, and a pointer as the generic address that instructions without a state space take.
llvm::Value* DeviceEmitter::toRegister(llvm::Value* value) {
  llvm::Type* type = value->getType();
  if (type->isHalfTy())
    return b.CreateBitCast(value, b.getInt16Ty());
  if (!type->isPointerTy())
    return value;
  if (type->getPointerAddressSpace() == ir::kSharedSpace)
    value = b.CreateAddrSpaceCast(value, b.getPtrTy());
  return b.CreatePtrToInt(value, b.getInt64Ty());
}

llvm::Value* DeviceEmitter::fromRegister(llvm::Value* value, llvm::Type* type) {
  if (type->isHalfTy())
    return b.CreateBitCast(value, type);
  if (!type->isPointerTy())
    return value;
  if (type->getPointerAddressSpace() != ir::kSharedSpace)
    return b.CreateIntToPtr(value, type);
  return b.CreateAddrSpaceCast(b.CreateIntToPtr(value, b.getPtrTy()), type);
}

void DeviceEmitter::inlineAssembly(const Expr* e) {
  llvm::SmallVector<llvm::StringRef> written;
  llvm::StringRef(e->c->text).split(written, ',', -1, false);
  llvm::SmallVector<Place> outputs;
  llvm::SmallVector<llvm::Type*> results;
  llvm::SmallVector<llvm::Value*> inputs, tied;
  llvm::SmallVector<std::string> constraints;
  std::string ties;
  for (size_t i = 0; i < e->args.size(); ++i) {
    if (i >= e->index) {
      inputs.push_back(toRegister(scalar(e->args[i])));
      constraints.push_back(written[i].str());
      continue;
    }
    outputs.push_back(place(e->args[i]));
    results.push_back(toRegister(llvm::UndefValue::get(m.types.value(e->args[i]->type)))->getType());
    constraints.push_back("=" + written[i].drop_front().str());
    if (!written[i].starts_with("+"))
      continue;
    tied.push_back(toRegister(load(outputs.back()).front()));
    ties += "," + std::to_string(i);
  }
  inputs.append(tied);
  std::string all = llvm::join(constraints, ",") + ties + (e->value.integer ? ",~{memory}" : "");
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value* input : inputs)
    types.push_back(input->getType());
  llvm::Type* result = results.empty()       ? b.getVoidTy()
                       : results.size() == 1 ? results[0]
                                             : llvm::StructType::get(m.context, results);
  auto* type = llvm::FunctionType::get(result, types, false);
  bool effects = e->value.integer != 0;
  llvm::StringRef constraint_text = llvm::StringRef(all).ltrim(',');
  llvm::CallInst* made = b.CreateCall(llvm::InlineAsm::get(type, e->text, constraint_text, effects), inputs);
  made->setConvergent();
  made->setDoesNotThrow();
  if (!effects) {
    made->setDoesNotAccessMemory();
    made->addFnAttr(llvm::Attribute::WillReturn);
  }
  for (unsigned i = 0; i < outputs.size(); ++i) {
    llvm::Value* value = results.size() == 1 ? static_cast<llvm::Value*>(made) : b.CreateExtractValue(made, i);
    store(outputs[i], {fromRegister(value, m.types.value(e->args[i]->type))});
  }
}

} // namespace bsgp::irgen
