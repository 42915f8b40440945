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

namespace {

// The parts of an asm in LLVM's terms: operands in its order, with their constraints.
struct Assembly {
  llvm::SmallVector<llvm::Type*> results;
  llvm::SmallVector<llvm::Value*> inputs, tied; // tied ones stand last
  llvm::SmallVector<std::string> constraints, ties;

  std::string constraintText(bool effects) {
    constraints.append(ties);
    if (effects)
      constraints.push_back("~{memory}");
    return llvm::join(constraints, ",");
  }
  llvm::FunctionType* type(llvm::LLVMContext& context) {
    inputs.append(tied);
    llvm::SmallVector<llvm::Type*> types;
    for (llvm::Value* input : inputs)
      types.push_back(input->getType());
    llvm::Type* result = results.empty()       ? llvm::Type::getVoidTy(context)
                         : results.size() == 1 ? results[0]
                                               : llvm::StructType::get(context, results);
    return llvm::FunctionType::get(result, types, false);
  }
};

llvm::Type* registerOf(llvm::Type* type) {
  if (type->isHalfTy())
    return llvm::Type::getInt16Ty(type->getContext());
  return type->isPointerTy() ? llvm::Type::getInt64Ty(type->getContext()) : type;
}

} // namespace

void DeviceEmitter::inlineAssembly(const Expr* e) {
  llvm::SmallVector<llvm::StringRef> written;
  llvm::StringRef(e->c->text).split(written, ',', -1, false);
  llvm::SmallVector<Place> outputs;
  Assembly parts;
  for (unsigned i = 0; i < e->args.size(); ++i) {
    if (i >= e->index) {
      parts.inputs.push_back(toRegister(scalar(e->args[i])));
      parts.constraints.push_back(written[i].str());
      continue;
    }
    outputs.push_back(place(e->args[i]));
    parts.results.push_back(registerOf(m.types.value(e->args[i]->type)));
    parts.constraints.push_back("=" + written[i].drop_front().str());
    if (!written[i].starts_with("+"))
      continue;
    parts.tied.push_back(toRegister(load(outputs.back()).front()));
    parts.ties.push_back(std::to_string(i));
  }
  bool effects = e->value.integer != 0;
  llvm::FunctionType* type = parts.type(m.context);
  std::string constraints = parts.constraintText(effects);
  llvm::CallInst* made = b.CreateCall(llvm::InlineAsm::get(type, e->text, constraints, effects), parts.inputs);
  made->setConvergent();
  made->setDoesNotThrow();
  if (!effects) {
    made->setDoesNotAccessMemory();
    made->addFnAttr(llvm::Attribute::WillReturn);
  }
  for (unsigned i = 0; i < outputs.size(); ++i) {
    llvm::Value* value = outputs.size() == 1 ? static_cast<llvm::Value*>(made) : b.CreateExtractValue(made, i);
    store(outputs[i], {fromRegister(value, m.types.value(e->args[i]->type))});
  }
}

} // namespace bsgp::irgen
