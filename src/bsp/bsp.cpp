// The middle of the compiler, in the order in which it happens. The contract is checked after the last pass,
// and after every one where that is asked for.
#include "bsp/bsp.h"

#include <fmt/format.h>

#include "bsp/crossing.h"
#include "bsp/kernels.h"
#include "bsp/optimize.h"
#include "bsp/prepare.h"
#include "bsp/require_writes.h"
#include "bsp/steps.h"
#include "bsp/streams.h"
#include "ir/verifier.h"
#include "plan/verify.h"
#include "support/check.h"

namespace bsgp::bsp {

namespace {

// What is known of one spawn between the passes that only look and the pass that changes.
struct Analysis {
  explicit Analysis(llvm::Function& function) : steps(function), freedom(steps), memory(findPrivateArrays(steps)) {}
  ir::Supersteps steps;
  ir::Freedom freedom;
  PrivateMemory memory;
  Crossing crossing;
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

void removeUnusedDeclarations(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty() && function.getName().starts_with("bsgp."))
      function.eraseFromParent();
}

class Pipeline {
public:
  Pipeline(ir::Compiled& compiled, const ir::HostFacts& facts, const Options& options, Diagnostics& diagnostics)
      : compiled_(compiled), facts_(facts), options_(options), diagnostics_(diagnostics) {}

  void run() {
    if (options_.verify)
      checkContract("irgen", compiled_);
    pass("optimize", [&] { optimizeSpawns(compiled_, options_.opt_level); });
    pass("prepare", [&] { forEach([](ir::Spawn& spawn) { prepareSpawn(*spawn.function); }); });
    pass("values", [&] { findValues(); });
    pass("streams", [&] { forEachAnalyzed(assign); });
    pass("split", [&] { split(); });
    pass("plan", [&] { forEachAnalyzed(makePlan); });
    if (!options_.verify)
      checkContract("plan", compiled_);
  }

private:
  template <class Body> void pass(std::string_view name, Body body) {
    body();
    if (options_.verify)
      checkContract(name, compiled_);
    if (options_.after_pass)
      options_.after_pass(name, *compiled_.module);
  }

  template <class Body> void forEach(Body body) {
    for (ir::Spawn& spawn : compiled_.spawns)
      body(spawn);
  }

  template <class Body> void forEachAnalyzed(Body body) {
    for (size_t i = 0; i < compiled_.spawns.size(); ++i)
      body(compiled_.spawns[i], *analyses_[i]);
  }

  void findValues() {
    std::vector<bool> leaves_alone = hostCodeThatLeavesAlone(compiled_, facts_);
    forEach([&](ir::Spawn& spawn) {
      auto known = std::make_unique<Analysis>(*spawn.function);
      size_t number = analyses_.size();
      Reloads reloads(spawn, number < facts_.spawns.size() ? facts_.spawns[number] : ir::HostFacts::Spawn(),
                      known->steps, leaves_alone);
      known->crossing = findCrossing(known->steps, known->freedom, known->memory, reloads);
      reportPointers(spawn, known->crossing, diagnostics_);
      analyses_.push_back(std::move(known));
    });
  }

  static void assign(ir::Spawn& spawn, Analysis& known) { assignStreams(known.crossing, known.freedom, spawn); }

  static void makePlan(ir::Spawn& spawn, Analysis& known) {
    planSteps(spawn, known.crossing);
    std::string violation = plan::verify(spawn.plan);
    BSGP_CHECK(violation.empty(), "the plan cannot be executed: %s", violation.c_str());
  }

  void split() {
    forEachAnalyzed([](ir::Spawn& spawn, Analysis& known) {
      makeKernels(spawn, known.steps, known.freedom, known.crossing);
      spawn.function->eraseFromParent();
      spawn.function = nullptr;
    });
    removeUnusedDeclarations(*compiled_.module);
  }

  ir::Compiled& compiled_;
  const ir::HostFacts& facts_;
  const Options& options_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Analysis>> analyses_; // of each spawn
};

} // namespace

void compileSupersteps(ir::Compiled& compiled, const ir::HostFacts& facts, const Options& options,
                       Diagnostics& diagnostics) {
  Pipeline(compiled, facts, options, diagnostics).run();
}

} // namespace bsgp::bsp
