// What check.bsgp does, in C++: for the sanitizers of compilers. Prints the least nanoseconds of a round for each element.
//   peers KERNEL ELEMENTS ROUNDS
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

template <class Work> void inParts(int64_t n, const Work& work) {
  unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> team;
  for (unsigned i = 0; i < count; ++i)
    team.emplace_back([=, &work] { work(n * i / count, n * (i + 1) / count); });
  for (std::thread& member : team)
    member.join();
}

void saxpy(const float* x, float* y, int64_t n) {
  inParts(n, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] += 2.5f * x[i];
  });
}

void stencil(const float* from, float* to, int64_t n) {
  constexpr int64_t kWidth = 64, kPlane = 4096;
  inParts(n, [=](int64_t begin, int64_t end) {
    for (int64_t i = std::max(begin, kPlane); i < std::min(end, n - kPlane); ++i)
      to[i] = from[i] * 0.4f +
              (from[i - 1] + from[i + 1] + from[i - kWidth] + from[i + kWidth] + from[i - kPlane] + from[i + kPlane]) *
                  0.1f;
  });
}

void gather(const int* index, const float* x, float* y, int64_t n) {
  inParts(n, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = x[index[i]];
  });
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4)
    return std::printf("peers KERNEL ELEMENTS ROUNDS\n"), 1;
  int64_t n = std::atoll(argv[2]);
  int rounds = std::atoi(argv[3]);
  std::vector<float> x(n, 1), y(n, 2);
  std::vector<int> keys(n);
  for (int64_t i = 0; i < n; ++i)
    keys[i] = int(uint64_t(i) * 2654435761u % uint64_t(n));
  double best = 1e30;
  for (int i = 0; i <= rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (!std::strcmp(argv[1], "saxpy"))
      saxpy(x.data(), y.data(), n);
    else if (!std::strcmp(argv[1], "stencil"))
      stencil(x.data(), y.data(), n);
    else
      gather(keys.data(), x.data(), y.data(), n);
    double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = i ? std::min(best, now) : best;
  }
  std::printf("%.4f\n", best * 1e9 / double(n));
}
