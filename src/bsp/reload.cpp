// A value loaded in superstep d is the same when it is loaded again at the beginning of superstep u, if nothing has
// written there: no thread in the supersteps d to u (in u other threads may be ahead), and no require before the
// supersteps d+1 to u.
//
// A pointer from before the spawn cannot lead to what a require of the spawn allocates. Two pointers from before may be
// anything to each other; but where they are used as arrays with an element for each thread, it is known when the spawn
// runs how far they reach.
#include "bsp/reload.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace bsgp::bsp {

using namespace llvm;
using namespace llvm::PatternMatch;
using ir::Op;
using ir::opOf;

namespace {

constexpr size_t kMostQuestions = 3; // to ask when the spawn runs

bool isRank(const Value& value) {
  auto* instruction = dyn_cast<Instruction>(&value);
  return instruction && opOf(*instruction) == Op::Rank;
}

const Value& withoutExtension(const Value& value) {
  return isa<SExtInst, ZExtInst>(value) ? *cast<Instruction>(value).getOperand(0) : value;
}

// 0: neither the rank nor the rank by a constant.
uint64_t divisorOfRank(const Value& index) {
  const Value& inner = withoutExtension(index);
  const Value* rank;
  const APInt* divisor;
  if (isRank(inner))
    return 1;
  if (match(&inner, m_UDiv(m_Value(rank), m_APInt(divisor))) && isRank(withoutExtension(*rank)) && divisor->ugt(0) &&
      divisor->getActiveBits() <= 31)
    return divisor->getZExtValue();
  return 0;
}

bool isOfThreadOrBlock(const Value& pointer) {
  return isa<AllocaInst>(getUnderlyingObject(&pointer, 0)) ||
         pointer.getType()->getPointerAddressSpace() == ir::kSharedSpace;
}

} // namespace

Reloads::Reloads(const ir::Spawn& spawn, const Supersteps& steps, const HostEffects& host)
    : spawn_(spawn), steps_(steps), host_(host) {
  findWrites();
}

void Reloads::findWrites() {
  for (const Instruction* instruction : steps_.inOrder()) {
    if (!instruction->mayWriteToMemory() || opOf(*instruction) != Op::None || isa<AssumeInst>(instruction) ||
        instruction->isLifetimeStartOrEnd())
      continue;
    auto* store = dyn_cast<StoreInst>(instruction);
    if (!store || !isOfThreadOrBlock(*store->getPointerOperand()))
      addWrite(*instruction, steps_.stepOf(*instruction));
  }
}

void Reloads::addWrite(const Instruction& instruction, unsigned step) {
  auto* store = dyn_cast<StoreInst>(&instruction);
  const Value* object = store ? getUnderlyingObject(store->getPointerOperand(), 0) : nullptr;
  auto* param = dyn_cast_or_null<CallInst>(object);
  if (param && opOf(*param) == Op::Param && host_.isFresh(spawn_, constantArgument(*param, 0)))
    return;
  Write write{step, std::nullopt, false};
  auto element = store && store->isSimple()
                     ? elementAt(*store->getPointerOperand(), *store->getValueOperand()->getType())
                     : std::nullopt;
  if (element && host_.isFromBefore(spawn_, constantArgument(*element->base, 0))) {
    write.where = Written{element->base, element->divisor, element->bytes, false};
    write.own = element->divisor == 1;
  }
  writes_.push_back(write);
}

// base[thread.rank / divisor], a scalar.
std::optional<Reloads::Element> Reloads::elementAt(const Value& pointer, const Type& type) const {
  auto* address = dyn_cast<GetElementPtrInst>(&pointer);
  if (!address || address->getNumIndices() != 1 || address->getSourceElementType() != &type || type.isIntegerTy(1))
    return std::nullopt;
  auto* base = dyn_cast<CallInst>(address->getPointerOperand());
  uint64_t divisor = divisorOfRank(*address->getOperand(1));
  if (!base || opOf(*base) != Op::Param || !divisor)
    return std::nullopt;
  uint64_t bytes = address->getDataLayout().getTypeAllocSize(const_cast<Type*>(&type)).getFixedValue();
  return Element{const_cast<CallInst*>(base), divisor, bytes};
}

bool Reloads::hostLeavesAlone(unsigned first, unsigned last) const {
  for (unsigned step = first; step <= last; ++step)
    for (uint32_t require : spawn_.steps[step - 1].requires_)
      if (!host_.leavesAlone(spawn_, require))
        return false;
  return true;
}

std::optional<Reload> Reloads::of(const Instruction& value, unsigned step) const {
  auto* load = dyn_cast<LoadInst>(&value);
  if (!load || !load->isSimple() || load->getPointerAddressSpace() != ir::kDeviceSpace)
    return std::nullopt;
  auto element = elementAt(*load->getPointerOperand(), *load->getType());
  unsigned defined = steps_.stepOf(value);
  if (!element || element->divisor != 1 || steps_.generation(defined) != steps_.generation(step) ||
      !host_.isFromBefore(spawn_, constantArgument(*element->base, 0)))
    return std::nullopt;
  Reload reload{element->base, element->bytes, {}};
  for (const Write& write : writes_) {
    if (write.step < defined || write.step > step)
      continue;
    if (!write.where || reload.written.size() == kMostQuestions)
      return std::nullopt;
    Written written = *write.where;
    written.may_equal = write.step == step && write.own && written.bytes == element->bytes;
    reload.written.push_back(written);
  }
  return hostLeavesAlone(defined + 1, step) ? std::optional(reload) : std::nullopt;
}

} // namespace bsgp::bsp
