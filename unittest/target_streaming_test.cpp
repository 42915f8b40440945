// links: target
// Stores past the caches: which kernels have them, and that they write the same.
#include <numeric>

#include <llvm/IR/Verifier.h>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

CpuOptions options(const char* cpu) {
  CpuOptions options = testOptions();
  options.cpu = cpu;
  return options;
}

std::string optimized(const OneKernel& kernel) {
  ir::Kernels compiled = kernel.compiled();
  lowerKernels(compiled, options("x86-64-v4"));
  EXPECT_TRUE(optimize(compiled, options("x86-64-v4")));
  EXPECT_FALSE(llvm::verifyModule(*compiled.module, &llvm::errs()));
  std::string ir;
  llvm::raw_string_ostream(ir) << *compiled.module;
  return ir;
}

// `body` begins with %r, %px = x + r, %py = y + r, %v = x[r].
OneKernel kernelOf(const std::string& body) {
  return {R"(
declare i32 @bsgp.rank.i32(i32)
define void @spawn.0.1(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %r = call i32 @bsgp.rank.i32(i32 0)
  %px = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %r
  %py = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %r
  %v = load i32, ptr addrspace(1) %px
)" + body + "\n  ret void\n}\n",
          2};
}

OneKernel doubling() {
  return kernelOf("%w = mul i32 %v, 2\n store i32 %w, ptr addrspace(1) %py");
}

bool streams(const std::string& ir) {
  return ir.find("!nontemporal") != std::string::npos;
}

TEST(StreamingStores, AreMadeOfOutput) {
  std::string ir = optimized(doubling());
  EXPECT_TRUE(streams(ir)) << ir;
  EXPECT_NE(ir.find("@spawn.0.1.ranks.stream("), std::string::npos) << ir;
  EXPECT_NE(ir.find("sfence"), std::string::npos) << ir;
}

TEST(StreamingStores, AreMadeInBlocks) {
  OneKernel kernel{R"(
@s = internal addrspace(3) global [256 x i32] undef, align 64
declare i32 @bsgp.rank.i32(i32)
declare void @bsgp.block.sync()
define void @spawn.0.1(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %r = call i32 @bsgp.rank.i32(i32 0)
  %b = urem i32 %r, 256
  %px = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %r
  %v = load i32, ptr addrspace(1) %px
  %sb = getelementptr inbounds [256 x i32], ptr addrspace(3) @s, i32 0, i32 %b
  store i32 %v, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
  %o = xor i32 %b, 1
  %so = getelementptr inbounds [256 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %w = load i32, ptr addrspace(3) %so
  %py = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %r
  store i32 %w, ptr addrspace(1) %py
  ret void
}
)",
                   2};
  EXPECT_TRUE(streams(optimized(kernel)));
}

TEST(StreamingStores, AreNotMadeOfUpdatesInPlace) {
  EXPECT_FALSE(streams(optimized(kernelOf("%w = mul i32 %v, 2\n store i32 %w, ptr addrspace(1) %px"))));
  EXPECT_FALSE(streams(optimized(
      kernelOf("%u = load i32, ptr addrspace(1) %py\n%w = add i32 %v, %u\nstore i32 %w, ptr addrspace(1) %py"))));
}

TEST(StreamingStores, AreNotMadeOfScattersOrWhereLinesKeepHoles) {
  EXPECT_FALSE(streams(optimized(
      kernelOf("%p = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %v\nstore i32 %r, ptr addrspace(1) %p"))));
  EXPECT_FALSE(streams(optimized(kernelOf("%r2 = shl nuw nsw i32 %r, 1\n"
                                          "%p = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %r2\n"
                                          "store i32 %v, ptr addrspace(1) %p"))));
  EXPECT_FALSE(streams(optimized(kernelOf("%r2 = add nuw nsw i32 %r, 1\n"
                                          "%p = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %r2\n"
                                          "store i32 %v, ptr addrspace(1) %p"))))
      << "not aligned";
}

TEST(StreamingStores, AreNotMadeBesideAtomics) {
  EXPECT_FALSE(streams(optimized(kernelOf("store i32 %v, ptr addrspace(1) %py\n"
                                          "store atomic i32 1, ptr addrspace(1) %px release, align 4"))));
}

// The size says which variant runs: here a few blocks of a large launch, and all of a small one.
TEST(StreamingStores, WriteTheSame) {
  Compiled compiled(doubling(), options("native"));
  for (int64_t size : {1000, 1 << 26})
    for (int shift : {0, 1, 16}) { // not aligned: the ordinary variant runs
      constexpr int kRanks = 4 * 256;
      std::vector<int32_t> x(kRanks), room(kRanks + 64);
      std::iota(x.begin(), x.end(), 0);
      auto* y = reinterpret_cast<int32_t*>((uintptr_t(room.data()) + 63) & ~uintptr_t(63)) + shift;
      std::vector<uint64_t> params{slot(x.data()), slot(y)};
      bsgp_launch launch{size, 256, params.data(), nullptr, 0, BSGP_FORM_LANES};
      compiled.plan().kernels[0].run(&launch, 0, 3);
      compiled.plan().kernels[0].run(&launch, 3, 4);
      for (int i = 0; i < std::min<int64_t>(size, kRanks); ++i)
        ASSERT_EQ(y[i], 2 * i) << size << ' ' << shift;
    }
}

} // namespace
} // namespace bsgp::target::test
