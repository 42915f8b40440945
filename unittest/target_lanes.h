// For the tests of the whole-function vectorizer: kernels as text, at several widths, and what they make of each rank.
#pragma once

#include <map>
#include <tuple>

#include "target_kernels.h"

namespace bsgp::target::test {

// Threads with %yes, which `condition` makes of %v, run `body`. It knows %po, a place for a result, and a pointer that
// all have, %shared.
inline OneKernel kernelWhere(const std::string& condition, const std::string& body, const std::string& globals = "") {
  return rankKernel(kInOut + ", ptr addrspace(1) %shared", kLoad + R"(
  %po = getelementptr inbounds i32, ptr addrspace(1) %out, i32 %r
  %yes = )" + condition + R"(
  br i1 %yes, label %then, label %end
then:
)" + body + R"(
  br label %end
end:
  ret void
)",
                    globals);
}

// Of a cmpxchg, %both: stores what was there, and a million more where it was exchanged.
inline const std::string kStoreExchanged = R"(
  %old = extractvalue { i32, i1 } %both, 0
  %done = extractvalue { i32, i1 } %both, 1
  %n = zext i1 %done to i32
  %twice = mul i32 %n, 1000000
  %result = add i32 %old, %twice
  store i32 %result, ptr addrspace(1) %po
)";

// `width` 1: one thread after the other; 0: what the compiler chooses.
inline CpuOptions laneOptions(unsigned width, const char* cpu = "native") {
  CpuOptions options = optionsFor(cpu);
  options.vector_width = width;
  return options;
}

// The function that runs the kernel's threads, optimized.
inline std::string lanesOf(const OneKernel& kernel, unsigned width = 16, const char* cpu = "x86-64-v4") {
  return threadCode(kernel, laneOptions(width, cpu));
}

inline bool has(const std::string& ir, const std::string& what) {
  return ir.find(what) != std::string::npos;
}

inline size_t countOf(const std::string& ir, const std::string& what) {
  size_t count = 0;
  for (size_t at = ir.find(what); at != std::string::npos; at = ir.find(what, at + what.size()))
    ++count;
  return count;
}

constexpr int64_t kLaneSizes[] = {0, 1, 15, 16, 17, 255, 256, 257, 1000};
// Machines that have registers for masks, and that have none; with and without vectors.
struct Machine {
  const char* cpu;
  unsigned width;
};
constexpr Machine kMachines[] = {{"native", 0},  {"native", 1},    {"native", 4},    {"native", 8},
                                 {"native", 16}, {"x86-64-v3", 0}, {"x86-64-v3", 8}, {"x86-64-v2", 4}};

// Compiled once, however often it is run.
inline const Compiled& compiledFor(const Machine& machine, const OneKernel& kernel) {
  static std::map<std::tuple<std::string, unsigned, uint32_t, std::string>, std::unique_ptr<Compiled>> known;
  std::unique_ptr<Compiled>& compiled = known[{machine.cpu, machine.width, kernel.block, kernel.text}];
  if (!compiled)
    compiled = std::make_unique<Compiled>(kernel, laneOptions(machine.width, machine.cpu));
  return *compiled;
}

// Calls `check(compiled)` for the kernel on each machine.
template <class Check> void onEachMachine(const OneKernel& kernel, Check check) {
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(std::string(machine.cpu) + ", width " + std::to_string(machine.width));
    check(compiledFor(machine, kernel));
    if (testing::Test::HasFatalFailure())
      return;
  }
}

// Of kernels (ptr in, ptr out, `others`...): out[rank] is `expected(rank)`, and no other place is written.
template <class Out, class In, class Expected>
void expectOfEachRank(const OneKernel& kernel, std::vector<In> in, const std::vector<uint64_t>& others,
                      Expected expected) {
  onEachMachine(kernel, [&](const Compiled& compiled) {
    for (int64_t size : kLaneSizes) {
      std::vector<Out> out(size + 32, Out(77));
      std::vector<uint64_t> params{slot(in.data()), slot(out.data())};
      params.insert(params.end(), others.begin(), others.end());
      Failures failures = compiled.run(size, params);
      ASSERT_TRUE(failures.all.empty());
      for (int64_t r = 0; r < size; ++r)
        ASSERT_EQ(out[r], Out(expected(r))) << "rank " << r << " of " << size;
      for (int64_t r = size; r < size + 32; ++r)
        ASSERT_EQ(out[r], Out(77)) << "behind " << size;
    }
  });
}

inline std::vector<int32_t> manyNumbers(size_t count, int32_t below) {
  std::vector<int32_t> numbers(count);
  uint32_t state = 12345;
  for (int32_t& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = int32_t((state >> 8) % uint32_t(below));
  }
  return numbers;
}

} // namespace bsgp::target::test
