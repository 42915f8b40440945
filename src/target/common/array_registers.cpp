#include "target/common/array_registers.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "target/common/function_passes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

bool mayGain(const Function& thread) {
  bool arrays = any_of(thread.getEntryBlock(), [](const Instruction& instruction) {
    auto* alloca = dyn_cast<AllocaInst>(&instruction);
    return alloca && alloca->getAllocatedType()->isAggregateType();
  });
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back_edges;
  FindFunctionBackedges(thread, back_edges);
  return arrays && !back_edges.empty();
}

FunctionPassManager pipeline() {
  FunctionPassManager passes;
  addFullUnroll(passes);
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

} // namespace

void makeArraysRegisters(Function& thread) {
  if (!mayGain(thread))
    return;
  FunctionPassManager passes = pipeline();
  FunctionPasses(Triple(thread.getParent()->getTargetTriple()), nullptr, nullptr).run(thread, passes);
}

} // namespace bsgp::target
