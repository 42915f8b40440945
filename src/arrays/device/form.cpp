#include "arrays/device/form.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace bsgp::arrays {

namespace {

bool isOfMember(const Field& field, Field::Kind kind, bsgp_dtype type) {
  return field.kind == kind && field.type == type;
}

int32_t add(Fields& to, Field::Kind kind, bsgp_dtype type, uint64_t bits) {
  auto last = std::find_if(to.rbegin(), to.rend(), [&](const Field& field) { return isOfMember(field, kind, type); });
  to.push_back({kind, type, last == to.rend() ? 0 : last->place + 1, bits});
  return int32_t(to.size() - 1);
}
int32_t number(Fields& to, int64_t value) {
  return add(to, Field::Number, BSGP_INT64, uint64_t(value));
}
int32_t pointer(Fields& to, const char* address, bsgp_dtype type) {
  return add(to, Field::Pointer, type, reinterpret_cast<uintptr_t>(address));
}

size_t sizeOf(Field::Kind kind, bsgp_dtype type) {
  return kind == Field::Value ? info(type).bytes : 8;
}

MapForm mapOf(const Map& map, Fields& fields, std::optional<int64_t> factor = {}) {
  MapForm form{map.axis, {}, -1};
  for (const Step& step : map.steps)
    form.steps.push_back({step.kind, number(fields, step.a), step.kind == Step::Affine ? number(fields, step.b) : -1});
  if (factor)
    form.factor = number(fields, *factor);
  return form;
}

LoadForm loadOf(const Address& address, const char* array, const Shape& places, bsgp_dtype type, bool by_place,
                Fields& fields) {
  int64_t bytes = info(type).bytes;
  LoadForm form;
  form.type = type, form.base = pointer(fields, array + address.offset, type);
  form.is_contiguous = by_place && address.is_contiguous;
  for (int32_t axis = 0; axis < places.rank && !form.is_contiguous; ++axis)
    if (address.strides[axis] != 0)
      form.parts.push_back(mapOf({axis, {}}, fields, address.strides[axis] / bytes));
  for (const Bent& bent : address.bent)
    form.parts.push_back(mapOf({bent.axis, bent.steps}, fields, bent.stride / bytes));
  return form;
}

// The fold of one value is the value.
OutputForm outputOf(const Output& output, const char* to, bool folds, Fields& fields) {
  bsgp_dtype type = output.node->type;
  return {output.value, pointer(fields, to, type), type, folds, folds ? info(output.node->fold).combines : BSGP_OP_ADD};
}

std::string text(const MapForm& map) {
  constexpr const char* kSteps[] = {"affine", "clamp", "wrap", "divide"};
  std::string all = map.axis < 0 ? "0" : fmt::format("axis {}", map.axis);
  for (const StepForm& step : map.steps)
    all += fmt::format(" {}", kSteps[step.kind]);
  return all;
}

std::string text(const std::vector<MapForm>& maps) {
  std::string all;
  for (const MapForm& map : maps)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", text(map));
  return all;
}

std::string text(const LoadForm& load) {
  return fmt::format("array of {} at {}", info(load.type).name,
                     load.is_contiguous ? "the place" : "[" + text(load.parts) + "]");
}

std::string text(const Form& form, const Instruction& made) {
  auto operands = [&] {
    std::string all;
    for (int i = 0; i < 3 && made.operands[i] >= 0; ++i)
      all += fmt::format(" v{}", made.operands[i]);
    return all;
  };
  switch (made.kind) {
  case Instruction::Load:
    return fmt::format("load {}: {}", made.index, text(form.loads[made.index]));
  case Instruction::Constant:
    return "number";
  case Instruction::Coordinate:
    return "index " + text(form.maps[made.index]);
  case Instruction::Inside:
    return fmt::format("inside [{}]", text(form.insides[made.index]));
  case Instruction::Apply:
    return fmt::format("{} of {}{}", info(made.operation).name, info(made.from).name, operands());
  case Instruction::Cast:
    return fmt::format("astype of {}{}", info(made.from).name, operands());
  case Instruction::Gather:
    return fmt::format("gather{} from load {}: {}", operands(), made.index, text(form.loads[made.index]));
  }
  return "";
}

} // namespace

std::string Member::name() const {
  constexpr const char* kKinds[] = {"numbers", "pointers", "values"};
  return fmt::format("{}_{}", kKinds[kind], info(type).name);
}

std::string memberOf(const Field& field) {
  return Member{field.kind, field.type, 0}.name();
}

std::vector<Member> membersOf(const Fields& fields) {
  std::vector<Member> members;
  for (const Field& field : fields) {
    auto member = std::find_if(members.begin(), members.end(),
                               [&](const Member& m) { return isOfMember(field, m.kind, m.type); });
    if (member == members.end())
      members.push_back({field.kind, field.type, 1});
    else
      ++member->count;
  }
  return members;
}

std::vector<char> bytesOf(const Fields& fields) {
  std::vector<char> bytes;
  for (const Member& member : membersOf(fields)) {
    size_t size = sizeOf(member.kind, member.type), first = (bytes.size() + size - 1) / size * size;
    bytes.resize(first + size_t(member.count) * size);
    for (const Field& field : fields)
      if (isOfMember(field, member.kind, member.type))
        std::memcpy(&bytes[first + size_t(field.place) * size], &field.bits, size);
  }
  return bytes;
}

Form formOf(const Kernel& kernel, const Addresses& addresses, Fields& fields) {
  Layout layout = layOut(kernel);
  Form form;
  form.outer = layout.outer, form.reduced = layout.reduced;
  for (int32_t axis = 0; axis < layout.shape.rank; ++axis)
    form.extents.push_back(number(fields, layout.shape[axis]));
  form.is_wide = layout.shape.elements() > INT32_MAX;
  bool by_place = !form.hasThreadsForResults(), folds = kernel.places.reducedElements() > 1;
  for (size_t i = 0; i < kernel.loads.size(); ++i) {
    const Address& address = layout.addresses[i];
    form.loads.push_back(
        loadOf(address, addresses.loads[i], layout.shape, kernel.loads[i].array->type, by_place, fields));
    if (kernel.loads[i].gathered >= 0) {
      form.loads[i].gathered_stride =
          number(fields, address.gathered_stride / int64_t(info(kernel.loads[i].array->type).bytes));
      form.loads[i].gathered_extent = number(fields, address.gathered_extent);
      form.loads[i].is_contiguous = false;
    }
  }
  for (const Coordinate& coordinate : layout.maps)
    form.maps.push_back(mapOf(coordinate.map, fields));
  for (const auto& all : layout.insides) {
    form.insides.emplace_back();
    for (const Coordinate& coordinate : all)
      form.insides.back().push_back(mapOf(coordinate.map, fields, coordinate.extent));
  }
  form.code = kernel.code;
  for (Instruction& made : form.code)
    if (made.kind == Instruction::Constant) {
      made.index = add(fields, Field::Value, made.type, made.constant.words[0]);
      made.constant = {};
    }
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    form.outputs.push_back(
        outputOf(kernel.outputs[i], addresses.outputs[i], kernel.outputs[i].is_fold && folds, fields));
  if (addresses.wrong)
    form.wrong = pointer(fields, addresses.wrong, BSGP_INT64);
  if (form.hasThreadsForResults())
    form.count = number(fields, kernel.places.reducedElements());
  return form;
}

std::string text(const Form& form) {
  std::string all;
  for (size_t i = 0; i < form.code.size(); ++i)
    all += fmt::format("v{} {} = {}\n", i, info(form.code[i].type).name, text(form, form.code[i]));
  for (const OutputForm& output : form.outputs)
    all += output.is_fold ? fmt::format("{} of v{} to array of {}\n", info(output.combines).name, output.value,
                                        info(output.type).name)
                          : fmt::format("v{} to array of {}\n", output.value, info(output.type).name);
  return all + fmt::format("over {} axes, {} and {} reduced{}\n", form.rank(), form.outer, form.reduced,
                           form.is_wide ? ", in 64 bits" : "");
}

} // namespace bsgp::arrays
