#include "check/check.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "check/accesses.h"
#include "check/definedness.h"
#include "check/host.h"
#include "check/library_memory.h"
#include "check/reads.h"
#include "check/undefined_values.h"
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

// Drops the marks of unset arrays: without them arrays may become values.
void forgetUnset(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (ir::opOf(instruction) == ir::Op::CheckUnset)
      instruction.eraseFromParent();
}

// Replaces undefined values by 0.
void forgetUndefined(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (ir::opOf(instruction) == ir::Op::CheckUndefined) {
      instruction.replaceAllUsesWith(Constant::getNullValue(instruction.getType()));
      instruction.eraseFromParent();
    }
  for (Instruction& instruction : instructions(function))
    for (Use& operand : instruction.operands())
      if (isUnset(operand))
        operand.set(Constant::getNullValue(operand->getType()));
}

// Tells the runtime that an executable is linked with what is checked: bits of bsgp_check_kind.
void markProgram(Module& module, uint32_t checks) {
  auto* value = ConstantInt::get(Type::getInt32Ty(module.getContext()), checks);
  auto* mark = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::WeakODRLinkage, value,
                                  "bsgp_program_checks");
  appendToUsed(module, {mark});
}

void promote(Function& function, Promotion& promotion, uint32_t checks) {
  if (checks & BSGP_CHECK_INIT)
    markReads(function);
  else
    forgetUnset(function);
  promotion.run(function);
}

void watchValues(Function& function, Sites& sites, uint32_t checks) {
  if (checks & BSGP_CHECK_INIT)
    watchDefinedness(function, sites);
  dropReads(function);
  forgetUndefined(function);
}

void watchHostCode(Function& function, SiteTexts& texts, Promotion& promotion, uint32_t checks) {
  Sites sites(texts, checks);
  placeValueChecks(function, sites, checks);
  if (checks & BSGP_CHECK_ARITHMETIC)
    watchArithmetic(function, sites);
  dropPromises(function);
  promote(function, promotion, checks);
  Origins origins(function.getParent()->getDataLayout());
  if (checks & (BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT))
    watchHostAccesses(function, origins, sites, checks);
  if (checks & BSGP_CHECK_BOUNDS)
    guardPrivateArrays(function, origins, sites);
  origins.simplify();
  watchValues(function, sites, checks);
  finishHostCode(function, sites);
  sites.finish(function.getName() + ".checks");
}

void watchHostCode(Module& module, SiteTexts& texts, Promotion& promotion, uint32_t checks) {
  std::vector<Function*> host;
  for (Function& function : module)
    if (function.hasFnAttribute(ir::kOfHost))
      host.push_back(&function);
  for (Function* function : host)
    watchHostCode(*function, texts, promotion, checks);
}

} // namespace

void addChecks(ir::Spawns& spawns, const SourceManager& sources, const Options& options) {
  SiteTexts texts(*spawns.module, sources);
  Promotion promotion;
  watchHostCode(*spawns.module, texts, promotion, options.checks);
  for (ir::Spawn& spawn : spawns.spawns) {
    Function& function = *spawn.function;
    Sites sites(texts, options.checks);
    placeValueChecks(function, sites, options.checks);
    if (options.checks & (BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT))
      watchAccesses(function, sites);
    if (options.checks & BSGP_CHECK_ARITHMETIC)
      watchArithmetic(function, sites);
    dropPromises(function);
    promote(function, promotion, options.checks);
    Origins origins(spawns.module->getDataLayout());
    findBases(function, origins, sites, options.checks);
    if (options.checks & BSGP_CHECK_BOUNDS)
      guardPrivateArrays(function, origins, sites);
    origins.simplify();
    watchValues(function, sites, options.checks);
    if (!(options.checks & BSGP_CHECK_LIBRARY))
      trustLibrary(function, sites);
    sites.finish(spawn.function->getName() + ".checks");
  }
  markProgram(*spawns.module, options.checks);
  ir::dropUnusedDeclarations(*spawns.module);
}

} // namespace bsgp::check
