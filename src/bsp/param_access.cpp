#include "bsp/param_access.h"

#include <algorithm>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "ir/operations.h"

namespace bsgp::bsp {

using namespace llvm;
using plan::Access;

namespace {

// Finds out which elements are reached through one argument. The work is linear in the uses of the pointers that come from it.
class Followed {
public:
  Followed(Argument& argument, plan::Param& param) : param_(param) { follow(argument, Access::None); }

private:
  // `at` is the element that the pointer leads to; None: the first one, from which an index counts.
  void follow(Value& pointer, Access at) {
    for (Use& use : pointer.uses())
      note(use, at);
  }

  void note(Use& use, Access at) {
    auto* user = cast<Instruction>(use.getUser());
    Access reached = at == Access::Own ? Access::Own : Access::Any;
    if (auto* index = dyn_cast<GetElementPtrInst>(user))
      return follow(*index, at == Access::None ? elementOf(*index) : at);
    if (isa<BitCastInst, AddrSpaceCastInst>(user))
      return follow(*user, at);
    if (isa<LoadInst>(user))
      return add(param_.reads, reached);
    if (auto* store = dyn_cast<StoreInst>(user); store && use.getOperandNo() == StoreInst::getPointerOperandIndex())
      return add(param_.writes, reached);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user) && use.getOperandNo() == 0) { // the pointer
      add(param_.reads, reached);
      return add(param_.writes, reached);
    }
    if (isa<ICmpInst, LifetimeIntrinsic>(user))
      return;
    if (auto* address = dyn_cast<PtrToIntInst>(user); address && isCompared(*address))
      return;
    add(param_.reads, Access::Any); // a call, a choice of pointers, a pointer that is stored
    add(param_.writes, Access::Any);
  }

  // A part of the element at thread.rank is the thread's own, too.
  static Access elementOf(const GetElementPtrInst& index) {
    const Value* first = index.idx_begin()->get();
    while (isa<SExtInst, ZExtInst, TruncInst>(first))
      first = cast<CastInst>(first)->getOperand(0);
    bool is_own = isa<Instruction>(first) && ir::opOf(*cast<Instruction>(first)) == ir::Op::Rank;
    bool inside = all_of(drop_begin(index.indices()), [](const Use& each) { return isa<Constant>(each); });
    return is_own && inside ? Access::Own : Access::Any;
  }

  // Addresses that are only compared lead to no memory.
  static bool isCompared(const Instruction& number) {
    return all_of(number.users(), [](const User* user) {
      auto* each = cast<Instruction>(user);
      return isa<ICmpInst>(each) || (isa<BinaryOperator>(each) && isCompared(*each));
    });
  }

  static void add(Access& to, Access access) { to = std::max(to, access); }

  plan::Param& param_;
};

} // namespace

void findAccesses(Function& kernel, std::vector<plan::Param>& params) {
  for (Argument& argument : kernel.args())
    if (argument.getType()->isPointerTy())
      Followed(argument, params[argument.getArgNo()]);
}

} // namespace bsgp::bsp
