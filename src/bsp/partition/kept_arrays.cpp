#include "bsp/partition/kept_arrays.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IntrinsicInst.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

class ArrayUses {
public:
  ArrayUses(AllocaInst& array, const Regions& regions)
      : regions_(regions), read_(unsigned(regions.all.size())), modified_(unsigned(regions.all.size())) {
    SmallVector<Value*, 16> pointers{&array};
    DenseSet<Value*> seen{&array};
    while (!pointers.empty())
      for (Use& use : pointers.pop_back_val()->uses())
        if (Value* derived = visit(use); derived && seen.insert(derived).second)
          pointers.push_back(derived);
  }

  bool crossesAny() const {
    BitVector written = writtenBefore(), live = liveAtBegin();
    return escapes_ || written.anyCommon(live);
  }

private:
  unsigned count() const { return unsigned(regions_.all.size()); }

  // Returns a pointer that the user derives.
  Value* visit(Use& use) {
    auto& user = *cast<Instruction>(use.getUser());
    unsigned region = regions_.of_instruction(user);
    if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(user))
      return &user;
    if (isa<ICmpInst>(user) || user.isLifetimeStartOrEnd())
      return nullptr;
    if (isa<LoadInst>(user)) {
      read_.set(region);
    } else if (isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      modified_.set(region);
    } else if (auto* memory = dyn_cast<MemIntrinsic>(&user)) {
      bool writes = use.getOperandNo() == 0 && memory->getRawDest() == use.get();
      (writes ? modified_ : read_).set(region);
    } else { // atomics, calls; or the pointer is stored
      escapes_ |= isa<StoreInst, PtrToIntInst, ReturnInst>(user);
      read_.set(region), modified_.set(region);
    }
    return nullptr;
  }

  // Regions at whose beginning it may hold something.
  BitVector writtenBefore() const {
    BitVector written(count());
    for (bool changes = true; changes;) {
      changes = false;
      for (const RegionExit& exit : regions_.exits)
        if (!written.test(exit.to) && (modified_.test(exit.from) || written.test(exit.from)))
          written.set(exit.to), changes = true;
    }
    return written;
  }

  // Regions at whose beginning a later read may look back to. One that only writes may write a part.
  BitVector liveAtBegin() const {
    BitVector live = read_;
    for (bool changes = true; changes;) {
      changes = false;
      for (const RegionExit& exit : regions_.exits)
        if (!live.test(exit.from) && live.test(exit.to))
          live.set(exit.from), changes = true;
    }
    return live;
  }

  const Regions& regions_;
  BitVector read_, modified_; // by region
  bool escapes_ = false;
};

} // namespace

bool isKeptArray(AllocaInst& array, const Regions& regions) {
  return ArrayUses(array, regions).crossesAny();
}

} // namespace bsgp::bsp
