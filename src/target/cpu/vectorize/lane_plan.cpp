#include "target/cpu/vectorize/lane_plan.h"

#include "target/cpu/vectorize/lane_costs.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr double kWorthRows = 0.7;    // for a second copy of the code
constexpr double kWorthFew = 0.8;     // ... of little code
constexpr double kLittle = 32;        // of its cost
constexpr double kWorthWidth = 1.25;  // of the cost of one vector, for as many of them as hide what each waits for
constexpr double kWorthBorder = 0.85; // for a third one: address choices take less than their cost says

double costWithMasks(const LanePlan& plan, LaneAnalysis& analysis) {
  auto is_partial = [&](const BasicBlock& block) {
    const FlowLevel& level = analysis.flow.levelOf(&block);
    return level.nodes[level.number.lookup(&block)].partial;
  };
  double cost = costOfTurn(plan.lanes, analysis.shapes);
  return analysis.flow.isPossible() ? cost + costOfMasks(plan.lanes, analysis.shapes, is_partial) : cost;
}

// Takes several vectors side by side, unless threads differ there that are alike within one: all of a group that has a
// vector's size read one place, and those of two groups two.
void widen(LanePlan& plan, unsigned times, function_ref<std::unique_ptr<LaneAnalysis>(Assume)> analyze) {
  const unsigned narrow = plan.width;
  const double cost = costOfTurn(plan.lanes, plan.general->shapes);
  for (; times > 1; times /= 2) {
    plan.width = narrow * times;
    auto wide = analyze(Assume::Inside);
    if (costOfTurn(plan.lanes, wide->shapes) <= kWorthWidth * cost) {
      plan.general = std::move(wide);
      return;
    }
  }
  plan.width = narrow;
}

} // namespace

void chooseForm(LanePlan& plan, LoopInfo& loops, unsigned register_width, const TargetTransformInfo& machine,
                const VectorizeOptions& options) {
  auto analyze = [&](Assume assume) {
    return std::make_unique<LaneAnalysis>(plan.lanes, loops, plan.arrays, plan.width, assume);
  };
  plan.width = register_width;
  plan.general = analyze(options.brief ? Assume::Nothing : Assume::Inside);
  if (!options.brief && options.take != Take::All)
    widen(plan, chainsAtOnce(plan.lanes, plan.general->shapes), analyze);
  if (!options.brief && !plan.general->shapes.assumptions().empty()) {
    plan.in_rows = std::move(plan.general);
    plan.general = analyze(Assume::Nothing);
  }
  plan.cost = costOfTurn(plan.lanes, plan.general->shapes);
  if (options.brief) // is all under masks
    plan.cost += costOfMissing(plan.lanes, plan.general->shapes, plan.arrays, machine, plan.width);
  if (!plan.in_rows)
    return;
  double general = costWithMasks(plan, *plan.general);
  auto pays = [&](LaneAnalysis& copy, double worth) {
    return copy.flow.isPossible() && costWithMasks(plan, copy) < worth * general;
  };
  if (!pays(*plan.in_rows, general <= kLittle ? kWorthFew : kWorthRows)) {
    plan.in_rows = nullptr;
    return;
  }
  plan.cost = costOfTurn(plan.lanes, plan.in_rows->shapes);
  plan.at_border = analyze(Assume::OneRow);
  size_t rows = plan.at_border->shapes.assumptions().size();
  if (rows == 0 || rows == plan.in_rows->shapes.assumptions().size() || !pays(*plan.at_border, kWorthBorder))
    plan.at_border = nullptr;
}

void takeGeneral(LanePlan& plan, LoopInfo& loops) {
  plan.general = std::make_unique<LaneAnalysis>(plan.lanes, loops, plan.arrays, plan.width, Assume::Nothing);
  plan.cost = costOfTurn(plan.lanes, plan.general->shapes);
}

std::string reasonAgainst(const LanePlan& plan, const TargetTransformInfo& machine, const VectorizeOptions& options) {
  const LaneShapes& shapes = plan.general->shapes;
  if (options.take != Take::All && plan.cost >= costOfThread(plan.lanes, shapes) * plan.width)
    return isMostlySerial(plan.lanes, shapes) ? "vectors would be taken apart for most of their work"
                                              : "together they would take longer";
  if (!plan.general->flow.isPossible())
    return "its control flow";
  if (hasTooManyPieces(plan.lanes, shapes, plan.arrays, machine, plan.width))
    return "too many places of memory that the machine reads or writes for one thread at a time";
  return "";
}

} // namespace bsgp::target
