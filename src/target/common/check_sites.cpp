#include "target/common/check_sites.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace bsgp::target {

using namespace llvm;

namespace {
constexpr unsigned kAccess = 8, kSpace = 9, kChecks = 10, kFlags = 11, kBytes = 12, kAlign = 13;
constexpr unsigned kInside = 1, kExtent = 15; // fields
} // namespace

SiteFacts factsOf(const Value& site) {
  auto* array = dyn_cast<GlobalVariable>(getUnderlyingObject(&site));
  if (!array || !array->hasInitializer())
    return {};
  const DataLayout& layout = array->getParent()->getDataLayout();
  APInt offset(64, 0);
  site.stripAndAccumulateConstantOffsets(layout, offset, true);
  auto* sites = cast<ConstantArray>(array->getInitializer());
  uint64_t bytes = layout.getTypeAllocSize(sites->getType()->getElementType());
  auto* fields = cast<ConstantStruct>(sites->getOperand(unsigned(offset.getZExtValue() / bytes)));
  auto number = [&](unsigned field) { return cast<ConstantInt>(fields->getOperand(field))->getZExtValue(); };
  return {true,
          uint8_t(number(kAccess)),
          uint8_t(number(kSpace)),
          uint8_t(number(kChecks)),
          uint8_t(number(kFlags)),
          number(kBytes),
          number(kAlign),
          number(kExtent),
          !fields->getOperand(kInside)->isNullValue()};
}

} // namespace bsgp::target
