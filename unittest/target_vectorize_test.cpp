// links: target
// What the loop vectorizer makes of the rank loop, and that it does not make too much of it.
#include <numeric>
#include <regex>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

bool storesVectors(const std::string& ir, const std::string& element) {
  std::regex store("store <[0-9]+ x " + element + ">|@llvm\\.masked\\.(store|scatter)\\.v[0-9]+");
  return std::regex_search(ir, store);
}

const OneKernel kSaxpy = rankKernel("float %a, ptr addrspace(1) %x, ptr addrspace(1) %y", R"(
  %px = getelementptr float, ptr addrspace(1) %x, i32 %r
  %py = getelementptr float, ptr addrspace(1) %y, i32 %r
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %s = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %s, ptr addrspace(1) %px
  ret void)",
                                    R"(
declare float @llvm.fma.f32(float, float, float))");

TEST(Vectorizer, TakesSaxpyWithoutCheckingPointers) {
  std::string ir = optimized(kSaxpy, optionsFor("x86-64-v3"));
  EXPECT_TRUE(storesVectors(ir, "float")) << ir;
  EXPECT_EQ(ir.find("vector.memcheck"), std::string::npos) << ir;
}

TEST(Vectorizer, RestsAtLevelOneAndInTheReference) {
  CpuOptions low = optionsFor("x86-64-v3");
  low.opt_level = 1;
  EXPECT_FALSE(storesVectors(optimized(kSaxpy, low), "float"));
  CpuOptions reference = optionsFor("x86-64-v3");
  reference.reference = true;
  EXPECT_FALSE(storesVectors(optimized(kSaxpy, reference), "float"));
}

TEST(Vectorizer, TakesScattersAndGathers) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %to", R"(
  %pt = getelementptr i32, ptr addrspace(1) %to, i32 %r
  %t = load i32, ptr addrspace(1) %pt
  %py = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %py
  %w = fmul float %v, 2.0
  %px = getelementptr float, ptr addrspace(1) %x, i32 %t
  store float %w, ptr addrspace(1) %px
  ret void)");
  EXPECT_TRUE(storesVectors(optimized(kernel, optionsFor("x86-64-v4")), "float"));
}

TEST(Vectorizer, TakesAsserts) {
  OneKernel kernel = rankKernel(kInOut, kLoad + R"(
  %ok = icmp sge i32 %v, 0
  call void @bsgp.assert(i1 %ok, ptr @site)
  %result = mul i32 %v, 3
  %ok2 = icmp ne i32 %result, 7
  call void @bsgp.assert(i1 %ok2, ptr @site2)
)" + kStore,
                                R"(
@site = private constant { ptr, i32, i32, ptr } { ptr null, i32 12, i32 3, ptr null }
@site2 = private constant { ptr, i32, i32, ptr } { ptr null, i32 13, i32 3, ptr null }
declare void @bsgp.assert(i1, ptr))");
  std::string ir = optimized(kernel, optionsFor("x86-64-v4"));
  EXPECT_TRUE(storesVectors(ir, "i32")) << ir;
}

// z = (y[2r], ...) in place: the wide accesses that the vectorizer makes of the strided ones must not pass each other.
TEST(Vectorizer, KeepsTheOrderWithinAThread) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %p, ptr addrspace(1) %q", R"(
  %e = shl nuw nsw i32 %r, 1
  %o = or disjoint i32 %e, 1
  %qe = getelementptr inbounds float, ptr addrspace(1) %q, i32 %e
  %v = load float, ptr addrspace(1) %qe
  %v1 = fadd float %v, 1.0
  %po = getelementptr inbounds float, ptr addrspace(1) %p, i32 %o
  store float %v1, ptr addrspace(1) %po
  %qo = getelementptr inbounds float, ptr addrspace(1) %q, i32 %o
  %w = load float, ptr addrspace(1) %qo
  %w2 = fmul float %w, 2.0
  %pe = getelementptr inbounds float, ptr addrspace(1) %p, i32 %e
  store float %w2, ptr addrspace(1) %pe
  ret void)");
  Compiled compiled(kernel, optionsFor("native"));
  std::vector<float> x(2000), expected(2000);
  std::iota(x.begin(), x.end(), 0.f);
  for (int i = 0; i < 1000; ++i) {
    expected[2 * i + 1] = x[2 * i] + 1;
    expected[2 * i] = expected[2 * i + 1] * 2;
  }
  compiled.run(1000, {slot(x.data()), slot(x.data())});
  EXPECT_EQ(x, expected);
}

TEST(Vectorizer, JoinsStridedAccessesWhereNothingIsBetween) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %p, ptr addrspace(1) %q", R"(
  %e = shl nuw nsw i32 %r, 1
  %o = or disjoint i32 %e, 1
  %qe = getelementptr inbounds float, ptr addrspace(1) %q, i32 %e
  %qo = getelementptr inbounds float, ptr addrspace(1) %q, i32 %o
  %v = load float, ptr addrspace(1) %qe
  %w = load float, ptr addrspace(1) %qo
  %s = fadd float %v, %w
  %pr = getelementptr inbounds float, ptr addrspace(1) %p, i32 %r
  store float %s, ptr addrspace(1) %pr
  ret void)");
  std::string ir = optimized(kernel, optionsFor("x86-64-v4"));
  EXPECT_TRUE(storesVectors(ir, "float"));
  EXPECT_EQ(ir.find("llvm.masked.gather"), std::string::npos) << ir;
}

TEST(Vectorizer, LeavesAtomicsAlone) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %sum", R"(
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %v = load i32, ptr addrspace(1) %px
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %v monotonic
  %seen = load atomic i32, ptr addrspace(1) %sum monotonic, align 4
  store i32 %old, ptr addrspace(1) %px
  ret void)");
  Compiled compiled(kernel, optionsFor("native"));
  std::vector<int32_t> x(1000, 2);
  int32_t sum = 0;
  compiled.run(1000, {slot(x.data()), slot(&sum)});
  EXPECT_EQ(sum, 2000);
}

// out[r] = the sum over k < n of x[`index`], in order.
OneKernel sums(const std::string& index) {
  return rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n", R"(
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %t = phi float [ 0.0, %entry ], [ %sum, %body ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %done
body:
)" + index + R"(
  %px = getelementptr inbounds float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %px
  %sum = fadd float %t, %v
  %next = add nsw i32 %k, 1
  br label %head
done:
  %po = getelementptr inbounds float, ptr addrspace(1) %out, i32 %r
  store float %t, ptr addrspace(1) %po
  ret void)");
}

const char* kDownColumns = "%m = mul nsw i32 %k, 1000\n%i = add nsw i32 %m, %r";
const char* kAlongRows = "%m = mul nsw i32 %r, %n\n%i = add nsw i32 %m, %k";

TEST(Vectorizer, TakesLoopsThatAllThreadsRunAlike) {
  for (const char* index : {kDownColumns, kAlongRows}) {
    std::string ir = threadCode(sums(index), optionsFor("x86-64-v4"));
    EXPECT_TRUE(std::regex_search(ir, std::regex("fadd <(16|32|64) x float>"))) << ir;
    EXPECT_EQ(ir.find("masked.gather") != std::string::npos, index == kAlongRows) << ir;
  }
}

TEST(Vectorizer, AddsUpInEachThreadsOrder) {
  for (const char* index : {kDownColumns, kAlongRows})
    for (int n : {0, 1, 7}) {
      Compiled compiled(sums(index), optionsFor("native"));
      std::vector<float> x(8000), out(1000, -1.f);
      for (int i = 0; i < 8000; ++i)
        x[i] = 1.f / float(i % 97 + 1);
      compiled.run(1000, {slot(x.data()), slot(out.data()), slot(n)});
      for (int r = 0; r < 1000; ++r) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += x[index == kDownColumns ? k * 1000 + r : r * n + k];
        ASSERT_EQ(out[r], sum) << n;
      }
    }
}

// A sum by halves: every step is a loop without tests, the last ones single vectors.
TEST(Vectorizer, TakesTheLoopsBetweenSyncs) {
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %out", R"(
  %b = urem i32 %r, 64
  %id = udiv i32 %r, 64
  %px = getelementptr float, ptr addrspace(1) %x, i32 %r
  %v = load float, ptr addrspace(1) %px
  %sb = getelementptr [64 x float], ptr addrspace(3) @s, i32 0, i32 %b
  store float %v, ptr addrspace(3) %sb
)" + sumByHalves("float", "fadd", "%both = icmp slt i32 %b, %d") + R"(
  %total = load float, ptr addrspace(3) @s
  %is0 = icmp eq i32 %b, 0
  br i1 %is0, label %write, label %end
write:
  %po = getelementptr float, ptr addrspace(1) %out, i32 %id
  store float %total, ptr addrspace(1) %po
  br label %end
end:
  ret void)",
                                R"(
@s = internal addrspace(3) global [64 x float] undef, align 64
declare void @bsgp.block.sync())",
                                64);
  std::string whole = threadCode(kernel, optionsFor("x86-64-v3"));
  EXPECT_EQ(whole.find("alloca"), std::string::npos) << whole;
  for (const char* width : {"8", "4", "2"})
    EXPECT_NE(whole.find("fadd <" + std::string(width) + " x float>"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("vector.memcheck"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("scalar.ph"), std::string::npos) << whole;
}

// Each thread takes the value of the one before it, from a place known at compile time or not.
OneKernel neighbours(const std::string& index) {
  return rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %out", R"(
  %b = urem i32 %r, 64
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %v = load i32, ptr addrspace(1) %px
  %after = add i32 %b, 1
  %sa = getelementptr [65 x i32], ptr addrspace(3) @s, i32 0, i32 %after
  store i32 %v, ptr addrspace(3) %sa
  call void @bsgp.block.sync()
  %there = )" + index + R"(
  %sb = getelementptr [65 x i32], ptr addrspace(3) @s, i32 0, i32 %there
  %before = load i32, ptr addrspace(3) %sb
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %before, ptr addrspace(1) %po
  ret void)",
                    R"(
@s = internal addrspace(3) global [65 x i32] undef
declare void @bsgp.block.sync())",
                    64);
}

TEST(Vectorizer, ExchangesInRegisters) {
  std::string known = threadCode(neighbours("add i32 %b, 0"), optionsFor("x86-64-v4"));
  EXPECT_EQ(known.find("alloca"), std::string::npos) << known;
  EXPECT_NE(known.find("<i32 15, i32 16, i32 17"), std::string::npos) << known; // of two vectors
  std::string unknown = threadCode(neighbours("and i32 %v, 63"), optionsFor("x86-64-v4"));
  EXPECT_NE(unknown.find("alloca"), std::string::npos) << unknown;
}

TEST(Vectorizer, BranchesWhereAllThreadsAskTheSame) {
  OneKernel kernel = rankKernel("i1 %all, ptr addrspace(1) %x, ptr addrspace(1) %out", R"(
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %v = load i32, ptr addrspace(1) %px
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %px
  br i1 %all, label %then, label %end
then:
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %po
  br label %end
end:
  ret void)");
  std::string ir = threadCode(kernel, optionsFor("x86-64-v4"));
  EXPECT_TRUE(storesVectors(ir, "i32")) << ir;
  EXPECT_EQ(ir.find("i1 %all, i64 0"), std::string::npos) << ir; // a vector of it, as a mask
}

} // namespace
} // namespace bsgp::target::test
