// Programs that arrays make of kernels: compiled once for a form; a wrong one is a defect of the library, and says so.
// links: arrays_device
#include <gtest/gtest.h>

#include "arrays/device/code.h"

namespace bsgp::arrays {

namespace {

// export void kernel(long n) { NAME(n); }
Source calling(const char* name, int* made) {
  return {"kernel", std::string("v0 = ") + name + "\n", [=](compile::TreeMaker& maker) {
            ++*made;
            ast::Builder& b = maker.nodes;
            SourceRange at{maker.texts[0] + 5, maker.texts[0] + 9};
            ast::Stmt* body = b.block({b.expression(b.call(name, {b.name("n", at)}, at))}, at);
            ast::Function* function =
                b.function(nullptr, "kernel", {b.parameter(b.named("i64", at), "n", at)}, body, at);
            function->is_export = true;
            return b.program({function});
          }};
}

} // namespace

TEST(ArraysDevice, CompilesAProgramOnceForATargetAndAForm) {
  int made = 0;
  auto first = functionOf(calling("abs", &made), Target::Reference);
  ASSERT_TRUE(first) << first.message();
  auto again = functionOf(calling("abs", &made), Target::Reference);
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(made, 1);
}

TEST(ArraysDevice, AWrongProgramIsADefectOfTheLibrary) {
  int made = 0;
  auto function = functionOf(calling("nothing", &made), Target::Reference);
  ASSERT_FALSE(function);
  for (const char* part : {"a defect of the library", "target reference", "v0 = nothing\n", "kernel:1:6: error",
                           "help: report it with this text; target cpu computes the same"})
    EXPECT_NE(function.message().find(part), std::string::npos) << part << " is not in\n" << function.message();
}

} // namespace bsgp::arrays
