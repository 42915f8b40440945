// Programs that watch themselves, called from C++: a call in which an error is found fails with its first report, does not do
// what is wrong, and the next call begins anew.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bsgp/bsgp.hpp"

namespace {

constexpr const char* kProgram = R"(export shift(int* p, int n, int by) {
  spawn (n) { p[thread.rank + by] = thread.rank; }
}
export collect(int* p, int* sum, int n) {
  spawn (n) {
    if (p[thread.rank] > 0)
      sum[0] += p[thread.rank];
  }
}
export raise(int* p, int n, int by) {
  spawn (n) { p[thread.rank] += by; }
}
export scatter(int* p, int n, int step) {
  spawn (n) { p[long(thread.rank) * step % n] = thread.rank; }
}
export int* made(int n) { return dnew[n]int; }
export failing(int* p, int n) {
  spawn (n) { p[thread.rank] = 1; }
  assert(n < 0, "the program's own");
}
)";

class CheckedCalls : public testing::Test {
protected:
  CheckedCalls() {
    bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
    options.name = "called.bsgp";
    options.check = "all";
    program_.emplace(kProgram, options);
    bsgp_options wanted = BSGP_OPTIONS_INIT;
    wanted.check = "all";
    wanted.threads = 2;
    context_.emplace(wanted);
  }
  template <class... A> std::string messageOf(const char* name, A... arguments) {
    try {
      program_->function<void(A...)>(name)(*context_, arguments...);
    } catch (const bsgp::Exception& exception) {
      EXPECT_EQ(exception.status, BSGP_FAILED);
      return exception.what();
    }
    return "";
  }

  std::optional<bsgp::Program> program_;
  std::optional<bsgp::Context> context_;
};

} // namespace

TEST_F(CheckedCalls, FailWithTheFirstReportAndGoOn) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  EXPECT_EQ(messageOf("shift", data.data(), 1000, 0), "");
  EXPECT_EQ(messageOf("shift", data.data(), 1000, 3).find("called.bsgp:2:15: error: outside: thread"), 0u);
  EXPECT_EQ(messageOf("raise", data.data(), 1000, 1), "");
  EXPECT_EQ(data.toHost()[0], 1); // thread 0 wrote to element 3
  EXPECT_EQ(data.toHost()[999], 997);
}

// Also where a file of that name says something else.
TEST_F(CheckedCalls, ShowTheLineOfTheTextThatWasCompiled) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  std::string message = messageOf("shift", data.data(), 1000, 3);
  EXPECT_NE(message.find("2 |   spawn (n) { p[thread.rank + by] = thread.rank; }"), std::string::npos) << message;
}

TEST_F(CheckedCalls, FailForTheSameErrorEachTime) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  for (int i = 0; i < 3; ++i)
    EXPECT_NE(messageOf("shift", data.data(), 1000, 1), "") << i;
  EXPECT_EQ(messageOf("shift", data.data(), 1000, 0), "");
}

TEST_F(CheckedCalls, DescribeTheirOwnFindings) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  auto shift = [&](int n, int by) { return messageOf("shift", data.data(), n, by); };
  EXPECT_NE(shift(1000, 1).find("p[1000]"), std::string::npos);
  std::string later = shift(1, 2500);
  EXPECT_NE(later.find("p[2500]"), std::string::npos) << later;
  EXPECT_EQ(later.find("1000]"), std::string::npos) << later;
  EXPECT_NE(shift(3, 999).find("p[1000]"), std::string::npos);
}

TEST_F(CheckedCalls, KnowMemoryThatTheProgramMade) {
  int* made = program_->function<int*(int)>("made")(*context_, 50);
  EXPECT_EQ(messageOf("shift", made, 50, 0), "");
  EXPECT_NE(messageOf("shift", made, 51, 0).find("p[50]; p has 50 elements"), std::string::npos);
  bsgp_free(*context_, made);
  EXPECT_NE(messageOf("shift", made, 50, 0).find("freed"), std::string::npos);
}

// Of one context, by several threads at once.
TEST_F(CheckedCalls, AreNotToldWhatOthersDidWrong) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7)), other(*context_, std::vector<int>(1000, 7));
  std::atomic<bool> ends{false};
  int clean_calls = 0;
  std::thread clean([&] {
    for (; !ends || clean_calls == 0; ++clean_calls)
      EXPECT_EQ(messageOf("shift", other.data(), 1000, 0), "");
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_NE(messageOf("shift", data.data(), 1000, 1), "");
  ends = true;
  clean.join();
}

TEST_F(CheckedCalls, TellOverflows) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  EXPECT_EQ(messageOf("raise", data.data(), 1000, 2147483640), "");
  EXPECT_NE(messageOf("raise", data.data(), 1000, 1).find("overflow"), std::string::npos);
}

TEST_F(CheckedCalls, TellRacesInMemoryOfTheCaller) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7)), sum(*context_, {0});
  std::string message = messageOf("collect", data.data(), sum.data(), 1000);
  EXPECT_EQ(message.find("called.bsgp:7:7: error: race"), 0u) << message;
  EXPECT_NE(message.find("sum[0]"), std::string::npos) << message;
}

TEST_F(CheckedCalls, FailByThemselvesAsEver) {
  bsgp::DeviceArray<int> data(*context_, std::vector<int>(1000, 7));
  EXPECT_NE(messageOf("failing", data.data(), 1000).find("the program's own"), std::string::npos);
}

TEST_F(CheckedCalls, SayNothingInAContextThatLooksForNothing) {
  bsgp_options quiet = BSGP_OPTIONS_INIT;
  quiet.check = "0";
  bsgp::Context context(quiet);
  bsgp::DeviceArray<int> data(context, std::vector<int>(1000, 7)), sum(context, {0});
  program_->function<void(int*, int*, int)>("collect")(context, data.data(), sum.data(), 1000);
}

// Kernels that are checked cannot fail for want of memory.
TEST_F(CheckedCalls, EndWithASentenceWithoutMemoryForChecks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr int kCount = 20'000'000;
  int* p = program_->function<int*(int)>("made")(*context_, kCount);
  auto callWithLittle = [&] {
    std::ifstream pages("/proc/self/statm");
    rlim_t used = 0;
    pages >> used;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = used * rlim_t(sysconf(_SC_PAGESIZE)) + (8 << 20);
    setrlimit(RLIMIT_AS, &limit);
    std::exit(messageOf("scatter", p, kCount, 7).empty() ? 0 : 2);
  };
  EXPECT_EXIT(callWithLittle(), testing::ExitedWithCode(1), "there is no memory left for what is kept of a program");
}

// Once in a process: here in one of its own.
TEST_F(CheckedCalls, WarnWhereTheContextDoesNotCheck) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  context_.emplace(bsgp_options(BSGP_OPTIONS_INIT));
  int* p = program_->function<int*(int)>("made")(*context_, 100);
  auto shift = [&] { std::exit(messageOf("shift", p, 100, 0).empty() ? 0 : 1); };
  EXPECT_EXIT(shift(), testing::ExitedWithCode(0), "the context that runs it does not check");
}

TEST_F(CheckedCalls, AreSilentWhereTheContextIsToldNotToCheck) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* none : {"0", "off", ""}) {
    bsgp_options unchecked = BSGP_OPTIONS_INIT;
    unchecked.check = none;
    context_.emplace(unchecked);
    int* p = program_->function<int*(int)>("made")(*context_, 100);
    auto shift = [&] { std::exit(messageOf("shift", p, 100, 0).empty() ? 0 : 1); };
    constexpr const char* kOfContextBefore = "^check: no errors, 0 unjudged; judged for every schedule\n$";
    EXPECT_EXIT(shift(), testing::ExitedWithCode(0), kOfContextBefore) << none;
  }
}

TEST(UncheckedPrograms, MayBeForAGpuWhereNoCheckIsAskedFor) {
  for (const char* none : {"", "0", "off"}) {
    bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
    options.check = none;
    options.gpu = "sm_80";
    bsgp_program* program = nullptr;
    EXPECT_EQ(bsgp_compile("export f(int* p, int n) { spawn (n) { p[thread.rank] = 1; } }", &options, &program),
              BSGP_OK)
        << bsgp_error_message();
    bsgp_program_destroy(program);
  }
}
