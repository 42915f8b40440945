#include "target/common/function_passes.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>

#include "target/common/rotate_loops.h"

namespace bsgp::target {

using namespace llvm;

TargetLibraryInfoImpl libraryFunctions(const Triple& triple) {
  TargetLibraryInfoImpl functions(triple);
  functions.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    functions.setAvailable(function);
  return functions;
}

FunctionPasses::FunctionPasses(const Triple& triple, TargetMachine* machine, PassInstrumentationCallbacks* callbacks)
    : builder_(machine, PipelineTuningOptions(), std::nullopt, callbacks) {
  TargetLibraryInfoImpl library = libraryFunctions(triple);
  functions_.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

void FunctionPasses::run(Function& function, FunctionPassManager& passes) {
  passes.run(function, functions_);
  functions_.clear(function, function.getName());
}

InstCombinePass instCombine() {
  return InstCombinePass(InstCombineOptions().setMaxIterations(1));
}

unsigned loopsIn(const Function& function) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back_edges;
  FindFunctionBackedges(function, back_edges);
  return back_edges.size();
}

void addUnrolling(FunctionPassManager& passes, LoopPassManager before) {
  // ForgetSCEV drops all that is known at once; else each unrolled loop drops it for all loops around, one by one.
  before.addPass(LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/false, /*ForgetSCEV=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(before), /*UseMemorySSA=*/false));
  // This one unrolls only the loops that the program marks.
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
}

void addFullUnroll(FunctionPassManager& passes) {
  addRotation(passes);
  LoopPassManager unroll;
  unroll.addPass(IndVarSimplifyPass(/*WidenIndVars=*/false));
  unroll.addPass(LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(unroll), /*UseMemorySSA=*/false));
}

} // namespace bsgp::target
