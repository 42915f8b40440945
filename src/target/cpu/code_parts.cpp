// LLVM generates code in one context on one thread. So the module is written as bitcode, once; each further thread
// reads it into a context of its own, and there only the functions of its part. The first part has all variables.
#include "target/cpu/code_parts.h"

#include <algorithm>
#include <numeric>

#include <llvm/ADT/StringMap.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/thread.h>
#include <llvm/Target/TargetMachine.h>

#include "support/check.h"
#include "target/code_generation.h"
#include "target/cpu/emit.h"
#include "target/cpu/machine.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kWorthwhile = 1000; // instructions of a part: 30 ms to generate, 2 to hand over
constexpr unsigned kMostParts = 16;
constexpr unsigned kStackSize = 256u << 20; // bytes, taken only where they are used

using Parts = StringMap<unsigned>; // of functions, by name
using Object = SmallVector<char, 0>;

// What other parts may name gets a name of its own. Not hidden: the linker may put parts far from each other, where
// only an address in a table reaches.
void publish(GlobalValue& value) {
  if (!value.hasLocalLinkage())
    return;
  value.setName("bsgp.part." + value.getName());
  value.setLinkage(GlobalValue::ExternalLinkage);
  value.setDSOLocal(false);
}

// Longest first, each to the part that has least.
Parts divide(Module& module, unsigned count) {
  std::vector<std::pair<unsigned, Function*>> functions;
  for (Function& function : module)
    if (!function.isDeclaration())
      functions.emplace_back(function.getInstructionCount(), &function);
  stable_sort(functions, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<unsigned> sizes(count);
  Parts parts;
  for (auto [size, function] : functions) {
    auto least = std::min_element(sizes.begin(), sizes.end());
    *least += size;
    parts[function->getName()] = static_cast<unsigned>(least - sizes.begin());
  }
  return parts;
}

// Removes the bodies of other parts' functions; reads those of its own, where they are still to be read.
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
  if (part != 0)
    for (GlobalVariable& variable : make_early_inc_range(module.globals())) {
      if (variable.getName().starts_with("llvm.")) { // told to the linker once
        variable.eraseFromParent();
        continue;
      }
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
    }
}

std::string bytesOf(const Object& object) {
  return {object.begin(), object.end()};
}

class PartThread {
public:
  PartThread(MemoryBufferRef bitcode, const Parts& parts, unsigned part, const CpuOptions& options)
      : thread_(std::optional<unsigned>(kStackSize),
                [=, this, &parts, &options] { generatePart(bitcode, parts, part, options); }) {}

  Object finish() {
    thread_.join();
    return std::move(object_);
  }

private:
  void generatePart(MemoryBufferRef bitcode, const Parts& parts, unsigned part, const CpuOptions& options) {
    LLVMContext context;
    std::unique_ptr<Module> module = cantFail(getLazyBitcodeModule(bitcode, context, /*ShouldLazyLoadMetadata=*/true));
    keepPart(*module, parts, part);
    cantFail(module->materializeAll());
    auto machine = createMachine(options);
    BSGP_CHECK(machine, "the machine was there before: %s", machine.message().c_str());
    object_ = generate(*module, **machine, CodeGenFileType::ObjectFile, {});
  }

  Object object_;
  llvm::thread thread_;
};

std::vector<std::string> generateAtOnce(Module& module, TargetMachine& machine, const CpuOptions& options,
                                        unsigned count) {
  for (GlobalValue& value : module.global_values())
    publish(value);
  Parts parts = divide(module, count);
  Object bitcode;
  BitcodeWriter writer(bitcode);
  writer.writeModule(module);
  writer.writeStrtab();
  std::vector<std::unique_ptr<PartThread>> others;
  for (unsigned part = 1; part < count; ++part)
    others.push_back(std::make_unique<PartThread>(MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), "bsgp"),
                                                  parts, part, options));
  keepPart(module, parts, 0);
  std::vector<std::string> objects{bytesOf(generate(module, machine, CodeGenFileType::ObjectFile, {}))};
  for (auto& other : others)
    objects.push_back(bytesOf(other->finish()));
  return objects;
}

} // namespace

Result<std::vector<std::string>> generateInParts(Module& module, const CpuOptions& options, unsigned processors) {
  auto machine = machineFor(module, options);
  if (!machine)
    return machine.error();
  unsigned size = std::accumulate(module.begin(), module.end(), 0u, [](unsigned sum, const Function& function) {
    return sum + function.getInstructionCount();
  });
  unsigned count = std::min({processors, kMostParts, size / kWorthwhile});
  if (count > 1)
    return generateAtOnce(module, **machine, options, count);
  return std::vector<std::string>{bytesOf(generate(module, **machine, CodeGenFileType::ObjectFile, {}))};
}

} // namespace bsgp::target
