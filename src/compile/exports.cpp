#include "compile/exports.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace bsgp::compile {

namespace {

// The first type inside `type`, itself included, that C cannot say; null: there is none.
const Type* unspeakable(const Type* type, std::set<const Type*>& seen) {
  if (!type || !seen.insert(type).second)
    return nullptr;
  if (type->isDList())
    return type;
  if (!type->isStruct())
    return unspeakable(type->element, seen);
  if (type->structure->fields.empty())
    return type;
  for (const StructField& field : type->structure->fields)
    if (const Type* found = unspeakable(field.type, seen))
      return found;
  return nullptr;
}

void checkType(const Function& function, const Type* type, const std::string& what, SourceRange range,
               Diagnostics& diagnostics) {
  std::set<const Type*> seen;
  const Type* found = unspeakable(type, seen);
  if (found && found->isDList())
    diagnostics.report(Diag::export_dlist, range, function.name, what);
  else if (found)
    diagnostics.report(Diag::export_empty_struct, range, function.name, typeName(found));
}

// A tree that another front end made may have any names.
bool isNameInC(std::string_view name) {
  auto fits = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && std::ranges::all_of(name, fits) && !(name[0] >= '0' && name[0] <= '9');
}

void checkNames(const Function& function, Diagnostics& diagnostics) {
  auto check = [&](std::string_view name, SourceRange range) {
    if (!isNameInC(name))
      diagnostics.report(Diag::front_end, range,
                         fmt::format("'{}' is exported, and '{}' is no name in C", function.name, name),
                         "use letters, digits and '_', with no digit in front");
  };
  check(function.name, function.range);
  for (const Variable* param : function.params)
    check(param->name, param->range);
}

void checkName(const Function& function, std::map<std::string, const Function*>& known, Diagnostics& diagnostics) {
  if (function.name.starts_with("bsgp_"))
    diagnostics.report(Diag::export_reserved, function.range, function.name);
  else if (auto [first, fresh] = known.emplace(function.symbol, &function); !fresh) {
    diagnostics.report(Diag::export_twice, function.range, function.name);
    diagnostics.report(Diag::note_declared, first->second->range, function.name);
  }
}

} // namespace

bool checkExports(const Program& program, Diagnostics& diagnostics) {
  unsigned before = diagnostics.errors();
  std::map<std::string, const Function*> known;
  for (const Function* function : program.functions) {
    if (!function->is_export)
      continue;
    checkNames(*function, diagnostics);
    checkName(*function, known, diagnostics);
    for (const Variable* param : function->params) {
      if (param->type->isFloat() && param->type->bits == 16 && !param->by_reference)
        diagnostics.report(Diag::export_half, param->range, function->name,
                           fmt::format("the parameter '{}'", param->name));
      checkType(*function, param->type, fmt::format("the parameter '{}'", param->name), param->range, diagnostics);
    }
    checkType(*function, function->result, "the result", function->range, diagnostics);
  }
  return diagnostics.errors() == before;
}

} // namespace bsgp::compile
