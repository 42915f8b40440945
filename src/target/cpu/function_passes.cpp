#include "target/cpu/function_passes.h"

#include "target/cpu/machine.h"

namespace bsgp::target {

using namespace llvm;

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

} // namespace bsgp::target
