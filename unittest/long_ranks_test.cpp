// Spawns of more than 2^32 threads, of which only the blocks around ranks 2^31 and 2^32 run: ranks, rows, columns and planes.
#include <cstdlib>
#include <map>

#include "bsp/bsp.h"
#include "irgen_program.h"
#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

constexpr int64_t kWords = 5, kBlock = 256;

// What a thread writes: its rank, x, y, z and a sum that a loop of its own makes. `out` is where rank `base` writes.
const std::string kText = R"(
void f(long w, long h, long base, device long* out) {
  spawn (EXTENTS) {
    long* at = out + (thread.rank - base) * 5;
    at[0] = thread.rank;
    at[1] = thread.x;
    at[2] = thread.y;
    at[3] = Z;
    long sum = 0;
    for (int i = 0; i < (int)(thread.x % 3); i++)
      sum += thread.rank;
    at[4] = sum;
  }
}
)";

// Host code is compiled beside the kernel, and not run.
void neverCalled() {
  std::abort();
}

class LongRanks : public EveryMode {
protected:
  void compile(const std::string& extents, const std::string& z) {
    bsgp::test::Emitted program(replaced(replaced(kText, "EXTENTS", extents), "Z", z));
    kernels_ =
        bsp::compileSupersteps(std::move(program.spawns), {GetParam().opt_level, true, {}, {}}, program.diagnostics);
    ASSERT_EQ(kernels_.plans.size(), 1u);
    plan_ = kernels_.plans[0];
    ASSERT_EQ(plan_.rank_bits, 64u);
    ASSERT_EQ(plan_.kernels.size(), 1u);
    addPlanFunction();
    CpuOptions options = this->options();
    for (const char* name : {"bsgp_rt_run", "bsgp_rt_fail"})
      options.symbols.push_back({name, reinterpret_cast<void*>(neverCalled)});
    lowerKernels(kernels_, options);
    auto jit = linked(std::move(kernels_), options);
    ASSERT_TRUE(jit) << jit.message();
    jit_ = jit.take();
    auto plan = jit_->lookup("plan");
    ASSERT_TRUE(plan) << plan.message();
    run_ = reinterpret_cast<const bsgp_plan* (*)()>(*plan)()->kernels[0].run;
  }

  // Of a launch of w * h * d threads the block that has `rank` and one on either side. What they have written.
  std::vector<int64_t> around(int64_t rank, int64_t w, int64_t h, int64_t d) {
    int64_t first = rank / kBlock - 1, base = first * kBlock;
    std::vector<int64_t> out(3 * kBlock * kWords, -1);
    std::map<std::string, uint64_t> values{{"thread.width", slot(w)},  {"w", slot(w)},
                                           {"thread.height", slot(h)}, {"h", slot(h)},
                                           {"base", slot(base)},       {"out", slot(out.data())}};
    std::vector<uint64_t> params;
    for (const plan::Param& param : plan_.kernels[0].params) {
      EXPECT_EQ(param.kind, plan::Param::Frame);
      EXPECT_TRUE(values.count(plan_.slots[param.index].name)) << plan_.slots[param.index].name;
      params.push_back(values[plan_.slots[param.index].name]);
    }
    Failures failures;
    bsgp_launch launch{w * h * d, kBlock,          params.data(), reinterpret_cast<bsgp_failure*>(&failures),
                       0,         BSGP_FORM_LANES, nullptr};
    run_(&launch, first, first + 2);
    run_(&launch, first + 2, first + 3);
    EXPECT_TRUE(failures.all.empty());
    return out;
  }

  void check(int64_t rank, int64_t w, int64_t h, int64_t d) {
    std::vector<int64_t> out = around(rank, w, h, d);
    int64_t base = (rank / kBlock - 1) * kBlock;
    for (int64_t i = 0; i < 3 * kBlock; ++i) {
      int64_t r = base + i, x = r % w;
      std::vector<int64_t> expected{r, x, r / w % h, r / w / h, x % 3 * r};
      std::vector<int64_t> found(&out[size_t(i * kWords)], &out[size_t(i * kWords)] + kWords);
      ASSERT_EQ(found, expected) << r << " in rows of " << w << ", " << h << " to a plane";
    }
  }

private:
  // @plan gives the plan's address.
  void addPlanFunction() {
    llvm::Module& module = *kernels_.module;
    auto* pointer = llvm::PointerType::get(module.getContext(), 0);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(pointer, false), llvm::Function::ExternalLinkage,
                                            "plan", module);
    auto* block = llvm::BasicBlock::Create(module.getContext(), "", function);
    llvm::ReturnInst::Create(module.getContext(), module.getNamedGlobal(plan_.symbol), block);
  }

  ir::Kernels kernels_;
  plan::Plan plan_;
  std::unique_ptr<Jit> jit_;
  bsgp_kernel_fn run_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Levels, LongRanks, modes(), nameOf);

constexpr int64_t kPlaces[] = {int64_t(1) << 31, int64_t(1) << 32, (int64_t(1) << 32) + 65536 * 3,
                               (int64_t(1) << 33) - 600};

TEST_P(LongRanks, OfTwoDimensions) {
  compile("w, h", "thread.rank / thread.width / thread.height");
  for (int64_t w : {int64_t(1) << 16, (int64_t(1) << 16) - 1, int64_t(1) << 33, int64_t(100)})
    for (int64_t rank : kPlaces)
      check(rank, w, (int64_t(1) << 33) / w + 1, 1);
}

TEST_P(LongRanks, OfThreeDimensions) {
  compile("w, h, 4", "thread.z");
  for (int64_t w : {int64_t(1) << 16, int64_t(1000)})
    for (int64_t rank : kPlaces)
      check(rank, w, (int64_t(1) << 31) / w + 1, 4);
}

} // namespace
} // namespace bsgp::target::test
