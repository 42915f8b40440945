// links: target
// What the targets' verifier refuses of lowered modules, and when it is asked.
#include "target/common/verifier.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

constexpr char kCpu[] = "target triple = \"x86_64-unknown-linux-gnu\"\n";
constexpr char kGpu[] = "target triple = \"nvptx64-nvidia-cuda\"\n";

std::string violationIn(const std::string& text) {
  return target::violationIn(*parse(text).module);
}

// In a kernel, which is `define void @k(ptr %p)`; what it calls is declared.
std::string violationInKernel(const char* target, const std::string& declaration, const std::string& body) {
  return violationIn(target + declaration + "\ndefine void @k(ptr %p) #0 {\n" + body +
                     "\nret void\n}\nattributes #0 = { \"bsgp-ranks\" }\n");
}

TEST(Verifier, LlvmsRulesHold) {
  EXPECT_EQ(violationInKernel(kCpu, "", "store i32 1, ptr %p"), "");
  std::string unordered = violationInKernel(kCpu, "", "%a = add i32 %b, 1\n%b = add i32 1, 2");
  EXPECT_NE(unordered.find("Instruction does not dominate all uses!"), std::string::npos);
}

TEST(Verifier, NothingIsLeftOfTheContract) {
  EXPECT_EQ(violationIn("declare void @bsgp.block.sync()"), "bsgp.block.sync: a function of the contract is left");
  std::string shared = "@s = internal addrspace(3) global i32 undef\n";
  EXPECT_EQ(violationIn(kCpu + shared), "s: a shared variable is left");
  EXPECT_EQ(violationIn(kGpu + shared), "");
}

TEST(Verifier, KernelsCallWhatIsTheirs) {
  const char *own = "define internal void @f() {\nret void\n}", *call = "call void @f()";
  EXPECT_EQ(violationInKernel(kCpu, own, call), "");
  EXPECT_EQ(violationInKernel(kCpu, "declare void @f()", call), "k: a kernel takes this from outside:  call void @f()");
  EXPECT_EQ(violationInKernel(kCpu, "", "call void %p()"), "k: a kernel takes this from outside:  call void %p()");
  EXPECT_EQ(violationInKernel(kCpu, "", "call void asm sideeffect \"\", \"\"()"), "");
}

TEST(Verifier, KernelsOfACpuCallTheRuntime) {
  const char *free = "declare void @free(ptr)", *call = "call void @free(ptr %p)";
  EXPECT_EQ(violationInKernel(kCpu, free, call), "");
  EXPECT_EQ(violationInKernel(kGpu, free, call), "k: a kernel takes this from outside:  call void @free(ptr %p)");
}

TEST(Verifier, KernelsDoWithoutTheHostsMathematics) {
  EXPECT_EQ(violationInKernel(kCpu, "declare float @llvm.sqrt.f32(float)", "%x = call float @llvm.sqrt.f32(float 2.0)"),
            "");
  EXPECT_EQ(violationInKernel(kCpu, "declare float @llvm.exp.f32(float)", "%x = call float @llvm.exp.f32(float 2.0)"),
            "k: a kernel takes this from outside:  %x = call float @llvm.exp.f32(float 2.000000e+00)");
  EXPECT_EQ(violationInKernel(kCpu, "", "%x = frem float 2.0, 3.0"),
            "k: a kernel takes this from outside:  %x = frem float 2.000000e+00, 3.000000e+00");
  for (const char* name : {"lround", "llround", "lrint", "llrint"}) {
    std::string function = std::string("i64 @llvm.") + name + ".i64.f32(float";
    EXPECT_NE(violationInKernel(kCpu, "declare " + function + ")", "%x = call " + function + " 2.0)"), "") << name;
  }
}

TEST(Verifier, HostCodeMayCallAnything) {
  EXPECT_EQ(violationIn(std::string(kCpu) +
                        "declare double @cos(double)\n"
                        "define double @f() {\n%x = call double @cos(double 1.0)\nret double %x\n}"),
            "");
}

constexpr char kBody[] = R"(
  %a = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %r
  %odd = trunc i32 %r to i1
  br i1 %odd, label %then, label %end
then:
  store i32 %r, ptr addrspace(1) %a
  br label %end
end:
  ret void
)";

// Compiles a kernel into which something behind the pass `broken` puts a call of libm.
void compileBroken(const std::string& broken, bool verify) {
  ir::Kernels program = rankKernel("ptr addrspace(1) %p", kBody).compiled();
  CpuOptions options = testOptions();
  options.verify = verify;
  options.after_pass = [&](std::string_view pass, const llvm::Module& module) {
    if (pass != broken)
      return;
    auto& changed = const_cast<llvm::Module&>(module);
    llvm::Type* real = llvm::Type::getDoubleTy(changed.getContext());
    llvm::CallInst::Create(changed.getOrInsertFunction("cos", real, real), {llvm::ConstantFP::get(real, 1)}, "",
                           changed.getFunction("spawn.0.1.ranks")->getEntryBlock().getTerminator());
  };
  lowerKernels(program, options);
  (void)compileObject(program, options);
}

TEST(Verifier, IsAskedBehindEachPassThatChangesSomething) {
  EXPECT_DEATH(compileBroken("early-cse", true),
               "after the pass simplifycfg, spawn.0.1.ranks: a kernel takes this from");
  EXPECT_DEATH(compileBroken("lower-kernels", true), "after the pass round-half-fma-once, spawn.0.1.ranks: a kernel");
}

TEST(Verifier, IsAskedBeforeCodeGenerationAtLeast) {
  EXPECT_DEATH(compileBroken("early-cse", false), "after the pass optimize, spawn.0.1.ranks: a kernel takes this from");
  compileBroken("generate-code", false);
}

} // namespace
} // namespace bsgp::target::test
