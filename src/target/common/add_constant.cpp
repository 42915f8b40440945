#include "target/common/add_constant.h"

namespace bsgp::target {

using namespace llvm;

GlobalVariable* addConstant(Module& module, Constant* value, const char* name) {
  auto* made =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value, name);
  made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return made;
}

} // namespace bsgp::target
