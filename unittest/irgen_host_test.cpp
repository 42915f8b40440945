// links: irgen ir expand sema parse lex diag support
// Host functions: the status protocol, and the functions that others call.
#include "irgen_program.h"

namespace bsgp::test {
namespace {

TEST(IrgenHost, EveryCallIsCheckedAndLeavesThroughOneExit) {
  Emitted e("int g(int x) { return x; }\nint f(int x) { return g(x) + g(x + 1); }\nint main() { return f(1); }");
  llvm::Function* f = e.function("f.host");
  ASSERT_TRUE(f);
  for (llvm::CallInst* call : callsTo(*f, "g.host")) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(call->getParent()->getTerminator());
    ASSERT_TRUE(branch && branch->isConditional());
    EXPECT_EQ(branch->getSuccessor(1)->getName(), "exit");
  }
  EXPECT_EQ(callsTo(*f, "bsgp_rt_enter").size(), 1u);
  EXPECT_EQ(callsTo(*f, "bsgp_rt_leave").size(), 1u);
  EXPECT_TRUE(callsTo(*e.function("g.host"), "bsgp_rt_enter").empty()); // calls nobody
}

TEST(IrgenHost, TemporariesAndListsAreGivenBack) {
  Emitted e("void f(int n) { int* t = dtempnew[n]int; dlist(int) l; l.resize(n); }\nint main() { f(3); return 0; }");
  llvm::Function* f = e.function("f.host");
  ASSERT_TRUE(f);
  EXPECT_EQ(callsTo(*f, "bsgp_rt_scope_open").size(), 1u);
  EXPECT_EQ(callsTo(*f, "bsgp_rt_scope_close").size(), 1u);
  ASSERT_EQ(callsTo(*f, "bsgp_rt_dlist_free").size(), 1u);
  EXPECT_EQ(callsTo(*f, "bsgp_rt_dlist_free")[0]->getParent()->getName(), "exit");
}

TEST(IrgenHost, AListDeclaredInALoopIsEmptyEachTime) {
  Emitted e(
      "void f(int n) { for (int i = 0; i < n; i++) { dlist(int) l; l.resize(n); } }\nint main() { f(3); return 0; }");
  EXPECT_EQ(callsTo(*e.function("f.host"), "bsgp_rt_dlist_free").size(), 2u);
}

TEST(IrgenHost, TemporariesOfACollectiveHaveItsScope) {
  Emitted e(
      "inline int sum(int x) { require t = dtempnew[thread.size]int; t[thread.rank] = x; barrier; return t[0]; }\n"
      "void f(device int* p, int n) { spawn(n) { y = sum(thread.rank); p[thread.rank] = y; } }");
  llvm::Function* require = e.function(e.spawn().outline.requires_.at(0));
  ASSERT_TRUE(require);
  auto calls = callsTo(*require, "bsgp_rt_dtempnew");
  ASSERT_EQ(calls.size(), 1u);
  uint64_t scope = number(calls[0]->getArgOperand(3));
  EXPECT_NE(scope, 0u);
  bool freed = false;
  for (const ir::Spawn::Step& step : e.spawn().steps)
    freed |= std::count(step.freed_scopes.begin(), step.freed_scopes.end(), scope) != 0;
  EXPECT_TRUE(freed);
}

TEST(IrgenHost, VariablesThatRequiresNameAreInTheFrameOthersAreNot) {
  Emitted e(spawnOf("require int m = n; p[thread.rank] = m;"));
  std::vector<std::string> names;
  for (llvm::Instruction& i : llvm::instructions(*e.function("test.host")))
    if (llvm::isa<llvm::AllocaInst>(i))
      names.push_back(i.getName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"status", "frame", "p~", "f~"})); // m and n are in it
}

// ---- entries
TEST(IrgenEntries, MainAlwaysHasOneSignature) {
  for (const char* source :
       {"int main() { return 3; }", "main() { }", "int main(int argc, char** argv) { return argc; }"}) {
    Emitted e(source);
    llvm::Function* main = e.function("bsgp_main");
    ASSERT_TRUE(main) << source;
    EXPECT_EQ(main->arg_size(), 4u);
    EXPECT_TRUE(main->hasExternalLinkage());
    EXPECT_EQ(countOpcode(*main, llvm::Instruction::Store), 1u) << source; // 0 unless main says otherwise
  }
}

TEST(IrgenEntries, AnExportHasACSignature) {
  Emitted e("export int twice(int x, float3 v, bool b) { v.x = 1.0f; return b ? 2 * x : (int)v.x; }\nexport void "
            "quiet(int x) { }");
  llvm::Function* twice = e.function("twice");
  ASSERT_TRUE(twice);
  ASSERT_EQ(twice->arg_size(), 5u); // context, x, v, b, result
  EXPECT_TRUE(twice->getArg(2)->getType()->isPointerTy());
  EXPECT_TRUE(twice->getArg(3)->hasZExtAttr());
  EXPECT_EQ(callsTo(*twice, "bsgp_rt_begin").size(), 1u);
  EXPECT_EQ(callsTo(*twice, "bsgp_rt_end").size(), 2u);           // also where the call could not begin
  EXPECT_EQ(countIntrinsic(*twice, llvm::Intrinsic::memcpy), 1u); // the caller's vector stays as it is
  EXPECT_EQ(e.function("quiet")->arg_size(), 2u);
}

TEST(IrgenEntries, ExternsAreCalledAsCDoes) {
  Emitted e("extern int abs(int x);\nextern int printer(char* format, ...);\n"
            "int main() { char c = 'x'; return abs(printer(\"%c %g\", c, 1.5f)); }");
  llvm::Function* printer = e.function("printer");
  ASSERT_TRUE(printer && printer->isVarArg());
  llvm::CallInst* call = callsTo(*e.function("main.host"), "printer").at(0);
  EXPECT_TRUE(call->getArgOperand(1)->getType()->isIntegerTy(32));
  EXPECT_TRUE(call->getArgOperand(2)->getType()->isDoubleTy());
}

} // namespace
} // namespace bsgp::test
