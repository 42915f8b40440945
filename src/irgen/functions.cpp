// Declarations: the signatures of host functions and of C functions.
#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "irgen/module_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

// Scalars go by value, values with parts by the address of a copy, dlists and references by their own address.
Passing passingOf(const Variable* param) {
  const Type* type = param->type;
  if (param->by_reference || type->isDList())
    return Passing::Address;
  return type->isVector() || type->isStruct() || type->isArray() ? Passing::Copy : Passing::Value;
}

llvm::Type* ModuleEmitter::argumentType(const Variable* param) {
  return passingOf(param) == Passing::Value ? types.value(param->type) : pointer();
}

// Unique in the module; the prefix keeps the names of sema's functions away from those of C.
std::string nameOf(const Function* function) {
  std::string_view symbol = function->symbol;
  if (symbol.starts_with("fn."))
    symbol.remove_prefix(3);
  return std::string(symbol);
}

// A C compiler extends types narrower than int; both sides must agree on it.
std::optional<llvm::Attribute::AttrKind> extensionOf(const Type* type) {
  if (!type->isBool() && (!type->isInt() || type->bits >= 32))
    return std::nullopt;
  return isSigned(type) ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
}

llvm::Function* ModuleEmitter::hostFunction(const Function* function) {
  llvm::Function*& known = functions_[function];
  if (known)
    return known;
  llvm::SmallVector<llvm::Type*> arguments{pointer()};
  for (const Variable* param : function->params)
    arguments.push_back(argumentType(param));
  arguments.push_back(pointer());
  known = llvm::Function::Create(llvm::FunctionType::get(int32(), arguments, false), llvm::GlobalValue::InternalLinkage,
                                 nameOf(function) + ".host", module);
  known->setDoesNotThrow();
  known->getArg(0)->setName("call");
  for (size_t i = 0; i < function->params.size(); ++i)
    known->getArg(static_cast<unsigned>(i + 1))->setName(std::string(function->params[i]->name));
  known->getArg(static_cast<unsigned>(arguments.size() - 1))->setName("result");
  return known;
}

// As a C compiler would declare it. Functions of the program's own names win: an extern may be one of ours, exported.
llvm::Function* ModuleEmitter::externFunction(const Function* function) {
  llvm::Function*& known = functions_[function];
  if (known)
    return known;
  llvm::SmallVector<llvm::Type*> arguments;
  auto plain = [&](const Type* type) -> llvm::Type* {
    return type->isPointer() ? static_cast<llvm::Type*>(pointer()) : types.value(type);
  };
  for (const Variable* param : function->params)
    arguments.push_back(plain(param->type));
  llvm::Type* result = function->result->isVoid() ? llvm::Type::getVoidTy(context) : plain(function->result);
  auto* type = llvm::FunctionType::get(result, arguments, function->is_variadic);
  std::string name = function->symbol.empty() ? std::string(function->name) : function->symbol;
  if (llvm::Function* other = module.getFunction(name); other && other->getFunctionType() == type)
    return known = other;
  known = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  for (size_t i = 0; i < function->params.size(); ++i)
    if (auto extension = extensionOf(function->params[i]->type))
      known->addParamAttr(static_cast<unsigned>(i), *extension);
  if (auto extension = extensionOf(function->result))
    known->addRetAttr(*extension);
  return known;
}

void ModuleEmitter::verify(llvm::Function& function) {
  std::string message;
  llvm::raw_string_ostream out(message);
  if (!options.verify || !llvm::verifyFunction(function, &out))
    return;
  function.print(llvm::errs());
  BSGP_CHECK(false, "irgen made a function that is not valid: %s: %s", function.getName().str().c_str(),
             message.c_str());
}

} // namespace bsgp::irgen
