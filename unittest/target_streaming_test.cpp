// links: target
// Stores past the caches: which kernels have them, and that they write the same.
#include <numeric>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

std::string optimized(const OneKernel& kernel) {
  return test::optimized(kernel, optionsFor("x86-64-v4"));
}

// `body` begins with %r, %px = x + r, %py = y + r, %v = x[r].
OneKernel kernelOf(const std::string& body) {
  return rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %y", R"(
  %px = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %r
  %py = getelementptr inbounds i32, ptr addrspace(1) %y, i32 %r
  %v = load i32, ptr addrspace(1) %px
)" + body + "\n  ret void");
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
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %y", R"(
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
  ret void)",
                                R"(
@s = internal addrspace(3) global [256 x i32] undef, align 64
declare void @bsgp.block.sync())");
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
  Compiled compiled(doubling(), optionsFor("native"));
  for (int64_t size : {1000, 1 << 26})
    for (int shift : {0, 1, 16}) { // not aligned: the ordinary variant runs
      constexpr int kRanks = 4 * 256;
      std::vector<int32_t> x(kRanks), room(kRanks + 64);
      std::iota(x.begin(), x.end(), 0);
      auto* y = reinterpret_cast<int32_t*>((uintptr_t(room.data()) + 63) & ~uintptr_t(63)) + shift;
      compiled.runBlocks(size, 0, 4, {slot(x.data()), slot(y)});
      for (int i = 0; i < std::min<int64_t>(size, kRanks); ++i)
        ASSERT_EQ(y[i], 2 * i) << size << ' ' << shift;
    }
}

} // namespace
} // namespace bsgp::target::test
