// A context of target cuda on the driver library of fake_cuda.h.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "fake_cuda.h"
#include "plan_fixture.h"

namespace bsgp::test {

struct Environment {
  Environment(const char* name, const std::string& value) : name(name) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name); }
  Environment(const Environment&) = delete;
  const char* name;
};

// A folder of this test's own, gone at its end.
struct TempFolder {
  TempFolder() {
    std::string name = testing::TempDir() + "bsgp_cuda_XXXXXX";
    path = mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code error;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path, error);
  }
  TempFolder(const TempFolder&) = delete;
  std::filesystem::path path;
};

// The kernels of a program, as the compiler would leave them.
struct TestCode {
  explicit TestCode(std::string text) : ptx(std::move(text)) {}
  const bsgp_gpu_code* raw() {
    code = {ptx.c_str(),  ptx.size(),     sm,     uint32_t(sites.size()), uint32_t(formats.size()), 0,
            sites.data(), formats.data(), nullptr};
    return &code;
  }
  const bsgp_gpu_kernel* kernel(uint32_t shared_bytes = 0, bool talks = false, uint32_t tile = 1) {
    kernels.push_back({raw(), shared_bytes, talks, tile, 0, 0});
    return &kernels.back();
  }

  std::string ptx;
  uint32_t sm = 75;
  std::vector<const bsgp_site*> sites;
  std::vector<const char*> formats;
  bsgp_gpu_code code{};
  std::deque<bsgp_gpu_kernel> kernels;
};

class CudaTest : public testing::Test {
protected:
  CudaTest() : fake(reset()) {}

  static FakeCuda* reset() {
    void* library = dlopen(FAKE_CUDA, RTLD_NOW);
    return reinterpret_cast<FakeCudaReset>(dlsym(library, "resetFakeCuda"))();
  }

  // Nothing of the driver's is left when the context is gone.
  void TearDown() override {
    context.reset();
    for (auto& [what, number] : fake->live)
      EXPECT_EQ(number, 0) << what;
    EXPECT_FALSE(fake->has_pending_work);
  }

  void open(const char* profile = nullptr, int poison = -1) {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.target = "cuda";
    options.profile = profile;
    options.poison = poison;
    context = ContextOwner(bsgp_context_create(&options));
    ASSERT_NE(context, nullptr) << error();
    fake->calls.clear();
  }
  std::string openFails() {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.target = "cuda";
    EXPECT_EQ(bsgp_context_create(&options), nullptr);
    return error();
  }
  int32_t run(TestPlan& plan, Frame& frame) { return runPlan(context.get(), plan, frame); }
  static std::string error() { return bsgp_error_message(); }
  int count(const std::string& call) const {
    int n = 0;
    for (const std::string& made : fake->calls)
      n += made == call || made.starts_with(call + " ");
    return n;
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  Environment driver{"BSGP_CUDA_DRIVER", FAKE_CUDA}, cache{"BSGP_CACHE", "0"};
  FakeCuda* fake;
  ContextOwner context;
};

} // namespace bsgp::test
