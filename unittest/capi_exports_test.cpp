// What bsgp_program_export tells of exported functions, and calls by the addresses of their arguments.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // options are zero but for what is named

namespace {

constexpr const char* kProgram = R"(struct Node { float3 at; double weight[2]; Node* next; };
enum Color { red, green };
export saxpy(float* y, const float* x, float a, long n) {
  spawn (n) { y[thread.rank] += a * x[thread.rank]; }
}
export heat(float[,] u, const int[,,] w) { spawn (u.height) { u[thread.rank, 0] = w[0, 0, 0]; } }
export double mixed(bool b, char c, ushort s, Color e, float3 v, Node n, int& r, const double& q, double d) {
  r = int(c) + int(s) + e;
  return b ? v.x + v.y + v.z + n.weight[1] + q + d : -1.0;
}
export host int* same(host int* p) { return p; }
export nothing() {}
)";

struct Float3 {
  float x, y, z;
};
struct Node {
  Float3 at;
  double weight[2];
  Node* next;
};

const bsgp_export* named(const bsgp::Program& program, const std::string& name) {
  for (const bsgp_export* each : program.exports())
    if (each->name == name)
      return each;
  return nullptr;
}

void expectPointer(const bsgp_type* type, int32_t dtype, bool on_device, bool is_const) {
  EXPECT_EQ(type->kind, BSGP_TYPE_POINTER);
  EXPECT_EQ(type->element->kind, BSGP_TYPE_SCALAR);
  EXPECT_EQ(type->element->dtype, dtype);
  EXPECT_EQ(type->on_device, on_device);
  EXPECT_EQ(type->is_const, is_const);
}

} // namespace

TEST(Exports, AreToldInTheOrderOfTheText) {
  bsgp::Program program(kProgram, {.name = "told.bsgp"});
  std::vector<const bsgp_export*> all = program.exports();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_STREQ(all[0]->name, "saxpy");
  EXPECT_STREQ(all[0]->file, "told.bsgp");
  EXPECT_EQ(all[0]->line, 3u);
  EXPECT_STREQ(all[0]->text, "void saxpy(device float* y, const device float* x, float a, long n)");
  EXPECT_EQ(all[0]->result->kind, BSGP_TYPE_VOID);
  EXPECT_STREQ(all[4]->name, "nothing");
  EXPECT_EQ(all[4]->parameter_count, 0u);
}

TEST(Exports, TellWhatParametersAre) {
  bsgp::Program program(kProgram);
  const bsgp_export* saxpy = named(program, "saxpy");
  ASSERT_EQ(saxpy->parameter_count, 4u);
  EXPECT_STREQ(saxpy->parameters[0].name, "y");
  expectPointer(saxpy->parameters[0].type, BSGP_FLOAT32, true, false);
  expectPointer(saxpy->parameters[1].type, BSGP_FLOAT32, true, true);
  EXPECT_STREQ(saxpy->parameters[1].type->text, "const device float*");
  EXPECT_EQ(saxpy->parameters[2].type->dtype, BSGP_FLOAT32);
  EXPECT_EQ(saxpy->parameters[3].type->dtype, BSGP_INT64);
  EXPECT_EQ(saxpy->parameters[3].type->size, 8u);
  const bsgp_export* same = named(program, "same");
  expectPointer(same->parameters[0].type, BSGP_INT32, false, false);
  expectPointer(same->result, BSGP_INT32, false, false);
}

TEST(Exports, TellOfArraysWithExtents) {
  bsgp::Program program(kProgram);
  const bsgp_export* heat = named(program, "heat");
  const bsgp_type *u = heat->parameters[0].type, *w = heat->parameters[1].type;
  EXPECT_EQ(u->kind, BSGP_TYPE_VIEW);
  EXPECT_EQ(u->count, 2u);
  EXPECT_EQ(u->element->dtype, BSGP_FLOAT32);
  EXPECT_FALSE(u->is_const);
  EXPECT_TRUE(w->is_const);
  EXPECT_EQ(w->count, 3u);
  ASSERT_EQ(w->field_count, 4u);
  EXPECT_STREQ(w->fields[1].name, "depth");
  EXPECT_EQ(w->fields[1].offset, 8u);
  EXPECT_EQ(w->fields[1].type->dtype, BSGP_INT32);
}

TEST(Exports, TellOfStructsThatLeadToThemselves) {
  bsgp::Program program(kProgram);
  const bsgp_parameter* of_mixed = named(program, "mixed")->parameters;
  EXPECT_EQ(of_mixed[0].type->dtype, BSGP_BOOL);
  EXPECT_EQ(of_mixed[1].type->dtype, BSGP_INT8);
  EXPECT_EQ(of_mixed[2].type->dtype, BSGP_UINT16);
  EXPECT_EQ(of_mixed[3].type->dtype, BSGP_INT32);
  EXPECT_EQ(of_mixed[4].type->kind, BSGP_TYPE_VECTOR);
  EXPECT_EQ(of_mixed[4].type->count, 3u);
  const bsgp_type* node = of_mixed[5].type;
  EXPECT_EQ(node->kind, BSGP_TYPE_STRUCT);
  EXPECT_EQ(node->size, sizeof(Node));
  ASSERT_EQ(node->field_count, 3u);
  EXPECT_EQ(node->fields[1].type->kind, BSGP_TYPE_ARRAY);
  EXPECT_EQ(node->fields[1].type->count, 2u);
  EXPECT_EQ(node->fields[2].offset, offsetof(Node, next));
  EXPECT_EQ(node->fields[2].type->element, node);
  EXPECT_TRUE(of_mixed[6].by_reference && !of_mixed[6].is_const);
  EXPECT_TRUE(of_mixed[7].by_reference && of_mixed[7].is_const);
}

TEST(Exports, AreCalledWithTheAddressesOfTheirArguments) {
  bsgp::Program program(kProgram);
  bool b = true;
  int8_t c = -3;
  uint16_t s = 60'000;
  int32_t e = 1, r = 0;
  Float3 v{1, 2, 3};
  Node n{};
  n.weight[1] = 10;
  double q = 100, d = 1000, result = 0;
  void* arguments[] = {&b, &c, &s, &e, &v, &n, &r, &q, &d, &result};
  ASSERT_EQ(named(program, "mixed")->apply(nullptr, arguments), BSGP_OK);
  EXPECT_EQ(result, 1116);
  EXPECT_EQ(r, 59'998);
  b = false;
  ASSERT_EQ(named(program, "mixed")->apply(nullptr, arguments), BSGP_OK);
  EXPECT_EQ(result, -1);
  std::vector<float> x{1, 2, 3}, y{1, 1, 1};
  float *to = y.data(), *from = x.data(), a = 2;
  int64_t count = 3;
  void* of_saxpy[] = {&to, &from, &a, &count};
  ASSERT_EQ(named(program, "saxpy")->apply(nullptr, of_saxpy), BSGP_OK);
  EXPECT_EQ(y, (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(named(program, "nothing")->apply(nullptr, nullptr), BSGP_OK);
}

TEST(Exports, HaveTheAddressThatTheirNameLeadsTo) {
  bsgp::Program program(kProgram);
  auto same = program.function<int*(int*)>("same");
  int n = 0;
  auto address = reinterpret_cast<bsgp_status (*)(bsgp_context*, int*, int**)>(named(program, "same")->address);
  int* result = nullptr;
  ASSERT_EQ(address(nullptr, &n, &result), BSGP_OK);
  EXPECT_EQ(result, &n);
  EXPECT_EQ(same(nullptr, &n), &n);
}

TEST(Exports, OfNoSuchNumberAreRefused) {
  bsgp_program* program = nullptr;
  ASSERT_EQ(bsgp_compile("export f() {}", nullptr, &program), BSGP_OK);
  EXPECT_EQ(bsgp_program_export_count(program), 1u);
  const bsgp_export* out = nullptr;
  EXPECT_EQ(bsgp_program_export(program, 1, &out), BSGP_INVALID);
  EXPECT_STREQ(bsgp_error_message(), "bsgp_program_export: there is no export 1; the program has 1");
  EXPECT_EQ(bsgp_program_export(program, 0, nullptr), BSGP_INVALID);
  EXPECT_EQ(bsgp_program_destroy(program), BSGP_OK);
  EXPECT_EQ(bsgp_program_export_count(program), 0u);
  EXPECT_EQ(bsgp_program_export(program, 0, &out), BSGP_INVALID);
  EXPECT_EQ(out, nullptr);
}

TEST(Exports, AreTheSameFromTheCache) {
  char folder[] = "/tmp/bsgp_exports_XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  setenv("BSGP_CACHE", "1", 1);
  setenv("BSGP_CACHE_DIR", folder, 1);
  auto tell = [] {
    bsgp::Program program(kProgram, {.name = "cached.bsgp"});
    const bsgp_export* mixed = named(program, "mixed");
    std::string told = mixed->text;
    for (uint32_t i = 0; i < mixed->parameter_count; ++i)
      told += std::string(mixed->parameters[i].name) + mixed->parameters[i].type->text;
    return told + mixed->file + std::to_string(mixed->line) + mixed->result->text;
  };
  std::string first = tell();
  EXPECT_EQ(tell(), first);
  EXPECT_NE(first.find("const double& q, double d)"), std::string::npos) << first;
  std::filesystem::remove_all(folder);
  setenv("BSGP_CACHE", "0", 1);
}
