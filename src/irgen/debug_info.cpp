#include "irgen/debug_info.h"

#include <filesystem>

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>

namespace bsgp::irgen {

using namespace llvm;

namespace {

StringRef toRef(std::string_view text) {
  return {text.data(), text.size()};
}

} // namespace

DebugInfo::DebugInfo(Module& module, const SourceManager& sources, SourcePos main_position)
    : context_(module.getContext()), sources_(sources), builder_(module) {
  unit_ =
      builder_.createCompileUnit(dwarf::DW_LANG_C99, fileOf(main_position), "bsgpc", /*isOptimized=*/true, "", 0, "",
                                 DICompileUnit::FullDebug, 0, true, false, DICompileUnit::DebugNameTableKind::None);
  module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  module.addModuleFlag(Module::Max, "Dwarf Version", 5);
}

// Files of the library are part of the compiler: a debugger shows their names and lines without a text.
DIFile* DebugInfo::fileOf(SourcePos position) {
  std::string_view name = position ? sources_.name(position) : "";
  DIFile*& known = files_[toRef(name)];
  std::error_code ignored;
  if (!known)
    known = builder_.createFile(toRef(name), std::filesystem::current_path(ignored).string());
  return known;
}

DISubprogram* DebugInfo::newFunction(std::string_view name, SourcePos at) {
  uint32_t line = at ? sources_.at(at).line : 0;
  DISubroutineType* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  return builder_.createFunction(unit_, toRef(name), "", fileOf(at), line, type, line, DINode::FlagZero,
                                 DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized |
                                     DISubprogram::SPFlagLocalToUnit);
}

DISubprogram* DebugInfo::inlined(const Function* function) {
  DISubprogram*& known = inlined_[function];
  if (!known)
    known = newFunction(function->name, function->range.begin);
  return known;
}

DISubprogram* DebugInfo::inlinedLibrary(SourceRange call, SourcePos body) {
  DISubprogram*& known = inlined_library_[call.begin];
  if (!known) {
    StringRef text = toRef(sources_.text(call));
    known = newFunction(text.take_while([](char c) { return isAlnum(c) || c == '_' || c == '.'; }), body);
  }
  return known;
}

DIType* DebugInfo::typeOf(const Type* type) {
  if (auto known = types_.find(type); known != types_.end())
    return cast<DIType>(known->second.get());
  DIType* made = makeType(type);
  types_[type].reset(made);
  return made;
}

DIType* DebugInfo::makeType(const Type* type) {
  switch (type->kind) {
  case TypeKind::Bool:
    return builder_.createBasicType("bool", 8, dwarf::DW_ATE_boolean);
  case TypeKind::Int: {
    bool is_character = type->bits == 8;
    unsigned encoding = is_character ? (type->is_signed ? dwarf::DW_ATE_signed_char : dwarf::DW_ATE_unsigned_char)
                                     : (type->is_signed ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
    return builder_.createBasicType(typeName(type), type->bits, encoding);
  }
  case TypeKind::Float:
    return builder_.createBasicType(typeName(type), type->bits, dwarf::DW_ATE_float);
  case TypeKind::Pointer:
    return pointerTo(type->element->isVoid() ? nullptr : typeOf(type->element));
  case TypeKind::Vector:
    return vectorOf(type);
  case TypeKind::Struct:
    return structOf(type);
  case TypeKind::Array:
    return arrayOf(type);
  case TypeKind::DList:
    return listOf(type);
  default:
    return builder_.createUnspecifiedType("unknown");
  }
}

DIType* DebugInfo::member(std::string_view name, uint64_t bits, uint32_t align_bits, uint64_t offset_bits,
                          DIType* type) {
  DIFile* file = unit_->getFile();
  return builder_.createMemberType(file, toRef(name), file, 0, bits, align_bits, offset_bits, DINode::FlagZero, type);
}

// A struct may reach itself through a pointer: its node is known before its fields are, and is distinct.
DIType* DebugInfo::structOf(const Type* type) {
  DIFile* file = unit_->getFile();
  DICompositeType* made =
      builder_.createReplaceableCompositeType(dwarf::DW_TAG_structure_type, typeName(type), file, file, 0, 0,
                                              uint64_t(type->size) * 8, type->align * 8, DINode::FlagZero);
  types_[type].reset(made);
  SmallVector<Metadata*> fields;
  for (const StructField& field : type->structure->fields)
    fields.push_back(member(field.name, uint64_t(field.type->size) * 8, field.type->align * 8,
                            uint64_t(field.offset) * 8, typeOf(field.type)));
  builder_.replaceArrays(made, builder_.getOrCreateArray(fields));
  return MDNode::replaceWithDistinct(TempDICompositeType(made));
}

// The handle as plan_abi.h lays it out: data, n, capacity.
DIType* DebugInfo::listOf(const Type* type) {
  DIType* count = builder_.createBasicType("long", 64, dwarf::DW_ATE_signed);
  DIType* parts[] = {pointerTo(typeOf(type->element)), count, count};
  const char* names[] = {"data", "n", "capacity"};
  SmallVector<Metadata*> fields;
  for (unsigned i = 0; i < std::size(parts); ++i)
    fields.push_back(member(names[i], 64, 64, uint64_t(i) * 64, parts[i]));
  return builder_.createStructType(unit_->getFile(), typeName(type), unit_->getFile(), 0, 192, 64, DINode::FlagZero,
                                   nullptr, builder_.getOrCreateArray(fields));
}

DIType* DebugInfo::vectorOf(const Type* type) {
  static constexpr const char* kNames[] = {"x", "y", "z", "w"};
  SmallVector<Metadata*> fields;
  uint64_t bits = uint64_t(type->element->size) * 8;
  for (unsigned i = 0; i < type->count; ++i)
    fields.push_back(member(kNames[i], bits, static_cast<uint32_t>(bits), i * bits, typeOf(type->element)));
  return builder_.createStructType(unit_->getFile(), typeName(type), unit_->getFile(), 0, uint64_t(type->size) * 8,
                                   type->align * 8, DINode::FlagZero, nullptr, builder_.getOrCreateArray(fields));
}

DIType* DebugInfo::arrayOf(const Type* type) {
  Metadata* extent = builder_.getOrCreateSubrange(0, static_cast<int64_t>(type->count));
  return builder_.createArrayType(uint64_t(type->size) * 8, type->align * 8, typeOf(type->element),
                                  builder_.getOrCreateArray({extent}));
}

void DebugInfo::declare(const Variable& variable, Value* address, uint64_t offset, bool indirect, unsigned parameter,
                        DISubprogram* scope, BasicBlock* block) {
  if (!scope || variable.name.empty() || !variable.range.valid() || sources_.ofLibrary(variable.range) ||
      variable.is_kept)
    return;
  uint32_t line = sources_.at(variable.range.begin).line;
  DIFile* file = fileOf(variable.range.begin);
  DILocalVariable* made =
      parameter ? builder_.createParameterVariable(scope, toRef(variable.name), parameter, file, line,
                                                   typeOf(variable.type), /*AlwaysPreserve=*/true)
                : builder_.createAutoVariable(scope, toRef(variable.name), file, line, typeOf(variable.type),
                                              /*AlwaysPreserve=*/true);
  SmallVector<uint64_t, 4> path;
  if (offset)
    path.append({dwarf::DW_OP_plus_uconst, offset});
  if (indirect)
    path.push_back(dwarf::DW_OP_deref);
  builder_.insertDeclare(address, made, builder_.createExpression(path),
                         DILocation::get(context_, variable.range.begin, 1, scope), block);
}

} // namespace bsgp::irgen
