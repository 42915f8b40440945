#include "compile/interface.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bsgp/bsgp.h"

namespace bsgp::compile {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldFacts, name, type, offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TypeFacts, kind, dtype, text, size, align, count, on_device, is_const, element,
                                   fields)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterFacts, name, type, by_reference, is_const)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportFacts, name, symbol, file, text, line, result, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interface, types, exports)

namespace {

int32_t dtypeOf(const Type* scalar) {
  if (scalar->isBool())
    return BSGP_BOOL;
  switch (scalar->bits) {
  case 8:
    return scalar->is_signed ? BSGP_INT8 : BSGP_UINT8;
  case 16:
    return scalar->isFloat() ? BSGP_FLOAT16 : scalar->is_signed ? BSGP_INT16 : BSGP_UINT16;
  case 32:
    return scalar->isFloat() ? BSGP_FLOAT32 : scalar->is_signed ? BSGP_INT32 : BSGP_UINT32;
  default:
    return scalar->isFloat() ? BSGP_FLOAT64 : scalar->is_signed ? BSGP_INT64 : BSGP_UINT64;
  }
}

bsgp_type_kind kindOf(const Type* type) {
  if (type->isView())
    return BSGP_TYPE_VIEW;
  switch (type->kind) {
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::Float:
    return BSGP_TYPE_SCALAR;
  case TypeKind::Vector:
    return BSGP_TYPE_VECTOR;
  case TypeKind::Struct:
    return BSGP_TYPE_STRUCT;
  case TypeKind::Array:
    return BSGP_TYPE_ARRAY;
  case TypeKind::Pointer:
    return BSGP_TYPE_POINTER;
  default:
    return BSGP_TYPE_VOID;
  }
}

class Types {
public:
  explicit Types(std::vector<TypeFacts>& facts) : facts_(facts) {}

  // A struct may lead to itself, so a type has its place before its parts are looked at.
  uint32_t indexOf(const Type* type) {
    auto [known, fresh] = places_.emplace(type, uint32_t(facts_.size()));
    if (!fresh)
      return known->second;
    uint32_t place = known->second;
    facts_.emplace_back();
    TypeFacts made = factsOf(type);
    facts_[place] = std::move(made);
    return place;
  }

private:
  TypeFacts factsOf(const Type* type) {
    TypeFacts made;
    made.kind = kindOf(type);
    made.text = typeName(type);
    made.size = type->size;
    made.align = type->align;
    made.count = type->count;
    made.is_const = type->to_const;
    made.on_device = type->space && spaceOf(type) == Space::Device;
    if (type->isScalar())
      made.dtype = dtypeOf(type);
    if (type->element)
      made.element = int32_t(indexOf(type->element));
    if (type->isStruct())
      for (const StructField& field : type->structure->fields)
        made.fields.push_back({std::string(field.name), indexOf(field.type), field.offset});
    return made;
  }

  std::vector<TypeFacts>& facts_;
  std::map<const Type*, uint32_t> places_;
};

ExportFacts exportOf(const Function& function, const SourceManager& sources, Types& types) {
  LineColumn at = sources.at(function.range.begin);
  ExportFacts made{.name = std::string(function.name),
                   .symbol = function.symbol,
                   .file = std::string(at.file),
                   .text = signatureOf(function),
                   .line = at.line,
                   .result = types.indexOf(function.result),
                   .parameters = {}};
  for (const Variable* param : function.params)
    made.parameters.push_back(
        {std::string(param->name), types.indexOf(param->type), param->by_reference, param->is_const});
  return made;
}

} // namespace

Interface interfaceOf(const Program& program, const SourceManager& sources) {
  Interface made;
  Types types(made.types);
  for (const Function* function : program.functions)
    if (function->is_export)
      made.exports.push_back(exportOf(*function, sources, types));
  return made;
}

std::string signatureOf(const Function& f) {
  std::string params;
  for (const Variable* param : f.params) {
    std::string type = (param->by_reference && param->is_const ? "const " : "") + typeName(param->type);
    params += fmt::format("{}{}{} {}", params.empty() ? "" : ", ", type, param->by_reference ? "&" : "", param->name);
  }
  return fmt::format("{} {}({})", typeName(f.result), f.name, params);
}

std::string entryOf(const Interface& interface) {
  std::string text;
  nlohmann::json::to_cbor(nlohmann::json(interface), text);
  return text;
}

Interface interfaceOf(std::string_view entry) {
  return nlohmann::json::from_cbor(entry).get<Interface>();
}

} // namespace bsgp::compile
