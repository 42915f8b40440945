// Makes one call of the appends of all lanes, with a mask of those that append (pack_values.cpp lowers it).
#include "ir/operations.h"
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

void LaneBody::append(CallInst& call, Value* mask) {
  Value* values = vector(call.getArgOperand(1));
  Value* keep = both(mask, vector(call.getArgOperand(2)));
  builder_.CreateCall(ir::declare(*function_.getParent(), ir::Op::Append, values->getType()),
                      {scalar(call.getArgOperand(0)), values, keep});
}

} // namespace bsgp::target
