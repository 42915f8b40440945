// Expressions as sema types them, folded for any values of their operands: the parameters of a function, made
// constants.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "parse/parse.h"
#include "sema/constant.h"
#include "sema/sema.h"

namespace bsgp::test {

using Types =
    std::tuple<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, _Float16, float, double>;
constexpr size_t kTypes = std::tuple_size_v<Types>;
template <size_t I> using TypeAt = std::tuple_element_t<I, Types>;
inline constexpr const char* kTypeNames[] = {"bool", "char", "uchar", "short", "ushort", "int",
                                             "uint", "long", "ulong", "half",  "float",  "double"};
inline constexpr size_t kTypeSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
inline bool isFloating(size_t type) {
  return type >= 9;
}
template <class T> constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, _Float16>;

enum Op { Add, Sub, Mul, Div, Rem, Shl, Shr, Lt, Gt, Le, Ge, Eq, Ne, And, Or, Xor, kOps };
inline constexpr const char* kOpText[] = {"+", "-",  "*",  "/",  "%",  "<<", ">>", "<",
                                          ">", "<=", ">=", "==", "!=", "&",  "|",  "^"};
inline bool forIntegersAlone(int op) {
  return op == Rem || op == Shl || op == Shr || op >= And;
}
inline bool isComparison(int op) {
  return op >= Lt && op <= Ne;
}

// Numbers go from place to place as the folder has them.
template <class T> ConstValue constant(T value) {
  if constexpr (is_floating<T>)
    return {0, double(value)};
  else
    return {static_cast<int64_t>(value), 0};
}
template <class T> T number(const ConstValue& value) {
  if constexpr (is_floating<T>)
    return static_cast<T>(value.floating);
  else
    return static_cast<T>(value.integer);
}

// The same number in the same form; NaNs are one.
template <class T> bool same(const ConstValue& folded, T expected) {
  ConstValue wanted = constant(expected);
  if (std::isnan(wanted.floating))
    return std::isnan(folded.floating);
  bool alike = std::bit_cast<int64_t>(folded.floating) == std::bit_cast<int64_t>(wanted.floating);
  return is_floating<T> ? alike : folded.integer == wanted.integer;
}

class Folder {
public:
  // Each function returns one expression of its parameters.
  explicit Folder(std::string functions) : diagnostics_(sources_) {
    ast::Program* tree =
        parse(sources_, arena_, diagnostics_, sources_.addText("folded.bsgp", std::move(functions)), {});
    program_ = sema::analyze(*tree, {}, diagnostics_);
    EXPECT_FALSE(diagnostics_.hasErrors()) << diagnostics_.render();
    for (Function* function : program_->functions)
      for (Variable* parameter : function->params) {
        parameter->is_const = true;
        parameter->constants.resize(1);
      }
  }

  // What function number `which` gives for these values; false: that is no constant.
  bool fold(size_t which, std::initializer_list<ConstValue> values, ConstValue& result) const {
    const Function& function = *program_->functions[which];
    size_t i = 0;
    for (const ConstValue& value : values)
      function.params[i++]->constants[0] = value;
    return sema::constantValue(function.body->stmts[0]->expr, result);
  }

private:
  SourceManager sources_;
  Arena arena_;
  Diagnostics diagnostics_;
  std::unique_ptr<Program> program_;
};

// Calls f(std::integral_constant<size_t, I>) for each type.
template <class F> void forTypes(const F& f) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    (f(std::integral_constant<size_t, I>()), ...);
  }(std::make_index_sequence<kTypes>());
}

// The number that a value becomes when it is converted to the type, as the bits of an integer or as a float.
inline ConstValue converted(double floating, uint64_t bits, size_t type) {
  ConstValue result;
  forTypes([&](auto index) {
    using T = TypeAt<index>;
    if (index == type)
      result = is_floating<T> ? constant(static_cast<T>(floating)) : constant(static_cast<T>(bits));
  });
  return result;
}

// Ends of ranges, neighbours of powers of two, and what floats have besides numbers.
inline std::vector<ConstValue> edges(size_t type) {
  std::vector<ConstValue> out;
  if (type == 0)
    return {constant(false), constant(true)};
  if (isFloating(type)) {
    for (double value : {0.0,
                         0x1p-1074,
                         0x1p-149,
                         0x1p-25,
                         0x1.8p-25,
                         0x1p-24,
                         0x1.ffcp-15,
                         0x1p-14,
                         0x1p-126,
                         0.1,
                         0.5,
                         1.0,
                         1.5,
                         2.5,
                         3.0,
                         127.5,
                         128.0,
                         255.5,
                         256.0,
                         2047.0,
                         2048.0,
                         2049.0,
                         32767.5,
                         32768.0,
                         65504.0,
                         65519.996,
                         65520.0,
                         65535.5,
                         65536.0,
                         16777217.0,
                         0x1.fffffep30,
                         0x1p31,
                         0x1.fffffffffp31,
                         0x1p32,
                         0x1p53,
                         0x1p63,
                         0x1.fffffffffffffp62,
                         0x1p64,
                         0x1.fffffffffffffp63,
                         0x1.fffffep127,
                         0x1.ffffffp127,
                         0x1.fffffffffffffp1023,
                         double(INFINITY),
                         double(NAN)})
      for (double v : {value, -value, std::nextafter(value, 0.0), -std::nextafter(value, 0.0)})
        out.push_back(converted(v, 0, type));
    return out;
  }
  for (unsigned bit = 0; bit < 8 * kTypeSizes[type]; ++bit)
    for (uint64_t near : {uint64_t(-1), uint64_t(0), uint64_t(1)})
      for (uint64_t sign : {uint64_t(-1), uint64_t(1)})
        out.push_back(converted(0, sign * ((uint64_t(1) << bit) + near), type));
  for (int extra : {5, 7, 10, 100})
    out.push_back(converted(0, uint64_t(extra), type));
  return out;
}

inline ConstValue randomValue(size_t type, std::mt19937_64& random) {
  uint64_t bits = random();
  if (type == 9)
    return constant(std::bit_cast<_Float16>(uint16_t(bits)));
  if (type == 10)
    return constant(std::bit_cast<float>(uint32_t(bits)));
  if (type == 11)
    return constant(std::bit_cast<double>(bits));
  unsigned width = unsigned(8 * kTypeSizes[type]); // integers of every size
  return converted(0, type == 0 ? bits & 1 : bits >> (64 - width + random() % width), type);
}

// All values of a type of 8 or 16 bits; else edges and random ones.
inline std::vector<ConstValue> values(size_t type, std::mt19937_64& random) {
  if (type == 0)
    return edges(type);
  std::vector<ConstValue> out;
  if (kTypeSizes[type] <= 2) {
    for (unsigned bits = 0; bits < 1u << (8 * kTypeSizes[type]); ++bits)
      out.push_back(isFloating(type) ? constant(std::bit_cast<_Float16>(uint16_t(bits))) : converted(0, bits, type));
    return out;
  }
  out = edges(type);
  for (int i = 0; i < 20000; ++i)
    out.push_back(randomValue(type, random));
  return out;
}

// All pairs of 8 bits; else pairs of edges, all of them or `some`, and as many random ones as `some`.
inline std::vector<std::pair<ConstValue, ConstValue>> pairs(size_t a, size_t b, size_t some, bool all_edges) {
  std::mt19937_64 random(a * kTypes + b);
  bool all = kTypeSizes[a] == 1 && kTypeSizes[b] == 1;
  std::vector<ConstValue> left = all ? values(a, random) : edges(a), right = all ? values(b, random) : edges(b);
  std::vector<std::pair<ConstValue, ConstValue>> out;
  if (all || all_edges)
    for (const ConstValue& x : left)
      for (const ConstValue& y : right)
        out.emplace_back(x, y);
  for (size_t i = 0; !all && i < some; ++i) {
    if (!all_edges)
      out.emplace_back(left[random() % left.size()], right[random() % right.size()]);
    ConstValue x = randomValue(a, random);
    out.emplace_back(x, randomValue(b, random));
  }
  return out;
}

} // namespace bsgp::test
