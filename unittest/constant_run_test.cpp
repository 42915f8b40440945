// Constant folding against what our own code computes when it runs.
#include "constant_folder.h"

#include "bsgp/bsgp.h"

namespace bsgp::test {

namespace {

constexpr const char* kUnary = "-!~";

const char* carrier(size_t type) { // holds the numbers of the type on their way
  return isFloating(type) ? "double" : "long";
}

// ops_T: all operators of two T; casts_T: a T converted to each type, and the unary operators.
std::string programText() {
  std::string text;
  for (size_t type = 0; type < kTypes; ++type) {
    std::string name = kTypeNames[type], wide = carrier(type);
    text += fmt::format("export ops_{0}({1}* a, {1}* b, {1}* r, long n) {{\n  spawn (n) {{\n    i = thread.rank;\n"
                        "    {0} x = ({0})a[i];\n    {0} y = ({0})b[i];\n",
                        name, wide);
    for (int op = 0; op < kOps; ++op)
      if (!isFloating(type) || !forIntegersAlone(op))
        text += fmt::format("    r[{} * n + i] = ({})(x {} y);\n", op, wide, kOpText[op]);
    text += fmt::format("  }}\n}}\nexport casts_{0}({1}* a, long* whole, double* real, long n) {{\n  spawn (n) {{\n"
                        "    i = thread.rank;\n    {0} x = ({0})a[i];\n",
                        name, wide);
    for (size_t to = 0; to < kTypes; ++to)
      text += fmt::format("    {}[{} * n + i] = ({})x;\n", isFloating(to) ? "real" : "whole", to, kTypeNames[to]);
    for (size_t op = 0; op < 3; ++op)
      if (kUnary[op] != '~' || !isFloating(type))
        text += fmt::format("    {}[{} * n + i] = ({}){}x;\n", isFloating(type) ? "real" : "whole", kTypes + op, wide,
                            kUnary[op]);
    text += "  }\n}\n";
  }
  return text;
}

// An exported function of the program, which is compiled once.
template <class Function> Function* function(const std::string& name) {
  static bsgp_program* program = [] {
    bsgp_program* made = nullptr;
    EXPECT_EQ(bsgp_compile(programText().c_str(), nullptr, &made), BSGP_OK) << bsgp_error_message();
    return made;
  }();
  void* address = nullptr;
  EXPECT_EQ(bsgp_program_function(program, name.c_str(), &address), BSGP_OK) << bsgp_error_message();
  return reinterpret_cast<Function*>(address);
}

// Device memory of the default context, and what is in it.
template <class T> class Memory {
public:
  explicit Memory(std::vector<T>& values) : values_(values) {
    EXPECT_EQ(bsgp_alloc(nullptr, bytes(), &memory_), BSGP_OK);
    EXPECT_EQ(bsgp_copy_to_device(nullptr, memory_, values.data(), bytes()), BSGP_OK);
  }
  ~Memory() { bsgp_free(nullptr, memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  T* data() const { return static_cast<T*>(memory_); }
  void fetch() { EXPECT_EQ(bsgp_copy_to_host(nullptr, values_.data(), memory_, bytes()), BSGP_OK); }

private:
  size_t bytes() const { return values_.size() * sizeof(T); }
  std::vector<T>& values_;
  void* memory_ = nullptr;
};

template <class T> T carried(const ConstValue& value) {
  if constexpr (std::is_same_v<T, double>)
    return value.floating;
  else
    return value.integer;
}

// What C leaves undefined, and we do, when the program runs: an int or a long that overflows.
bool overflows(size_t type, int op, int64_t a, int64_t b) {
  bool is_long = type == 7, is_signed = type <= 5 || is_long;
  if (!is_signed || op > Mul)
    return false;
  auto x = static_cast<__int128>(a), y = static_cast<__int128>(b);
  __int128 result = op == Add ? x + y : op == Sub ? x - y : x * y;
  return is_long ? result != static_cast<int64_t>(result) : result != static_cast<int32_t>(result);
}

template <class T> void testOperators(size_t type) {
  auto given = pairs(type, type, kTypeSizes[type] == 2 ? 1'000'000 : 20'000, true);
  size_t n = given.size();
  std::vector<T> a(n), b(n), results(kOps * n);
  for (size_t i = 0; i < n; ++i)
    a[i] = carried<T>(given[i].first), b[i] = carried<T>(given[i].second);
  std::string name = fmt::format("ops_{}", kTypeNames[type]);
  Memory<T> left(a), right(b), out(results);
  auto* run = function<bsgp_status(bsgp_context*, T*, T*, T*, int64_t)>(name);
  ASSERT_EQ(run(nullptr, left.data(), right.data(), out.data(), int64_t(n)), BSGP_OK) << bsgp_error_message();
  out.fetch();
  for (int op = 0; op < kOps; ++op) {
    if (isFloating(type) && forIntegersAlone(op))
      continue;
    Folder folder(fmt::format("auto f({0} a, {0} b) {{ return a {1} b; }}", kTypeNames[type], kOpText[op]));
    for (size_t i = 0; i < n; ++i) {
      if (overflows(type, op, given[i].first.integer, given[i].second.integer))
        continue;
      ConstValue folded{}; // of a division by zero, 0 in device code
      folder.fold(0, {given[i].first, given[i].second}, folded);
      bool compares = isComparison(op) && isFloating(type);
      ASSERT_TRUE(compares ? results[op * n + i] == T(folded.integer) : same(folded, results[op * n + i]))
          << name << ": " << double(a[i]) << " " << kOpText[op] << " " << double(b[i]) << " is "
          << double(results[op * n + i]);
    }
  }
}

template <class T> void testCasts(size_t type) {
  std::mt19937_64 random(type);
  std::vector<ConstValue> given = values(type, random);
  size_t n = given.size();
  std::vector<T> a(n);
  for (size_t i = 0; i < n; ++i)
    a[i] = carried<T>(given[i]);
  std::vector<int64_t> whole((kTypes + 3) * n);
  std::vector<double> real((kTypes + 3) * n);
  std::string name = fmt::format("casts_{}", kTypeNames[type]);
  Memory<T> in(a);
  Memory<int64_t> whole_out(whole);
  Memory<double> real_out(real);
  auto* run = function<bsgp_status(bsgp_context*, T*, int64_t*, double*, int64_t)>(name);
  ASSERT_EQ(run(nullptr, in.data(), whole_out.data(), real_out.data(), int64_t(n)), BSGP_OK) << bsgp_error_message();
  whole_out.fetch(), real_out.fetch();
  for (size_t to = 0; to < kTypes + 3; ++to) {
    bool unary = to >= kTypes;
    if (unary && isFloating(type) && kUnary[to - kTypes] == '~')
      continue;
    Folder folder(unary ? fmt::format("auto f({} a) {{ return {}a; }}", kTypeNames[type], kUnary[to - kTypes])
                        : fmt::format("auto f({} a) {{ return ({})a; }}", kTypeNames[type], kTypeNames[to]));
    for (size_t i = 0; i < n; ++i) {
      ConstValue folded;
      ASSERT_TRUE(folder.fold(0, {given[i]}, folded));
      if (unary && kUnary[to - kTypes] == '-' && overflows(type, Sub, 0, given[i].integer))
        continue;
      bool is_real = isFloating(unary ? type : to);
      if (is_real && unary && kUnary[to - kTypes] == '!')
        folded.floating = double(folded.integer);
      ASSERT_TRUE(is_real ? same(folded, real[to * n + i]) : same(folded, whole[to * n + i]))
          << name << " " << to << ": " << double(a[i]) << " becomes "
          << (is_real ? real[to * n + i] : double(whole[to * n + i]));
    }
  }
}

} // namespace

TEST(ConstantFolding, ConvertsAsCodeDoesThatRuns) {
  for (size_t type = 0; type < kTypes; ++type)
    isFloating(type) ? testCasts<double>(type) : testCasts<int64_t>(type);
}

TEST(ConstantFolding, ComputesAsCodeDoesThatRuns) {
  for (size_t type = 0; type < kTypes; ++type)
    isFloating(type) ? testOperators<double>(type) : testOperators<int64_t>(type);
}

} // namespace bsgp::test
