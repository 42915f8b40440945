// Times what a program pays for arrays beside the passes over memory: tracing, scheduling, compiling. Run by arrays_bench.py.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <bsgp/arrays.hpp>

using namespace bsgp::arrays;

namespace {

double microseconds(const std::function<void()>& call) {
  auto begin = std::chrono::steady_clock::now();
  call();
  return double((std::chrono::steady_clock::now() - begin).count()) / 1e3;
}

double median(int times, const std::function<void()>& call) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i)
    all.push_back(microseconds(call));
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[times / 2];
}

Array numbers(int64_t count) {
  return from(std::vector<float>(size_t(count), 0.5f));
}

// Ten operations, none of them equal; each `variant` is a kernel of its own.
Array expression(const Array& a, const Array& b, float number, int variant = 0) {
  Array one = ((a + b) * a - b) * number + a, sum = one * b - 1 + b;
  for (int i = 0; i < variant; ++i)
    sum = minimum(sum, one * a);
  return abs(sum) + maximum(one, a);
}

Array chain(const Array& a, const Array& b, int operations) {
  Array value = a;
  for (int i = 0; i < operations / 2; ++i)
    value = value * b + 0.25f;
  return value;
}

void print(const char* what, double us) {
  std::printf("| %s | %.2f |\n", what, us);
}

void compiled(const char* what) {
  With with(Options{.compile = 1});
  Array a = numbers(1000), b = numbers(1000);
  int variant = 0;
  print(what, median(9, [&] { eval({expression(a, b, 2, ++variant)}); }));
}

} // namespace

int main() {
  std::printf("\n| a call of ten operations, C++ | us |\n|---|---|\n");
  Array a = numbers(16), b = numbers(16), large = numbers(100'000), other = numbers(100'000);
  eval({expression(a, b, 2)});
  print("first evaluation of a kernel at 100,000 elements, by loops",
        microseconds([&] { eval({expression(large, other, 2, 3)}); }));
  print("n = 16, traced and evaluated", median(2001, [&] { eval({expression(a, b, 2)}); }));
  float number = 1;
  print("n = 16, another number each time", median(2001, [&] { eval({expression(a, b, number += 1)}); }));
  int64_t count = 16;
  std::vector<Array> sizes;
  for (int i = 0; i < 1000; ++i)
    sizes.push_back(numbers(++count));
  size_t at = 0;
  print("another shape each time", median(999, [&] {
          ++at;
          eval({expression(sizes[at], sizes[at], 2)});
        }));
  Parameter x({-1}), y({-1});
  Function function({x, y}, {expression(x, y, 2)});
  print("n = 16, a bound function", median(2001, [&] { function(a, b); }));
  compiled("a new kernel, compiled");
  std::printf("\n| 2,000 operations at 1,000 elements, C++ | us |\n|---|---|\n");
  Array c = numbers(1000), d = numbers(1000);
  print("new", microseconds([&] { eval({chain(c, d, 2000)}); }));
  print("traced and evaluated again", median(51, [&] { eval({chain(c, d, 2000)}); }));
  Function long_one({x, y}, {chain(x, y, 2000)});
  print("a bound function", median(51, [&] { long_one(c, d); }));
}
