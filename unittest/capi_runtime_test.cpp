// links: runtime
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"
#include "plan_fixture.h"

using namespace bsgp::test;

namespace {

void nothing(const bsgp_launch*, int64_t, int64_t) {}

struct Environment {
  Environment(const char* name, const char* value) : name(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name); }
  const char* name;
};

int32_t fails(bsgp_call* call, int32_t, char**, int32_t*) {
  return bsgp_rt_fail(call, BSGP_FAIL_DIVIDE, &kSpawnSite);
}
int32_t countsArguments(bsgp_call*, int32_t argc, char**, int32_t* result) {
  *result = argc + 40;
  return 0;
}

std::string slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

} // namespace

TEST(Context, RefusesATargetItDoesNotKnow) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "abacus";
  EXPECT_EQ(bsgp_context_create(&options), nullptr);
  EXPECT_STREQ(bsgp_error_message(),
               "there is no target 'abacus' in this runtime; it has auto, cpu, cuda and reference");
  EXPECT_EQ(bsgp_error_status(), BSGP_UNAVAILABLE);
}

TEST(Context, TakesWhatIsLeftOpenFromTheEnvironment) {
  Environment target("BSGP_TARGET", "reference");
  bsgp::Context context;
  EXPECT_STREQ(context.target(), "reference");
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "cpu";
  options.threads = 3;
  bsgp::Context given(options);
  EXPECT_STREQ(given.target(), "cpu");
  EXPECT_EQ(given.threads(), 3u);
}

TEST(Options, OfTheWrongRangeAreRefused) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.poison = 5;
  EXPECT_EQ(bsgp_context_create(&options), nullptr);
  EXPECT_STREQ(bsgp_error_message(), "poison is 5; it may be 1, -1, or 0 for what BSGP_POISON says");
  EXPECT_EQ(bsgp_error_status(), BSGP_INVALID);
  try {
    bsgp::Context context(options);
    FAIL() << "a context of options that make no sense";
  } catch (const bsgp::Exception& exception) {
    EXPECT_EQ(exception.status, BSGP_INVALID);
  }
  options = BSGP_OPTIONS_INIT;
  options.target = "cpu";
  options.shuffle = 3;
  EXPECT_EQ(bsgp_context_create(&options), nullptr);
  EXPECT_EQ(std::string(bsgp_error_message()).find("shuffle is set, and target cpu has no order to shuffle\n"), 0u);
  options.target = "reference";
  EXPECT_TRUE(ContextOwner(bsgp_context_create(&options))) << bsgp_error_message();
}

TEST(Options, WithoutASizeAreRefused) {
  bsgp_options options{};
  EXPECT_EQ(bsgp_context_create(&options), nullptr);
  EXPECT_STREQ(bsgp_error_message(),
               "struct_size of the options is 0; begin with bsgp_options options = BSGP_OPTIONS_INIT");
  for (size_t size : {SIZE_MAX, size_t(9), sizeof options + 1}) { // 9: within the first pointer
    options.struct_size = size;
    EXPECT_EQ(bsgp_context_create(&options), nullptr) << size;
  }
}

TEST(Options, ThatAnOlderProgramDoesNotKnowAreLeftOpen) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = "reference";
  options.profile = "1"; // as what lies behind a shorter struct
  options.struct_size = offsetof(bsgp_options, profile);
  ContextOwner context(bsgp_context_create(&options));
  ASSERT_TRUE(context) << bsgp_error_message();
  EXPECT_STREQ(bsgp_context_target(context.get()), "reference");
  EXPECT_EQ(bsgp_profile_report(context.get(), nullptr), BSGP_INVALID);
}

TEST(Profile, EndsWithItsTraceInAFile) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.profile = "1";
  ContextOwner context(bsgp_context_create(&options));
  ASSERT_TRUE(context) << bsgp_error_message();
  std::string path = testing::TempDir() + "profile_end.json";
  EXPECT_EQ(bsgp_profile_end(context.get(), nullptr), BSGP_INVALID);
  testing::internal::CaptureStderr();
  EXPECT_EQ(bsgp_profile_end(context.get(), path.c_str()), BSGP_OK) << bsgp_error_message();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_TRUE(file);
  std::fclose(file);
  std::remove(path.c_str());
  EXPECT_EQ(bsgp_profile_end(context.get(), path.c_str()), BSGP_INVALID);
  EXPECT_STREQ(bsgp_error_message(), "bsgp_profile_end: the context has no profile");
}

TEST(Options, ThatThisLibraryDoesNotKnowMustBeLeftOpen) {
  struct {
    bsgp_options known = BSGP_OPTIONS_INIT;
    const char* later = nullptr;
  } options;
  options.known.struct_size = sizeof options;
  EXPECT_TRUE(ContextOwner(bsgp_context_create(&options.known))) << bsgp_error_message();
  options.later = "set";
  EXPECT_EQ(bsgp_context_create(&options.known), nullptr);
  EXPECT_EQ(std::string(bsgp_error_message()).find("bsgp_options has a field set that this library, version "), 0u);
}

TEST(Context, RefusesAnEnvironmentThatMakesNoSense) {
  Environment threads("BSGP_THREADS", "many");
  EXPECT_EQ(bsgp_context_create(nullptr), nullptr);
  EXPECT_STREQ(bsgp_error_message(), "the environment variable BSGP_THREADS is 'many', which is not a number");
}

TEST(Context, IsTheDefaultOneWhereNoneIsGiven) {
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(nullptr, 100, &memory), BSGP_OK);
  EXPECT_EQ(bsgp_free(nullptr, memory), BSGP_OK);
  EXPECT_EQ(bsgp_free(nullptr, memory), BSGP_INVALID);
  EXPECT_STREQ(bsgp_context_target(nullptr), "cpu");
}

TEST(Context, ReleasesWhatIsStillAllocated) { // seen by a leak checker
  ContextOwner context = makeContext();
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context.get(), 1000, &memory), BSGP_OK);
}

TEST(Context, ThatWasDestroyedIsRefused) {
  bsgp_context* context = bsgp_context_create(nullptr);
  void *memory = nullptr, *later = nullptr;
  ASSERT_EQ(bsgp_alloc(context, 100, &memory), BSGP_OK);
  EXPECT_EQ(bsgp_context_destroy(nullptr), BSGP_OK);
  EXPECT_EQ(bsgp_context_destroy(context), BSGP_OK);
  EXPECT_EQ(bsgp_context_destroy(context), BSGP_INVALID);
  EXPECT_NE(std::string(bsgp_error_message()).find(" is no context, or it was destroyed before"), std::string::npos)
      << bsgp_error_message();
  EXPECT_STREQ(bsgp_context_target(context), "");
  EXPECT_EQ(bsgp_context_threads(context), 0u);
  EXPECT_EQ(bsgp_alloc(context, 100, &later), BSGP_INVALID);
  EXPECT_EQ(later, nullptr);
  EXPECT_EQ(bsgp_free(context, memory), BSGP_INVALID);
  EXPECT_EQ(bsgp_copy_to_device(context, memory, "text", 4), BSGP_INVALID);
  EXPECT_EQ(bsgp_copy_to_host(context, &later, memory, 4), BSGP_INVALID);
  EXPECT_EQ(bsgp_profile_report(context, nullptr), BSGP_INVALID);
  EXPECT_EQ(memoryOf(context).live_bytes, 0u);
  bsgp_call* call = bsgp_rt_begin(context); // as a compiled function does
  EXPECT_EQ(call, nullptr);
  EXPECT_EQ(bsgp_rt_end(call, 0), BSGP_INVALID);
  EXPECT_EQ(bsgp_rt_context_on_gpu(context), 0);
}

TEST(Context, ThatNeverWasOneIsRefused) {
  int here = 0;
  EXPECT_EQ(bsgp_context_destroy(reinterpret_cast<bsgp_context*>(&here)), BSGP_INVALID);
  EXPECT_EQ(bsgp_context_destroy(reinterpret_cast<bsgp_context*>(8)), BSGP_INVALID);
}

TEST(Context, IsUsedByOneThreadWhileOthersComeAndGo) {
  ContextOwner kept = makeContext("reference");
  std::thread others([] {
    for (int i = 0; i < 200; ++i)
      EXPECT_EQ(bsgp_context_destroy(makeContext("reference").release()), BSGP_OK);
  });
  for (int i = 0; i < 2000; ++i) {
    bsgp_call* call = bsgp_rt_begin(kept.get());
    ASSERT_NE(call, nullptr) << bsgp_error_message();
    EXPECT_EQ(bsgp_rt_end(call, 0), BSGP_OK);
  }
  others.join();
}

TEST(DeviceArray, MovesValuesThereAndBack) {
  bsgp::Context context;
  {
    bsgp::DeviceArray<int> array(context, {3, 1, 2});
    EXPECT_EQ(array.toHost(), (std::vector<int>{3, 1, 2}));
    std::vector<int> one{7};
    array.set(one, 1);
    EXPECT_EQ(array.toHost(), (std::vector<int>{3, 7, 2}));
    EXPECT_THROW(array.set(one, 3), std::out_of_range);
    bsgp::DeviceArray<int> moved = std::move(array);
    EXPECT_EQ(moved.size(), 3u);
    EXPECT_EQ(context.memory().live_blocks, 1u);
  }
  EXPECT_EQ(context.memory().live_blocks, 0u);
  EXPECT_EQ(context.memory().peak_bytes, 12u);
}

TEST(DeviceArray, ThrowsTheMessage) {
  bsgp::Context context;
  try {
    bsgp::DeviceArray<double> array(context, size_t(1) << 45);
    FAIL();
  } catch (const bsgp::Exception& exception) {
    EXPECT_EQ(exception.status, BSGP_OUT_OF_MEMORY);
    EXPECT_STREQ(exception.what(), "cannot allocate 281474976710656 bytes of device memory");
  }
}

TEST(Main, ReturnsTheProgramsResult) {
  char name[] = "program";
  char* argv[] = {name, nullptr};
  EXPECT_EQ(bsgp_rt_main(1, argv, countsArguments), 41);
}

TEST(Main, PrintsTheMessageOfAFailure) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(bsgp_rt_main(0, nullptr, fails), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "test.bsgp:10:3: error: integer division by zero\n  help: test the divisor before dividing\n");
}

TEST(Profile, ShowsSuperstepsWithTheirLines) {
  std::string trace = testing::TempDir() + "bsgp_trace.json";
  testing::internal::CaptureStderr();
  {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.profile = trace.c_str();
    bsgp::Context context(options);
    TestPlan plan;
    uint32_t kernel = plan.kernel(nothing, {}, 2);
    uint32_t require = plan.require([](bsgp_call*, void*) { return 0; });
    plan.step(BSGP_STEP_REQUIRE, require, 0, &kRequireSite)
        .step(BSGP_STEP_ALLOCATE, 0, 4)
        .step(BSGP_STEP_LAUNCH, kernel);
    Frame frame{1000, nullptr, 0};
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(runPlan(context.get(), plan, frame), BSGP_OK);
  }
  std::string table = testing::internal::GetCapturedStderr();
  EXPECT_NE(table.find("where the time goes"), std::string::npos);
  EXPECT_NE(table.find("f:10 #2"), std::string::npos) << table;
  EXPECT_NE(table.find("test.bsgp:20-25"), std::string::npos) << table;
  EXPECT_NE(table.find("f:10 require"), std::string::npos) << table;
  EXPECT_NE(table.find(" 3000 "), std::string::npos) << table;
  std::string json = slurp(trace);
  EXPECT_NE(json.find("\"traceEvents\""), std::string::npos);
  EXPECT_NE(json.find("\"name\": \"f:10 #2\""), std::string::npos);
  std::remove(trace.c_str());
}

TEST(Profile, IsRefusedWhereItWasNotAskedFor) {
  bsgp::Context context;
  EXPECT_EQ(bsgp_profile_report(context, nullptr), BSGP_INVALID);
}

TEST(Memory, ACopyEndsWithItsAllocation) {
  bsgp::Context context;
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context, 64, &memory), BSGP_OK);
  std::vector<char> host(100);
  EXPECT_EQ(bsgp_copy_to_device(context, memory, host.data(), 64), BSGP_OK);
  for (uint64_t bytes : {uint64_t(65), UINT64_MAX}) {
    EXPECT_EQ(bsgp_copy_to_device(context, memory, host.data(), bytes), BSGP_INVALID);
    EXPECT_EQ(bsgp_copy_to_host(context, host.data(), static_cast<char*>(memory) + 60, bytes), BSGP_INVALID);
  }
  EXPECT_NE(std::string(bsgp_error_message()).find("to the end of its allocation there are 4"), std::string::npos);
  EXPECT_EQ(bsgp_free(context, memory), BSGP_OK);
}

TEST(Memory, ANullPlaceForTheCountsIsLeftAlone) {
  bsgp_memory(nullptr, nullptr);
  bsgp_memory_info info{};
  bsgp_memory(nullptr, &info);
  EXPECT_GE(info.peak_bytes, info.live_bytes);
}

TEST(Memory, DamageOfWhatACallerAllocatedNamesItsSize) {
  bsgp_options options = {};
  options.target = "cpu";
  bsgp::Context context(options);
  void* memory = nullptr;
  ASSERT_EQ(bsgp_alloc(context, 100, &memory), BSGP_OK);
  char more[110] = {};
  std::memcpy(memory, more, sizeof more);
  EXPECT_EQ(bsgp_free(context, memory), BSGP_FAILED);
  EXPECT_EQ(std::string(bsgp_error_message()),
            "error: something wrote behind the end of the 100 bytes that were allocated\n"
            "  help: look for an index into them that is too large");
}

TEST(Array2, IsRowsOfDeviceMemoryThatItOwns) {
  struct Rows { // as a generated header has it
    float* data;
    int32_t height;
    int32_t width;
  };
  bsgp_options options = {};
  options.target = "cpu";
  bsgp::Context context(options);
  {
    bsgp::Array2<float> rows(context, 2, 3);
    std::vector<float> values{1, 2, 3, 4, 5, 6};
    rows.set(values);
    const Rows* given = rows;
    EXPECT_EQ(given->data, rows.data());
    EXPECT_EQ(given->height, 2);
    EXPECT_EQ(given->width, 3);
    bsgp::Array2<float> moved = std::move(rows);
    EXPECT_EQ(moved.toHost(), values);
    EXPECT_EQ(rows.data(), nullptr);
    EXPECT_EQ(bsgp::Array2<float>(context, 0, 7).size(), 0u);
    EXPECT_THROW(bsgp::Array2<float>(context, -1, 7), std::length_error);
  }
  EXPECT_EQ(context.memory().live_bytes, 0u);
}

TEST(Array3, AdoptsWhatAFunctionReturns) {
  struct Planes {
    int32_t* data;
    int32_t depth, height, width;
  };
  bsgp_options options = {};
  options.target = "cpu";
  bsgp::Context context(options);
  {
    void* memory = nullptr;
    ASSERT_EQ(bsgp_alloc(context, 2 * 3 * 5 * sizeof(int32_t), &memory), BSGP_OK);
    auto planes = bsgp::Array3<int32_t>::adopt(context, Planes{static_cast<int32_t*>(memory), 2, 3, 5});
    EXPECT_EQ(planes.depth(), 2);
    EXPECT_EQ(planes.size(), 30u);
    EXPECT_EQ(planes.toHost().size(), 30u);
  }
  EXPECT_EQ(context.memory().live_bytes, 0u);
}
