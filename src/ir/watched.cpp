#include "ir/watched.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace bsgp::ir {

using namespace llvm;

namespace {

constexpr const char* kName = "bsgp.watched";

} // namespace

void setWatched(Module& module, const Watched& watched) {
  LLVMContext& context = module.getContext();
  auto number = [&](uint64_t value) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), value));
  };
  NamedMDNode* list = module.getOrInsertNamedMetadata(kName);
  for (auto [range, watch] : watched)
    list->addOperand(MDNode::get(context, {number(range.begin), number(range.end), number(uint64_t(watch))}));
}

Watched watchedIn(const Module& module) {
  Watched watched;
  const NamedMDNode* list = module.getNamedMetadata(kName);
  if (!list)
    return watched;
  for (const MDNode* entry : list->operands()) {
    auto number = [&](unsigned i) { return mdconst::extract<ConstantInt>(entry->getOperand(i))->getZExtValue(); };
    watched.push_back({{SourcePos(number(0)), SourcePos(number(1))}, Watch(number(2))});
  }
  return watched;
}

Watch watchAt(SourcePos at, const Watched& watched) {
  for (auto [range, watch] : watched)
    if (at >= range.begin && at < range.end)
      return watch;
  return Watch::Usual;
}

} // namespace bsgp::ir
