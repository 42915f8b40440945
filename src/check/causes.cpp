#include "check/causes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "check/accesses.h"
#include "ir/unset.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;

namespace {

constexpr size_t kMostCauses = 3;   // in a report
constexpr size_t kMostValues = 256; // limit of the values that are looked at

// True for a rank that surely exists: 0.
bool isFirstRank(const Value* rank) {
  auto* known = dyn_cast<ConstantInt>(rank);
  return known && known->isZero();
}

// Bytes from the memory that the address is computed from, if they are constant.
bool findOffset(const Value* address, const DataLayout& layout, APInt& offset) {
  return address->stripAndAccumulateConstantOffsets(layout, offset, true) == baseOf(const_cast<Value*>(address));
}

} // namespace

Causes::Causes(const Function& function, const ShadowValues& shadows, const Sites& sites)
    : shadows_(shadows), sites_(sites) {
  for (const Instruction& instruction : instructions(function)) {
    if (ir::opOf(instruction) != Op::CheckUnset)
      continue;
    auto& mark = cast<CallInst>(instruction);
    Value* address = mark.getArgOperand(0);
    if (unsigned group = shadows.arrays().groupOf(address); group != ShadowArrays::kNone)
      arrays_[group].push_back(&mark);
    else
      others_[baseOf(address)].push_back(&mark);
  }
}

class Causes::Search {
public:
  explicit Search(const Causes& all) : all_(all), moves_(all.shadows_.moves()) {}

  std::vector<Cause> run(ArrayRef<Value*> values) {
    for (Value* value : values)
      add(value);
    for (size_t next = 0; next < open_.size() && is_whole_; ++next)
      visit(open_[next]);
    return is_whole_ ? found_ : std::vector<Cause>();
  }

private:
  void add(Value* value) {
    value = sourceOf(value);
    if (!isa<Instruction>(value)) // nothing more is known of a constant
      is_whole_ = false;
    else if (seen_.insert(value).second)
      open_.push_back(cast<Instruction>(value));
    is_whole_ &= seen_.size() <= kMostValues;
  }

  void addMoved(const Value& by) {
    for (Value* value : moves_.by(cast<Instruction>(by)))
      add(value);
  }

  void found(const Cause& cause) {
    if (is_contained(found_, cause))
      return;
    is_whole_ &= cause.at && found_.size() < kMostCauses;
    found_.push_back(cause);
  }

  void visit(Instruction* value) {
    if (auto* load = dyn_cast<LoadInst>(value))
      return visitLoad(*load);
    switch (ir::opOf(*value)) {
    case Op::CheckUndefined:
      return begins(*value);
    case Op::Param: // the host may have assigned an undefined value to it
      return begins(*value, false);
    case Op::Get:
      return visitGet(cast<CallInst>(*value));
    case Op::PutValue:
      for (const Value* put : moves_.puts(ir::constantArgument(cast<CallInst>(*value), 1)))
        addMoved(*put);
      return;
    default:
      isa<PHINode, SelectInst, CastInst, FreezeInst>(value) || ir::opOf(*value) == Op::WarpShuffle
          ? addMoved(*value)
          : found({BSGP_CAUSE_READ, "", all_.sites_.placeAt(*value)});
    }
  }

  void begins(const Instruction& mark, bool is_sure = true) {
    std::optional<ir::Cause> cause = ir::causeOf(mark);
    is_whole_ &= cause && !all_.sites_.isOfLibrary(cause->at);
    if (is_whole_)
      found({cause->kind, cause->name, cause->at, is_sure});
  }

  void visitGet(const CallInst& get) {
    if (!isFirstRank(get.getArgOperand(0)))
      found({BSGP_CAUSE_GET, "", all_.sites_.placeAt(get)});
    addMoved(*get.getArgOperand(1));
  }

  void visitLoad(const LoadInst& load) {
    const Value* address = load.getPointerOperand();
    if (isWatched(address))
      return visitMemory(load, *cast<CallInst>(address)->getArgOperand(0));
    unsigned group = all_.shadows_.arrays().groupOf(address);
    if (auto marks = all_.arrays_.find(group); marks != all_.arrays_.end())
      for (const CallInst* mark : marks->second)
        if (mayMeet(*address, *mark->getArgOperand(0)))
          begins(*mark, marks->second.size() == 1 && isWhole(load, *mark));
    for (const Value* store : moves_.stores(group))
      if (mayMeet(*address, *cast<StoreInst>(store)->getPointerOperand()))
        addMoved(*store);
  }

  // False for addresses in two different arrays.
  static bool mayMeet(const Value& a, const Value& b) {
    const Value *one = baseOf(const_cast<Value*>(&a)), *other = baseOf(const_cast<Value*>(&b));
    return one == other || !isa<AllocaInst>(one) || !isa<AllocaInst>(other);
  }

  static bool isWhole(const LoadInst& load, const CallInst& mark) {
    auto* bytes = dyn_cast<ConstantInt>(mark.getArgOperand(1));
    TypeSize read = mark.getModule()->getDataLayout().getTypeStoreSize(load.getType());
    return bytes && bytes->getZExtValue() == read.getFixedValue();
  }

  // Follows a load to its memory. In host code, that may also be a variable that others see.
  void visitMemory(const LoadInst& load, Value& address) {
    if (all_.sites_.isWatchedAs(Watch::Exchange, load))
      return found({BSGP_CAUSE_SHUFFLE, "", all_.sites_.callPlaceAt(load)});
    auto marks = all_.others_.find(baseOf(&address));
    if (marks == all_.others_.end())
      return found({BSGP_CAUSE_READ, "", all_.sites_.placeAt(load)});
    for (const CallInst* mark : marks->second)
      if (covers(*mark, address))
        return begins(*mark, false);
    is_whole_ = false;
  }

  static bool covers(const CallInst& mark, const Value& address) {
    const DataLayout& layout = mark.getModule()->getDataLayout();
    APInt begin(64, 0), at(64, 0);
    auto* bytes = dyn_cast<ConstantInt>(mark.getArgOperand(1));
    return bytes && findOffset(mark.getArgOperand(0), layout, begin) && findOffset(&address, layout, at) &&
           (at - begin).ult(bytes->getZExtValue());
  }

  const Causes& all_;
  const Moves& moves_;
  std::vector<Cause> found_;
  SmallPtrSet<const Value*, 16> seen_;
  SmallVector<Instruction*, 16> open_; // in the order in which they were found
  bool is_whole_ = true;
};

std::vector<Cause> Causes::of(Value& value) const {
  return Search(*this).run(&value);
}

CallInst* Causes::getOf(Value& value, const Instruction& user) const {
  auto* get = dyn_cast<CallInst>(sourceOf(&value));
  if (!get || ir::opOf(*get) != Op::Get || isFirstRank(get->getArgOperand(0)) || !sites_.placeAt(*get))
    return nullptr;
  const ir::Supersteps& steps = shadows_.steps();
  unsigned step = steps.stepOf(*get);
  return step == steps.stepOf(user) && !steps.step(step).reassigned ? get : nullptr;
}

std::vector<Cause> Causes::ofGet(const CallInst& get) const {
  std::vector<Cause> all{{BSGP_CAUSE_GET, "", sites_.placeAt(get)}};
  append_range(all, Search(*this).run(shadows_.moves().by(*cast<Instruction>(get.getArgOperand(1)))));
  return all;
}

} // namespace bsgp::check
