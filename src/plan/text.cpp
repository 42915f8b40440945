// The plan as a listing: what the host does for one spawn, in order. parse.cpp reads it back.
#include <fmt/format.h>

#include "plan/plan.h"
#include "plan/table.h"
#include "plan/words.h"

namespace bsgp::plan {
namespace {

std::string headText(const Plan& plan) {
  std::string text = fmt::format("{}, rank i{}, block {}", heading(plan), plan.rank_bits, plan.block);
  if (plan.width)
    text += fmt::format(", width {}", plan.width);
  return text + fmt::format(", thread.size at {}, symbol {}\n", plan.size_offset, word(plan.symbol));
}

std::string frameText(const Plan& plan, const std::vector<std::string>& labels) {
  std::vector<Row> rows;
  for (size_t i = 0; i < plan.slots.size(); ++i)
    rows.push_back({labels[i], fmt::format("{} bytes at {}", plan.slots[i].bytes, plan.slots[i].offset)});
  return rows.empty() ? "" : "host frame\n" + table(rows, 2);
}

class StepsText {
public:
  StepsText(const Plan& plan, const std::vector<std::string>& labels) : plan_(plan), labels_(labels) {}

  std::string text() const {
    std::string text;
    std::vector<Row> rows; // of the superstep that is being listed
    for (const Step& step : plan_.steps) {
      if (step.kind != Step::Superstep) {
        rows.push_back(row(step));
        continue;
      }
      text += table(rows, 2) + superstepLine(step) + "\n";
      rows.clear();
    }
    return text + table(rows, 2);
  }

private:
  std::string superstepLine(const Step& step) const {
    const Superstep& superstep = plan_.supersteps[step.index - 1];
    std::string line = fmt::format("superstep {}{}", step.index, inParentheses(step.site));
    if (auto where = lines(superstep.first_line, superstep.last_line); !where.empty())
      line += ", " + where;
    return superstep.reassigned ? line + ", ranks reassigned" : line;
  }

  Row row(const Step& step) const {
    Row row = rowWithoutSite(step);
    if (step.site.line)
      row.push_back(siteText(step.site));
    return row;
  }

  Row rowWithoutSite(const Step& step) const {
    switch (step.kind) {
    case Step::Require:
      return {"require", fmt::format("{} {}", step.index, word(plan_.requires_[step.index]))};
    case Step::Allocate:
      return {"allocate", stream(step), fmt::format("{} bytes/thread", plan_.streams[step.index].bytes)};
    case Step::Clear:
      return {"clear", stream(step)};
    case Step::Launch:
      return {"launch", launched(plan_.kernels[step.index])};
    case Step::Free:
      return {"free", stream(step)};
    case Step::FreeTemps:
      return {"free", fmt::format("temporaries of scope {}", step.index)};
    case Step::Superstep:
      break;
    }
    return {};
  }

  static std::string stream(const Step& step) { return fmt::format("stream {}", step.index); }

  std::string launched(const Kernel& kernel) const {
    std::string text = fmt::format("{}({})", word(kernel.symbol), paramNames(kernel, labels_));
    if (kernel.loaded || kernel.stored)
      text += fmt::format("  {} bytes/thread loaded, {} stored", kernel.loaded, kernel.stored);
    return text;
  }

  const Plan& plan_;
  const std::vector<std::string>& labels_;
};

} // namespace

std::string text(const Plan& plan) {
  std::vector<std::string> labels = slotLabels(plan);
  return headText(plan) + frameText(plan, labels) + StepsText(plan, labels).text();
}

} // namespace bsgp::plan
