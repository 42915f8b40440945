// The plan as a listing: what the host does for one spawn, in order, and labels where branches and jumps lead. parse.cpp
// reads it back.
#include <map>

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
  text += fmt::format(", thread.size at {}", plan.size_offset);
  if (decides(plan) || plan.decision_offset)
    text += fmt::format(", decision at {}", plan.decision_offset);
  return text + fmt::format(", symbol {}\n", word(plan.symbol));
}

std::string frameText(const Plan& plan, const std::vector<std::string>& labels) {
  std::vector<Row> rows;
  for (size_t i = 0; i < plan.slots.size(); ++i)
    rows.push_back({labels[i], fmt::format("{} bytes at {}", plan.slots[i].bytes, plan.slots[i].offset)});
  return rows.empty() ? "" : "host frame\n" + table(rows, 2);
}

class StepsText {
public:
  StepsText(const Plan& plan, const std::vector<std::string>& slots) : plan_(plan), slots_(slots) {
    for (const Step& step : plan.steps)
      if (jumps(step))
        labels_[step.other];
    uint32_t number = 0;
    for (auto& [step, label] : labels_)
      label = ++number;
  }

  std::string text() const {
    std::string text;
    std::vector<Row> rows; // behind the last line that is no step
    for (uint32_t i = 0; i <= plan_.steps.size(); ++i) {
      bool begins = i < plan_.steps.size() && plan_.steps[i].kind == Step::Superstep;
      if (std::string lines = label(i) + (begins ? superstepLine(plan_.steps[i]) : ""); !lines.empty()) {
        text += table(rows, 2) + lines;
        rows.clear();
      }
      if (i >= plan_.steps.size() || begins)
        continue;
      rows.push_back(row(plan_.steps[i]));
      if (plan_.steps[i].kind == Step::Blocks)
        addBlocks(plan_.partitions[plan_.steps[i].index], rows);
    }
    return text + table(rows, 2);
  }

private:
  std::string label(uint32_t step) const {
    auto found = labels_.find(step);
    return found == labels_.end() ? "" : fmt::format("L{}:\n", found->second);
  }

  std::string superstepLine(const Step& step) const {
    const Superstep& superstep = plan_.supersteps[step.index - 1];
    std::string line = fmt::format("superstep {}{}", step.index, inParentheses(step.site));
    if (auto where = lines(superstep.first_line, superstep.last_line); !where.empty())
      line += ", " + where;
    if (superstep.reassigned)
      line += ", ranks reassigned";
    std::vector<std::string> next;
    for (uint32_t number : superstep.next)
      next.push_back(number ? std::to_string(number) : "the end");
    return line + (next.empty() ? "" : ", then " + join(next, " or ")) + "\n";
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
      return {"require", required(step)};
    case Step::Decide:
      return {"decide", required(step)};
    case Step::Branch:
      return {"branch", fmt::format("{} to L{}", step.index, labels_.at(step.other))};
    case Step::Jump:
      return {"jump", fmt::format("to L{}", labels_.at(step.other))};
    case Step::Move:
      return {"move", fmt::format("stream {} to stream {}", step.other, step.index), bytes(step)};
    case Step::Swap:
      return {"swap", fmt::format("streams {} and {}", step.index, step.other), bytes(step)};
    case Step::Allocate:
      return {"allocate", stream(step), bytes(step)};
    case Step::Clear:
      return {"clear", stream(step)};
    case Step::Launch:
      return {"launch", launched(plan_.kernels[step.index])};
    case Step::Blocks:
      return {"blocks", partition(step.index)};
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
  std::string bytes(const Step& step) const { return fmt::format("{} bytes/thread", plan_.streams[step.index].bytes); }
  std::string required(const Step& step) const {
    return fmt::format("{} {}", step.index, word(plan_.requires_[step.index]));
  }

  std::string launched(const Kernel& kernel) const {
    std::string text = fmt::format("{}({})", word(kernel.symbol), paramNames(kernel, slots_));
    if (kernel.loaded || kernel.stored)
      text += fmt::format("  {} bytes/thread loaded, {} stored", kernel.loaded, kernel.stored);
    return text;
  }

  std::string partition(uint32_t number) const {
    const Partition& partition = plan_.partitions[number];
    return fmt::format("{} of {} basic blocks, counters in stream {}, counts in stream {}, ranks in stream {}{}",
                       number, partition.basic_blocks, partition.counters, partition.counts, partition.ranks,
                       behind(partition.blocks.front()));
  }

  static std::string behind(const Partition::Block& block) {
    std::vector<std::string> next;
    for (uint32_t number : block.next)
      next.push_back(std::to_string(number));
    return next.empty() ? "" : ", then block " + join(next, " or ");
  }

  // The kernels in their order.
  void addBlocks(const Partition& partition, std::vector<Row>& rows) const {
    for (size_t i = 1; i < partition.blocks.size(); ++i) {
      const Partition::Block& block = partition.blocks[i];
      rows.push_back({"  block", fmt::format("{} {}{}", i, launched(plan_.kernels[block.kernel]), behind(block))});
    }
    rows.push_back({"  count", launched(plan_.kernels[partition.count])});
    rows.push_back({"  list", launched(plan_.kernels[partition.list])});
  }

  const Plan& plan_;
  const std::vector<std::string>& slots_;
  std::map<uint32_t, uint32_t> labels_; // numbers, by the step behind
};

} // namespace

std::string text(const Plan& plan) {
  std::vector<std::string> labels = slotLabels(plan);
  return headText(plan) + frameText(plan, labels) + StepsText(plan, labels).text();
}

} // namespace bsgp::plan
