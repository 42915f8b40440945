#include "target/ptx/gpu_machine.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr char kTriple[] = "nvptx64-nvidia-cuda";

// Each capability with the version of PTX in which it appeared: the older the version, the more drivers take the text.
struct Capability {
  unsigned sm;
  const char* ptx;
};
constexpr std::array<Capability, 6> kCapabilities = {
    {{75, "+ptx63"}, {80, "+ptx70"}, {86, "+ptx71"}, {87, "+ptx74"}, {89, "+ptx78"}, {90, "+ptx78"}}};

const Target& gpuTarget() {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  std::string error;
  const Target* target = initialized ? TargetRegistry::lookupTarget(kTriple, error) : nullptr;
  BSGP_CHECK(target, "LLVM has no code generator for %s: %s", kTriple, error.c_str());
  return *target;
}

} // namespace

Result<unsigned> smNumber(const std::string& name) {
  std::string known;
  for (const Capability& capability : kCapabilities) {
    std::string its = fmt::format("sm_{}", capability.sm);
    if (name == its)
      return capability.sm;
    known += (known.empty() ? "" : ", ") + its;
  }
  return Error{fmt::format("unknown GPU '{}': there is code for {}", name, known)};
}

Result<unsigned> smFor(unsigned sm) {
  unsigned best = 0;
  for (const Capability& capability : kCapabilities)
    if (capability.sm <= sm)
      best = capability.sm;
  if (best)
    return best;
  return Error{fmt::format("the GPU has compute capability {}.{}; {}.{} is the least that there is code for", sm / 10,
                           sm % 10, kCapabilities[0].sm / 10, kCapabilities[0].sm % 10)};
}

std::unique_ptr<TargetMachine> createGpuMachine(const GpuOptions& options) {
  const auto* found = std::find_if(kCapabilities.begin(), kCapabilities.end(),
                                   [&](const Capability& capability) { return capability.sm == options.sm; });
  BSGP_CHECK(found != kCapabilities.end(), "there is no code for sm_%u", options.sm);
  TargetOptions target_options;
  target_options.AllowFPOpFusion = FPOpFusion::Strict; // a*b+c was fused, or not, in irgen
  return std::unique_ptr<TargetMachine>(gpuTarget().createTargetMachine(
      kTriple, fmt::format("sm_{}", options.sm), found->ptx, target_options, Reloc::PIC_, std::nullopt,
      options.opt_level ? CodeGenOptLevel::Default : CodeGenOptLevel::None));
}

} // namespace bsgp::target
