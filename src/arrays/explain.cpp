#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arrays/engine.h"
#include "arrays/whole.h"

namespace bsgp::arrays {

namespace {

std::string nameOf(const Kernel& kernel, const Instruction& made) {
  switch (made.kind) {
  case Instruction::Load:
    return fmt::format("load {} {}", text(kernel.loads[made.index].shape), info(made.type).name);
  case Instruction::Gather:
    return fmt::format("gather from {} {}", text(kernel.loads[made.index].shape), info(made.type).name);
  case Instruction::Constant:
    return "a number";
  case Instruction::Coordinate:
    return "index";
  case Instruction::Inside:
    return "border";
  case Instruction::Cast:
    return fmt::format("astype {}", info(made.type).name);
  case Instruction::Apply:
    return info(made.operation).name;
  }
  return "";
}

bool isOperation(const Instruction& made) {
  return made.kind == Instruction::Apply || made.kind == Instruction::Cast;
}

// How many times names[first, first + period) is there, one behind the other.
size_t repeats(const std::vector<std::string>& names, size_t first, size_t period) {
  size_t times = 1;
  while (first + (times + 1) * period <= names.size() &&
         std::equal(names.begin() + long(first), names.begin() + long(first + period),
                    names.begin() + long(first + times * period)))
    ++times;
  return times;
}

// Operations that are there again and again are written once: (load, multiply, add) x 25.
std::string codeOf(const Kernel& kernel) {
  constexpr size_t kMostPeriod = 64;
  std::vector<std::string> names;
  for (const Instruction& made : kernel.code)
    if (made.kind != Instruction::Constant)
      names.push_back(nameOf(kernel, made));
  std::string all;
  for (size_t i = 0; i < names.size();) {
    size_t period = 1, times = 1;
    for (size_t tried = 1; tried <= kMostPeriod && i + tried <= names.size(); ++tried)
      if (size_t here = repeats(names, i, tried); here > 1 && here * tried > times * period)
        period = tried, times = here;
    std::string group = fmt::format("{}", fmt::join(names.begin() + long(i), names.begin() + long(i + period), ", "));
    all += all.empty() ? "" : ", ";
    all += times == 1    ? group
           : period == 1 ? fmt::format("{} x {}", group, times)
                         : fmt::format("({}) x {}", group, times);
    i += period * times;
  }
  return all;
}

std::string outputOf(const Output& output) {
  return fmt::format("{}{} {}", output.is_fold ? fmt::format("{} to ", info(output.node->fold).name) : "",
                     text(output.node->shape), info(output.node->type).name);
}

// The library that computes it in an evaluation with this thread's options, or null.
const char* libraryOf(const Node& node) {
  const WholeOperation* whole = node.kind == Kind::Whole ? node.details->whole : nullptr;
  return whole && !(whole->is_exact_if_asked && options().exact) ? whole->library : nullptr;
}

std::string aloneOf(const Kernel& kernel) {
  const char* library = libraryOf(*kernel.alone);
  std::string all = fmt::format("{}{}{} of", kernel.alone->details->name, library ? std::string(" by ") + library : "",
                                kernel.alone->kind == Kind::Rows ? " of the rows" : "");
  for (const Load& load : kernel.loads)
    all += fmt::format("{}{} {}", &load == kernel.loads.data() ? " " : ", ", text(load.shape),
                       info(load.array->type).name);
  return all + (library ? "\n  its last bits may differ from machine to machine\n" : "\n");
}

} // namespace

Explanation explain(const Schedule& schedule) {
  Explanation all;
  for (const Kernel& kernel : schedule.kernels) {
    if (kernel.alone) {
      all.bytes_written += int64_t(kernel.alone->bytes());
      all.text += fmt::format("kernel {}: {}", ++all.kernels, aloneOf(kernel));
      continue;
    }
    std::string outputs;
    for (const Output& output : kernel.outputs) {
      outputs += (outputs.empty() ? "" : "; ") + outputOf(output);
      all.bytes_written += int64_t(output.node->bytes());
    }
    for (const Instruction& made : kernel.code)
      all.operations += isOperation(made);
    all.text += fmt::format("kernel {} over {}: {}\n  stores {}: {}\n", ++all.kernels, text(kernel.places.shape),
                            codeOf(kernel), outputs, kernel.reason);
  }
  all.text +=
      fmt::format("{} kernels, {} operations, {} bytes written\n", all.kernels, all.operations, all.bytes_written);
  return all;
}

} // namespace bsgp::arrays
