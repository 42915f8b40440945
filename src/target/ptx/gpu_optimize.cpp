// From kernels to PTX: LLVM's passes, composed by hand, and its code generator.
//
// The driver's compiler optimizes PTX again, loops and registers included. Passes that it lacks run here: arrays
// become values, loops that say so or are short are unrolled, and others by a few iterations so that several loads
// are under way. The passes left out (global value numbering, jump threading, the second half of LLVM's own pipeline)
// made neither fewer instructions of the machine nor fewer registers, and took more than half of the time.
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "support/check.h"
#include "target/common/code_generation.h"
#include "target/common/forward_copies.h"
#include "target/common/function_passes.h"
#include "target/common/pass_watch.h"
#include "target/common/rotate_loops.h"
#include "target/ptx/gpu_module.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// No message where a loop with `unroll` before it cannot be unrolled.
void keepQuiet(LLVMContext& context) {
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo* info, void*) {
    if (info->getSeverity() != DS_Error)
      return;
    DiagnosticPrinterRawOStream printer(errs());
    info->print(printer);
    errs() << "\n";
  });
}

void addLoopPasses(FunctionPassManager& passes, unsigned opt_level) {
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  LoopPassManager unroll;
  unroll.addPass(IndVarSimplifyPass());
  unroll.addPass(LoopFullUnrollPass(opt_level));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(unroll), /*UseMemorySSA=*/false));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG)); // private arrays whose loops were unrolled
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(opt_level)));
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(instCombine());
}

FunctionPassManager pipeline(unsigned opt_level) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ForwardCopiesPass({}));
  if (opt_level >= 2)
    addRotation(passes); // how often a loop runs is seen when instructions have been combined
  passes.addPass(instCombine());
  passes.addPass(SimplifyCFGPass());
  if (opt_level < 2)
    return passes;
  addLoopPasses(passes, opt_level);
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  return passes;
}

} // namespace

void optimizeKernels(Module& kernels, TargetMachine& machine, const GpuOptions& options) {
  if (options.opt_level == 0)
    return;
  keepQuiet(kernels.getContext());
  PassWatch watch(options.after_pass, options.verify);
  watch.name<ForwardCopiesPass>("forward-copies");
  watch.name<RotateLoopsPass>("rotate-loops");
  FunctionPasses passes(machine.getTargetTriple(), &machine, watch.callbacks());
  FunctionPassManager all = pipeline(options.opt_level);
  for (Function& function : kernels)
    if (!function.isDeclaration())
      passes.run(function, all);
}

// The last preparations before instructions are selected took a third of the whole, and the driver's compiler makes the
// same of PTX without.
std::string ptxOf(Module& kernels, TargetMachine& machine) {
  StripDebugInfo(kernels); // PTX has no lines of the program
  auto text = generate(kernels, machine, CodeGenFileType::AssemblyFile, {"CodeGen Prepare"});
  return std::string(text.begin(), text.end());
}

} // namespace bsgp::target
