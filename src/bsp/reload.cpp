// A value loaded in superstep d is the same when it is loaded again at the beginning of superstep u, if nothing has
// written there: no thread in the supersteps d to u (in u other threads may be ahead), and no require before the
// supersteps d+1 to u.
//
// A pointer from before the spawn cannot lead to what a require of the spawn allocates. Two pointers from before may be
// anything to each other; but where they are used as arrays with an element for each thread, it is known when the spawn
// runs how far they reach.
#include "bsp/reload.h"

#include <algorithm>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "bsp/require_writes.h"
#include "ir/operations.h"

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

// Set before the spawn began, and by no require.
bool isFromBefore(const CallInst& param) {
  auto* version = dyn_cast<Instruction>(param.getArgOperand(1));
  return version && opOf(*version) == Op::Enter;
}

} // namespace

Reloads::Reloads(const ir::Spawn& spawn, ir::HostFacts::Spawn host, const ir::Supersteps& steps,
                 const std::vector<bool>& leaves_alone)
    : host_(std::move(host)), steps_(steps), last_disturbed_(steps.count() + 1) {
  for (const Instruction* instruction : steps_.inOrder())
    if (writesDeviceMemory(*instruction))
      addWrite(*instruction, steps_.stepOf(*instruction));
  std::stable_sort(writes_.begin(), writes_.end(), [](const Write& a, const Write& b) { return a.step < b.step; });
  auto disturbs = [&](uint32_t require) {
    return require >= host_.requires_.size() || !leaves_alone[host_.requires_[require]];
  };
  for (unsigned step = 1; step <= steps.count(); ++step)
    last_disturbed_[step] = any_of(spawn.steps[step - 1].requires_, disturbs) ? step : last_disturbed_[step - 1];
}

void Reloads::addWrite(const Instruction& instruction, unsigned step) {
  auto* store = dyn_cast<StoreInst>(&instruction);
  const Value* object = store ? getUnderlyingObject(store->getPointerOperand(), 0) : nullptr;
  auto* param = dyn_cast_or_null<CallInst>(object);
  if (param && opOf(*param) == Op::Param && isFresh(ir::constantArgument(*param, 0)))
    return;
  Write write{step, std::nullopt, false};
  auto element = store && store->isSimple()
                     ? elementAt(*store->getPointerOperand(), *store->getValueOperand()->getType())
                     : std::nullopt;
  if (element && isFromBefore(*element->base)) {
    write.where = WrittenRange{element->base, element->divisor, element->bytes, false};
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

bool Reloads::isFresh(unsigned slot) const {
  return slot < host_.fresh.size() && host_.fresh[slot];
}

std::optional<Reload> Reloads::of(const Instruction& value, unsigned step) const {
  auto* load = dyn_cast<LoadInst>(&value);
  if (!load || !load->isSimple() || load->getPointerAddressSpace() != ir::kDeviceSpace)
    return std::nullopt;
  auto element = elementAt(*load->getPointerOperand(), *load->getType());
  unsigned defined = steps_.stepOf(value);
  // Within a chain: all that comes between the two, however often, has a number between theirs.
  if (!element || element->divisor != 1 || !steps_.inOneChain(defined, step) ||
      steps_.generation(defined) != steps_.generation(step) || !isFromBefore(*element->base) ||
      last_disturbed_[step] > defined)
    return std::nullopt;
  Reload reload{element->base, element->bytes, {}};
  auto first = std::partition_point(writes_.begin(), writes_.end(), [&](auto& w) { return w.step < defined; });
  for (const Write& write : make_range(first, writes_.end())) {
    if (write.step > step)
      break;
    if (!write.where || reload.written.size() == kMostQuestions)
      return std::nullopt;
    WrittenRange written = *write.where;
    written.may_equal = write.step == step && write.own && written.bytes == element->bytes;
    reload.written.push_back(written);
  }
  return reload;
}

} // namespace bsgp::bsp
