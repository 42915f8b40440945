#include "target/ptx/gpu_module.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "support/check.h"
#include "target/function_passes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

bool isKernel(const GlobalValue& value) {
  auto* function = dyn_cast<Function>(&value);
  return function && function->getCallingConv() == CallingConv::PTX_Kernel;
}

// Constants and shared variables.
bool isMemoryOfKernels(const GlobalValue& value) {
  auto* global = dyn_cast<GlobalVariable>(&value);
  return global && (global->isConstant() || global->getAddressSpace() != 0);
}

bool dropUnused(Module& module) {
  SmallVector<GlobalValue*, 32> unused;
  for (GlobalValue& value : module.global_values()) {
    value.removeDeadConstantUsers();
    if (value.use_empty() && !isKernel(value))
      unused.push_back(&value);
  }
  for (GlobalValue* value : unused)
    value->eraseFromParent();
  return !unused.empty();
}

} // namespace

std::unique_ptr<Module> extractKernels(Module& program) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> kernels =
      CloneModule(program, map, [](const GlobalValue* value) { return isKernel(*value) || isMemoryOfKernels(*value); });
  while (dropUnused(*kernels)) {
  }
  for (GlobalVariable& global : kernels->globals())
    if (global.hasInitializer()) // each program has its own
      global.setLinkage(GlobalValue::InternalLinkage);
  for (Function& function : make_early_inc_range(program))
    if (isKernel(function))
      function.eraseFromParent();
  if (NamedMDNode* annotations = program.getNamedMetadata("nvvm.annotations"))
    annotations->eraseFromParent();
  return kernels;
}

namespace {

// A loop that `unroll` stands before and that cannot be unrolled is no reason to talk.
void keepQuiet(LLVMContext& context) {
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo* info, void*) {
    if (info->getSeverity() != DS_Error)
      return;
    DiagnosticPrinterRawOStream printer(errs());
    info->print(printer);
    errs() << "\n";
  });
}

} // namespace

void optimizeKernels(Module& kernels, TargetMachine& machine, const GpuOptions& options) {
  if (options.opt_level == 0)
    return;
  keepQuiet(kernels.getContext());
  PassBuilder builder(&machine);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  // Not even memset: the code generator makes loops over bytes of it.
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel level = options.opt_level == 1   ? OptimizationLevel::O1
                            : options.opt_level == 2 ? OptimizationLevel::O2
                                                     : OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(kernels, modules);
}

std::string ptxOf(Module& kernels, TargetMachine& machine) {
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(libraryFunctions(machine.getTargetTriple())));
  bool unsupported = machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile,
                                                 /*DisableVerify=*/true);
  BSGP_CHECK(!unsupported, "LLVM cannot write PTX");
  passes.run(kernels);
  return std::string(text.begin(), text.end());
}

} // namespace bsgp::target
