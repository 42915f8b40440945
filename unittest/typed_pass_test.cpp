// A pass over the typed program, between sema and expand: it groups the threads of each round of a loop by a bit of a value.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.h"
#include "compile/session.h"
#include "runtime/symbols.h"
#include "sema/verify.h"
#include "sema/visit.h"
#include "target/cpu/cpu_target.h"
#include "target/ptx/ptx_target.h"

namespace bsgp {

namespace {

// Each round adds the thread's rank, which the pass's split gives it anew.
const char* kText = R"(
export int run(int n) {
  device int* out = dnew[n]int;
  int rounds = 3;
  spawn (n) {
    int x = thread.rank * 7 % 5;
    while (rounds > 0) {
      require rounds = rounds - 1;
      x = x * 3 + thread.rank % 11;
    }
    out[thread.rank] = x % 1000;
  }
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = (sum * 31 + peek(out, i)) % 1000003;
  return sum;
}
)";

// Puts thread.split(x & 1) in front of what stands in each loop of a spawn that the host runs.
void splitInLoops(sema::Analysis& analysis) {
  sema::Nodes& nodes = analysis.nodes();
  TypeTable& types = analysis.program().types;
  std::vector<Function*> functions = analysis.program().functions; // calls add some
  for (Function* in : functions)
    visitStmt(in->body, [&](Stmt* spawn) {
      if (spawn->kind != Stmt::Spawn || in->name != "run")
        return true;
      Variable* x = nullptr;
      visitStmt(spawn->body, [&](Stmt* s) {
        if (s->kind == Stmt::Decl && s->variable->name == "x")
          x = s->variable;
        if (s->kind != Stmt::Loop || !s->host || !x)
          return true;
        SourceRange at = s->range;
        Expr* value = nodes.make(Expr::Var, x->type, at);
        value->variable = x;
        Expr* one = nodes.make(Expr::Constant, types.i32, at);
        one->value.integer = 1;
        Expr* bit = nodes.make(Expr::Binary, types.i32, at);
        bit->op = ast::BinaryOp::BitAnd, bit->a = value, bit->b = one;
        Stmt* split = nodes.make(Stmt::Expr, at);
        split->expr = analysis.call(*in, *spawn, "thread.split", {bit}, at);
        Stmt* both = nodes.make(Stmt::Block, at);
        both->stmts = nodes.keep<Stmt*>({split, s->body});
        s->body = both;
        return false;
      });
      return false;
    });
}

std::unique_ptr<target::Jit> linked(compile::Pipeline& pipeline, const std::string& target, unsigned width) {
  target::CpuOptions machine;
  machine.reference = target == "reference", machine.vector_width = width;
  for (const runtime::Symbol& symbol : runtime::symbols())
    machine.symbols.emplace_back(symbol.name, symbol.address);
  if (target == "cuda")
    target::lowerKernelsToPtx(pipeline.kernels(), {}, machine);
  else
    target::lowerKernels(pipeline.kernels(), machine);
  auto objects = target::compileObjects(pipeline.kernels(), machine);
  EXPECT_TRUE(objects) << objects.message();
  auto jit = target::Jit::link(*objects, machine);
  EXPECT_TRUE(jit) << jit.message();
  return jit.take();
}

// The results for some numbers of threads.
std::vector<int32_t> results(const std::string& target, unsigned width, const std::vector<int32_t>& sizes) {
  compile::Options options;
  options.target = target == "reference" ? compile::Target::Reference
                   : target == "cuda"    ? compile::Target::Gpu
                                         : compile::Target::Cpu;
  compile::Session session;
  auto begun = session.begin(compile::Text{"pass.bsgp", kText}, options);
  compile::Pipeline& pipeline = *begun;
  EXPECT_TRUE(pipeline.parse() && pipeline.analyze()) << pipeline.diagnostics().render();
  splitInLoops(pipeline.analysis());
  sema::check(pipeline.analysis().program());
  EXPECT_TRUE(pipeline.expand() && pipeline.emit() && pipeline.split()) << pipeline.diagnostics().render();
  std::unique_ptr<target::Jit> jit = linked(pipeline, target, width);
  auto run = reinterpret_cast<bsgp_status (*)(bsgp_context*, int32_t, int32_t*)>(*jit->lookup("run"));
  bsgp_options wanted{};
  wanted.struct_size = sizeof wanted, wanted.target = target.c_str();
  bsgp_context* context = bsgp_context_create(&wanted);
  EXPECT_TRUE(context) << bsgp_error_message();
  std::vector<int32_t> found;
  for (int32_t n : sizes) {
    found.push_back(-1);
    EXPECT_EQ(run(context, n, &found.back()), BSGP_OK) << bsgp_error_message();
  }
  bsgp_context_destroy(context);
  return found;
}

// The program by hand: a stable partition of the values, then the round.
int32_t expected(int32_t n) {
  std::vector<int32_t> x(n);
  for (int32_t i = 0; i < n; ++i)
    x[i] = i * 7 % 5;
  for (int round = 0; round < 3; ++round) {
    std::stable_partition(x.begin(), x.end(), [](int32_t value) { return (value & 1) == 0; });
    for (int32_t i = 0; i < n; ++i)
      x[i] = x[i] * 3 + i % 11;
  }
  int64_t sum = 0;
  for (int32_t value : x)
    sum = (sum * 31 + value % 1000) % 1000003;
  return int32_t(sum);
}

TEST(TypedPass, a_split_that_a_pass_puts_into_a_loop_groups_the_threads) {
  const std::vector<int32_t> sizes = {0, 1, 7, 8, 9, 257, 1009};
  std::vector<int32_t> wanted;
  for (int32_t n : sizes)
    wanted.push_back(expected(n));
  EXPECT_EQ(results("cpu", 0, sizes), wanted);
  EXPECT_EQ(results("cpu", 1, sizes), wanted);
  EXPECT_EQ(results("reference", 0, sizes), wanted);
#ifdef BSGP_CUDA_EMULATOR
  setenv("BSGP_CUDA_DRIVER", BSGP_CUDA_EMULATOR, 1);
  EXPECT_EQ(results("cuda", 0, sizes), wanted);
#endif
}

} // namespace

} // namespace bsgp
