// The plan as a listing: what the host does for one spawn, in order.
#include <fmt/format.h>

#include "plan/plan.h"
#include "plan/table.h"

namespace bsgp::plan {
namespace {

std::string superstepLine(const Plan& plan, uint32_t number) {
  std::string line = fmt::format("superstep {}", number);
  if (number == 0 || number > plan.supersteps.size())
    return line;
  const Superstep& step = plan.supersteps[number - 1];
  if (auto where = lines(step.first_line, step.last_line); !where.empty())
    line += ", " + where;
  return step.reassigned ? line + ", ranks reassigned" : line;
}

std::string streamSize(const Plan& plan, uint32_t index) {
  return index < plan.streams.size() ? fmt::format("{} bytes/thread", plan.streams[index].bytes) : "";
}

std::string launched(const Plan& plan, uint32_t index) {
  if (index >= plan.kernels.size())
    return fmt::format("kernel {}", index);
  const Kernel& kernel = plan.kernels[index];
  return fmt::format("{}({})", kernel.symbol, paramNames(plan, kernel));
}

Row stepRow(const Plan& plan, const Step& step) {
  switch (step.kind) {
  case Step::Require:
    return {"require", step.index < plan.requires_.size() ? plan.requires_[step.index] : "?", place(step.site)};
  case Step::Allocate:
    return {"allocate", fmt::format("stream {}", step.index), streamSize(plan, step.index)};
  case Step::Clear:
    return {"clear", fmt::format("stream {}", step.index)};
  case Step::Launch:
    return {"launch", launched(plan, step.index)};
  case Step::Free:
    return {"free", fmt::format("stream {}", step.index)};
  case Step::FreeTemps:
    return {"free", fmt::format("temporaries of scope {}", step.index)};
  case Step::Superstep:
    break;
  }
  return {};
}

std::string frameText(const Plan& plan) {
  std::vector<Row> rows;
  for (const FrameSlot& slot : plan.slots)
    rows.push_back({slot.name, fmt::format("{} bytes at {}", slot.bytes, slot.offset)});
  return rows.empty() ? "" : "host frame\n" + table(rows, 2);
}

std::string stepsText(const Plan& plan) {
  std::string text;
  std::vector<Row> rows; // of the superstep that is being listed
  for (const Step& step : plan.steps) {
    if (step.kind != Step::Superstep) {
      rows.push_back(stepRow(plan, step));
      continue;
    }
    text += table(rows, 2) + superstepLine(plan, step.index) + "\n";
    rows.clear();
  }
  return text + table(rows, 2);
}

} // namespace

std::string text(const Plan& plan) {
  return fmt::format("{}, rank i{}, block {}{}, thread.size at {}\n", heading(plan), plan.rank_bits, plan.block,
                     plan.width ? fmt::format(", width {}", plan.width) : "", plan.size_offset) +
         frameText(plan) + stepsText(plan);
}

} // namespace bsgp::plan
