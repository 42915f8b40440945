// links: plan
// The emulated driver: what it refuses, what it finds wrong in kernels, that calls do not wait.
#include "cuda_emulator.h"

using namespace emulated;
using CudaEmulator = emulated::Test;

namespace {

void* const kNoStream = nullptr;

// A kernel with one parameter, the address %rd1; %me is the thread.
std::string kernel(const std::string& body) {
  return std::string(kHeader) +
         ".extern .shared .align 16 .b8 dynamic[];\n.visible .entry k(.param .u64 k_0) {\n.reg .b64 %rd<9>;\n"
         ".reg .b32 %r<9>;\n.reg .pred %p<4>;\n.reg .b32 %me;\nld.param.u64 %rd1, [k_0];\nmov.u32 %me, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// Runs it and returns the error; what is on stderr goes to `said`.
int runWrong(const std::string& body, std::string& said, unsigned threads = 64, unsigned bytes = 64) {
  std::string text = kernel(body);
  assemble(text);
  void* module = nullptr;
  load(text, &module);
  Address address = upload(std::vector<char>(bytes));
  testing::internal::CaptureStderr();
  int result = launch(module, "k", 1, threads, 16, address);
  said = testing::internal::GetCapturedStderr();
  return result;
}

} // namespace

TEST_F(CudaEmulator, UnknownInstructionsAreNamedWithTheirLine) {
  void* module = nullptr;
  std::string log;
  EXPECT_EQ(218, load(std::string(kHeader) + ".visible .entry k() {\n.reg .b32 %r<2>;\nfrob.u32 %r1, %r1;\nret;\n}\n",
                      &module, &log));
  EXPECT_NE(std::string::npos, log.find("line 6")) << log;
  EXPECT_NE(std::string::npos, log.find("frob.u32")) << log;
}

TEST_F(CudaEmulator, UnknownModifiersAndWrongRegistersAreErrors) {
  for (const char* line : {"add.sat.u32 %r1, %r1, %r1;", "ld.global.nope.u32 %r1, [%rd1];", "add.u64 %rd1, %rd1, %r1;",
                           "cvt.f32.u32 %r1, %r1;", "bra NOWHERE;", "mov.u32 %r9, 0;", "call nothing;",
                           "ld.global.u64 %r1, [%rd1];", "setp.lt.b32 %p1, %r1, %r1;"}) {
    void* module = nullptr;
    std::string log;
    EXPECT_EQ(218, load(std::string(kHeader) +
                            ".visible .entry k() {\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.reg .pred %p<2>;\n" + line +
                            "\nret;\n}\n",
                        &module, &log))
        << line;
    EXPECT_NE(std::string::npos, log.find("line 8")) << line << ": " << log;
  }
}

TEST_F(CudaEmulator, AccessesBeyondAnAllocationAreFound) {
  std::string said;
  EXPECT_EQ(700, runWrong("mul.wide.u32 %rd2, %me, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %me;", said));
  EXPECT_NE(std::string::npos, said.find("kernel k, line 14")) << said;
  EXPECT_NE(std::string::npos, said.find("thread (16, 0, 0) of block (0, 0, 0)")) << said;
  EXPECT_EQ(700, call("cuCtxSynchronize")) << "the error stays";
  Address address = 0;
  EXPECT_EQ(700, call("cuMemAlloc_v2", &address, size_t(4)));
}

TEST_F(CudaEmulator, AccessesOfFreedMemoryAreFound) {
  void *module = nullptr, *function = nullptr;
  load(kernel("st.global.u32 [%rd1], 1;"), &module);
  Address address = upload(std::vector<int>(4));
  EXPECT_EQ(0, call("cuMemFreeAsync", address, kNoStream));
  testing::internal::CaptureStderr();
  EXPECT_EQ(700, launch(module, "k", 1, 1, 0, address));
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(700, call("cuModuleGetFunction", &function, module, "k"));
}

TEST_F(CudaEmulator, MisalignedAccessesAreFound) {
  std::string said;
  EXPECT_EQ(716, runWrong("ld.global.v2.u32 {%r1, %r2}, [%rd1+4];", said));
  EXPECT_NE(std::string::npos, said.find("not aligned")) << said;
}

TEST_F(CudaEmulator, SharedMemoryHasItsBounds) {
  std::string said;
  EXPECT_EQ(700, runWrong("mov.u64 %rd2, dynamic;\nmul.wide.u32 %rd3, %me, 4;\nadd.s64 %rd2, %rd2, %rd3;\n"
                          "st.shared.u32 [%rd2], %me;",
                          said));
  EXPECT_NE(std::string::npos, said.find("thread (4, 0, 0)")) << said;
}

TEST_F(CudaEmulator, LocalMemoryHasItsBounds) {
  std::string said;
  EXPECT_EQ(700, runWrong(".local .align 4 .b8 mine[16];\nmov.u64 %rd2, mine;\nst.local.u32 [%rd2+16], %me;", said));
}

TEST_F(CudaEmulator, BarriersThatNeverCompleteAreFound) {
  std::string said;
  EXPECT_EQ(719, runWrong("setp.lt.u32 %p1, %me, 32;\n@%p1 bra A;\nbar.sync 1;\nA:\nbar.sync 0;", said));
  EXPECT_NE(std::string::npos, said.find("no thread of block 0 can go on")) << said;
}

TEST_F(CudaEmulator, LanesThatNeverComeAreFound) {
  std::string said;
  EXPECT_EQ(719,
            runWrong("setp.lt.u32 %p1, %me, 5;\n@%p1 bra A;\nbar.warp.sync -1;\nbar.sync 0;\nret;\nA:\nbar.sync 0;",
                     said, 32));
  EXPECT_NE(std::string::npos, said.find("lanes")) << said;
}

TEST_F(CudaEmulator, MasksMustNameTheThreadItself) {
  std::string said;
  EXPECT_EQ(719, runWrong("shfl.sync.idx.b32 %r1, %me, 0, 31, 0xffff;", said, 32));
  EXPECT_NE(std::string::npos, said.find("does not name the thread")) << said;
}

TEST_F(CudaEmulator, Traps) {
  std::string said;
  EXPECT_EQ(719, runWrong("trap;", said));
  EXPECT_NE(std::string::npos, said.find("trap")) << said;
}

TEST_F(CudaEmulator, NothingRunsBeforeItIsWaitedFor) {
  void *stream = nullptr, *pinned = nullptr;
  ASSERT_EQ(0, call("cuStreamCreate", &stream, 1u));
  ASSERT_EQ(0, call("cuMemHostAlloc", &pinned, size_t(4), 0u));
  Address address = upload(std::vector<int>{1});
  EXPECT_EQ(0, call("cuCtxSynchronize"));
  auto* value = static_cast<int*>(pinned);
  *value = 7;
  EXPECT_EQ(0, call("cuMemcpyDtoHAsync_v2", pinned, address, size_t(4), stream));
  EXPECT_EQ(7, *value) << "the copy has not been waited for";
  EXPECT_EQ(600, call("cuStreamQuery", stream));
  EXPECT_EQ(0, call("cuStreamSynchronize", stream));
  EXPECT_EQ(1, *value);
  EXPECT_EQ(0, call("cuMemFreeHost", pinned));
  EXPECT_EQ(0, call("cuStreamDestroy_v2", stream));
}

TEST_F(CudaEmulator, EventsHappenInTheOrderOfTheirStream) {
  void *stream = nullptr, *first = nullptr, *last = nullptr;
  float time = -1;
  ASSERT_EQ(0, call("cuStreamCreate", &stream, 1u));
  ASSERT_EQ(0, call("cuEventCreate", &first, 0u));
  ASSERT_EQ(0, call("cuEventCreate", &last, 0u));
  EXPECT_EQ(400, call("cuEventElapsedTime", &time, first, last)) << "not recorded";
  EXPECT_EQ(0, call("cuEventRecord", first, stream));
  EXPECT_EQ(0, call("cuEventRecord", last, stream));
  EXPECT_EQ(600, call("cuEventElapsedTime", &time, first, last)) << "not reached";
  EXPECT_EQ(0, call("cuEventSynchronize", last));
  EXPECT_EQ(0, call("cuEventElapsedTime", &time, first, last));
  EXPECT_GE(time, 0);
  EXPECT_EQ(0, call("cuEventDestroy_v2", first));
  EXPECT_EQ(0, call("cuEventDestroy_v2", last));
  EXPECT_EQ(0, call("cuStreamDestroy_v2", stream));
}

TEST_F(CudaEmulator, PoolsCountWhatIsTaken) {
  void* pool = nullptr;
  Address address = 0;
  uint64_t used = 1;
  ASSERT_EQ(0, call("cuDeviceGetDefaultMemPool", &pool, 0));
  ASSERT_EQ(0, call("cuMemAllocFromPoolAsync", &address, size_t(1000), pool, kNoStream));
  ASSERT_EQ(0, call("cuMemPoolGetAttribute", pool, 7, static_cast<void*>(&used)));
  EXPECT_EQ(1000u, used);
  EXPECT_EQ(0, call("cuMemFreeAsync", address, kNoStream));
  EXPECT_EQ(1, call("cuMemFreeAsync", address, kNoStream)) << "a second time";
  EXPECT_EQ(0, call("cuStreamSynchronize", kNoStream));
  ASSERT_EQ(0, call("cuMemPoolGetAttribute", pool, 7, static_cast<void*>(&used)));
  EXPECT_EQ(0u, used);
}

TEST_F(CudaEmulator, MemoryEnds) {
  Address address = 0;
  EXPECT_EQ(2, call("cuMemAlloc_v2", &address, size_t(1) << 40));
  EXPECT_EQ(1, call("cuMemAlloc_v2", &address, size_t(0)));
}

TEST_F(CudaEmulator, HostCannotTouchDeviceMemory) {
  Address address = upload(std::vector<int>{1});
  EXPECT_DEATH(std::printf("%d", *reinterpret_cast<volatile int*>(address)), "");
}

TEST_F(CudaEmulator, LinksMakeImagesThatLoad) {
  void *link = nullptr, *image = nullptr, *module = nullptr;
  size_t bytes = 0;
  std::string text = kernel("st.global.u32 [%rd1], 9;");
  const char* name = "sample";
  int* options = nullptr;
  void** values = nullptr;
  ASSERT_EQ(0, call("cuLinkCreate_v2", 0u, options, values, &link));
  ASSERT_EQ(0, call("cuLinkAddData_v2", link, 1, static_cast<void*>(text.data()), text.size() + 1, name, 0u, options,
                    values));
  ASSERT_EQ(0, call("cuLinkComplete", link, &image, &bytes));
  std::string kept(static_cast<char*>(image), bytes);
  EXPECT_EQ(0, call("cuLinkDestroy", link));
  ASSERT_EQ(0, load(kept, &module));
  Address address = upload(std::vector<int>(1));
  EXPECT_EQ(0, launch(module, "k", 1, 1, 0, address));
  EXPECT_EQ(9, download<int>(address, 1)[0]);
  EXPECT_EQ(0, call("cuModuleUnload", module));
}

TEST_F(CudaEmulator, LaunchesThatDoNotFitAreRefused) {
  void *module = nullptr, *nothing = nullptr;
  load(kernel(""), &module);
  Address address = 0;
  EXPECT_EQ(1, launch(module, "k", 1, 1025, 0, address));
  EXPECT_EQ(1, launch(module, "k", 0, 32, 0, address));
  EXPECT_EQ(1, launch(module, "k", 1, 32, 50000, address)) << "more than 48 KiB must be asked for";
  void* function = nullptr;
  ASSERT_EQ(0, call("cuModuleGetFunction", &function, module, "k"));
  EXPECT_EQ(0, call("cuFuncSetAttribute", function, 8, 100000));
  EXPECT_EQ(0, launch(module, "k", 1, 32, 50000, address));
  EXPECT_EQ(500, call("cuModuleGetFunction", &nothing, module, "other"));
}

TEST_F(CudaEmulator, VariablesHaveTheirValues) {
  std::string text = std::string(kHeader) + R"(
.global .align 4 .u32 numbers[4] = {1, 2, 3};
.const .align 2 .u16 small[2] = {7, 65535};
.global .align 8 .u64 where = generic(numbers)+8;
.visible .entry k(.param .u64 k_0) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [k_0];
  ld.global.u64 %rd2, [where];
  ld.u32 %r1, [%rd2];
  ld.const.s16 %r2, [small+2];
  ld.global.u32 %r3, [numbers+12];
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, 5};
  ret;
}
)";
  assemble(text);
  void* module = nullptr;
  load(text, &module);
  Address address = upload(std::vector<int>(4));
  EXPECT_EQ(0, launch(module, "k", 1, 1, 0, address));
  EXPECT_EQ((std::vector<int>{3, -1, 0, 5}), download<int>(address, 4));
}

TEST(CudaEmulatorStart, CallsBeforeInitialisationAndWithoutContext) {
  Address address = 0;
  void* none = nullptr;
  start();
  EXPECT_EQ(0, call("cuCtxSetCurrent", none));
  EXPECT_EQ(201, call("cuMemAlloc_v2", &address, size_t(4)));
  stop();
}
