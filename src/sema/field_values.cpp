#include "sema/field_values.h"

#include <algorithm>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/declare.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/views.h"

namespace bsgp::sema {

void keepFieldValues(Sema& sema, const Type* type, std::span<const ast::Declarator> list) {
  if (std::none_of(list.begin(), list.end(), [](const ast::Declarator& d) { return d.init; }))
    return;
  sema.structs.with_values.push_back(type);
  for (const ast::Declarator& d : list)
    sema.structs.field_values[type].push_back({d.init});
}

bool givesValues(const Sema& sema, const Type* type) {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct() || sema.structs.field_values.count(type))
    return type->isStruct();
  const auto& fields = type->structure->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&](const StructField& field) { return givesValues(sema, field.type); });
}

const Expr* fieldValue(Sema& sema, const Type* structure, size_t field) {
  auto found = sema.structs.field_values.find(structure);
  if (found == sema.structs.field_values.end() || !found->second[field].written)
    return nullptr;
  Structs::FieldValue& given = found->second[field];
  if (given.checked)
    return given.value; // also null during its own evaluation
  given.checked = true;
  const Type* type = structure->structure->fields[field].type;
  if (type->isError())
    return nullptr;
  const Expr* value = globalInitializer(sema, given.written, type);
  std::vector<ConstValue> numbers;
  if (value->type->isError())
    return nullptr;
  if (type->holds_lists || !constantLeaves(sema, value, type, numbers)) {
    sema.diag.report(Diag::not_constant, given.written->range, "the value of a field");
    return nullptr;
  }
  return given.value = value;
}

void checkFieldValues(Sema& sema) {
  for (size_t i = 0; i < sema.structs.with_values.size(); ++i)
    for (size_t field = 0; field < sema.structs.with_values[i]->structure->fields.size(); ++field)
      fieldValue(sema, sema.structs.with_values[i], field);
}

// Fills the memory that `new` gives with the values of its struct's fields.
Expr* withValues(Body& body, Expr* memory) {
  const Type* element = memory->type->element;
  if (memory->builtin != Builtin::New || !givesValues(body.sema, element))
    return memory;
  Expr* first = keptLocal(body, "count", memory->a);
  Variable* count = first->a->variable;
  memory->a = useVariable(body, count, memory->range);
  Expr* filled = callOfLibrary(body, "__with_values",
                               {memory, useVariable(body, count, memory->range), zero(body, element, memory->range)},
                               memory->range);
  return behind(body, {first}, filled);
}

} // namespace bsgp::sema
