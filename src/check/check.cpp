#include "check/check.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "check/accesses.h"
#include "check/values.h"
#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

namespace {

// Scalar variables become SSA values; control flow stays.
class Promotion {
public:
  Promotion() {
    PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, modules_);
    passes_.addPass(SROAPass(SROAOptions::PreserveCFG));
  }
  void run(Function& function) {
    passes_.run(function, functions_);
    functions_.clear(function, function.getName());
  }

private:
  LoopAnalysisManager loops_;
  FunctionAnalysisManager functions_;
  CGSCCAnalysisManager components_;
  ModuleAnalysisManager modules_;
  FunctionPassManager passes_;
};

// What nobody has set is any value: 0.
void forgetUndefined(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (ir::opOf(instruction) == ir::Op::CheckUndefined) {
      instruction.replaceAllUsesWith(Constant::getNullValue(instruction.getType()));
      instruction.eraseFromParent();
    }
}

// For the runtime that an executable is linked with: bits of bsgp_check_kind.
void markProgram(Module& module, uint32_t checks) {
  auto* value = ConstantInt::get(Type::getInt32Ty(module.getContext()), checks);
  auto* mark = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::WeakODRLinkage, value,
                                  "bsgp_program_checks");
  appendToUsed(module, {mark});
}

} // namespace

void addChecks(ir::Spawns& spawns, const SourceManager& sources, const Options& options) {
  SiteTexts texts(*spawns.module, sources);
  Promotion promotion;
  for (ir::Spawn& spawn : spawns.spawns) {
    Function& function = *spawn.function;
    Sites sites(texts, options.checks);
    placeValueChecks(function, sites, options.checks);
    if (options.checks & (BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT))
      watchAccesses(function, sites);
    if (options.checks & BSGP_CHECK_ARITHMETIC)
      watchArithmetic(function, sites);
    dropPromises(function);
    promotion.run(function);
    findBases(function);
    if (options.checks & BSGP_CHECK_BOUNDS)
      guardPrivateArrays(function, sites);
    forgetUndefined(function);
    sites.finish(spawn.function->getName() + ".checks");
  }
  markProgram(*spawns.module, options.checks);
  ir::dropUnusedDeclarations(*spawns.module);
}

} // namespace bsgp::check
