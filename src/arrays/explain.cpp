#include <fmt/format.h>

#include "arrays/engine.h"

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

// Equal operations after each other are counted.
std::string codeOf(const Kernel& kernel) {
  std::string all, last;
  int times = 0;
  auto finish = [&] {
    if (times)
      all += fmt::format("{}{}{}", all.empty() ? "" : ", ", last, times > 1 ? fmt::format(" x {}", times) : "");
  };
  for (const Instruction& made : kernel.code) {
    if (made.kind == Instruction::Constant)
      continue;
    std::string name = nameOf(kernel, made);
    if (name != last)
      finish(), last = name, times = 0;
    ++times;
  }
  finish();
  return all;
}

std::string outputOf(const Output& output) {
  return fmt::format("{}{} {}", output.is_fold ? fmt::format("{} to ", info(output.node->fold).name) : "",
                     text(output.node->shape), info(output.node->type).name);
}

} // namespace

Explanation explain(const Schedule& schedule) {
  Explanation all;
  for (const Kernel& kernel : schedule.kernels) {
    if (kernel.rows) {
      all.bytes_written += int64_t(kernel.rows->bytes());
      all.text += fmt::format("kernel {}: {}{} of", ++all.kernels, kernel.rows->details->name,
                              kernel.rows->kind == Kind::Rows ? " of the rows" : "");
      for (const Load& load : kernel.loads)
        all.text += fmt::format("{}{} {}", &load == kernel.loads.data() ? " " : ", ", text(load.shape),
                                info(load.array->type).name);
      all.text += "\n";
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
