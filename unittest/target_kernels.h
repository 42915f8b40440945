// For the tests of the CPU target: kernels written as text in the form bsp leaves them in, compiled in this process.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "plan/plan_abi.h"
#include "target/cpu/cpu_target.h"

namespace bsgp::target::test {

// What a bsgp_launch's failure points to here; the runtime's own record looks different.
struct Failures {
  struct One {
    uint32_t kind;
    int64_t rank;
    const bsgp_site* site;
  };
  std::vector<One> all;
};

inline void recordFailure(const bsgp_launch* launch, uint32_t kind, int64_t rank, const bsgp_site* site) {
  reinterpret_cast<Failures*>(launch->failure)->all.push_back({kind, rank, site});
}

struct Printed {
  std::string format;
  std::vector<uint64_t> arguments;
};
inline std::vector<Printed>& printed() {
  static std::vector<Printed> lines;
  return lines;
}
inline void recordPrint(const char* format, uint32_t count, const uint64_t* arguments) {
  printed().push_back({format, {arguments, arguments + count}});
}

inline ir::Kernels parse(const std::string& text) {
  ir::Kernels compiled;
  compiled.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  compiled.module = llvm::parseAssemblyString(text, problem, *compiled.context);
  if (!compiled.module) {
    problem.print("test", llvm::errs());
    std::abort();
  }
  return compiled;
}

inline CpuOptions testOptions() {
  CpuOptions options;
  options.symbols = {{"bsgp_rt_device_fail", reinterpret_cast<void*>(recordFailure)},
                     {"bsgp_rt_print", reinterpret_cast<void*>(recordPrint)}};
  return options;
}

// A program of one spawn with one kernel, @spawn.0.1, whose parameters are all frame slots of 8 bytes unless `kinds`
// says otherwise. The plan is reached through @plan, as a host function would reach it.
struct OneKernel {
  std::string text;
  unsigned params = 0;
  uint32_t rank_bits = 32;
  uint32_t block = 256;
  std::vector<plan::Param::Kind> kinds = {};

  ir::Kernels compiled() const {
    ir::Kernels compiled = parse(text + R"(
@plan.0 = external constant i8
define ptr @plan() {
  ret ptr @plan.0
}
)");
    plan::Plan& plan = compiled.plans.emplace_back();
    plan.name = "test:1";
    plan.symbol = "plan.0";
    plan.rank_bits = rank_bits;
    plan.block = block;
    plan::Kernel kernel;
    kernel.symbol = "spawn.0.1";
    for (unsigned i = 0; i != params; ++i) {
      plan.slots.push_back({"p" + std::to_string(i), 8 * i, 8});
      kernel.params.push_back({i < kinds.size() ? kinds[i] : plan::Param::Frame, i});
    }
    plan.kernels.push_back(kernel);
    plan.supersteps.resize(1);
    plan.steps.push_back({plan::Step::Launch, 0, {}});
    return compiled;
  }
};

// Of the lowered program.
inline Result<std::unique_ptr<Jit>> linked(ir::Kernels compiled, const CpuOptions& options) {
  Result<std::vector<std::string>> objects = compileObjects(compiled, options);
  if (!objects)
    return objects.error();
  return Jit::link(*objects, options);
}

class Compiled {
public:
  Compiled(const OneKernel& kernel, const CpuOptions& options) : block_(kernel.block) {
    ir::Kernels compiled = kernel.compiled();
    lowerKernels(compiled, options);
    auto jit = linked(std::move(compiled), options);
    EXPECT_TRUE(jit) << jit.message();
    jit_ = jit.take();
    auto plan = jit_->lookup("plan");
    EXPECT_TRUE(plan) << plan.message();
    plan_ = reinterpret_cast<const bsgp_plan* (*)()>(*plan)();
  }

  // All blocks, a few at a time, as the runtime does.
  Failures run(int64_t size, const std::vector<uint64_t>& params, uint64_t shuffle = 0, int64_t grain = 3) const {
    Failures failures;
    bsgp_launch launch{size,    block_,         params.data(), reinterpret_cast<bsgp_failure*>(&failures),
                       shuffle, BSGP_FORM_LANES};
    int64_t blocks = (size + block_ - 1) / block_;
    for (int64_t first = 0; first < blocks; first += grain)
      plan_->kernels[0].run(&launch, first, std::min(first + grain, blocks));
    return failures;
  }

  const bsgp_plan& plan() const { return *plan_; }

private:
  int64_t block_;
  std::unique_ptr<Jit> jit_;
  const bsgp_plan* plan_ = nullptr;
};

template <class T> uint64_t slot(T value) {
  uint64_t bits = 0xA5A5A5A5A5A5A5A5; // what stands beyond a narrow value is nobody's business
  static_assert(sizeof(T) <= 8);
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

inline const std::vector<int64_t>& oddSizes() {
  static const std::vector<int64_t> sizes{0, 1, 127, 255, 256, 257, 1000003};
  return sizes;
}

// The module as text.
inline std::string optimized(const OneKernel& kernel, const CpuOptions& options) {
  ir::Kernels compiled = kernel.compiled();
  lowerKernels(compiled, options);
  EXPECT_TRUE(optimize(compiled, options));
  EXPECT_FALSE(llvm::verifyModule(*compiled.module, &llvm::errs()));
  std::string ir;
  llvm::raw_string_ostream(ir) << *compiled.module;
  return ir;
}

} // namespace bsgp::target::test
