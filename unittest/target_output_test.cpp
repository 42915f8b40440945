// links: target
// Plans as constants, files, the JIT's and the linker's messages, reports after passes.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "target/cpu/code/link.h"
#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

constexpr char kTwoKernels[] = R"(
@plan.0 = external constant i8
declare i32 @bsgp.rank.i32(i32)
define void @spawn.0.1(ptr addrspace(1) %s, i32 %n) {
  ret void
}
define void @spawn.0.2(ptr addrspace(1) %s, i32 %size, i32 %old) {
  ret void
}
define internal i32 @spawn.0.require.0(ptr %call, ptr %frame) {
  store i32 42, ptr %frame
  ret i32 0
}
define ptr @plan() {
  ret ptr @plan.0
}
)";

plan::Plan examplePlan() {
  plan::Plan plan;
  plan.name = "findFaces:12";
  plan.symbol = "plan.0";
  plan.site = {"faces.bsgp", 12, 3};
  plan.block = 128;
  plan.size_offset = 16;
  plan.slots = {{"n", 24, 4}};
  plan.requires_ = {"spawn.0.require.0"};
  plan.streams = {{4}, {8}};
  plan.supersteps = {{12, 14, false}, {15, 19, true}};
  plan.kernels.resize(2);
  plan.kernels[0] = {"spawn.0.1", {{plan::Param::Stream, 0}, {plan::Param::Frame, 0}}, 1, 0, 4};
  plan.kernels[1] = {
      "spawn.0.2", {{plan::Param::Stream, 1}, {plan::Param::Size, 0}, {plan::Param::OldSize, 0}}, 2, 4, 8};
  plan::Site superstep{"faces.bsgp", 12, 5}, require{"faces.bsgp", 13, 5};
  plan.steps = {{plan::Step::Superstep, 1, superstep}, {plan::Step::Require, 0, require},
                {plan::Step::Allocate, 1, {}},         {plan::Step::Clear, 1, {}},
                {plan::Step::Launch, 0, {}},           {plan::Step::Free, 1, {}},
                {plan::Step::FreeTemps, 3, {}}};
  return plan;
}

ir::Kernels example() {
  ir::Kernels compiled = parse(kTwoKernels);
  compiled.plans.push_back(examplePlan());
  return compiled;
}

struct Loaded {
  std::unique_ptr<Jit> jit;
  const bsgp_plan* plan;
};

Loaded load(ir::Kernels compiled, const CpuOptions& options) {
  lowerKernels(compiled, options);
  auto jit = linked(std::move(compiled), options);
  EXPECT_TRUE(jit) << jit.message();
  auto plan = (*jit)->lookup("plan");
  return {jit.take(), reinterpret_cast<const bsgp_plan* (*)()>(*plan)()};
}

TEST(PlanConstants, KeepTheHead) {
  Loaded loaded = load(example(), testOptions());
  const bsgp_plan& plan = *loaded.plan;
  EXPECT_EQ(plan.version, uint32_t(BSGP_PLAN_VERSION));
  EXPECT_EQ(plan.rank_bits, 32u);
  EXPECT_EQ(plan.block, 128u);
  EXPECT_EQ(plan.size_offset, 16u);
  EXPECT_STREQ(plan.name, "findFaces:12");
  EXPECT_STREQ(plan.site->file, "faces.bsgp");
  EXPECT_EQ(plan.site->line, 12u);
  EXPECT_EQ(plan.site->column, 3u);
  EXPECT_EQ(plan.site->text, nullptr);
  EXPECT_EQ(plan.stream_count, 2u);
}

TEST(PlanConstants, KeepKernelsAndTheirParameters) {
  Loaded loaded = load(example(), testOptions());
  ASSERT_EQ(loaded.plan->kernel_count, 2u);
  const bsgp_kernel& first = loaded.plan->kernels[0];
  EXPECT_STREQ(first.name, "spawn.0.1");
  EXPECT_EQ(first.superstep, 1u);
  EXPECT_EQ(first.first_line, 12u);
  EXPECT_EQ(first.last_line, 14u);
  EXPECT_EQ(first.stored, 4u);
  ASSERT_EQ(first.param_count, 2u);
  EXPECT_EQ(first.params[0].kind, uint32_t(BSGP_PARAM_STREAM));
  EXPECT_EQ(first.params[1].kind, uint32_t(BSGP_PARAM_FRAME));
  EXPECT_EQ(first.params[1].index, 24u);
  EXPECT_EQ(first.params[1].bytes, 4u);
  const bsgp_kernel& second = loaded.plan->kernels[1];
  EXPECT_EQ(second.loaded, 4u);
  ASSERT_EQ(second.param_count, 3u);
  EXPECT_EQ(second.params[0].index, 1u);
  EXPECT_EQ(second.params[1].kind, uint32_t(BSGP_PARAM_SIZE));
  EXPECT_EQ(second.params[2].kind, uint32_t(BSGP_PARAM_OLD_SIZE));
  EXPECT_NE(first.run, second.run);
}

TEST(PlanConstants, KeepStepsAndRequires) {
  Loaded loaded = load(example(), testOptions());
  plan::Plan expected = examplePlan();
  ASSERT_EQ(loaded.plan->step_count, expected.steps.size());
  for (size_t i = 0; i != expected.steps.size(); ++i) {
    const bsgp_step& step = loaded.plan->steps[i];
    EXPECT_EQ(step.kind, uint32_t(expected.steps[i].kind));
    EXPECT_EQ(step.index, expected.steps[i].index);
    EXPECT_EQ(step.bytes, step.kind == BSGP_STEP_ALLOCATE || step.kind == BSGP_STEP_CLEAR ? 8u : 0u);
    EXPECT_EQ(step.site->line, step.kind == BSGP_STEP_REQUIRE ? 13u : 12u);
  }
  ASSERT_EQ(loaded.plan->require_count, 1u);
  int32_t frame = 0;
  EXPECT_EQ(loaded.plan->requires_[0](nullptr, &frame), 0);
  EXPECT_EQ(frame, 42);
}

TEST(PlanConstants, KeepBranchesAndMoves) {
  ir::Kernels compiled = example();
  compiled.plans[0].decision_offset = 40;
  std::vector<plan::Step>& steps = compiled.plans[0].steps;
  size_t first = steps.size();
  std::vector<plan::Step> more = {{plan::Step::Decide, 0, {}},
                                  {plan::Step::Branch, 1, {}, 3},
                                  {plan::Step::Move, 0, {}, 1},
                                  {plan::Step::Swap, 1, {}, 0},
                                  {plan::Step::Jump, 0, {}, 12}};
  steps.insert(steps.end(), more.begin(), more.end());
  Loaded loaded = load(std::move(compiled), testOptions());
  EXPECT_EQ(loaded.plan->decision_offset, 40u);
  ASSERT_EQ(loaded.plan->step_count, first + more.size());
  for (size_t i = 0; i < more.size(); ++i) {
    const bsgp_step& step = loaded.plan->steps[first + i];
    EXPECT_EQ(step.kind, uint32_t(more[i].kind));
    EXPECT_EQ(step.index, more[i].index);
    EXPECT_EQ(step.other, more[i].other);
    EXPECT_EQ(step.bytes, 0u);
    EXPECT_EQ(step.site->line, 12u);
  }
}

TEST(PlanConstants, LeaveOutWhatARoundNeedNotDo) {
  using plan::Step;
  ir::Kernels compiled = example();
  plan::Plan& plan = compiled.plans[0];
  plan.kernels[1].params.back() = {plan::Param::Size, 0}; // it asks for the old size
  plan.steps = {{Step::Superstep, 1, {}}, {Step::Launch, 0, {}},  {Step::Jump, 0, {}, 5}, {Step::Superstep, 2, {}},
                {Step::Jump, 0, {}, 6},   {Step::Jump, 0, {}, 3}, {Step::Launch, 1, {}},  {Step::Branch, 0, {}, 10},
                {Step::Jump, 0, {}, 9},   {Step::Jump, 0, {}, 8}};
  Loaded loaded = load(std::move(compiled), testOptions());
  std::vector<std::pair<uint32_t, uint32_t>> steps;
  for (uint32_t i = 0; i < loaded.plan->step_count; ++i)
    steps.emplace_back(loaded.plan->steps[i].kind, loaded.plan->steps[i].other);
  using S = std::vector<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(steps, (S{{BSGP_STEP_LAUNCH, 0},
                      {BSGP_STEP_JUMP, 4},
                      {BSGP_STEP_JUMP, 4},
                      {BSGP_STEP_JUMP, 4},
                      {BSGP_STEP_LAUNCH, 0},
                      {BSGP_STEP_BRANCH, 8},
                      {BSGP_STEP_JUMP, 6},
                      {BSGP_STEP_JUMP, 6}}));
}

TEST(PlanConstants, AllowASpawnWithNothingToRun) {
  ir::Kernels compiled = example();
  compiled.plans[0].kernels.clear();
  compiled.plans[0].steps.clear();
  compiled.plans[0].requires_.clear();
  compiled.module->getFunction("spawn.0.1")->eraseFromParent();
  compiled.module->getFunction("spawn.0.2")->eraseFromParent();
  Loaded loaded = load(std::move(compiled), testOptions());
  EXPECT_EQ(loaded.plan->kernel_count, 0u);
  EXPECT_EQ(loaded.plan->steps, nullptr);
}

TEST(Jit, NamesAnUndefinedSymbol) {
  ir::Kernels compiled = parse("declare i32 @no_such_function(i32)\n"
                               "define i32 @f() {\n  %r = call i32 @no_such_function(i32 1)\n  ret i32 %r\n}\n");
  CpuOptions options;
  lowerKernels(compiled, options);
  auto jit = linked(std::move(compiled), options);
  ASSERT_FALSE(jit);
  EXPECT_NE(jit.message().find("undefined symbol 'no_such_function'"), std::string::npos) << jit.message();
}

TEST(Jit, NamesASymbolThatIsLookedUpInVain) {
  ir::Kernels compiled = parse("define i32 @f() {\n  ret i32 1\n}\n");
  CpuOptions options;
  lowerKernels(compiled, options);
  auto jit = linked(std::move(compiled), options);
  ASSERT_TRUE(jit);
  auto found = (*jit)->lookup("g");
  ASSERT_FALSE(found);
  EXPECT_NE(found.message().find("'g'"), std::string::npos) << found.message();
}

// A function of the program that is named like one of libm's is called, not computed by the compiler.
TEST(Jit, FindsFunctionsOfTheProcess) {
  ir::Kernels compiled = parse("declare double @atan2(double, double)\n"
                               "define double @f(double %x) {\n"
                               "  %r = call double @atan2(double 1.0, double %x)\n  ret double %r\n}\n");
  CpuOptions options;
  lowerKernels(compiled, options);
  auto jit = linked(std::move(compiled), options);
  ASSERT_TRUE(jit) << jit.message();
  auto f = (*jit)->lookup("f");
  ASSERT_TRUE(f);
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(*f)(2.0), std::atan2(1.0, 2.0));
}

TEST(Optimize, DoesNotComputeLibraryFunctions) {
  for (bool reference : {false, true}) {
    ir::Kernels compiled = parse("declare double @cos(double)\n"
                                 "define double @f() {\n  %r = call double @cos(double 0.0)\n  ret double %r\n}\n");
    CpuOptions options;
    options.reference = reference;
    lowerKernels(compiled, options);
    ASSERT_TRUE(optimize(compiled, options));
    EXPECT_NE(compiled.module->getFunction("cos"), nullptr);
    EXPECT_FALSE(compiled.module->getFunction("cos")->use_empty());
  }
}

TEST(Optimize, ReportsPassesByName) {
  CpuOptions options = testOptions();
  std::set<std::string> seen;
  options.after_pass = [&](std::string_view pass, const llvm::Module& module) {
    EXPECT_NE(module.getFunction("spawn.0.1.blocks"), nullptr) << pass;
    seen.emplace(pass);
  };
  load(example(), options);
  for (const char* pass :
       {"lower-kernels", "sroa", "instcombine", "parallel-accesses", "loop-vectorize", "generate-code"})
    EXPECT_TRUE(seen.count(pass)) << pass;
  for (const std::string& pass : seen)
    EXPECT_EQ(pass.find("PassManager"), std::string::npos) << pass;
}

TEST(Optimize, RefusesAnUnknownCpu) {
  ir::Kernels compiled = example();
  CpuOptions options;
  options.cpu = "pentium-9";
  lowerKernels(compiled, options);
  auto optimized = optimize(compiled, options);
  ASSERT_FALSE(optimized);
  EXPECT_NE(optimized.message().find("'pentium-9'"), std::string::npos);
}

TEST(Emit, WritesAssembly) {
  ir::Kernels compiled = example();
  CpuOptions options;
  lowerKernels(compiled, options);
  ASSERT_TRUE(optimize(compiled, options));
  auto assembly = emitAssembly(compiled, options);
  ASSERT_TRUE(assembly);
  EXPECT_NE(assembly->find("spawn.0.1.blocks"), std::string::npos);
}

TEST(Emit, NamesTheFileItCannotWrite) {
  ir::Kernels compiled = example();
  CpuOptions options;
  lowerKernels(compiled, options);
  auto written = emitObject(compiled, options, "/no/such/folder/x.o");
  ASSERT_FALSE(written);
  EXPECT_NE(written.message().find("/no/such/folder/x.o"), std::string::npos);
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bsgp-target-test-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

TEST(Link, MakesAProgramThatRuns) {
  Folder folder;
  ir::Kernels compiled = parse("define i32 @main() {\n  ret i32 0\n}\n");
  CpuOptions options;
  lowerKernels(compiled, options);
  ASSERT_TRUE(optimize(compiled, options));
  auto written = emitObject(compiled, options, folder / "a.o");
  ASSERT_TRUE(written) << written.message();
  auto linked = linkProgram({folder / "a.o"}, folder / "a.out", folder.path.string(), {"m"});
  ASSERT_TRUE(linked) << linked.message();
  EXPECT_EQ(std::system((folder / "a.out").c_str()), 0);
}

TEST(Link, PassesOnWhatTheLinkerSays) {
  Folder folder;
  ir::Kernels compiled = parse("declare i32 @nowhere()\n"
                               "define i32 @main() {\n  %r = call i32 @nowhere()\n  ret i32 %r\n}\n");
  CpuOptions options;
  lowerKernels(compiled, options);
  ASSERT_TRUE(emitObject(compiled, options, folder / "a.o"));
  auto linked = linkProgram({folder / "a.o"}, folder / "a.out", "", {});
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.message().find("nowhere"), std::string::npos) << linked.message();
}

} // namespace
} // namespace bsgp::target::test
