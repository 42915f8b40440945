// For the tests of the CPU target: kernels written as text in the form bsp leaves them in, compiled in this process.
#pragma once

#include <algorithm>
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
  options.verify = true;
  options.symbols = {{"bsgp_rt_device_fail", reinterpret_cast<void*>(recordFailure)},
                     {"bsgp_rt_print", reinterpret_cast<void*>(recordPrint)}};
  return options;
}

inline CpuOptions optionsFor(const char* cpu) {
  CpuOptions options = testOptions();
  options.cpu = cpu;
  return options;
}

// The ways to compile a kernel that all must do the same.
struct Mode {
  const char* name;
  unsigned opt_level;
  bool reference;
};

class EveryMode : public testing::TestWithParam<Mode> {
protected:
  CpuOptions options() const {
    CpuOptions options = testOptions();
    options.opt_level = GetParam().opt_level;
    options.reference = GetParam().reference;
    return options;
  }
};

inline auto modes() {
  return testing::Values(Mode{"O0", 0, false}, Mode{"O1", 1, false}, Mode{"O2", 2, false}, Mode{"O3", 3, false},
                         Mode{"reference", 3, true}, Mode{"referenceO0", 0, true});
}

inline std::string nameOf(const testing::TestParamInfo<Mode>& info) {
  return info.param.name;
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

// A kernel of `params`, frame slots all. `body` knows %r, the rank, begins in the block %entry and ends with a
// terminator; what it declares beside the rank, `globals` declares.
inline OneKernel rankKernel(const std::string& params, const std::string& body, const std::string& globals = "",
                            uint32_t block = 256) {
  std::string text = globals;
  text += "\ndeclare i32 @bsgp.rank.i32(i32)\ndefine void @spawn.0.1(";
  text += params + ") {\nentry:\n  %r = call i32 @bsgp.rank.i32(i32 0)\n" + body + "\n}\n";
  auto count = unsigned(std::count(params.begin(), params.end(), '%'));
  return {text, count, 32, block};
}

// Kernels of one number each, %v, that give one, %result.
inline const std::string kInOut = "ptr addrspace(1) %in, ptr addrspace(1) %out";

inline const std::string kLoad = R"(
  %pi = getelementptr inbounds i32, ptr addrspace(1) %in, i32 %r
  %v = load i32, ptr addrspace(1) %pi
)";
inline const std::string kStore = R"(
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  store i32 %result, ptr addrspace(1) %po
  ret void
)";

// `text`, in which each `word` is `by`.
inline std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

// For kernels of blocks of 64 threads: a loop around a sync, of %d = 32, 16, ... 1, that adds @s[%o] to @s[%b] where
// `joins` makes %both true; %b is the rank in the block, %o = %b + %d. `add`: the operation. Ends in the block %done.
inline std::string sumByHalves(const std::string& type, const std::string& add, const std::string& joins) {
  std::string text = R"(
  call void @bsgp.block.sync()
  br label %head
head:
  %d = phi i32 [ 32, %entry ], [ %half, %latch ]
  %more = icmp sgt i32 %d, 0
  br i1 %more, label %body, label %done
body:
  %o = add i32 %b, %d
  JOINS
  br i1 %both, label %add, label %latch
add:
  %so = getelementptr [64 x TYPE], ptr addrspace(3) @s, i32 0, i32 %o
  %a = load TYPE, ptr addrspace(3) %so
  %c = load TYPE, ptr addrspace(3) %sb
  %sum = ADD TYPE %c, %a
  store TYPE %sum, ptr addrspace(3) %sb
  br label %latch
latch:
  call void @bsgp.block.sync()
  %half = lshr i32 %d, 1
  br label %head
done:
)";
  return replaced(replaced(replaced(text, "JOINS", joins), "TYPE", type), "ADD", add);
}

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
    return runBlocks(size, 0, (size + block_ - 1) / block_, params, shuffle, grain);
  }

  // Of a launch of `size` threads the blocks from `first` to before `end`.
  Failures runBlocks(int64_t size, int64_t first, int64_t end, const std::vector<uint64_t>& params,
                     uint64_t shuffle = 0, int64_t grain = 3) const {
    Failures failures;
    bsgp_launch launch{size,    block_,          params.data(), reinterpret_cast<bsgp_failure*>(&failures),
                       shuffle, BSGP_FORM_LANES, nullptr};
    for (; first < end; first += grain)
      plan_->kernels[0].run(&launch, first, std::min(first + grain, end));
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

// The function in it that runs the kernel's threads.
inline std::string threadCode(const OneKernel& kernel, const CpuOptions& options) {
  std::string ir = optimized(kernel, options);
  size_t begin = ir.find("define internal void @spawn.0.1.ranks(");
  return begin == std::string::npos ? "" : ir.substr(begin, ir.find("\n}", begin) - begin);
}

} // namespace bsgp::target::test
