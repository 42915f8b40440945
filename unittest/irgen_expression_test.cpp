// links: irgen ir expand sema parse lex diag support
// Expressions: what each means in LLVM's terms, where host and device differ.
#include "ir/names.h"
#include "irgen_program.h"

namespace bsgp::test {
namespace {

using llvm::Instruction;

llvm::Intrinsic::ID kFma = llvm::Intrinsic::fma;

// ---- fusing (rule 21)
size_t fusedIn(const std::string& expression, irgen::FloatMode mode = irgen::FloatMode::Contract) {
  irgen::Options options;
  options.fp = mode;
  Emitted e(spawnOf("float a = f[0], b = f[1], c = f[2], d = f[3]; " + expression), options);
  return countIntrinsic(e.kernel(), kFma);
}

TEST(IrgenFusing, ProductsFuseIntoTheSumOfTheirExpression) {
  EXPECT_EQ(fusedIn("f[4] = a * b + c;"), 1u);
  EXPECT_EQ(fusedIn("f[4] = c + a * b;"), 1u);
  EXPECT_EQ(fusedIn("f[4] = a * b - c;"), 1u);
  EXPECT_EQ(fusedIn("f[4] = c - a * b;"), 1u);
  EXPECT_EQ(fusedIn("f[4] += a * b;"), 1u);
  EXPECT_EQ(fusedIn("f[4] -= a * b;"), 1u);
}

TEST(IrgenFusing, OfTwoProductsTheLeftOneIsFused) {
  Emitted e(spawnOf("float a = f[0], b = f[1], c = f[2], d = f[3]; f[4] = a * b + c * d;"));
  ASSERT_EQ(countIntrinsic(e.kernel(), kFma), 1u);
  ASSERT_EQ(countOpcode(e.kernel(), Instruction::FMul), 1u);
  for (Instruction& i : llvm::instructions(e.kernel()))
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i); call && call->getIntrinsicID() == kFma) {
      EXPECT_TRUE(llvm::isa<llvm::BinaryOperator>(call->getArgOperand(2))); // the right product is the addend
    }
}

TEST(IrgenFusing, NothingFusesAcrossExpressionsOrInOtherModes) {
  EXPECT_EQ(fusedIn("float t = a * b; f[4] = t + c;"), 0u);
  EXPECT_EQ(fusedIn("f[4] = a * b + c;", irgen::FloatMode::Strict), 0u);
  EXPECT_EQ(fusedIn("f[4] = a * b + c;", irgen::FloatMode::Fast), 0u);
  EXPECT_EQ(fusedIn("int i = p[0], k = p[1]; p[2] = i * k + i;"), 0u);
}

TEST(IrgenFusing, VectorsFuseLaneByLane) {
  EXPECT_EQ(fusedIn("float3 v = float3(a, b, c), w = v * d + v; f[4] = w.x;"), 3u);
}

TEST(IrgenFusing, FastAllowsAlgebraButKeepsNaN) {
  irgen::Options options;
  options.fp = irgen::FloatMode::Fast;
  Emitted e(spawnOf("f[4] = f[0] * f[1] + f[2];"), options);
  size_t found = countWhere(e.kernel(), [](Instruction& i) {
    return i.getOpcode() == Instruction::FAdd && i.hasAllowReassoc() && i.hasAllowContract() && !i.hasNoNaNs();
  });
  EXPECT_EQ(found, 1u);
}

// ---- integers
TEST(IrgenDivision, OnTheDeviceAConstantDivisorNeedsNoGuard) {
  Emitted e(spawnOf("p[0] = p[1] / 3; p[2] = p[3] % 7;"));
  EXPECT_EQ(countOpcode(e.kernel(), Instruction::Select), 0u);
  EXPECT_EQ(countOpcode(e.kernel(), Instruction::SDiv), 1u);
}

TEST(IrgenDivision, OnTheDeviceNothingTraps) {
  Emitted e(spawnOf("p[0] = p[1] / p[2]; p[3] = p[4] % p[5]; uint u = (uint)p[6]; p[7] = (int)(u / (uint)p[8]);"));
  for (Instruction& i : llvm::instructions(e.kernel()))
    if (i.isIntDivRem()) {
      EXPECT_TRUE(llvm::isa<llvm::SelectInst>(i.getOperand(1))) << text(i);
    }
}

TEST(IrgenDivision, OnTheDeviceByZeroIsZeroAndByMinusOneNegates) {
  Emitted e(spawnOf("int x = p[1]; p[0] = x / -1; p[2] = x % -1;"));
  EXPECT_EQ(countWhere(e.kernel(), [](Instruction& i) { return i.isIntDivRem(); }), 0u);
}

TEST(IrgenDivision, OnTheHostZeroFailsTheCall) {
  Emitted e("int f(int a, int b) { return a / b; }\n int main() { return f(4, 2); }");
  llvm::Function* f = e.function("f.host");
  ASSERT_TRUE(f);
  ASSERT_EQ(callsTo(*f, "bsgp_rt_fail").size(), 1u);
  EXPECT_EQ(number(callsTo(*f, "bsgp_rt_fail")[0]->getArgOperand(1)), 2u); // BSGP_FAIL_DIVIDE
}

TEST(IrgenDivision, OnTheHostAConstantDivisorIsNotAsked) {
  Emitted e("int f(int a) { return a / 10; }\n int main() { return f(4); }");
  EXPECT_TRUE(callsTo(*e.function("f.host"), "bsgp_rt_fail").empty());
}

TEST(IrgenIntegers, SignedArithmeticMayNotOverflowUnsignedMay) {
  Emitted e(spawnOf("int x = p[0] + p[1]; uint u = (uint)p[2] + 1u; p[3] = x + (int)u;"));
  size_t nsw =
      countWhere(e.kernel(), [](Instruction& i) { return i.getOpcode() == Instruction::Add && i.hasNoSignedWrap(); });
  size_t plain =
      countWhere(e.kernel(), [](Instruction& i) { return i.getOpcode() == Instruction::Add && !i.hasNoSignedWrap(); });
  EXPECT_EQ(nsw, 2u);
  EXPECT_EQ(plain, 1u);
}

TEST(IrgenIntegers, ShiftAmountsAreMasked) {
  Emitted e(spawnOf("p[0] = p[1] << p[2]; p[3] = p[4] >> p[5];"));
  for (Instruction& i : llvm::instructions(e.kernel()))
    if (i.isShift()) {
      EXPECT_EQ(number(llvm::cast<Instruction>(i.getOperand(1))->getOperand(1)), 31u) << text(i);
    }
}

TEST(IrgenCasts, FloatToIntegerSaturates) {
  Emitted e(spawnOf("p[0] = (int)f[0]; uint u = (uint)f[1]; p[1] = (int)u;"));
  EXPECT_EQ(countIntrinsic(e.kernel(), llvm::Intrinsic::fptosi_sat), 1u);
  EXPECT_EQ(countIntrinsic(e.kernel(), llvm::Intrinsic::fptoui_sat), 1u);
}

// ---- values
TEST(IrgenValues, VectorsAndStructsAreScalars) {
  Emitted e(spawnOf(
      "S s; s.v = float3(f[0], f[1], f[2]); s.b = p[0] > 1; S t = s; float4 w = float4(1.0f, 2.0f, 3.0f, t.v.z); "
      "w.xy = w.yx; f[5] = w[p[1] & 3] + w.x; p[2] = t.b;",
      "struct S { float3 v; bool b; };"));
  for (Instruction& i : llvm::instructions(e.kernel())) {
    EXPECT_TRUE(i.getType()->isSingleValueType() || i.getType()->isVoidTy()) << text(i);
    EXPECT_FALSE(i.getType()->isVectorTy()) << text(i);
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
      EXPECT_TRUE(alloca->getAllocatedType()->isSingleValueType()) << text(i);
    }
  }
}

TEST(IrgenValues, VariablesNameTheirAllocasAndValues) {
  Emitted e(spawnOf("float3 at = float3(f[0], 0.0f, 0.0f); int key = p[0] + 1; at.x += 1; key++; "
                    "p[1] = key + (int)at.x;"));
  std::set<std::string> names;
  for (Instruction& i : llvm::instructions(e.kernel()))
    names.insert((llvm::isa<llvm::AllocaInst>(i) ? "alloca " : "value ") + ir::sourceName(i));
  for (const char* name :
       {"alloca at.x", "alloca at.y", "alloca at.z", "alloca key", "value key", "value at.x", "value p"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(IrgenValues, WhatIsNeverAssignedToIsItsFirstValue) {
  Emitted e(spawnOf("float3 at = float3(f[0], 0.0f, 0.0f); int key = p[0] + 1; p[1] = twice(key) + (int)at[p[2] & 1]; "
                    "switch (p[3]) { case 0: int over = 1; case 1: p[4] = over; }",
                    "int twice(int x) { const int y = x + x; return y; }"));
  std::set<std::string> names;
  for (Instruction& i : llvm::instructions(e.kernel()))
    names.insert((llvm::isa<llvm::AllocaInst>(i) ? "alloca " : "value ") + ir::sourceName(i));
  for (const char* name : {"alloca at.x", "alloca key", "alloca x", "alloca y"})
    EXPECT_FALSE(names.contains(name)) << name;
  EXPECT_TRUE(names.contains("value key"));
  EXPECT_TRUE(names.contains("alloca over")) << "a switch may jump over its declaration";
}

TEST(IrgenValues, WhatHasAnAddressIsMemory) {
  Emitted e(spawnOf("int x = 1; set(&x); int y = 2; by(y); p[0] = x + y;",
                    "inline set(int* q) { *q = 5; }\ninline by(int& r) { r = 6; }"));
  size_t calls = countWhere(e.kernel(), [](Instruction& i) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    return call && !call->getCalledFunction()->isIntrinsic() && ir::opOf(i) == Op::None;
  });
  EXPECT_EQ(calls, 0u); // expanded in place
}

TEST(IrgenValues, ArraysLiveFromTheirDeclarationToTheEndOfTheirScope) {
  Emitted e(spawnOf("for (int i = 0; i < n; i++) { int a[4]; a[i & 3] = i; if (a[0] > 5) break; p[i] = a[i & 3]; }"));
  EXPECT_EQ(countIntrinsic(e.kernel(), llvm::Intrinsic::lifetime_start), 1u);
  EXPECT_EQ(countIntrinsic(e.kernel(), llvm::Intrinsic::lifetime_end), 2u); // also where the loop is left
}

TEST(IrgenValues, ReturnsOfExpandedCallsMeet) {
  Emitted e(spawnOf("p[0] = clamp(p[1]);",
                    "inline int clamp(int x) { if (x < 0) return 0; if (x > 9) return 9; return x; }"));
  EXPECT_EQ(countOpcode(e.kernel(), Instruction::Ret), 1u);
}

TEST(IrgenLimits, ExpansionPastTheLimitNamesTheCallChain) {
  irgen::Options options;
  options.max_instructions = 500;
  std::string source = "inline int f0(int x) { return x * 3 + 1; }\n";
  for (int i = 1; i < 8; ++i)
    source +=
        fmt::format("inline int f{}(int x) {{ return f{}(x) + f{}(x + 1) + f{}(x + 2); }}\n", i, i - 1, i - 1, i - 1);
  Emitted e(spawnOf("p[0] = f7(p[1]);", source), options);
  ASSERT_EQ(e.diagnostics.errors(), 1u);
  const Diagnostic& message = e.diagnostics.all().front();
  EXPECT_EQ(message.kind, Diag::expansion_too_large);
  EXPECT_NE(message.help.find("f7 -> f6"), std::string::npos) << message.help;
}

} // namespace
} // namespace bsgp::test
