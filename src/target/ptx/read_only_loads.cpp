// Finds loads that the read-only data path may serve: of memory that is not written while the kernel runs.
//
// A stream belongs to the spawn, and one parameter leads to it: if the kernel does not store through that one, it is
// not written. If the kernel stores through streams alone, all other memory is only read, too.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

#include "ir/operations.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

class Writes {
public:
  Writes(Function& function, const plan::Kernel& kernel) : kernel_(kernel), written_(kernel.params.size()) {
    for (Instruction& instruction : instructions(function))
      if (instruction.mayWriteToMemory())
        note(instruction);
  }

  bool mayBeWritten(const Value* pointer) const {
    std::optional<unsigned> stream = streamOf(pointer);
    return stream ? written_[*stream] : others_written_;
  }

private:
  // The number of the parameter, where it is a stream's.
  std::optional<unsigned> streamOf(const Value* pointer) const {
    auto* argument = dyn_cast<Argument>(getUnderlyingObject(pointer, 0));
    if (argument && argument->getArgNo() < kernel_.params.size() &&
        kernel_.params[argument->getArgNo()].kind == plan::Param::Stream)
      return argument->getArgNo();
    return std::nullopt;
  }

  void note(const Instruction& instruction) {
    const Value* pointer = nullptr;
    if (auto* store = dyn_cast<StoreInst>(&instruction))
      pointer = store->getPointerOperand();
    else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
      pointer = update->getPointerOperand();
    else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      pointer = exchange->getPointerOperand();
    else if (ir::opOf(instruction) == ir::Op::None) // others: reports to the host, or waits
      others_written_ |= !instruction.isLifetimeStartOrEnd() && !isa<FenceInst>(instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() != ir::kDeviceSpace)
      return;
    if (std::optional<unsigned> stream = streamOf(pointer))
      written_[*stream] = true;
    else
      others_written_ = true;
  }

  const plan::Kernel& kernel_;
  std::vector<bool> written_;
  bool others_written_ = false;
};

} // namespace

void markReadOnlyLoads(Function& function, const plan::Kernel& kernel) {
  Writes writes(function, kernel);
  for (Instruction& instruction : instructions(function)) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->isSimple() || load->getPointerAddressSpace() != ir::kDeviceSpace)
      continue;
    if (!writes.mayBeWritten(load->getPointerOperand()))
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(function.getContext(), {}));
  }
}

} // namespace bsgp::target
