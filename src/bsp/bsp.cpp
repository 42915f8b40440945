// The passes of bsp, in their order. The form that a pass leaves is checked after the last one, and after every one
// if that is asked for.
#include "bsp/bsp.h"

#include <fmt/format.h>

#include "bsp/crossing.h"
#include "bsp/endless_waits.h"
#include "bsp/kernels.h"
#include "bsp/optimize.h"
#include "bsp/partition/partition.h"
#include "bsp/prepare.h"
#include "bsp/require_writes.h"
#include "bsp/steps.h"
#include "bsp/streams.h"
#include "ir/operations.h"
#include "ir/verifier.h"
#include "plan/verify.h"
#include "support/check.h"

namespace bsgp::bsp {

namespace {

// The analyses of one spawn, which the passes that only look hand to the pass that changes.
struct SpawnAnalysis {
  explicit SpawnAnalysis(llvm::Function& function)
      : steps(function), freedom(steps), memory(findPrivateArrays(steps)) {}
  ir::Supersteps steps;
  ir::Freedom freedom;
  PrivateMemory memory;
  Crossing crossing;
  llvm::BitVector waiting; // of a partition
  std::vector<PartitionStreamRange> partition_streams;
};

void reportPointers(const ir::Spawn& spawn, const Crossing& crossing, Diagnostics& diagnostics) {
  for (const CrossingPointer& crossing_pointer : crossing.pointers) {
    const plan::Site& site = spawn.steps[crossing_pointer.step - 1].site;
    const llvm::Value* named = crossing_pointer.array ? crossing_pointer.array : crossing_pointer.pointer;
    diagnostics.report(crossing_pointer.array ? Diag::private_pointer_crosses : Diag::shared_pointer_crosses,
                       spawn.range, displayName(*llvm::cast<llvm::Instruction>(named)),
                       fmt::format("{}:{}", site.file, site.line));
  }
}

class Pipeline {
public:
  Pipeline(ir::Spawns spawns, const Options& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics), spawns_(std::move(spawns)) {}

  ir::Kernels run() {
    if (options_.verify)
      check("irgen", spawns_);
    pass("optimize", spawns_, [&] { optimizeSpawns(spawns_, options_.opt_level); });
    pass("prepare", spawns_, [&] { prepare(); });
    pass("values", spawns_, [&] { findValues(); });
    pass("streams", spawns_, [&] { assign(); });
    pass("split", kernels_, [&] { split(); });
    pass("partition", kernels_, [&] { partition(); });
    pass("plan", kernels_, [&] { makePlans(); });
    if (!options_.verify)
      check("plan", kernels_);
    return std::move(kernels_);
  }

private:
  template <class Form> static void check(std::string_view pass, const Form& form) {
    std::string violation = ir::violationIn(form);
    BSGP_CHECK(violation.empty(), "after the pass %.*s, %s", int(pass.size()), pass.data(), violation.c_str());
  }

  // `form`: the form that the pass leaves.
  template <class Form, class Body> void pass(std::string_view name, const Form& form, Body body) {
    body();
    if (options_.verify)
      check(name, form);
    if (options_.after_pass)
      options_.after_pass(name, *form.module);
  }

  void prepare() {
    for (ir::Spawn& spawn : spawns_.spawns)
      prepareSpawn(*spawn.function);
  }

  void findValues() {
    std::vector<bool> leaves_alone = hostCodeThatLeavesAlone(spawns_);
    const auto& host = spawns_.facts.spawns;
    for (const ir::Spawn& spawn : spawns_.spawns) {
      auto known = std::make_unique<SpawnAnalysis>(*spawn.function);
      if (isPartitioned(spawn, options_.partition))
        known->waiting = waitingSupersteps(spawn, known->steps, diagnostics_);
      reportEndlessWaits(spawn, known->steps, diagnostics_);
      size_t number = analyses_.size();
      Reloads reloads(spawn, number < host.size() ? host[number] : ir::HostFacts::Spawn(), known->steps, leaves_alone);
      known->crossing = findCrossing(known->steps, known->freedom, known->memory, reloads);
      reportPointers(spawn, known->crossing, diagnostics_);
      analyses_.push_back(std::move(known));
    }
  }

  void assign() {
    kernels_.reports.resize(spawns_.spawns.size());
    for (size_t i = 0; i < spawns_.spawns.size(); ++i) {
      plan::Plan& plan = kernels_.plans.emplace_back(spawns_.spawns[i].outline);
      assignStreams(analyses_[i]->crossing, analyses_[i]->freedom, plan, kernels_.reports[i]);
    }
  }

  void split() {
    for (size_t i = 0; i < spawns_.spawns.size(); ++i) {
      llvm::Function*& function = spawns_.spawns[i].function;
      const SpawnAnalysis& known = *analyses_[i];
      makeKernels(*function, known.steps, known.freedom, known.crossing, kernels_.plans[i]);
      function->eraseFromParent();
      function = nullptr;
    }
    kernels_.context = std::move(spawns_.context);
    kernels_.module = std::move(spawns_.module);
    ir::dropUnusedDeclarations(*kernels_.module);
  }

  void partition() {
    for (size_t i = 0; i < spawns_.spawns.size(); ++i)
      if (const ir::Spawn& spawn = spawns_.spawns[i]; isPartitioned(spawn, options_.partition))
        analyses_[i]->partition_streams = partitionKernels(*kernels_.module, spawn, analyses_[i]->waiting,
                                                           options_.partition, kernels_.plans[i], kernels_.reports[i]);
  }

  void makePlans() {
    for (size_t i = 0; i < spawns_.spawns.size(); ++i) {
      planSteps(spawns_.spawns[i].steps, analyses_[i]->steps, analyses_[i]->crossing, analyses_[i]->partition_streams,
                kernels_.plans[i]);
      std::string violation = plan::verify(kernels_.plans[i]);
      BSGP_CHECK(violation.empty(), "the plan cannot be executed: %s", violation.c_str());
    }
  }

  const Options& options_;
  Diagnostics& diagnostics_;
  ir::Spawns spawns_;   // up to the split
  ir::Kernels kernels_; // plans and reports from the streams on; the module from the split on
  std::vector<std::unique_ptr<SpawnAnalysis>> analyses_; // of each spawn
};

} // namespace

ir::Kernels compileSupersteps(ir::Spawns spawns, const Options& options, Diagnostics& diagnostics) {
  return Pipeline(std::move(spawns), options, diagnostics).run();
}

} // namespace bsgp::bsp
