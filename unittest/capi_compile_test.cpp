// bsgp_compile and what its programs do: calls, failures, threads, ownership.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // options are zero but for what is named

namespace {

constexpr const char* kPrograms = R"(
struct Inner { float3 v; short tag; };
struct Point { float x, y; Inner inner[2]; };

export int add(int a, int b) { return a + b; }
export bool both(bool a, bool b) { return a && b; }
export float half_of(float a) { return a / 2.0f; }
export Point moved(Point p, float2 by) {
  p.x += by.x;
  p.y += by.y;
  p.inner[1].tag = 7;
  return p;
}
export float3 cross(float3 a, float3 b) {
  return float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
export change(int& n, Point& p) { n = 5; p.y = 9.0f; }
export scale(float* data, long n, float by) {
  spawn (n) { data[thread.rank] *= by; }
}
export movePoints(Point* points, int n) {
  spawn (n) { points[thread.rank].inner[0].v.y += 1.0f; }
}
export int* made(int n) {
  int* p = dnew[n]int;
  spawn (n) { p[thread.rank] = thread.rank * thread.rank; }
  return p;
}
export int divided(int a, int b) { return a / b; }
export small(int* data, int n, int limit) {
  int* temporary = dtempnew[n]int;
  spawn (n) {
    temporary[thread.rank] = data[thread.rank];
    barrier;
    assert(temporary[thread.rank] < limit);
  }
}
export hostAssert(int a) { assert(a == 3); }
export tooMuch(long n) {
  float* p = dtempnew[n]float;
  spawn (1) { p[0] = 1.0f; }
}
export negative(int n) {
  int* kept = dtempnew[100]int;
  spawn (n) { kept[0] = 1; }
}
int depth(int n) { return n == 0 ? 0 : depth(n + 1) + 1; }
export int endless() { return depth(1); }
)";

struct Inner {
  float v[3];
  int16_t tag;
};
struct Point {
  float x, y;
  Inner inner[2];
};
struct Float2 {
  float x, y;
};
struct Float3 {
  float x, y, z;
};

class Compiled : public testing::Test {
protected:
  static void SetUpTestSuite() { program_ = new bsgp::Program(kPrograms, {.name = "programs.bsgp"}); }
  static void TearDownTestSuite() { delete program_; }
  template <class Signature> static bsgp::Function<Signature> function(const char* name) {
    return program_->function<Signature>(name);
  }
  static inline bsgp::Program* program_ = nullptr;
};

std::string messageOf(const std::function<void()>& call, bsgp_status status) {
  try {
    call();
  } catch (const bsgp::Exception& exception) {
    EXPECT_EQ(exception.status, status);
    return exception.what();
  }
  ADD_FAILURE() << "the call did not fail";
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(Compiled, TakesAndGivesScalars) {
  EXPECT_EQ(function<int(int, int)>("add")(nullptr, 40, 2), 42);
  EXPECT_TRUE(function<bool(bool, bool)>("both")(nullptr, true, true));
  EXPECT_FALSE(function<bool(bool, bool)>("both")(nullptr, true, false));
  EXPECT_EQ(function<float(float)>("half_of")(nullptr, 5), 2.5f);
}

TEST_F(Compiled, TakesAndGivesStructsAndVectors) {
  Point point{1, 2, {}};
  point.inner[0].tag = 3;
  Point moved = function<Point(Point, Float2)>("moved")(nullptr, point, {10, 20});
  EXPECT_EQ(moved.x, 11);
  EXPECT_EQ(moved.y, 22);
  EXPECT_EQ(moved.inner[0].tag, 3);
  EXPECT_EQ(moved.inner[1].tag, 7);
  EXPECT_EQ(point.x, 1);
  Float3 z = function<Float3(Float3, Float3)>("cross")(nullptr, {1, 0, 0}, {0, 1, 0});
  EXPECT_EQ(z.x, 0);
  EXPECT_EQ(z.z, 1);
}

TEST_F(Compiled, ChangesWhatReferencesReferTo) {
  int n = 0;
  Point point{};
  function<void(int&, Point&)>("change")(nullptr, n, point);
  EXPECT_EQ(n, 5);
  EXPECT_EQ(point.y, 9);
}

TEST_F(Compiled, WorksOnDeviceMemory) {
  bsgp::Context context;
  bsgp::DeviceArray<float> data(context, std::vector<float>(1000, 3));
  function<void(float*, int64_t, float)>("scale")(context, data.data(), 1000, 2);
  EXPECT_EQ(data.toHost(), std::vector<float>(1000, 6));
  bsgp::DeviceArray<Point> points(context, std::vector<Point>(77));
  function<void(Point*, int)>("movePoints")(context, points.data(), 77);
  EXPECT_EQ(points.toHost()[76].inner[0].v[1], 1);
  function<void(float*, int64_t, float)>("scale")(context, nullptr, 0, 2); // no threads, no access
}

TEST_F(Compiled, GivesMemoryToTheCaller) {
  bsgp::Context context;
  {
    auto made = bsgp::DeviceArray<int>::adopt(context, function<int*(int)>("made")(context, 50), 50);
    EXPECT_EQ(made.toHost()[7], 49);
    EXPECT_EQ(context.memory().live_blocks, 1u);
  }
  EXPECT_EQ(context.memory().live_blocks, 0u);
}

TEST_F(Compiled, FailsWithPlaceAndReasonAndGoesOn) {
  bsgp::Context context;
  bsgp::DeviceArray<int> data(context, {1, 2, 3, 4});
  auto divided = function<int(int, int)>("divided");
  std::string text = messageOf([&] { divided(context, 1, 0); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "programs.bsgp:") && has(text, "error: integer division by zero")) << text;
  text = messageOf([&] { function<void(int*, int, int)>("small")(context, data.data(), 4, 3); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "temporary[thread.rank] < limit")) << text;
  text = messageOf([&] { function<void(int)>("hostAssert")(context, 4); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "a == 3")) << text;
  text = messageOf([&] { function<void(int64_t)>("tooMuch")(context, int64_t(1) << 45); }, BSGP_OUT_OF_MEMORY);
  EXPECT_TRUE(has(text, "cannot allocate 140737488355328 bytes for")) << text;
  text = messageOf([&] { function<void(int64_t)>("tooMuch")(context, int64_t(1) << 62); }, BSGP_OUT_OF_MEMORY);
  EXPECT_TRUE(has(text, "larger than any memory")) << text;
  text = messageOf([&] { function<void(int64_t)>("tooMuch")(context, -1); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "programs.bsgp:")) << text;
  text = messageOf([&] { function<void(int)>("negative")(context, -5); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "-5")) << text;
  text = messageOf([&] { function<int()>("endless")(context); }, BSGP_FAILED);
  EXPECT_TRUE(has(text, "programs.bsgp:")) << text;
  EXPECT_EQ(context.memory().live_blocks, 1u); // data alone
  EXPECT_EQ(divided(context, 84, 2), 42);
  function<void(int*, int, int)>("small")(context, data.data(), 4, 5);
}

// One context for all, and one for each: every thread sees its own failures.
TEST_F(Compiled, FailsInEveryThreadByItself) {
  for (bool shared : {true, false}) {
    bsgp::Context common;
    bsgp::DeviceArray<int> data(common, std::vector<int>(5000, 10));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        bsgp::Context own;
        bsgp_context* context = shared ? common.get() : own.get();
        bsgp::DeviceArray<int> mine(context, std::vector<int>(5000, t));
        auto small = function<void(int*, int, int)>("small");
        auto divided = function<int(int, int)>("divided");
        for (int i = 0; i < 50; ++i) {
          try {
            small(context, mine.data(), 5000, t % 2 ? t : t + 1);
            wrong += t % 2;
          } catch (const bsgp::Exception& exception) {
            wrong += t % 2 == 0 || !has(exception.what(), "temporary[thread.rank] < limit");
          }
          try {
            divided(context, t, i % 2);
            wrong += i % 2 == 0;
          } catch (const bsgp::Exception& exception) {
            wrong += i % 2 == 1 || !has(exception.what(), "division by zero");
          }
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0) << (shared ? "one context" : "a context each");
    EXPECT_EQ(common.memory().live_blocks, 1u);
  }
}

TEST_F(Compiled, KnowsItsExportsByName) {
  EXPECT_TRUE(has(program_->header(), "bsgp_status cross(bsgp_context* context, const struct bsgp_float3* a, "));
  std::string text = messageOf([&] { function<void()>("depth"); }, BSGP_INVALID);
  EXPECT_EQ(text, "the program exports no function 'depth'");
  text = messageOf([&] { function<void()>("printf"); }, BSGP_INVALID);
  EXPECT_EQ(text, "the program exports no function 'printf'");
}

TEST(Compile, TellsAllErrorsAsText) {
  bsgp_program* program = reinterpret_cast<bsgp_program*>(1);
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.name = "broken.bsgp";
  ASSERT_EQ(bsgp_compile("export int f(int a) { return b; }\nexport int g() { return c; }\n", &options, &program),
            BSGP_INVALID);
  EXPECT_EQ(program, nullptr);
  std::string text = bsgp_error_message();
  EXPECT_TRUE(has(text, "broken.bsgp:1:") && has(text, "broken.bsgp:2:")) << text;
  EXPECT_TRUE(has(text, "error: ") && has(text, "'b'") && has(text, "'c'")) << text;
  EXPECT_EQ(bsgp_compile(nullptr, nullptr, &program), BSGP_INVALID);
  EXPECT_EQ(bsgp_compile("export f() {}", nullptr, nullptr), BSGP_INVALID);
  EXPECT_EQ(bsgp_program_function(nullptr, "f", nullptr), BSGP_INVALID);
  bsgp_program_destroy(nullptr);
}

TEST(Compile, RefusesOptionsThatMakeNoSense) {
  bsgp_program* program = nullptr;
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.cpu = "abacus";
  EXPECT_NE(bsgp_compile("export f() {}", &options, &program), BSGP_OK);
  EXPECT_TRUE(has(bsgp_error_message(), "abacus")) << bsgp_error_message();
  options.cpu = "bdver4"; // AVX2 and FMA4: no later machine has both
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_UNAVAILABLE);
  EXPECT_TRUE(has(bsgp_error_message(), "cannot run code for bdver4: it lacks")) << bsgp_error_message();
  options.cpu = "pentium4";
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_UNAVAILABLE);
  EXPECT_TRUE(has(bsgp_error_message(), "pentium4 is a CPU of 32 bits")) << bsgp_error_message();
  options = BSGP_COMPILE_OPTIONS_INIT;
  options.fp = "loose";
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_INVALID);
  EXPECT_TRUE(has(bsgp_error_message(), "loose")) << bsgp_error_message();
  options = BSGP_COMPILE_OPTIONS_INIT;
  options.opt_level = 9;
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_INVALID);
  EXPECT_TRUE(has(bsgp_error_message(), "9")) << bsgp_error_message();
}

TEST(Compile, RefusesNumbersThatAreNoYesOrNo) {
  bsgp_program* program = nullptr;
  for (int64_t debug : {7, -1}) {
    bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
    options.debug = debug;
    EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_INVALID);
    EXPECT_EQ(bsgp_error_message(), "bsgp_compile: debug is " + std::to_string(debug) + "; it may be 0 or 1");
  }
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.reference = 2;
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_INVALID);
  EXPECT_STREQ(bsgp_error_message(), "bsgp_compile: reference is 2; it may be 0 or 1");
}

TEST(Compile, GivesTheWarningsOfAProgram) {
  bsgp::Program unused("export int f() { int x = 1;\n return 2; }", {.name = "unused.bsgp"});
  EXPECT_TRUE(has(unused.warnings(), "unused.bsgp:1:22: warning: ")) << unused.warnings();
  EXPECT_STREQ(bsgp::Program("export int f() { return 2; }").warnings(), "");
  EXPECT_STREQ(bsgp_program_warnings(nullptr), "");
}

TEST(Compile, CodeRunsInContextsOfItsTargetAlone) {
  const char* source = "export square(int* p, int n) {\n  spawn (n) { p[thread.rank] *= p[thread.rank]; }\n}";
  bsgp::Context cpu({.target = "cpu"}), reference({.target = "reference"});
  for (int for_reference : {0, 1}) {
    bsgp::Program program(source, {.reference = for_reference});
    auto square = program.function<void(int*, int)>("square");
    for (bsgp::Context* context : {&cpu, &reference}) {
      bsgp::DeviceArray<int> data(*context, {3});
      bool fits = (context == &reference) == (for_reference == 1);
      try {
        square(*context, data.data(), 1);
        EXPECT_TRUE(fits);
      } catch (const bsgp::Exception& exception) {
        EXPECT_FALSE(fits);
        EXPECT_EQ(exception.status, BSGP_UNAVAILABLE);
        EXPECT_TRUE(has(exception.what(), "program.bsgp:2:3: error: the code is for target ")) << exception.what();
      }
      EXPECT_EQ(data.toHost()[0], fits ? 9 : 3);
    }
  }
}

TEST(Compile, TakesOptionsByTheSizeOfTheirStruct) {
  bsgp_program* program = nullptr;
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.fp = "loose";
  options.struct_size = offsetof(bsgp_compile_options, fp);
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_OK) << bsgp_error_message();
  bsgp_program_destroy(program);
  options.struct_size = 0;
  EXPECT_EQ(bsgp_compile("export f() {}", &options, &program), BSGP_INVALID);
  EXPECT_TRUE(has(bsgp_error_message(), "BSGP_COMPILE_OPTIONS_INIT")) << bsgp_error_message();
}

TEST(Compile, NamesAnExternThatIsNotThere) {
  bsgp_program* program = nullptr;
  EXPECT_NE(bsgp_compile("extern int no_such_function(int);\nexport int f() { return no_such_function(1); }\n", nullptr,
                         &program),
            BSGP_OK);
  EXPECT_TRUE(has(bsgp_error_message(), "no_such_function")) << bsgp_error_message();
}

TEST(Compile, MakesCodeOfEveryLevelAndForTheReference) {
  const char* source = "export square(int* p, int n) { spawn (n) { p[thread.rank] *= p[thread.rank]; } }";
  for (int level : {-1, 0, 1, 2}) {
    bsgp::Program program(source, {.opt_level = level});
    bsgp::DeviceArray<int> data(nullptr, {1, 2, 3});
    program.function<void(int*, int)>("square")(nullptr, data.data(), 3);
    EXPECT_EQ(data.toHost(), (std::vector<int>{1, 4, 9}));
  }
  bsgp::Program program(source, {.reference = 1});
  bsgp::Context context({.target = "reference", .shuffle = 5});
  bsgp::DeviceArray<int> data(context, {1, 2, 3});
  program.function<void(int*, int)>("square")(context, data.data(), 3);
  EXPECT_EQ(data.toHost(), (std::vector<int>{1, 4, 9}));
}

TEST(Compile, WorksInSeveralThreadsAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) {
        std::string number = std::to_string(t * 10 + i);
        bsgp::Program program(("export int f(int a) { return a + " + number +
                               "; }\n"
                               "export fill(int* p, int n) { spawn (n) { p[thread.rank] = " +
                               number + "; } }")
                                  .c_str());
        wrong += program.function<int(int)>("f")(nullptr, 1000) != 1000 + t * 10 + i;
        bsgp::DeviceArray<int> data(nullptr, 300);
        program.function<void(int*, int)>("fill")(nullptr, data.data(), 300);
        wrong += data.toHost() != std::vector<int>(300, t * 10 + i);
        bsgp_program* broken = nullptr;
        wrong += bsgp_compile(("export int f() { return x" + number + "; }").c_str(), nullptr, &broken) != BSGP_INVALID;
        wrong += !has(bsgp_error_message(), "x" + number);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Compile, NeedsNoOrderOfDestruction) {
  const char* source = "export int* ones(int n) { int* p = dnew[n]int; spawn (n) { p[thread.rank] = 1; } return p; }";
  bsgp_program* program = nullptr;
  ASSERT_EQ(bsgp_compile(source, nullptr, &program), BSGP_OK);
  void* address = nullptr;
  ASSERT_EQ(bsgp_program_function(program, "ones", &address), BSGP_OK);
  auto ones = reinterpret_cast<bsgp_status (*)(bsgp_context*, int32_t, int32_t**)>(address);
  for (bool program_first : {true, false}) {
    bsgp_context* context = bsgp_context_create(nullptr);
    ASSERT_NE(context, nullptr);
    int32_t* made = nullptr;
    ASSERT_EQ(ones(context, 100, &made), BSGP_OK);
    if (!program_first) {
      bsgp_program_destroy(program);
      int32_t read = 0;
      EXPECT_EQ(bsgp_copy_to_host(context, &read, made + 99, 4), BSGP_OK);
      EXPECT_EQ(read, 1);
      EXPECT_EQ(bsgp_free(context, made), BSGP_OK);
    }
    bsgp_context_destroy(context); // frees what is left
  }
}

TEST(Compile, AProgramThatWasDestroyedIsRefused) {
  bsgp_program* program = nullptr;
  void* address = nullptr;
  ASSERT_EQ(bsgp_compile("export f() {}", nullptr, &program), BSGP_OK);
  EXPECT_EQ(bsgp_program_destroy(program), BSGP_OK);
  EXPECT_EQ(bsgp_program_destroy(program), BSGP_INVALID);
  EXPECT_TRUE(has(bsgp_error_message(), " is no program, or it was destroyed before")) << bsgp_error_message();
  EXPECT_EQ(bsgp_program_function(program, "f", &address), BSGP_INVALID);
  EXPECT_STREQ(bsgp_program_header(program), "");
  EXPECT_STREQ(bsgp_program_header(nullptr), "");
}

TEST(Compile, AFunctionIsNotEnteredWithAContextThatWasDestroyed) {
  bsgp::Program program("export int f(int* entered) { *entered = 1; return 7; }");
  bsgp_context* context = bsgp_context_create(nullptr);
  auto f = program.function<int(int*)>("f");
  int entered = 0;
  EXPECT_EQ(f(context, &entered), 7);
  EXPECT_EQ(entered, 1);
  entered = 0;
  ASSERT_EQ(bsgp_context_destroy(context), BSGP_OK);
  try {
    f(context, &entered);
    FAIL();
  } catch (const bsgp::Exception& exception) {
    EXPECT_EQ(exception.status, BSGP_INVALID);
    EXPECT_TRUE(has(exception.what(), "is no context, or it was destroyed before")) << exception.what();
  }
  EXPECT_EQ(entered, 0);
}

TEST(Compile, FindsIncludes) {
  std::string folder = testing::TempDir();
  FILE* file = std::fopen((folder + "capi_included.bsgp").c_str(), "w");
  ASSERT_TRUE(file);
  std::fputs("int seven() { return 7; }\n", file);
  std::fclose(file);
  const char* dirs[] = {folder.c_str()};
  bsgp::Program program("#include \"capi_included.bsgp\"\nexport int f() { return seven(); }",
                        {.include_dirs = dirs, .include_dir_count = 1});
  EXPECT_EQ(program.function<int()>("f")(nullptr), 7);
}

TEST(Compile, RefusesFoldersAndTargetsThatMakeNoSense) {
  auto says = [](bsgp_compile_options options, const char* what) {
    options.struct_size = sizeof options;
    bsgp_program* program = nullptr;
    EXPECT_EQ(bsgp_compile("", &options, &program), BSGP_INVALID);
    EXPECT_STREQ(bsgp_error_message(), what);
  };
  const char* dirs[] = {"/tmp", nullptr};
  says({.include_dirs = dirs, .include_dir_count = 2}, "bsgp_compile: include_dirs[1] is NULL");
  says({.include_dir_count = 1}, "bsgp_compile: include_dir_count is 1, include_dirs NULL");
  says({.reference = 1, .gpu = "sm_75"},
       "bsgp_compile: a program is for target reference or for a GPU, and both were asked for");
}

TEST(Compile, KeepsGlobalsOfProgramsApart) {
  const char* source = "int counter = 0;\nexport int next() { counter++; return counter; }";
  bsgp::Program one(source), two(source);
  EXPECT_EQ(one.function<int()>("next")(nullptr), 1);
  EXPECT_EQ(one.function<int()>("next")(nullptr), 2);
  EXPECT_EQ(two.function<int()>("next")(nullptr), 1);
}

// As a second process would.
TEST(CodeOnDisk, IsWhatWasCompiled) {
  char folder[] = "/tmp/bsgp_code_XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  setenv("BSGP_CACHE", "1", 1);
  setenv("BSGP_CACHE_DIR", folder, 1);
  std::string header;
  for (int i = 0; i < 2; ++i) {
    bsgp::Program program(kPrograms, {.name = "kept.bsgp"});
    EXPECT_EQ(program.function<int(int, int)>("add")(nullptr, 40, 2), 42);
    std::string message = messageOf([&] { program.function<void(int)>("hostAssert")(nullptr, 4); }, BSGP_FAILED);
    EXPECT_TRUE(has(message, "kept.bsgp:")) << message;
    messageOf([&] { program.function<void(int)>("noSuchFunction"); }, BSGP_INVALID);
    EXPECT_TRUE(i == 0 || program.header() == header);
    header = program.header();
    EXPECT_TRUE(has(header, "endless"));
  }
  auto files = std::filesystem::directory_iterator(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "the second took what the first had kept";
  std::filesystem::remove_all(folder);
  setenv("BSGP_CACHE", "0", 1);
}
