// Plans made by hand, with C++ functions as kernels and requires.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bsgp/bsgp.h"
#include "plan/plan_abi.h"

namespace bsgp::test {

inline constexpr bsgp_site kSpawnSite{"test.bsgp", 10, 3, nullptr, 0};
inline constexpr bsgp_site kRequireSite{"test.bsgp", 12, 5, nullptr, 0};
inline constexpr bsgp_site kStreamSite{"test.bsgp", 14, 7, nullptr, 0};
inline constexpr bsgp_site kAssertSite{"test.bsgp", 16, 9, "i < n", 0};

// What the host frame of these plans looks like.
struct Frame {
  int64_t size = 0; // thread.size
  void* data = nullptr;
  int32_t number = 0;
};

// A plan under construction; raw() stays valid as long as this lives and does not grow.
class TestPlan {
public:
  uint32_t kernel(bsgp_kernel_fn run, std::vector<bsgp_param> params, uint32_t superstep = 1,
                  const char* name = "kernel", const bsgp_gpu_kernel* gpu = nullptr) {
    return add({name, run, nullptr, 0, superstep, superstep * 10, superstep * 10 + 5, 4, 8, gpu, nullptr},
               std::move(params));
  }
  uint32_t add(bsgp_kernel kernel, std::vector<bsgp_param> params) {
    params_.push_back(std::move(params));
    kernel.params = params_.back().data();
    kernel.param_count = uint32_t(params_.back().size());
    kernels_.push_back(kernel);
    return uint32_t(kernels_.size() - 1);
  }
  uint32_t require(bsgp_require_fn function) {
    requires_.push_back(function);
    return uint32_t(requires_.size() - 1);
  }
  TestPlan& step(uint32_t kind, uint32_t index, uint32_t bytes = 0, const bsgp_site* site = nullptr,
                 uint32_t other = 0) {
    steps_.push_back({kind, index, bytes, other, site});
    if ((kind == BSGP_STEP_ALLOCATE || kind == BSGP_STEP_MOVE) && index >= streams_)
      streams_ = index + 1;
    return *this;
  }
  const bsgp_plan* raw() {
    plan_ = {BSGP_PLAN_VERSION,
             rank_bits,
             block,
             size_offset,
             name,
             site,
             kernels_.data(),
             requires_.data(),
             steps_.data(),
             uint32_t(kernels_.size()),
             uint32_t(requires_.size()),
             uint32_t(steps_.size()),
             streams_,
             decision_offset,
             code,
             nullptr,
             0};
    return &plan_;
  }

  uint32_t rank_bits = 32, block = 256, size_offset = offsetof(Frame, size), decision_offset = 0;
  bsgp_code_kind code = BSGP_CODE_CPU;
  const char* name = "f:10";
  const bsgp_site* site = &kSpawnSite;

private:
  std::deque<std::vector<bsgp_param>> params_;
  std::vector<bsgp_kernel> kernels_;
  std::vector<bsgp_require_fn> requires_;
  std::vector<bsgp_step> steps_;
  uint32_t streams_ = 0;
  bsgp_plan plan_{};
};

inline bsgp_param frameParam(uint32_t offset, uint32_t bytes) {
  return {BSGP_PARAM_FRAME, offset, bytes};
}
inline bsgp_param streamParam(uint32_t stream) {
  return {BSGP_PARAM_STREAM, stream, 8};
}

// Calls function(rank) for the threads of the blocks.
template <class Function> void forThreads(const bsgp_launch* launch, int64_t first, int64_t end, Function function) {
  int64_t last = end * launch->block < launch->size ? end * launch->block : launch->size;
  for (int64_t rank = first * launch->block; rank < last; ++rank)
    function(rank);
}

template <class T> T param(const bsgp_launch* launch, uint32_t i) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(uintptr_t(launch->params[i]));
  else
    return T(launch->params[i]);
}

struct ContextCloser {
  void operator()(bsgp_context* context) const { bsgp_context_destroy(context); }
};
using ContextOwner = std::unique_ptr<bsgp_context, ContextCloser>;

inline ContextOwner makeContext(const char* target = "cpu", uint32_t threads = 2) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = target;
  options.threads = threads;
  options.poison = 1;
  return ContextOwner(bsgp_context_create(&options));
}

inline bsgp_memory_info memoryOf(bsgp_context* context) {
  bsgp_memory_info info;
  bsgp_memory(context, &info);
  return info;
}

inline bsgp_code_kind codeFor(std::string_view target) {
  return target == "reference" ? BSGP_CODE_REFERENCE : target == "cuda" ? BSGP_CODE_GPU : BSGP_CODE_CPU;
}

// Run the plan as an exported function would: as code for that target, or for the context's.
inline int32_t runAs(bsgp_code_kind code, bsgp_context* context, TestPlan& plan, Frame& frame) {
  plan.code = code;
  bsgp_call* call = bsgp_rt_begin(context);
  return bsgp_rt_end(call, bsgp_rt_run(call, plan.raw(), &frame));
}
inline int32_t runPlan(bsgp_context* context, TestPlan& plan, Frame& frame) {
  return runAs(codeFor(bsgp_context_target(context)), context, plan, frame);
}

} // namespace bsgp::test
