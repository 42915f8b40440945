#include "target/common/leftovers.h"

#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

void dropSharedMemory(Module& module) {
  for (GlobalVariable& global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() != ir::kSharedSpace)
      continue;
    global.removeDeadConstantUsers();
    BSGP_CHECK(global.use_empty(), "%s is used outside of kernels", global.getName().str().c_str());
    global.eraseFromParent();
  }
}

} // namespace bsgp::target
