#include "target/cpu/machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const Target& nativeTarget(const std::string& triple) {
  // Registration is idempotent but not safe against itself.
  static const bool initialized = [] { return !InitializeNativeTarget() && !InitializeNativeTargetAsmPrinter(); }();
  std::string error;
  const Target* target = initialized ? TargetRegistry::lookupTarget(triple, error) : nullptr;
  BSGP_CHECK(target, "LLVM has no code generator for %s: %s", triple.c_str(), error.c_str());
  return *target;
}

std::string nativeFeatures() {
  SubtargetFeatures features;
  for (const auto& [name, enabled] : sys::getHostCPUFeatures())
    features.AddFeature(name, enabled);
  return features.getString();
}

CodeGenOptLevel codeGenLevel(const CpuOptions& options) {
  if (options.opt_level == 0)
    return CodeGenOptLevel::None;
  return options.opt_level == 1 || options.reference ? CodeGenOptLevel::Less : CodeGenOptLevel::Default;
}

std::unique_ptr<TargetMachine> create(const std::string& cpu, const std::string& features, CodeGenOptLevel level) {
  std::string triple = sys::getProcessTriple();
  TargetOptions target_options;
  target_options.AllowFPOpFusion = FPOpFusion::Strict; // a*b+c was fused, or not, in irgen
  return std::unique_ptr<TargetMachine>(nativeTarget(triple).createTargetMachine(triple, cpu, features, target_options,
                                                                                 Reloc::PIC_, CodeModel::Small, level));
}

} // namespace

Result<std::unique_ptr<TargetMachine>> createMachine(const CpuOptions& options) {
  if (options.cpu == "native")
    return create(sys::getHostCPUName().str(), nativeFeatures(), codeGenLevel(options));
  std::string triple = sys::getProcessTriple();
  std::unique_ptr<MCSubtargetInfo> known(nativeTarget(triple).createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(options.cpu))
    return Error{"unknown CPU '" + options.cpu + "': LLVM has no such name for " + triple};
  return create(options.cpu, "", codeGenLevel(options));
}

void describeMachine(Module& module) {
  std::unique_ptr<TargetMachine> machine = create("", "", CodeGenOptLevel::None);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
}

TargetLibraryInfoImpl libraryFunctions(const Triple& triple) {
  TargetLibraryInfoImpl functions(triple);
  functions.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    functions.setAvailable(function);
  return functions;
}

} // namespace bsgp::target
