#include "target/cpu/cut_schedules.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr size_t kLong = 1500;   // instructions of a block
constexpr size_t kStretch = 500; // between two labels

// LLVM emits a local symbol for this annotation, and nothing else.
void setLabel(Instruction& before, Function& label) {
  LLVMContext& context = before.getContext();
  IRBuilder<> builder(&before);
  builder.CreateCall(&label, MetadataAsValue::get(context, MDNode::get(context, MDString::get(context, "schedule"))));
}

void cut(BasicBlock& block) {
  if (size_t(block.sizeWithoutDebug()) < kLong)
    return;
  Function* label = Intrinsic::getDeclaration(block.getModule(), Intrinsic::codeview_annotation);
  size_t since = 0;
  for (auto at = block.getFirstInsertionPt(); at != block.end(); ++at) {
    if (++since < kStretch || isa<DbgInfoIntrinsic>(*at) || at->isTerminator())
      continue;
    setLabel(*at, *label);
    since = 0;
  }
}

} // namespace

void cutSchedules(Module& module) {
  for (Function& function : module)
    for (BasicBlock& block : function)
      cut(block);
}

} // namespace bsgp::target
