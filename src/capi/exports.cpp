#include "capi/exports.h"

#include "irgen/irgen.h"
#include "target/common/out_of_memory.h"

namespace bsgp::capi {

void Exports::setTypes() {
  types_.resize(interface_.types.size());
  fields_.resize(types_.size());
  for (size_t i = 0; i < types_.size(); ++i) {
    const compile::TypeFacts& facts = interface_.types[i];
    for (const compile::FieldFacts& field : facts.fields)
      fields_[i].push_back({field.name.c_str(), &types_[field.type], field.offset});
    types_[i] = {.kind = bsgp_type_kind(facts.kind),
                 .dtype = facts.dtype,
                 .text = facts.text.c_str(),
                 .size = facts.size,
                 .align = facts.align,
                 .count = facts.count,
                 .on_device = facts.on_device,
                 .is_const = facts.is_const,
                 .element = facts.element < 0 ? nullptr : &types_[size_t(facts.element)],
                 .fields = fields_[i].data(),
                 .field_count = uint32_t(fields_[i].size())};
  }
}

void Exports::set(compile::Interface interface) {
  interface_ = std::move(interface);
  setTypes();
  for (const compile::ExportFacts& facts : interface_.exports) {
    std::vector<bsgp_parameter>& parameters = parameters_.emplace_back();
    for (const compile::ParameterFacts& param : facts.parameters)
      parameters.push_back({param.name.c_str(), &types_[param.type], param.by_reference, param.is_const});
    exports_.push_back({.name = facts.name.c_str(),
                        .text = facts.text.c_str(),
                        .file = facts.file.c_str(),
                        .line = facts.line,
                        .parameter_count = uint32_t(parameters.size()),
                        .parameters = parameters.data(),
                        .result = &types_[facts.result],
                        .address = nullptr,
                        .apply = nullptr});
  }
}

Result<const bsgp_export*> Exports::at(uint32_t number, target::Jit& code) {
  std::lock_guard lock(mutex_);
  bsgp_export& found = exports_[number];
  if (found.address)
    return &found;
  target::InLlvm in_llvm;
  const std::string& symbol = interface_.exports[number].symbol;
  Result<void*> address = code.lookup(symbol), apply = code.lookup(irgen::applySymbolOf(symbol));
  if (!address || !apply)
    return address ? apply.error() : address.error();
  found.apply = reinterpret_cast<bsgp_status (*)(bsgp_context*, void* const*)>(*apply);
  found.address = *address;
  return &found;
}

} // namespace bsgp::capi
