#include "target/cpu/machine/machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "support/check.h"
#include "target/common/attributes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Sets options that LLVM has only for the whole process. A target that wants one of these passes adds it itself.
//   - After the vector loop LLVM would try a narrower one, then a scalar one, on what is left. A range of whole blocks
//     leaves nothing, and the middle loop cost a fifth of the compile time.
//   - Loop strength reduction, with the passes before it, takes a tenth of code generation. Our loops address memory as
//     base + rank*size, which is an addressing mode; what it makes of them runs no faster.
//   - Conditional moves stay what they are. LLVM makes branches of those whose operands are loaded, betting on a
//     condition that can be predicted; where keys are compared it cannot, and a merge of pairs took four times as long.
//   - Values move to mask registers of AVX-512 only where they are selected so. LLVM's pass that moves them later changes
//     single loads of our code, and takes time that grows with the square of what meets at one place: behind a switch.
void setProcessOptions() {
  auto& options = cl::getRegisteredOptions();
  auto set = [&](const char* name, bool value) {
    if (auto found = options.find(name); found != options.end())
      static_cast<cl::opt<bool>*>(found->second)->setValue(value);
  };
  set("enable-epilogue-vectorization", false);
  set("disable-lsr", true);
  set("x86-cmov-converter", false);
  set("disable-x86-domain-reassignment", true);
}

// Registration is idempotent but not safe against itself.
bool initializeNative() {
  static const bool initialized = [] {
    setProcessOptions();
    return !InitializeNativeTarget() && !InitializeNativeTargetAsmPrinter();
  }();
  return initialized;
}

void initializeOthers() {
  static const bool initialized = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
}

const Target& targetOf(const std::string& triple) {
  std::string error;
  const Target* target = initializeNative() ? TargetRegistry::lookupTarget(triple, error) : nullptr;
  BSGP_CHECK(target, "LLVM has no code generator for %s: %s", triple.c_str(), error.c_str());
  return *target;
}

const std::string& thisTriple() {
  static const std::string triple = sys::getProcessTriple();
  return triple;
}

std::string tripleOf(const CpuOptions& options) {
  return options.triple.empty() ? thisTriple() : options.triple;
}

// This machine, asked once: in a virtual machine each question (cpuid) costs microseconds.
struct NativeCpu {
  std::string name = sys::getHostCPUName().str();
  std::string features; // only those that the name does not imply: LLVM compares this text again and again

  explicit NativeCpu(const std::string& triple) {
    std::unique_ptr<MCSubtargetInfo> implied(targetOf(triple).createMCSubtargetInfo(triple, name, ""));
    SubtargetFeatures differing;
    for (const auto& [feature, enabled] : sys::getHostCPUFeatures())
      if (!implied->checkFeatures((enabled ? "+" : "-") + feature.str()))
        differing.AddFeature(feature, enabled);
    features = differing.getString();
  }
};

CodeGenOptLevel codeGenLevel(const CpuOptions& options) {
  if (options.opt_level == 0)
    return CodeGenOptLevel::None;
  return options.opt_level == 1 || options.reference ? CodeGenOptLevel::Less : CodeGenOptLevel::Default;
}

std::unique_ptr<TargetMachine> create(const std::string& triple, const std::string& cpu, const std::string& features,
                                      CodeGenOptLevel level) {
  TargetOptions target_options;
  target_options.AllowFPOpFusion = FPOpFusion::Strict; // a*b+c was fused, or not, in irgen
  if (Triple(triple).isX86()) // a loop of five instructions across two lines of 32 bytes takes twice as long
    target_options.LoopAlignment = 32;
  return std::unique_ptr<TargetMachine>(targetOf(triple).createTargetMachine(triple, cpu, features, target_options,
                                                                             Reloc::PIC_, CodeModel::Small, level));
}

} // namespace

Result<std::string> otherMachine(const std::string& triple) {
  Triple other(Triple::normalize(triple)), here(thisTriple());
  // The runtime needs POSIX threads, and object files are those of ELF.
  bool known = (other.getArch() == Triple::x86_64 || other.getArch() == Triple::aarch64) && other.isOSLinux() &&
               other.isOSBinFormatELF() && !other.isX32();
  if (!known)
    return Error{"cannot make code for '" + triple + "': x86_64-linux-gnu and aarch64-linux-gnu are known"};
  if (other.getArch() == here.getArch() && other.getOS() == here.getOS())
    return std::string();
  initializeOthers();
  std::string problem;
  if (!TargetRegistry::lookupTarget(other.str(), problem))
    return Error{"this LLVM cannot make code for '" + triple + "': " + problem};
  return other.str();
}

std::string thisMachine() {
  static const std::string machine = [] {
    std::string text = sys::getHostCPUName().str();
    for (const auto& [feature, enabled] : sys::getHostCPUFeatures())
      text += (enabled ? " +" : " -") + feature.str();
    return text;
  }();
  return machine;
}

Result<std::unique_ptr<TargetMachine>> createMachine(const CpuOptions& options) {
  std::string triple = tripleOf(options);
  if (options.cpu == "native" && triple == thisTriple()) {
    static const NativeCpu native(triple);
    return create(triple, native.name, native.features, codeGenLevel(options));
  }
  std::unique_ptr<MCSubtargetInfo> known(targetOf(triple).createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(options.cpu))
    return Error{"unknown CPU '" + options.cpu + "': LLVM has no such name for " + triple};
  return create(triple, options.cpu, "", codeGenLevel(options));
}

uint64_t featuresOf(const TargetMachine& machine) {
  if (!machine.getTargetTriple().isX86())
    return 0;
  uint64_t features = 0, bit = 1;
  for (const char* name : {
#define CPU_FEATURE(name, leaf, subleaf, register, bit, state) "+" name,
#include "plan/cpu_features.def"
#undef CPU_FEATURE
       }) {
    if (machine.getMCSubtargetInfo()->checkFeatures(name))
      features |= bit;
    bit <<= 1;
  }
  return features;
}

// The attributes also give the width of vectors: LLVM takes 256 bits, because AVX-512 used to slow the clock down;
// 512 measured up to 1.6 times as fast where kernels compute, and no slower where they wait for memory.
void describeFunction(Function& function, const TargetMachine& machine) {
  function.addFnAttr("target-cpu", machine.getTargetCPU());
  if (!machine.getTargetFeatureString().empty())
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  if (function.hasFnAttribute(kKernelAttribute) && machine.getTargetTriple().isX86() &&
      machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    function.addFnAttr("prefer-vector-width", "512");
}

void describeMachine(Module& module, const CpuOptions& options) {
  std::unique_ptr<TargetMachine> machine = create(tripleOf(options), "", "", CodeGenOptLevel::None);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
}

} // namespace bsgp::target
