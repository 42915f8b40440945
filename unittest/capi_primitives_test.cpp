// The primitives on device arrays of C++.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.hpp"

namespace {

constexpr const char* kProgram = R"(
export float sum(float* p, long n) { return reduce(rop_add, p, n); }
export int prefix(int* p, int n) { return scan(+, p, n); }
export ascending(uint* p, long n) { sort(p, n); }
export order(short* keys, float* values, int n) { sort_by_key(keys, values, n); }
inline bool above(float a, float b) { return a > b; }
export descending(float* p, long n) { sort(p, n, above); }
export counted(int* bins, int count, uint* p, long n) { histogram(bins, count, p, n); }
)";

class Primitives : public testing::Test {
protected:
  static bsgp::Program& program() {
    static bsgp::Program compiled(kProgram);
    return compiled;
  }
  static std::vector<uint32_t> numbers(size_t n) {
    std::vector<uint32_t> out(n);
    for (size_t i = 0; i < n; ++i)
      out[i] = uint32_t(i * 2654435761u) ^ uint32_t(i >> 3);
    return out;
  }

  bsgp::Context context{bsgp_options{}};
};

constexpr size_t kSizes[] = {0, 1, 255, 256, 257, 100003};

} // namespace

TEST_F(Primitives, ReduceAndScan) {
  auto sum = program().function<float(float*, int64_t)>("sum");
  auto prefix = program().function<int(int*, int)>("prefix");
  for (size_t n : kSizes) {
    std::vector<float> ones(n, 0.5f);
    bsgp::DeviceArray<float> floats(context, ones);
    EXPECT_EQ(sum(context, floats.data(), int64_t(n)), 0.5f * float(n));
    std::vector<int> values(n), expected(n);
    std::iota(values.begin(), values.end(), -3);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
    bsgp::DeviceArray<int> ints(context, values);
    EXPECT_EQ(prefix(context, ints.data(), int(n)), std::accumulate(values.begin(), values.end(), 0));
    EXPECT_EQ(ints.toHost(), expected) << n;
  }
}

TEST_F(Primitives, SortNumbersAndByAFunction) {
  auto ascending = program().function<void(uint32_t*, int64_t)>("ascending");
  auto descending = program().function<void(float*, int64_t)>("descending");
  for (size_t n : kSizes) {
    auto values = numbers(n);
    bsgp::DeviceArray<uint32_t> array(context, values);
    ascending(context, array.data(), int64_t(n));
    std::vector<float> floats(values.begin(), values.end());
    bsgp::DeviceArray<float> other(context, floats);
    descending(context, other.data(), int64_t(n));
    std::sort(values.begin(), values.end());
    std::sort(floats.begin(), floats.end(), std::greater<>());
    EXPECT_EQ(array.toHost(), values) << n;
    EXPECT_EQ(other.toHost(), floats) << n;
  }
}

TEST_F(Primitives, SortByKeyIsStable) {
  auto order = program().function<void(int16_t*, float*, int)>("order");
  for (size_t n : kSizes) {
    std::vector<std::pair<int16_t, float>> pairs;
    for (uint32_t x : numbers(n))
      pairs.emplace_back(int16_t(x % 100) - 50, float(pairs.size()));
    std::vector<int16_t> keys;
    std::vector<float> values;
    for (auto [key, value] : pairs)
      keys.push_back(key), values.push_back(value);
    bsgp::DeviceArray<int16_t> device_keys(context, keys);
    bsgp::DeviceArray<float> device_values(context, values);
    order(context, device_keys.data(), device_values.data(), int(n));
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.first < b.first; });
    keys = device_keys.toHost(), values = device_values.toHost();
    for (size_t i = 0; i < n; ++i)
      ASSERT_EQ(std::pair(keys[i], values[i]), pairs[i]) << i << " of " << n;
  }
}

TEST_F(Primitives, HistogramAddsAndLeavesOutWhatIsOutside) {
  auto counted = program().function<void(int*, int, uint32_t*, int64_t)>("counted");
  auto values = numbers(100003);
  for (uint32_t& value : values)
    value %= 12;
  std::vector<int> expected(10, 5);
  for (uint32_t value : values)
    if (value < 10)
      ++expected[value];
  bsgp::DeviceArray<uint32_t> array(context, values);
  bsgp::DeviceArray<int> bins(context, std::vector<int>(10, 5));
  counted(context, bins.data(), 10, array.data(), int64_t(values.size()));
  EXPECT_EQ(bins.toHost(), expected);
}
