#include "runtime/machine.h"

#include <algorithm>
#include <cstdio>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace bsgp::runtime {
namespace {

// The two numbers of a control group file such as "200000 100000"; how many were there.
int readNumbers(const char* path, double numbers[2]) {
  FILE* file = std::fopen(path, "r");
  if (!file)
    return 0;
  int count = std::fscanf(file, "%lf %lf", &numbers[0], &numbers[1]);
  std::fclose(file);
  return std::max(count, 0);
}

StackBounds measureStack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return {};
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  auto bottom = uintptr_t(low);
  return {bottom + std::min<size_t>(256 << 10, size / 4), bottom + size};
}

} // namespace

std::vector<int> usableCpus() {
  std::vector<int> cpus;
  CpuMask mask;
  if (sched_getaffinity(0, sizeof mask.words, mask.words) == 0)
    for (int cpu = 0; cpu < CpuMask::kMostCpus; ++cpu)
      if (CPU_ISSET_S(cpu, sizeof mask.words, mask.words))
        cpus.push_back(cpu);
  if (cpus.empty())
    cpus.push_back(0);
  return cpus;
}

unsigned usableThreads() {
  unsigned threads = unsigned(usableCpus().size());
  double quota[2];
  if (readNumbers("/sys/fs/cgroup/cpu.max", quota) == 2 && quota[1] > 0)
    threads = std::min(threads, std::max(1u, unsigned(quota[0] / quota[1] + 0.5)));
  return threads;
}

size_t usableMemory() {
  size_t bytes = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  double limit[2];
  if (readNumbers("/sys/fs/cgroup/memory.max", limit) >= 1 && limit[0] > 0)
    bytes = std::min(bytes, size_t(limit[0]));
  return bytes;
}

const StackBounds& stackBounds() {
  static thread_local const StackBounds bounds = measureStack();
  return bounds;
}

} // namespace bsgp::runtime
