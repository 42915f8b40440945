// Values that threads append: by each way to move the kept lanes of a vector to its front.
#include "target_kernels.h"

using namespace bsgp::target;
using namespace bsgp::target::test;

namespace {

// Appends %in[rank], an integer of so many bits, where %keep[rank] is not 0.
OneKernel appendKernel(unsigned bits) {
  return rankKernel("ptr addrspace(1) %in, ptr addrspace(1) %keep, ptr addrspace(1) %to",
                    replaced(R"(
  %pi = getelementptr iN, ptr addrspace(1) %in, i32 %r
  %v = load iN, ptr addrspace(1) %pi
  %pk = getelementptr i32, ptr addrspace(1) %keep, i32 %r
  %k = load i32, ptr addrspace(1) %pk
  %kept = icmp ne i32 %k, 0
  call void @bsgp.append.iN(ptr addrspace(1) %to, iN %v, i1 %kept)
  ret void)",
                             "iN", "i" + std::to_string(bits)),
                    replaced(R"(
declare void @bsgp.append.iN(ptr addrspace(1), iN, i1) memory(inaccessiblemem: readwrite) nounwind nosync nofree willreturn)",
                             "iN", "i" + std::to_string(bits)));
}

template <class T> void expectPacked(const CpuOptions& options, unsigned percent) {
  OneKernel kernel = appendKernel(8 * sizeof(T));
  Compiled compiled(kernel, options);
  for (int64_t n : {0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 257, 10007}) {
    std::vector<T> in(size_t(n) + 1), expected;
    std::vector<int32_t> keep(size_t(n) + 1);
    for (size_t i = 0; i < size_t(n); ++i) {
      in[i] = T(i * 0x9E3779B97F4A7C15u >> 7);
      keep[i] = i * 2654435761u % 4294967296u % 100 < percent ? int32_t(i) + 1 : 0;
      if (keep[i])
        expected.push_back(in[i]);
    }
    std::vector<T> out(size_t(n) + BSGP_APPEND_SLACK / sizeof(T));
    T* end = out.data();
    compiled.run(n, {slot(in.data()), slot(keep.data()), slot(&end)});
    ASSERT_EQ(end - out.data(), std::ptrdiff_t(expected.size())) << sizeof(T) << " bytes, " << n;
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(out[i], expected[i]) << sizeof(T) << " bytes, " << i << " of " << n;
  }
}

void expectAllPacked(const CpuOptions& options) {
  for (unsigned percent : {0u, 1u, 50u, 99u, 100u}) {
    expectPacked<uint8_t>(options, percent);
    expectPacked<uint16_t>(options, percent);
    expectPacked<uint32_t>(options, percent);
    expectPacked<uint64_t>(options, percent);
  }
}

} // namespace

class PackTest : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(PackTest, PutsWhatIsKeptSideBySide) {
  CpuOptions options = optionsFor(std::get<0>(GetParam()));
  options.vector_width = std::get<1>(GetParam());
  expectAllPacked(options);
}

INSTANTIATE_TEST_SUITE_P(Machines, PackTest,
                         testing::Combine(testing::Values("x86-64", "x86-64-v2", "native"),
                                          testing::Values(0u, 1u, 4u, 32u)));

TEST(Pack, PutsWhatIsKeptSideBySideAtEachLevel) {
  for (unsigned level : {0u, 1u, 2u}) {
    CpuOptions options = optionsFor("native");
    options.opt_level = level;
    expectAllPacked(options);
  }
}

TEST(Pack, MovesLanesWithWhatTheMachineHas) {
  auto code = [](unsigned bits, const char* cpu) { return threadCode(appendKernel(bits), optionsFor(cpu)); };
  for (unsigned bits : {32u, 64u}) {
    EXPECT_NE(code(bits, "x86-64-v4").find("llvm.x86.avx512.mask.compress"), std::string::npos) << bits;
    EXPECT_NE(code(bits, "x86-64-v3").find("llvm.x86.avx2.permd"), std::string::npos) << bits;
  }
  for (unsigned bits : {8u, 16u}) {
    EXPECT_NE(code(bits, "icelake-server").find("llvm.x86.avx512.mask.compress"), std::string::npos) << bits;
    EXPECT_NE(code(bits, "x86-64-v4").find("llvm.x86.ssse3.pshuf.b"), std::string::npos) << bits;
  }
}

// The place where the next value goes stays in a register: the loop over threads stores values and nothing else.
TEST(Pack, KeepsThePlaceInARegister) {
  std::string ir = threadCode(appendKernel(32), optionsFor("x86-64-v3"));
  EXPECT_EQ(ir.find("alloca"), std::string::npos) << ir;
  size_t stores = 0;
  for (size_t at = ir.find("store ptr addrspace(1)"); at != std::string::npos;
       at = ir.find("store ptr addrspace(1)", at + 1))
    ++stores;
  EXPECT_EQ(stores, 1u) << ir;
}
