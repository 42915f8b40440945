#include "runtime/cpu_choice.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "runtime/context.h"
#include "runtime/failure.h"
#include "runtime/guarded.h"

namespace bsgp::runtime {
namespace {

enum Register { Eax, Ebx, Ecx, Edx };
enum State { None, Vectors, Masks }; // each includes those before it

struct Feature {
  const char* name;
  unsigned leaf, subleaf;
  Register place;
  unsigned bit;
  State state;
};

constexpr Feature kFeatures[] = {
#define CPU_FEATURE(name, leaf, subleaf, register, bit, state) {name, leaf, subleaf, register, bit, state},
#include "plan/cpu_features.def"
#undef CPU_FEATURE
};
static_assert(std::size(kFeatures) <= 64);

#ifdef __x86_64__

// Returns the registers that the operating system saves when it switches threads.
State keptState() {
  unsigned eax, ebx, ecx, edx;
  constexpr unsigned kAsks = 1 << 27, kVectors = 0x06, kMasks = 0xe6;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & kAsks))
    return None;
  asm("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return (eax & kMasks) == kMasks ? Masks : (eax & kVectors) == kVectors ? Vectors : None;
}

// In a virtual machine each query costs microseconds: no leaf is read twice.
class Leaves {
public:
  bool has(const Feature& feature) {
    return registersOf(feature.leaf, feature.subleaf)[feature.place] >> feature.bit & 1;
  }

private:
  using Registers = std::array<unsigned, 4>;

  const Registers& registersOf(unsigned leaf, unsigned subleaf) {
    auto [known, fresh] = known_.try_emplace({leaf, subleaf});
    Registers& registers = known->second;
    if (fresh)
      __get_cpuid_count(leaf, subleaf, &registers[Eax], &registers[Ebx], &registers[Ecx], &registers[Edx]);
    return registers;
  }

  std::map<std::pair<unsigned, unsigned>, Registers> known_; // all 0 if there is no such leaf
};

uint64_t askMachine() {
  uint64_t features = 0;
  State kept = keptState();
  Leaves leaves;
  for (size_t i = 0; i < std::size(kFeatures); ++i)
    if (kFeatures[i].state <= kept && leaves.has(kFeatures[i]))
      features |= uint64_t(1) << i;
  return features;
}

#else

uint64_t askMachine() {
  return 0;
}

#endif

std::string namesOf(const bsgp_cpus& cpus) {
  std::string names;
  for (uint32_t i = 0; i < cpus.cpu_count; ++i)
    names += (i == 0 ? "" : i + 1 == cpus.cpu_count ? " and " : ", ") + std::string(cpus.cpus[i].name);
  return names;
}

Error likeNone(const bsgp_cpus& cpus) {
  std::string text = "the program is compiled for " + namesOf(cpus) + ", and this machine ";
  for (uint32_t i = 0; i < cpus.cpu_count; ++i) {
    text += (i ? "; " : "") + std::string("lacks ") + missingFeatures(cpus.cpus[i].features);
    if (cpus.cpu_count > 1)
      text += formatted(" for %s", cpus.cpus[i].name);
  }
  return {text + formatted("\n  help: compile it with an older CPU before these: --cpu x86-64,%s", cpus.cpus[0].name)};
}

Result<uint32_t> named(const bsgp_cpus& cpus, const std::string& wanted) {
  for (uint32_t i = 0; i < cpus.cpu_count; ++i)
    if (cpus.cpus[i].name == wanted) {
      std::string missing = missingFeatures(cpus.cpus[i].features);
      if (missing.empty())
        return i;
      return Error{"BSGP_CPU is " + wanted + ", and this machine lacks " + missing};
    }
  return Error{"BSGP_CPU is '" + wanted + "'; the program is compiled for " + namesOf(cpus)};
}

int32_t refuse(bsgp_call* call, const std::string& message) {
  if (call)
    return call->fail(BSGP_UNAVAILABLE, nullptr, message);
  return setError(BSGP_UNAVAILABLE, message);
}

} // namespace

uint64_t machineFeatures() {
  static const uint64_t features = askMachine();
  return features;
}

std::string missingFeatures(uint64_t features) {
  std::string names;
  for (unsigned i = 0; i < 64; ++i)
    if (uint64_t lacking = features & ~machineFeatures(); lacking >> i & 1)
      names += (names.empty() ? "" : ", ") +
               (i < std::size(kFeatures) ? kFeatures[i].name : formatted("feature %u of a newer compiler", i));
  return names;
}

Result<uint32_t> chooseCpu(const bsgp_cpus& cpus, const char* wanted) {
  if (wanted && *wanted)
    return named(cpus, wanted);
  for (uint32_t i = cpus.cpu_count; i-- > 0;)
    if ((cpus.cpus[i].features & ~machineFeatures()) == 0)
      return i;
  return likeNone(cpus);
}

} // namespace bsgp::runtime

using namespace bsgp::runtime;

// There is no ahead-of-time code for the reference: the code for CPUs keeps the threads of a block in order, and
// would hide the errors that the reference target shows.
constexpr const char* kNoReference =
    "the program is compiled ahead of time, and for the reference target there is only code of 'bsgpc run --target "
    "reference'\n  help: set BSGP_TARGET to cpu, or run the program's text";

// A thread that finds `chosen` set also finds the kernels in place.
extern "C" int32_t bsgp_rt_choose_cpu(bsgp_call* call, bsgp_cpus* cpus) try {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::atomic_ref<uint32_t> chosen(cpus->chosen);
  if (chosen.load(std::memory_order_relaxed) != 0)
    return BSGP_OK;
  if (call && call->context && call->context->device->code() == BSGP_CODE_REFERENCE)
    return refuse(call, kNoReference);
  auto number = chooseCpu(*cpus, std::getenv("BSGP_CPU"));
  if (!number)
    return refuse(call, number.message());
  for (uint32_t i = 0; i < cpus->slot_count; ++i)
    *cpus->slots[i] = cpus->cpus[*number].kernels[i];
  chosen.store(*number + 1, std::memory_order_release);
  return BSGP_OK;
} catch (const std::bad_alloc&) {
  return call ? call->outOfMemory(nullptr, "the choice of a CPU") : noMemoryFor("the choice of a CPU");
}
