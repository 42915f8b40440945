#include "bsp/partition/kept_values.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>

#include "bsp/partition/kept_arrays.h"
#include "ir/freedom.h"
#include "ir/operations.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

constexpr unsigned kMostRecomputed = 8; // operations for one value

bool isAddress(const Instruction& value) {
  return isa<CastInst, GetElementPtrInst>(value);
}

class Finder {
public:
  Finder(Function& kernel, const Regions& regions) : kernel_(kernel), regions_(regions), needed_(regions.all.size()) {
    made_.regions.resize(regions.all.size());
    made_.exits.resize(regions.exits.size());
  }

  KeptValues run() {
    for (unsigned region = 0; region < regions_.all.size(); ++region)
      needOf(region);
    std::vector<BitVector> live = liveness();
    for (unsigned exit = 0; exit < regions_.exits.size(); ++exit)
      storeAt(exit, live);
    addArrays();
    return std::move(made_);
  }

private:
  // A phi at the entry of a region is made by the regions before it.
  bool isEntryPhi(const Instruction& value) const {
    return isa<PHINode>(value) && regions_.entry(regions_.of_instruction(value)) == value.getParent();
  }

  bool isOf(const Instruction& value, unsigned region) const {
    return regions_.of_instruction(value) == region && !isEntryPhi(value);
  }

  // ---- uses

  void needOf(unsigned region) {
    for (BasicBlock* block : regions_.all[region].blocks)
      for (Instruction& instruction : *block)
        if (!isEntryPhi(instruction))
          for (Value* operand : instruction.operands())
            need(operand, region);
    for (unsigned number : regions_.all[region].exits) {
      const RegionExit& exit = regions_.exits[number];
      for (PHINode& phi : regions_.entry(exit.to)->phis())
        need(phi.getIncomingValueForBlock(exit.block), region);
    }
  }

  void need(Value* wanted, unsigned region) {
    auto* value = dyn_cast<Instruction>(wanted);
    if (!value)
      return;
    if (isa<AllocaInst>(value) || opOf(*value) == Op::Rank)
      return void(made_.regions[region].places.insert(value));
    if (isOf(*value, region) || !needed_[region].insert(value).second)
      return;
    unsigned cost = 0;
    if (isAddress(*value) || isCheap(*value, cost)) {
      for (Value* operand : value->operands())
        need(operand, region);
      made_.regions[region].recomputed.push_back(value);
      return;
    }
    keep(*value);
    made_.regions[region].loaded.push_back(value);
  }

  void keep(Instruction& value) {
    made_.keeps_struct |= value.getType()->isStructTy();
    if (value.getType()->isPointerTy() && value.getType()->getPointerAddressSpace() == 0) {
      SmallVector<const Value*, 4> objects;
      getUnderlyingObjects(&value, objects, nullptr, 0);
      for (const Value* object : objects)
        if (auto* array = dyn_cast<AllocaInst>(object))
          pointed_.insert(array);
    }
    made_.streams.insert({&value, uint32_t(made_.streams.size())});
  }

  // Made of constants, parameters and the rank, by few operations.
  static bool isCheap(const Instruction& value, unsigned& cost) {
    if (opOf(value) == Op::Rank || isa<AllocaInst>(value))
      return true;
    if (!ir::isExpression(value) || ++cost > kMostRecomputed)
      return false;
    return all_of(value.operands(), [&](const Value* operand) {
      auto* part = dyn_cast<Instruction>(operand);
      return !part || isCheap(*part, cost);
    });
  }

  // ---- liveness, by number of stream, at the beginning of each region

  std::vector<BitVector> liveness() const {
    unsigned count = unsigned(made_.streams.size());
    std::vector<BitVector> live(regions_.all.size(), BitVector(count));
    for (unsigned region = 0; region < live.size(); ++region)
      for (Instruction* value : made_.regions[region].loaded)
        live[region].set(numberOf(*value));
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned region = unsigned(live.size()); region-- > 0;)
        for (unsigned next : regions_.all[region].next)
          changes |= passOn(live[next], next, region, live[region]);
    }
    return live;
  }

  // A value that is live at the beginning of `next` is so at that of `region`, if it is made before.
  bool passOn(const BitVector& live, unsigned next, unsigned region, BitVector& to) const {
    bool changes = false;
    for (unsigned number : live.set_bits()) {
      const Instruction& value = *made_.streams.begin()[number].first;
      bool is_made = isOf(value, region) || (isEntryPhi(value) && regions_.of_instruction(value) == next);
      if (is_made || to.test(number))
        continue;
      to.set(number);
      changes = true;
    }
    return changes;
  }

  unsigned numberOf(Instruction& value) const { return made_.streams.find(&value)->second; }

  void storeAt(unsigned number, const std::vector<BitVector>& live) {
    const RegionExit& exit = regions_.exits[number];
    for (unsigned stream : live[exit.to].set_bits()) {
      Instruction* value = made_.streams.begin()[stream].first;
      if (isOf(*value, exit.from))
        made_.exits[number].push_back({value, value});
      else if (isEntryPhi(*value) && regions_.of_instruction(*value) == exit.to)
        made_.exits[number].push_back({value, cast<PHINode>(value)->getIncomingValueForBlock(exit.block)});
    }
  }

  void addArrays() {
    for (Instruction& instruction : kernel_.getEntryBlock()) {
      auto* array = dyn_cast<AllocaInst>(&instruction);
      if (array && (pointed_.contains(array) || isKeptArray(*array, regions_)))
        made_.streams.insert({array, uint32_t(made_.streams.size())});
    }
  }

  Function& kernel_;
  const Regions& regions_;
  std::vector<DenseSet<Instruction*>> needed_;
  DenseSet<const AllocaInst*> pointed_; // a pointer to them is kept
  KeptValues made_;
};

} // namespace

KeptValues findKeptValues(Function& kernel, const Regions& regions) {
  return Finder(kernel, regions).run();
}

} // namespace bsgp::bsp
