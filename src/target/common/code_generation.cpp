#include "target/common/code_generation.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Pass.h>

#include "support/check.h"
#include "target/common/function_passes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// LLVM's list of passes is made by its target; what may be left out is known by name alone.
class ChosenPasses : public legacy::PassManager {
public:
  explicit ChosenPasses(ArrayRef<std::string_view> without) : without_(without) {}

  void add(Pass* pass) override {
    if (is_contained(without_, std::string_view(pass->getPassName())))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }

private:
  ArrayRef<std::string_view> without_;
};

} // namespace

SmallVector<char, 0> generate(Module& module, TargetMachine& machine, CodeGenFileType kind,
                              ArrayRef<std::string_view> without) {
  SmallVector<char, 0> code;
  raw_svector_ostream stream(code);
  ChosenPasses passes(without);
  passes.add(new TargetLibraryInfoWrapperPass(libraryFunctions(machine.getTargetTriple())));
  bool unsupported = machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true);
  BSGP_CHECK(!unsupported, "LLVM cannot write this kind of file for %s", machine.getTargetTriple().str().c_str());
  passes.run(module);
  return code;
}

} // namespace bsgp::target
