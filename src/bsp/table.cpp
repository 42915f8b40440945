#include "bsp/table.h"
#include "ir/operations.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

class TableWriter {
public:
  TableWriter(const Crossing& crossing, const ir::Freedom& freedom, const plan::Plan& plan, plan::Report& report)
      : freedom_(freedom), plan_(plan), report_(report) {
    for (const auto& saved : crossing.saved)
      if (saved->kind == StoredCopy::Value || saved->kind == StoredCopy::Array)
        copies_[saved->what].push_back(saved.get());
    for (const StepTransfers& step : crossing.steps)
      for (const Transfer& load : step.loads)
        if (load.reload)
          reloads_[cast<Instruction>(load.value)] = load.reload;
    for (auto [get, reload] : crossing.reload_of_get) {
      auto* snapshot = cast<Instruction>(get->getOperand(1));
      reloads_[cast<Instruction>(snapshot->getOperand(0))] = reload;
    }
  }

  void writeRow(const CrossingRow& row) {
    plan::CrossingValue value{displayName(*row.value), row.defined, {}, false, {}, bytesOf(*row.value)};
    value.used.assign(row.used.begin(), row.used.end());
    auto copies = copies_.find(row.value);
    value.stored = copies != copies_.end();
    const Reload* reload = reloads_.lookup(row.value);
    value.how = value.stored ? streamsOf(copies->second) : reload ? "" : howRecomputed(row);
    if (reload)
      value.how += fmt::format("{}loaded again from {}", value.stored ? ", or " : "", nameOf(*reload));
    report_.crossing.push_back(value);
    if (isa<AllocaInst>(row.value))
      remark(value, copies->second);
  }

private:
  static uint32_t bytesOf(const Instruction& value) {
    const DataLayout& layout = value.getModule()->getDataLayout();
    if (auto* alloca = dyn_cast<AllocaInst>(&value))
      return uint32_t(alloca->getAllocationSize(layout)->getFixedValue());
    return uint32_t(layout.getTypeStoreSize(value.getType()).getFixedValue());
  }

  static std::string streamsOf(const std::vector<StoredCopy*>& copies) {
    std::vector<std::string> names;
    for (const StoredCopy* saved : copies)
      if (std::string name = fmt::format("stream {}", saved->stream); !is_contained(names, name))
        names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::string nameOf(const Reload& reload) const { return plan_.slots[ir::constantArgument(*reload.base, 0)].name; }

  // In the superstep that uses it first.
  std::string howRecomputed(const CrossingRow& row) const {
    unsigned step = row.used.front();
    if (isOutside(*row.value))
      return nameOfOutside(*row.value, step);
    std::vector<std::string> from;
    addLeaves(*row.value, step, from);
    if (from.empty())
      from.push_back("parameters");
    return fmt::format("recomputed from {}", fmt::join(from, ", "));
  }

  static bool isOutside(const Instruction& value) { return opOf(value) == Op::Rank || opOf(value) == Op::Size; }

  std::string nameOfOutside(const Instruction& value, unsigned step) const {
    bool old = !freedom_.freeAtBeginning(value, step);
    if (opOf(value) == Op::Rank)
      return old ? "oldrank" : "rank";
    return old ? "the old size" : "size";
  }

  void addLeaves(const Instruction& root, unsigned step, std::vector<std::string>& names) const {
    SmallVector<const Instruction*, 8> work{&root};
    SmallPtrSet<const Instruction*, 16> seen;
    while (!work.empty()) {
      const Instruction* value = work.pop_back_val();
      if (!seen.insert(value).second || seen.size() > 1000)
        continue;
      std::string name;
      if (isOutside(*value) && freedom_.freeIn(*value, step))
        name = nameOfOutside(*value, step);
      else if (value != &root && (copies_.contains(value) || reloads_.contains(value)))
        name = displayName(*value);
      if (!name.empty()) {
        if (!is_contained(names, name))
          names.push_back(name);
        continue;
      }
      for (const Value* operand : value->operands())
        if (auto* instruction = dyn_cast<Instruction>(operand); instruction && opOf(*value) != Op::Param)
          work.push_back(instruction);
    }
  }

  void remark(const plan::CrossingValue& array, const std::vector<StoredCopy*>& copies) {
    std::vector<std::string> barriers;
    for (const StoredCopy* saved : copies)
      for (Lifetime life : saved->lives)
        for (unsigned barrier = life.start / 2; barrier < life.end / 2; ++barrier)
          if (std::string name = std::to_string(barrier); !is_contained(barriers, name))
            barriers.push_back(name);
    report_.remarks.push_back(fmt::format("the array {} lives across barrier{} {}: {} bytes per thread in a stream",
                                          array.name, barriers.size() > 1 ? "s" : "", fmt::join(barriers, ", "),
                                          array.bytes));
  }

  const ir::Freedom& freedom_;
  const plan::Plan& plan_;
  plan::Report& report_;
  DenseMap<const Instruction*, std::vector<StoredCopy*>> copies_;
  DenseMap<const Instruction*, const Reload*> reloads_;
};

} // namespace

void writeTable(const Crossing& crossing, const ir::Freedom& freedom, const plan::Plan& plan, plan::Report& report) {
  TableWriter writer(crossing, freedom, plan, report);
  for (const CrossingRow& row : crossing.rows)
    writer.writeRow(row);
}

} // namespace bsgp::bsp
