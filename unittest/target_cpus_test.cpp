// links: target
// Code for several machines in one module.
#include <set>

#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

// What LLVM knows of x86 machines beside cpu_features.def, and takes for nothing that a kernel says.
bool isOfNoKernel(llvm::StringRef feature) {
  static const std::set<std::string> base = {"64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"};
  static const std::set<std::string> intrinsics = {
      "3dnow",       "3dnowa",     "adx",       "aes",        "amx-bf16",
      "amx-complex", "amx-fp16",   "amx-int8",  "amx-tile",   "avx512vp2intersect",
      "cldemote",    "clflushopt", "clwb",      "clzero",     "cmpccxadd",
      "crc32",       "enqcmd",     "evex512",   "fsgsbase",   "hreset",
      "invpcid",     "kl",         "lwp",       "movdir64b",  "movdiri",
      "mwaitx",      "pclmul",     "pconfig",   "pku",        "prefetchi",
      "prfchw",      "ptwrite",    "rdpid",     "rdpru",      "rdrnd",
      "rdseed",      "rtm",        "serialize", "sgx",        "sha",
      "sha512",      "shstk",      "sm3",       "sm4",        "tsxldtrk",
      "uintr",       "usermsr",    "vaes",      "vpclmulqdq", "waitpkg",
      "wbnoinvd",    "widekl",     "xsave",     "xsavec",     "xsaveopt",
      "xsaves"};
  return base.count(feature.str()) || intrinsics.count(feature.str());
}

std::set<std::string> tableNames() {
  return {
#define CPU_FEATURE(name, leaf, subleaf, register, bit, state) name,
#include "plan/cpu_features.def"
#undef CPU_FEATURE
  };
}

TEST(Cpus, EveryFeatureOfEveryCpuIsKnown) {
  llvm::SmallVector<llvm::StringRef, 128> cpus;
  llvm::X86::fillValidCPUArchList(cpus, /*Only64Bit=*/true);
  EXPECT_GT(cpus.size(), 50u);
  std::set<std::string> table = tableNames(), used;
  for (llvm::StringRef cpu : cpus) {
    llvm::SmallVector<llvm::StringRef, 64> features;
    llvm::X86::getFeaturesForCPU(cpu, features);
    for (llvm::StringRef feature : features) {
      EXPECT_TRUE(table.count(feature.str()) || isOfNoKernel(feature)) << cpu.str() << ": " << feature.str();
      used.insert(feature.str());
    }
  }
  for (const std::string& name : table)
    EXPECT_TRUE(used.count(name)) << name;
}

TEST(Cpus, ABetterLevelHasAllOfTheOneBefore) {
  uint64_t before = 0;
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    uint64_t features = *cpuFeatures(level);
    EXPECT_EQ(features & before, before) << level;
    EXPECT_NE(features, before) << level;
    before = features;
  }
  EXPECT_EQ(*cpuFeatures("x86-64"), 0u);
}

constexpr char kAddOne[] = R"(
declare i32 @bsgp.rank.i32(i32)
define void @spawn.0.1(ptr addrspace(1) %to) {
  %rank = call i32 @bsgp.rank.i32(i32 0)
  %place = getelementptr float, ptr addrspace(1) %to, i32 %rank
  %x = load float, ptr addrspace(1) %place
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %place
  ret void
}
define i32 @f(ptr %context, double %x) {
  %plan = call ptr @plan()
  ret i32 0
}
)";

ir::Kernels compiledFor(const std::vector<std::string>& cpus, std::string* rest = nullptr) {
  ir::Kernels compiled = OneKernel{kAddOne, 1}.compiled();
  CpuOptions options = testOptions();
  lowerKernels(compiled, options);
  // As a function that is visible outside would take it for an entry.
  compiled.module->getFunction("plan")->setLinkage(llvm::GlobalValue::InternalLinkage);
  auto common = addCpus(compiled, cpus);
  EXPECT_TRUE(common) << common.message();
  options.cpu = *common;
  EXPECT_TRUE(optimize(compiled, options));
  if (rest)
    *rest = *common;
  return compiled;
}

std::string cpuOf(ir::Kernels& compiled, const std::string& function) {
  llvm::Function* found = compiled.module->getFunction(function);
  return found ? found->getFnAttribute("target-cpu").getValueAsString().str() : "there is none";
}

TEST(Cpus, EachHasItsKernels) {
  std::string rest;
  ir::Kernels compiled = compiledFor({"x86-64-v2", "haswell", "x86-64-v4"}, &rest);
  EXPECT_EQ(rest, "x86-64-v2");
  for (const char* cpu : {"x86-64-v2", "haswell", "x86-64-v4"})
    for (const char* part : {"blocks", "ranks"})
      EXPECT_EQ(cpuOf(compiled, std::string("spawn.0.1.") + part + "." + cpu), cpu);
  EXPECT_EQ(cpuOf(compiled, "spawn.0.1.blocks"), "there is none");
}

TEST(Cpus, HostCodeIsForWhatTheyHaveInCommon) {
  std::string rest;
  ir::Kernels compiled = compiledFor({"znver4", "sapphirerapids"}, &rest);
  EXPECT_EQ(rest, "x86-64-v4");
  EXPECT_EQ(cpuOf(compiled, "f.entered"), "x86-64-v4");
  EXPECT_EQ(cpuOf(compiled, "f"), "x86-64");
  compiledFor({"haswell"}, &rest);
  EXPECT_EQ(rest, "haswell");
  compiledFor({"x86-64", "haswell"}, &rest);
  EXPECT_EQ(rest, "x86-64");
}

TEST(Cpus, KernelsOfOneCallEachOther) {
  ir::Kernels compiled = compiledFor({"x86-64-v2", "x86-64-v3"});
  for (const char* cpu : {"x86-64-v2", "x86-64-v3"}) {
    unsigned calls = 0;
    for (llvm::BasicBlock& block : *compiled.module->getFunction(std::string("spawn.0.1.blocks.") + cpu))
      for (llvm::Instruction& instruction : block)
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          if (llvm::StringRef name = call->getCalledFunction()->getName(); name.starts_with("spawn.0.1.ranks")) {
            EXPECT_NE(name.find(cpu), llvm::StringRef::npos) << name.str();
            ++calls;
          }
    EXPECT_GE(calls, 1u);
  }
}

TEST(Cpus, AreNamedFromTheOldestToTheNewest) {
  for (auto& [first, second] : {std::pair{"x86-64-v3", "x86-64-v2"}, {"znver4", "znver4"}, {"haswell", "x86-64-v3"}}) {
    ir::Kernels compiled = OneKernel{kAddOne, 1}.compiled();
    lowerKernels(compiled, testOptions());
    auto refused = addCpus(compiled, {first, second});
    ASSERT_FALSE(refused) << first;
    EXPECT_NE(refused.message().find("would never be chosen"), std::string::npos) << refused.message();
  }
}

} // namespace
} // namespace bsgp::target::test
