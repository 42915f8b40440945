// Values that a struct gives its fields, as in struct S { int n = 1; }: those of a variable that is given none, of `{}`
// and S(), and of memory of `new`. Constants, whose names mean what they mean where the struct stands.
#include <algorithm>

#include "sema/checker.h"

namespace bsgp::sema {

void Sema::keepFieldValues(const Type* type, std::span<const ast::Declarator> list) {
  if (std::none_of(list.begin(), list.end(), [](const ast::Declarator& d) { return d.init; }))
    return;
  with_values_.push_back(type);
  for (const ast::Declarator& d : list)
    field_values_[type].push_back({d.init});
}

bool Sema::givesValues(const Type* type) const {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct() || field_values_.count(type))
    return type->isStruct();
  const auto& fields = type->structure->fields;
  return std::any_of(fields.begin(), fields.end(), [&](const StructField& field) { return givesValues(field.type); });
}

const Expr* Sema::fieldValue(const Type* structure, size_t field) {
  auto found = field_values_.find(structure);
  if (found == field_values_.end() || !found->second[field].written)
    return nullptr;
  FieldValue& given = found->second[field];
  if (given.checked)
    return given.value; // null also inside of itself
  given.checked = true;
  const Type* type = structure->structure->fields[field].type;
  if (type->isError())
    return nullptr;
  const Expr* value = globalInitializer(given.written, type);
  std::vector<ConstValue> numbers;
  if (value->type->isError())
    return nullptr;
  if (type->holds_lists || !constantLeaves(value, type, numbers)) {
    diag.report(Diag::not_constant, given.written->range, "the value of a field");
    return nullptr;
  }
  return given.value = value;
}

void Sema::checkFieldValues() {
  for (size_t i = 0; i < with_values_.size(); ++i)
    for (size_t field = 0; field < with_values_[i]->structure->fields.size(); ++field)
      fieldValue(with_values_[i], field);
}

// What `new` gives, with the values of its struct in it.
Expr* Body::withValues(Expr* memory) {
  const Type* element = memory->type->element;
  if (memory->builtin != Builtin::New || !sema_.givesValues(element))
    return memory;
  Expr* first = keptLocal("count", memory->a);
  Variable* count = first->a->variable;
  memory->a = useVariable(count, memory->range);
  Expr* filled = callOfLibrary(
      "__with_values", {memory, useVariable(count, memory->range), zero(element, memory->range)}, memory->range);
  return behind({first}, filled);
}

} // namespace bsgp::sema
