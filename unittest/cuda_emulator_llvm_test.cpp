// links: plan
// Code as LLVM makes it (cuda_emulator/samples.ll), with calls and with all inlined, gives what it gives on the host.
#include <cmath>
#include <fstream>
#include <sstream>

#include "cuda_emulator.h"

using namespace emulated;
using CudaEmulatorLlvm = emulated::Test;

namespace {

struct Sample {
  const char* name;
  std::vector<uint64_t> results;
};

#include "cuda_emulator/results.inc"

std::string read(const std::string& name) {
  std::ifstream file(std::string(BSGP_EMULATOR_SAMPLES) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

// Targets have NaN of their own.
bool same(uint64_t a, uint64_t b) {
  bool nan32 = a >> 32 == 0 && b >> 32 == 0 && std::isnan(single(a)) && std::isnan(single(b));
  return a == b || nan32 || (std::isnan(real(a)) && std::isnan(real(b)));
}

void check(const std::string& file) {
  std::string text = read(file);
  assemble(text);
  void* module = nullptr;
  ASSERT_EQ(0, load(text, &module));
  for (const Sample& sample : kSamples) {
    size_t count = sample.results.size();
    Address in = upload(kOperands), out = upload(std::vector<uint64_t>(count));
    ASSERT_EQ(0, launch(module, sample.name, 1, static_cast<unsigned>(count), 0, out, in));
    std::vector<uint64_t> results = download<uint64_t>(out, count);
    for (size_t i = 0; i < count; ++i)
      EXPECT_TRUE(same(sample.results[i], results[i]))
          << sample.name << std::hex << " of 0x" << kOperands[2 * i] << ", 0x" << kOperands[2 * i + 1] << " gave 0x"
          << results[i] << ", not 0x" << sample.results[i];
  }
}

} // namespace

TEST(CudaEmulatorSamples, AreCheckedWithPtxas) {
  if (!ptxas())
    GTEST_SKIP() << "there is no ptxas here: nothing says that the samples are PTX";
}

TEST_F(CudaEmulatorLlvm, FunctionsThatAreCalled) {
  check("calls.ptx");
}

TEST_F(CudaEmulatorLlvm, FunctionsThatAreInlined) {
  check("inlined.ptx");
}
