// Static data: variables of the program, constant tables, strings, places in the text.
#include "ir/operations.h"
#include "irgen/module_emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

using llvm::GlobalValue;

llvm::Constant* ModuleEmitter::scalarConstant(const Type* scalar, const ConstValue& value) {
  llvm::Type* type = types.value(scalar);
  if (scalar->isFloat())
    return llvm::ConstantFP::get(type, value.floating);
  if (value.text)
    return string(*value.text);
  if (scalar->isPointer() || scalar->kind == TypeKind::Null)
    return llvm::Constant::getNullValue(type);
  uint64_t bits = static_cast<uint64_t>(scalar->isBool() ? value.integer != 0 : value.integer);
  return llvm::ConstantInt::get(context, llvm::APInt(type->getIntegerBitWidth(), bits, true));
}

// Takes as many of `scalars` as the type has; none are given for all zero.
llvm::Constant* ModuleEmitter::initializer(const Type* type, const std::vector<ConstValue>& scalars, size_t& next) {
  llvm::Type* memory = types.memory(type);
  if (scalars.empty())
    return llvm::Constant::getNullValue(memory);
  llvm::SmallVector<llvm::Constant*> parts;
  if (type->isStruct()) {
    auto* layout = llvm::cast<llvm::StructType>(memory);
    bool padded = layout->isPacked();
    uint64_t at = 0;
    for (const StructField& field : type->structure->fields) {
      if (padded && field.offset != at)
        parts.push_back(llvm::Constant::getNullValue(layout->getElementType(parts.size())));
      parts.push_back(initializer(field.type, scalars, next));
      at = field.offset + field.type->size;
    }
    if (parts.size() < layout->getNumElements())
      parts.push_back(llvm::Constant::getNullValue(layout->getElementType(parts.size())));
    return llvm::ConstantStruct::get(layout, parts);
  }
  if (type->isVector() || type->isArray()) {
    for (uint64_t i = 0; i < type->count; ++i)
      parts.push_back(initializer(type->element, scalars, next));
    return llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(memory), parts);
  }
  if (type->isDList())
    return llvm::Constant::getNullValue(memory);
  ConstValue value = next < scalars.size() ? scalars[next] : ConstValue{};
  ++next;
  if (type->isBool())
    return llvm::ConstantInt::get(memory, value.integer != 0);
  return scalarConstant(type, value);
}

// For src/check: the type of its elements, their size, and the place of its declaration.
void ModuleEmitter::noteDeclaration(llvm::GlobalVariable& made, const Variable& variable) {
  if (!options.checked)
    return;
  const Type* element = variable.type;
  while (element->isArray())
    element = element->element;
  auto number = [&](uint64_t value) { return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(int64(), value)); };
  made.setMetadata(ir::kDeclared, llvm::MDNode::get(context, {llvm::MDString::get(context, typeName(element)),
                                                              number(element->size), number(variable.range.begin)}));
}

llvm::GlobalVariable* ModuleEmitter::global(const Variable* variable) {
  llvm::GlobalVariable*& known = globals_[variable];
  if (known)
    return known;
  std::string name = variable->symbol.empty() ? std::string(variable->name) : variable->symbol;
  llvm::Type* type = types.memory(variable->type);
  bool constant = variable->kind == Variable::Constant;
  llvm::Constant* initial = nullptr;
  if (!variable->is_extern) {
    size_t next = 0;
    initial = initializer(variable->type, variable->constants, next);
  }
  known = new llvm::GlobalVariable(module, type, constant,
                                   variable->is_extern ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage,
                                   initial, name);
  known->setAlignment(llvm::Align(std::max(1u, variable->type->align)));
  noteDeclaration(*known, *variable);
  return known;
}

// Aligned for any vector and to a cache line, so that targets may lay them out as they like.
llvm::GlobalVariable* ModuleEmitter::newShared(const Variable& variable) {
  llvm::Type* type = types.memory(variable.type);
  auto* made = new llvm::GlobalVariable(module, type, false, GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
                                        "shared." + std::string(variable.name), nullptr, GlobalValue::NotThreadLocal,
                                        ir::kSharedSpace);
  made->setAlignment(llvm::Align(64));
  if (variable.of_tile)
    made->addAttribute(ir::kOfTile);
  noteDeclaration(*made, variable);
  return made;
}

llvm::Constant* ModuleEmitter::string(std::string_view text) {
  llvm::Constant*& known = strings_[llvm::StringRef(text.data(), text.size())];
  if (known)
    return known;
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(context, llvm::StringRef(text.data(), text.size()));
  auto* made = new llvm::GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes, "string");
  made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  made->setAlignment(llvm::Align(1));
  return known = made;
}

// A bsgp_site of plan_abi.h.
llvm::Constant* ModuleEmitter::site(SourceRange range, std::string_view text) {
  llvm::Constant*& known = sites_[{range.begin, std::string(text)}];
  if (known)
    return known;
  LineColumn at = sources.at(range.begin);
  llvm::Constant* none = llvm::ConstantPointerNull::get(pointer());
  auto number = [&](uint32_t value) { return llvm::ConstantInt::get(int32(), value); };
  llvm::Constant* fields[] = {string(at.file), number(at.line), number(at.column), text.empty() ? none : string(text),
                              number(sources.ofLibrary(range))};
  llvm::Constant* value = llvm::ConstantStruct::getAnon(fields);
  auto* made = new llvm::GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, "site");
  made->setAlignment(llvm::Align(8));
  return known = made;
}

plan::Site ModuleEmitter::planSite(SourceRange range) const {
  LineColumn at = sources.at(range.begin);
  return {std::string(at.file), at.line, at.column, sources.ofLibrary(range)};
}

} // namespace bsgp::irgen
