// links: plan
// With BSGP_CUDA_EMULATOR_RACES=1 the emulator says where threads of different warps meet in one byte.
#include "cuda_emulator.h"

using namespace emulated;

namespace {

struct CudaEmulatorRaces : emulated::Test {
  void SetUp() override {
    setenv("BSGP_CUDA_EMULATOR_RACES", "1", 1);
    start();
  }
  // What is said when 64 threads run it.
  std::string said(const std::string& body) {
    testing::internal::CaptureStderr();
    run(body, 64, 2, ".shared .align 4 .b8 s[256];\n");
    return testing::internal::GetCapturedStderr();
  }
};

} // namespace

TEST(CudaEmulatorSamples, AreCheckedWithPtxas) {
  if (!ptxas())
    GTEST_SKIP() << "there is no ptxas here: nothing says that the samples are PTX";
}

TEST_F(CudaEmulatorRaces, ThreadsThatWriteOnePlace) {
  std::string text = said("st.global.u32 [%base], %me;");
  EXPECT_NE(std::string::npos, text.find("race: kernel k")) << text;
  EXPECT_NE(std::string::npos, text.find("which another warp has written")) << text;
}

TEST_F(CudaEmulatorRaces, ThreadsThatReadWhatOthersWrite) {
  std::string text = said("xor.b32 %r1, %id, 32;\nmul.wide.u32 %rd1, %r1, 8;\nadd.s64 %rd1, %base, %rd1;\n"
                          "ld.global.u32 %r2, [%rd1];\nst.global.u32 [%out], %r2;");
  EXPECT_NE(std::string::npos, text.find("race")) << text;
}

TEST_F(CudaEmulatorRaces, PlacesOfTheirOwnAtomicsAndOrderedAccessesAreNone) {
  EXPECT_EQ("", said("ld.global.u32 %r1, [%out];\nst.global.u32 [%out], %me;\nred.global.add.u32 [%base+4], 1;\n"
                     "st.volatile.global.u32 [%base+12], 1;\nld.relaxed.gpu.global.u32 %r2, [%base+12];"));
}

TEST_F(CudaEmulatorRaces, SharedMemoryBetweenBarriers) {
  const std::string exchange =
      "mul.lo.u32 %r1, %me, 4;\nmov.u32 %r2, s;\nadd.u32 %r3, %r1, %r2;\nst.shared.u32 [%r3], 1;\n";
  const std::string read = "xor.b32 %r1, %r1, 128;\nadd.u32 %r3, %r1, %r2;\nld.shared.u32 %r4, [%r3];";
  EXPECT_EQ("", said(exchange + "bar.sync 0;\n" + read));
  std::string text = said(exchange + read);
  EXPECT_NE(std::string::npos, text.find("race")) << text;
}

TEST_F(CudaEmulatorRaces, LaunchesComeOneAfterTheOther) {
  EXPECT_EQ("", said("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%out], 1;"));
  EXPECT_EQ("", said("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 st.global.u32 [%out+-512], 1;"));
}

namespace {

// Block 0 writes a place and says so in another one; block 1 waits for that and reads it. What each does around that.
std::string handOver(const std::string& say, const std::string& wait) {
  return "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.ne.u32 %p2, %me, 0;\n@%p1 bra take;\n"
         "st.global.u32 [%out], 7;\n" +
         say + "\nbra over;\ntake:\n" + wait + "\nld.global.u32 %r3, [%out+-512];\nover:\n";
}

const std::string kSayReleased = "bar.sync 0;\n@%p2 bra over;\nst.release.gpu.global.u32 [%base+1016], 1;";
const std::string kWaitAcquired = "@%p2 bra all;\nagain:\nld.acquire.gpu.global.u32 %r2, [%base+1016];\n"
                                  "setp.eq.u32 %p3, %r2, 0;\n@%p3 bra again;\nall:\nbar.sync 0;";

} // namespace

TEST_F(CudaEmulatorRaces, BarriersOrderDeviceMemoryOfTheirBlock) {
  const std::string exchange = "st.global.u32 [%out], %me;\n",
                    read = "xor.b32 %r1, %id, 32;\nmul.wide.u32 %rd1, %r1, 8;\n"
                           "add.s64 %rd1, %base, %rd1;\nld.global.u32 %r2, [%rd1];";
  EXPECT_EQ("", said(exchange + "bar.sync 0;\n" + read));
  EXPECT_NE("", said(exchange + read));
}

TEST_F(CudaEmulatorRaces, WhoAcquiresWhatWasReleasedComesAfterIt) {
  EXPECT_EQ("", said(handOver(kSayReleased, kWaitAcquired)));
}

TEST_F(CudaEmulatorRaces, FencesMakeOrderOfRelaxedAccesses) {
  const std::string say = "bar.sync 0;\n@%p2 bra over;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%base+1016], 1;";
  const std::string wait =
      "@%p2 bra all;\nagain:\natom.global.add.u32 %r2, [%base+1016], 0;\nsetp.eq.u32 %p3, %r2, 0;\n"
      "@%p3 bra again;\nfence.acq_rel.gpu;\nall:\nbar.sync 0;";
  EXPECT_EQ("", said(handOver(say, wait)));
  EXPECT_EQ("", said(handOver(kSayReleased, wait)));
  EXPECT_EQ("", said(handOver(say, kWaitAcquired)));
}

TEST_F(CudaEmulatorRaces, WhatIsOrderedOnOneSideAloneIsARace) {
  auto without = [](std::string text, const std::string& what, const std::string& instead) {
    return text.replace(text.find(what), what.size(), instead);
  };
  // relaxed on one side
  EXPECT_NE("", said(handOver(without(kSayReleased, "release", "relaxed"), kWaitAcquired)));
  EXPECT_NE("", said(handOver(kSayReleased, without(kWaitAcquired, "acquire", "relaxed"))));
  // no barrier between a warp's writes and the thread that releases, or that thread and the warps that read
  EXPECT_NE("", said(handOver(without(kSayReleased, "bar.sync 0;\n", ""), kWaitAcquired)));
  EXPECT_NE("", said(handOver(kSayReleased, without(kWaitAcquired, "bar.sync 0;", ""))));
  // written after it was released
  EXPECT_NE("", said(handOver(kSayReleased + "\nst.global.u32 [%out], 8;", kWaitAcquired)));
}
