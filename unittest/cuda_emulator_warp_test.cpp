// links: plan
// Emulated warps and blocks: lanes that part and meet, barriers, shuffles, votes, atomic operations, waiting threads.
#include "cuda_emulator.h"

using namespace emulated;
using CudaEmulatorWarp = emulated::Test;

namespace {
std::vector<uint64_t> expected(unsigned count, const std::function<uint64_t(uint64_t)>& of) {
  std::vector<uint64_t> values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(of(i));
  return values;
}
} // namespace

TEST(CudaEmulatorSamples, AreCheckedWithPtxas) {
  if (!ptxas())
    GTEST_SKIP() << "there is no ptxas here: nothing says that the samples are PTX";
}

TEST_F(CudaEmulatorWarp, LanesPartAndMeet) {
  auto out = run(R"(
  and.b32 %r1, %me, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra EVEN;
  mul.lo.u32 %r2, %me, 3;
  bra MEET;
EVEN:
  mul.lo.u32 %r2, %me, 5;
MEET:
  activemask.b32 %r3;
  mov.b64 %rd1, {%r2, %r3};
  st.global.u64 [%out], %rd1;)",
                 40);
  EXPECT_EQ(expected(32, [](uint64_t i) { return (i % 2 ? 3 * i : 5 * i) | 0xffffffffull << 32; }),
            std::vector<uint64_t>(out.begin(), out.begin() + 32));
  EXPECT_EQ(32u * 5 | 0xffull << 32, out[32]);
}

TEST_F(CudaEmulatorWarp, LoopsOfDifferentLength) {
  auto out = run(R"(
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
LOOP:
  add.u32 %r2, %r2, %r1;
  add.u32 %r1, %r1, 1;
  setp.le.u32 %p1, %r1, %me;
  @%p1 bra LOOP;
  cvt.u64.u32 %rd1, %r2;
  st.global.u64 [%out], %rd1;)",
                 64);
  EXPECT_EQ(expected(64, [](uint64_t i) { return i * (i + 1) / 2; }), out);
}

TEST_F(CudaEmulatorWarp, BranchesByTable) {
  auto out = run(R"(
  and.b32 %r1, %me, 3;
  mov.u64 %rd1, 7;
TABLE: .branchtargets A, B, C, D;
  brx.idx %r1, TABLE;
A: mov.u64 %rd1, 10;
  bra D;
B: mov.u64 %rd1, 20;
  bra D;
C: mov.u64 %rd1, 30;
D: st.global.u64 [%out], %rd1;)",
                 32);
  EXPECT_EQ(expected(32, [](uint64_t i) { return std::array<uint64_t, 4>{10, 20, 30, 7}[i % 4]; }), out);
}

TEST_F(CudaEmulatorWarp, BarriersDoNotWaitForThreadsThatAreGone) {
  auto out = run(R"(
  setp.ge.u32 %p1, %me, 70;
  @%p1 exit;
  mov.u32 %r4, s;
  mul.lo.u32 %r1, %me, 4;
  add.u32 %r4, %r4, %r1;
  st.shared.u32 [%r4], %me;
  bar.sync 0;
  mov.u32 %r4, s;
  sub.u32 %r1, 69, %me;
  mul.lo.u32 %r1, %r1, 4;
  add.u32 %r4, %r4, %r1;
  ld.shared.u32 %r2, [%r4];
  bar.sync 0;
  cvt.u64.u32 %rd1, %r2;
  st.global.u64 [%out], %rd1;)",
                 128, 2, ".shared .align 4 .b8 s[512];\n");
  for (unsigned i = 0; i < 256; ++i)
    EXPECT_EQ(i % 128 < 70 ? 69 - i % 128 : 0, out[i]) << i;
}

TEST_F(CudaEmulatorWarp, BarriersOfSomeWarps) {
  auto out = run(R"(
  setp.ge.u32 %p1, %me, 64;
  @%p1 bra REST;
  setp.lt.u32 %p2, %me, 32;
  @%p2 st.shared.u32 [s], 42;
  bar.sync 1, 64;
  ld.shared.u32 %r1, [s];
  cvt.u64.u32 %rd1, %r1;
  st.global.u64 [%out], %rd1;
REST:)",
                 96, 1, ".shared .align 4 .b8 s[4];\n");
  EXPECT_EQ(expected(96, [](uint64_t i) { return i < 64 ? uint64_t(42) : 0; }), out);
}

TEST_F(CudaEmulatorWarp, BarriersVote) {
  auto out = run(R"(
  setp.lt.u32 %p1, %me, 33;
  bar.red.popc.u32 %r1, 0, %p1;
  bar.red.and.pred %p2, 0, %p1;
  bar.red.or.pred %p3, 0, !%p1;
  selp.b32 %r2, 256, 0, %p2;
  selp.b32 %r3, 512, 0, %p3;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  cvt.u64.u32 %rd1, %r1;
  st.global.u64 [%out], %rd1;)",
                 64);
  EXPECT_EQ(std::vector<uint64_t>(64, 33 | 512), out);
}

TEST_F(CudaEmulatorWarp, Shuffles) {
  auto one = [](const char* form) {
    return run(std::string("add.u32 %r1, %me, 100;\n") + form + R"(
  selp.b32 %r3, 1, 0, %p1;
  mov.b64 %rd1, {%r2, %r3};
  st.global.u64 [%out], %rd1;)",
               32);
  };
  auto value = [](uint64_t lane, bool in_range) { return (100 + lane) | uint64_t(in_range) << 32; };
  auto up = one("shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;");
  auto down = one("shfl.sync.down.b32 %r2|%p1, %r1, 5, 31, -1;");
  auto bfly = one("shfl.sync.bfly.b32 %r2|%p1, %r1, 9, 31, -1;");
  auto idx = one("shfl.sync.idx.b32 %r2|%p1, %r1, 33, 31, -1;");
  auto segments = one("shfl.sync.idx.b32 %r2|%p1, %r1, 2, 0x181f, -1;"); // of 8 lanes
  auto down_in_segments = one("shfl.sync.down.b32 %r2|%p1, %r1, 3, 0x181f, -1;");
  for (uint64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(value(i < 3 ? i : i - 3, i >= 3), up[i]);
    EXPECT_EQ(value(i + 5 > 31 ? i : i + 5, i + 5 <= 31), down[i]);
    EXPECT_EQ(value(i ^ 9, true), bfly[i]);
    EXPECT_EQ(value(1, true), idx[i]);
    EXPECT_EQ(value(i / 8 * 8 + 2, true), segments[i]);
    bool in = i % 8 + 3 < 8;
    EXPECT_EQ(value(in ? i + 3 : i, in), down_in_segments[i]);
  }
}

TEST_F(CudaEmulatorWarp, WarpOperationsWaitForTheirMembers) {
  // The halves come to the shuffle one after the other, then each half shuffles in itself.
  auto out = run(R"(
  setp.lt.u32 %p1, %me, 16;
  mov.u32 %r5, 0xffff0000;
  @%p1 mov.u32 %r5, 0x0000ffff;
  mov.u32 %r6, 5;
  @%p1 bra JOIN;
  mov.u32 %r6, 9;
JOIN:
  shfl.sync.bfly.b32 %r2, %r6, 16, 31, -1;
  shfl.sync.idx.b32 %r3, %me, 3, 0x101f, %r5;
  mov.b64 %rd1, {%r2, %r3};
  st.global.u64 [%out], %rd1;)",
                 32);
  EXPECT_EQ(expected(32, [](uint64_t i) { return (i < 16 ? 9 : 5) | (i < 16 ? 3ull : 19ull) << 32; }), out);
}

TEST_F(CudaEmulatorWarp, VotesMatchesAndReductions) {
  auto out = run(R"(
  and.b32 %r1, %me, 3;
  setp.eq.u32 %p1, %r1, 1;
  vote.sync.ballot.b32 %r2, %p1, -1;
  vote.sync.any.pred %p2, %p1, -1;
  vote.sync.all.pred %p3, !%p1, -1;
  match.any.sync.b32 %r3, %r1, -1;
  redux.sync.add.u32 %r4, %me, -1;
  neg.s32 %r5, %me;
  redux.sync.min.s32 %r6, %r5, -1;
  xor.b32 %r2, %r2, %r3;
  add.u32 %r4, %r4, %r6;
  @%p2 add.u32 %r4, %r4, 0x10000;
  @%p3 add.u32 %r4, %r4, 0x20000;
  mov.b64 %rd1, {%r2, %r4};
  st.global.u64 [%out], %rd1;)",
                 32);
  EXPECT_EQ(expected(32,
                     [](uint64_t i) {
                       uint64_t same = 0x11111111ull << i % 4;
                       return (0x22222222 ^ same) | (496 - 31 + 0x10000ull) << 32;
                     }),
            out);
}

TEST_F(CudaEmulatorWarp, AtomicsOfAllBlocks) {
  auto out = run(R"(
  atom.global.add.u64 %rd1, [%base], 1;
  red.global.gpu.relaxed.max.u32 [%base+8], %id;
  red.global.add.f32 [%base+16], 0f3F000000;
  atom.global.inc.u32 %r2, [%base+24], 6;
  atom.shared.add.u32 %r3, [s], 2;
  bar.sync 0;
  setp.ne.u32 %p1, %me, 0;
  @%p1 bra END;
  ld.shared.u32 %r3, [s];
  red.global.or.b32 [%base+32], %r3;
  atom.global.cas.b32 %r4, [%base+40], 0, 77;
END:)",
                 64, 30, ".shared .align 4 .b8 s[4];\n");
  // Shared memory begins with anything; the kernel above adds to it only.
  EXPECT_EQ(64u * 30, out[0]);
  EXPECT_EQ(64u * 30 - 1, out[1]);
  EXPECT_EQ(960.0f, single(out[2]));
  EXPECT_EQ(64u * 30 % 7, out[3]);
  EXPECT_EQ(0xa5a5a5a5u + 128, out[4]);
  EXPECT_EQ(77u, out[5]);
}

TEST_F(CudaEmulatorWarp, ThreadsMayWaitForOthersOfTheirWarp) {
  // Lane 0 holds a lock that the others spin for: they are at the lower place.
  auto out = run(R"(
  setp.eq.u32 %p1, %me, 0;
  @%p1 bra FIRST;
WAIT:
  ld.volatile.global.u64 %rd1, [%base];
  setp.eq.u64 %p2, %rd1, 0;
  @%p2 bra WAIT;
  st.global.u64 [%out], %rd1;
  bra END;
FIRST:
  st.volatile.global.u64 [%out], 5;
END:)",
                 32);
  EXPECT_EQ(std::vector<uint64_t>(32, 5), out);
}

TEST_F(CudaEmulatorWarp, BlocksMayWaitForEarlierOnes) {
  auto out = run(R"(
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
WAIT:
  ld.acquire.gpu.global.u64 %rd1, [%out+-8];
  setp.eq.u64 %p2, %rd1, 0;
  @%p2 bra WAIT;
DONE:
  add.u32 %r1, %r1, 1;
  cvt.u64.u32 %rd2, %r1;
  st.release.gpu.global.u64 [%out], %rd2;)",
                 1, 200);
  EXPECT_EQ(expected(200, [](uint64_t i) { return i + 1; }), out);
}

TEST_F(CudaEmulatorWarp, FunctionsAreCalled) {
  auto out = run(R"(
  .local .align 8 .b8 depot[16];
  mov.u64 %rd3, depot;
  cvta.local.u64 %rd4, %rd3;
  st.u32 [%rd4+8], %me;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd4;
  .param .b32 param1;
  st.param.b32 [param1+0], %me;
  .param .b32 retval0;
  call.uni (retval0), twice, (param0, param1);
  ld.param.b32 %r2, [retval0+0];
  }
  cvt.u64.u32 %rd1, %r2;
  st.global.u64 [%out], %rd1;)",
                 40, 1, R"(
.func (.param .b32 func_retval0) twice(.param .b64 twice_param_0, .param .b32 twice_param_1)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [twice_param_0];
  ld.param.u32 %r1, [twice_param_1];
  ld.u32 %r2, [%rd1+8];
  add.u32 %r3, %r1, %r2;
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra SMALL;
  st.param.b32 [func_retval0+0], %r3;
  ret;
SMALL:
  mov.u32 %r4, 1000;
  st.param.b32 [func_retval0+0], %r4;
  ret;
}
)");
  EXPECT_EQ(expected(40, [](uint64_t i) { return i < 7 ? 1000 : 2 * i; }), out);
}
