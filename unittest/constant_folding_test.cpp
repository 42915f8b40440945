// Constant folding against the C++ compiler's arithmetic.
// links: sema parse lex diag support
#include "constant_folder.h"

namespace bsgp::test {

namespace {

// What the reference says and C++ leaves open: shifts are masked, overflow wraps.
template <class C> C integerResult(int op, C a, C b) {
  using U = std::make_unsigned_t<C>;
  U x = U(a), y = U(b);
  constexpr unsigned kMask = 8 * sizeof(C) - 1;
  bool wraps = std::is_signed_v<C> && b == C(-1);
  switch (op) {
  case Add:
    return C(x + y);
  case Sub:
    return C(x - y);
  case Mul:
    return C(x * y);
  case Div:
    return wraps ? C(0 - x) : C(a / b);
  case Rem:
    return wraps ? C(0) : C(a % b);
  case Shl:
    return C(x << (y & kMask));
  case Shr:
    return C(a >> (y & kMask));
  case And:
    return C(a & b);
  case Or:
    return C(a | b);
  default:
    return C(a ^ b);
  }
}

template <class C> C floatingResult(int op, C a, C b) {
  return C(op == Add ? a + b : op == Sub ? a - b : op == Mul ? a * b : a / b);
}

template <class C> bool compared(int op, C a, C b) {
  return op == Lt ? a < b : op == Gt ? a > b : op == Le ? a <= b : op == Ge ? a >= b : op == Eq ? a == b : a != b;
}

// Does the folder say of `a op b` what C++ does? A division by zero is no constant.
template <class A, class B>
bool agrees(int op, const ConstValue& x, const ConstValue& y, bool folds, const ConstValue& r) {
  using C = decltype(A() + B());
  A a = number<A>(x);
  B b = number<B>(y);
  if (isComparison(op))
    return folds && same(r, compared<C>(op, C(a), C(b)));
  if constexpr (is_floating<C>) {
    return folds && same(r, floatingResult<C>(op, C(a), C(b)));
  } else {
    using S = decltype(+A()); // of a shift the left operand decides
    if (op == Shl || op == Shr)
      return folds && same(r, integerResult<S>(op, S(a), S(b)));
    if ((op == Div || op == Rem) && C(b) == 0)
      return !folds;
    return folds && same(r, integerResult<C>(op, C(a), C(b)));
  }
}

// Long double holds all integers, so that the comparisons are exact.
template <class From, class To> bool castAgrees(const ConstValue& x, const ConstValue& r) {
  From v = number<From>(x);
  if constexpr (std::is_same_v<To, bool>) {
    return same(r, v != From(0));
  } else if constexpr (is_floating<From> && !is_floating<To>) {
    using Limits = std::numeric_limits<To>;
    auto wide = static_cast<long double>(v);
    if (std::isnan(wide))
      return same(r, To(0));
    return same(r, wide <= static_cast<long double>(Limits::min())   ? Limits::min()
                   : wide >= static_cast<long double>(Limits::max()) ? Limits::max()
                                                                     : To(wide));
  } else {
    return same(r, To(v));
  }
}

template <class T> bool unaryAgrees(char op, const ConstValue& x, const ConstValue& r) {
  T v = number<T>(x);
  using P = decltype(+T());
  if (op == '!')
    return same(r, v == T(0));
  if constexpr (is_floating<T>)
    return same(r, P(-v));
  else
    return same(r, op == '~' ? P(~P(v)) : P(0 - std::make_unsigned_t<P>(v)));
}

using Agrees = bool (*)(int, const ConstValue&, const ConstValue&, bool, const ConstValue&);
using CastAgrees = bool (*)(const ConstValue&, const ConstValue&);

Agrees binaryOracle(size_t a, size_t b) {
  Agrees found = nullptr;
  forTypes([&](auto i) {
    forTypes([&](auto k) {
      if (i == a && k == b)
        found = agrees<TypeAt<i>, TypeAt<k>>;
    });
  });
  return found;
}

CastAgrees castOracle(size_t from, size_t to) {
  CastAgrees found = nullptr;
  forTypes([&](auto i) {
    forTypes([&](auto k) {
      if (i == from && k == to)
        found = castAgrees<TypeAt<i>, TypeAt<k>>;
    });
  });
  return found;
}

std::string shown(const ConstValue& value) {
  return fmt::format("{} or {:a}", value.integer, value.floating);
}

void testBinary(size_t a, size_t b, size_t some, bool all_edges) {
  auto given = pairs(a, b, some, all_edges);
  Agrees agree = binaryOracle(a, b);
  for (int op = 0; op < kOps; ++op) {
    if ((isFloating(a) || isFloating(b)) && forIntegersAlone(op))
      continue;
    std::string text =
        fmt::format("auto f({} a, {} b) {{ return a {} b; }}", kTypeNames[a], kTypeNames[b], kOpText[op]);
    Folder folder(text);
    for (const auto& [x, y] : given) {
      ConstValue result;
      bool folds = folder.fold(0, {x, y}, result);
      ASSERT_TRUE(agree(op, x, y, folds, result))
          << text << " of " << shown(x) << " and " << shown(y) << ": " << shown(result);
    }
  }
}

} // namespace

TEST(ConstantFolding, ConvertsAsTheProcessorDoes) {
  for (size_t from = 0; from < kTypes; ++from)
    for (size_t to = 0; to < kTypes; ++to) {
      std::mt19937_64 random(from);
      std::string text = fmt::format("auto f({} a) {{ return ({})a; }}", kTypeNames[from], kTypeNames[to]);
      Folder folder(text);
      CastAgrees agree = castOracle(from, to);
      for (const ConstValue& value : values(from, random)) {
        ConstValue result;
        ASSERT_TRUE(folder.fold(0, {value}, result) && agree(value, result))
            << text << " of " << shown(value) << ": " << shown(result);
      }
    }
}

TEST(ConstantFolding, HasTheUnaryOperatorsOfAllTypes) {
  forTypes([](auto type) {
    for (char op : {'-', '!', '~'}) {
      if (op == '~' && isFloating(type))
        continue;
      std::mt19937_64 random(type);
      std::string text = fmt::format("auto f({} a) {{ return {}a; }}", kTypeNames[type], op);
      Folder folder(text);
      for (const ConstValue& value : values(type, random)) {
        ConstValue result;
        ASSERT_TRUE(folder.fold(0, {value}, result) && unaryAgrees<TypeAt<type>>(op, value, result))
            << text << " of " << shown(value) << ": " << shown(result);
      }
    }
  });
}

TEST(ConstantFolding, HasTheBinaryOperatorsOfAllTypes) {
  for (size_t type = 0; type < kTypes; ++type)
    testBinary(type, type, kTypeSizes[type] == 2 ? 1'000'000 : 20'000, true);
}

TEST(ConstantFolding, HasTheBinaryOperatorsOfMixedTypes) {
  for (size_t a = 0; a < kTypes; ++a)
    for (size_t b = 0; b < kTypes; ++b)
      testBinary(a, b, 1000, false);
}

} // namespace bsgp::test
