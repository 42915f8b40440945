// LLVM works on one context on one thread. So the lowered module is written as bitcode, once, and divided by functions:
// into parts that are the same however many threads there are. Each thread takes part after part, reads it into a
// context of its own, with the functions of that part alone, optimizes it and generates its code. The first part has all
// variables. The others see the values of constants, which they may fold.
//
// A kernel is in one part with what calls it. Which kernels have two forms is known when all are optimized: the first
// part's code, which has the plans, is generated behind that.
#include "target/cpu/code/code_parts.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Target/TargetMachine.h>

#include "support/check.h"
#include "support/deep_thread.h"
#include "target/common/code_generation.h"
#include "target/common/out_of_memory.h"
#include "target/cpu/code/emit.h"
#include "target/cpu/code/optimize.h"
#include "target/cpu/machine/machine.h"
#include "target/cpu/ranks/rank_loop.h"
#include "target/cpu/ranks/two_forms.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kWorthwhile = 1000; // instructions of a part: they take 50 ms to compile, and 3 to hand over
constexpr unsigned kMostParts = 8;
constexpr size_t kStackSize = 256u << 20, kLeastStack = 8u << 20; // bytes, of which only the touched ones are taken

using Parts = StringMap<unsigned>; // of functions, by name

// Gives a value that other parts may use a name of its own. It is not hidden: the linker may put parts far from each
// other, and then only an address in a table reaches.
void publish(GlobalValue& value) {
  if (!value.hasLocalLinkage())
    return;
  value.setName("bsgp.part." + value.getName());
  value.setLinkage(GlobalValue::ExternalLinkage);
  value.setDSOLocal(false);
}

void publishAll(Module& module) {
  std::map<std::string, GlobalVariable*> variables;
  for (GlobalVariable& variable : module.globals())
    variables[variable.getName().str()] = &variable;
  for (GlobalValue& value : module.global_values())
    publish(value);
  for (Function& function : module)
    if (function.hasFnAttribute(kFormsAttribute))
      function.addFnAttr(kFormsAttribute,
                         variables.at(function.getFnAttribute(kFormsAttribute).getValueAsString().str())->getName());
}

// Functions that have to be in one part.
struct Group {
  unsigned size = 0; // instructions
  std::vector<Function*> functions;
};

// Groups the functions, in the order of their first functions.
std::vector<Group> groupsOf(Module& module) {
  EquivalenceClasses<Function*> together;
  for (Function& function : module)
    if (!function.isDeclaration()) {
      together.insert(&function);
      if (function.hasFnAttribute(kKernelAttribute))
        for (User* user : function.users())
          if (auto* call = dyn_cast<CallInst>(user))
            together.unionSets(&function, call->getFunction());
    }
  std::vector<Group> groups;
  DenseMap<Function*, size_t> numbers;
  for (Function& function : module)
    if (!function.isDeclaration()) {
      size_t number = numbers.try_emplace(together.getLeaderValue(&function), groups.size()).first->second;
      if (number == groups.size())
        groups.emplace_back();
      groups[number].size += function.getInstructionCount();
      groups[number].functions.push_back(&function);
    }
  return groups;
}

unsigned countParts(const std::vector<Group>& groups) {
  unsigned size = std::accumulate(groups.begin(), groups.end(), 0u,
                                  [](unsigned sum, const Group& group) { return sum + group.size; });
  return std::max<size_t>(std::min<size_t>({kMostParts, size / kWorthwhile, groups.size()}), 1);
}

// Gives the longest group first, each to the part that has least.
Parts divide(std::vector<Group> groups, unsigned count) {
  stable_sort(groups, [](const Group& a, const Group& b) { return a.size > b.size; });
  std::vector<unsigned> sizes(count);
  Parts parts;
  for (const Group& group : groups) {
    auto least = std::min_element(sizes.begin(), sizes.end());
    *least += group.size;
    for (Function* function : group.functions)
      parts[function->getName()] = static_cast<unsigned>(least - sizes.begin());
  }
  return parts;
}

// Removes the bodies of other parts' functions, and reads those of its own that are still to be read.
void keepPart(Module& module, const Parts& parts, unsigned part) {
  for (Function& function : module) {
    auto found = parts.find(function.getName());
    if (found == parts.end())
      continue;
    if (found->second == part)
      cantFail(function.materialize());
    else
      function.deleteBody();
  }
  if (part == 0)
    return;
  for (GlobalVariable& variable : make_early_inc_range(module.globals())) {
    if (variable.getName().starts_with("llvm.")) { // the linker needs it once
      variable.eraseFromParent();
      continue;
    }
    bool is_known = variable.isConstant() && variable.hasInitializer();
    if (!is_known)
      variable.setInitializer(nullptr);
    variable.setLinkage(is_known ? GlobalValue::AvailableExternallyLinkage : GlobalValue::ExternalLinkage);
    variable.setComdat(nullptr);
  }
}

std::string objectOf(Module& module, const CpuOptions& options) {
  auto machine = machineFor(module, options);
  BSGP_CHECK(machine, "the machine was there before: %s", machine.message().c_str());
  SmallVector<char, 0> object = generate(module, **machine, CodeGenFileType::ObjectFile, {});
  return {object.begin(), object.end()};
}

class PartsCompiler {
public:
  PartsCompiler(Module& module, const CpuOptions& options, Parts parts, unsigned count)
      : module_(module), options_(options), parts_(std::move(parts)), objects_(count), to_optimize_(count) {
    BitcodeWriter writer(bitcode_);
    writer.writeModule(module, /*ShouldPreserveUseListOrder=*/true); // passes depend on the order of uses
    writer.writeStrtab();
  }

  std::vector<std::string> run(unsigned threads) {
    std::vector<DeepThread> others; // as many as the system grants
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back(kStackSize, kLeastStack, [this] {
        InLlvm in_llvm;
        takeParts();
      });
    keepPart(module_, parts_, 0);
    optimizePart(module_);
    takeParts();
    waitForForms();
    finishForms(module_, forms_);
    if (options_.before_code)
      options_.before_code(module_);
    objects_[0] = objectOf(module_, options_);
    for (DeepThread& other : others)
      other.join();
    return std::move(objects_);
  }

private:
  void takeParts() {
    for (unsigned part; (part = next_++) < objects_.size();) {
      LLVMContext context;
      MemoryBufferRef bitcode(StringRef(bitcode_.data(), bitcode_.size()), "bsgp");
      std::unique_ptr<Module> module =
          cantFail(getLazyBitcodeModule(bitcode, context, /*ShouldLazyLoadMetadata=*/true));
      keepPart(*module, parts_, part);
      cantFail(module->materializeAll());
      optimizePart(*module);
      objects_[part] = objectOf(*module, options_);
    }
  }

  void optimizePart(Module& module) {
    Result<FormsMade> kept = optimizeModule(module, options_);
    BSGP_CHECK(kept, "the machine was there before: %s", kept.message().c_str());
    std::lock_guard lock(mutex_);
    for (const auto& form : *kept)
      forms_[form.getKey()] |= form.getValue();
    if (--to_optimize_ == 0)
      all_optimized_.notify_all();
  }

  void waitForForms() {
    std::unique_lock lock(mutex_);
    all_optimized_.wait(lock, [this] { return to_optimize_ == 0; });
  }

  Module& module_;
  const CpuOptions& options_;
  const Parts parts_;
  SmallVector<char, 0> bitcode_;
  std::vector<std::string> objects_; // of the parts
  std::atomic<unsigned> next_{1};    // first part that is not taken
  std::mutex mutex_;                 // of the following members
  std::condition_variable all_optimized_;
  unsigned to_optimize_; // parts
  FormsMade forms_;
};

} // namespace

Result<std::vector<std::string>> compileInParts(ir::Kernels& program, const CpuOptions& options, unsigned processors) {
  Module& module = *program.module;
  std::vector<Group> groups = groupsOf(module);
  unsigned count = countParts(groups);
  if (count == 1) {
    Result<std::string> object = compileObject(program, options);
    return object ? Result(std::vector<std::string>{object.take()}) : object.error();
  }
  if (auto machine = createMachine(options); !machine)
    return machine.error();
  publishAll(module);
  return PartsCompiler(module, options, divide(std::move(groups), count), count).run(std::min(processors, count));
}

} // namespace bsgp::target
