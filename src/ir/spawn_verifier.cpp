// Each spawn has supersteps in a row, unique ids, epochs and snapshots that go together, and slots within the frame.
#include <map>
#include <set>

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>

#include "ir/freedom.h"
#include "ir/operations.h"
#include "ir/supersteps.h"
#include "ir/verifier.h"
#include "ir/verifier_common.h"

namespace bsgp::ir {

using namespace llvm;

namespace {

class Verifier {
public:
  Verifier(Function& function, const Supersteps& steps)
      : function_(function), steps_(steps), freedom_(steps), dominators_(function) {}

  std::string run(const Spawn& spawn) {
    checkEnter();
    checkOutline(spawn);
    for (Instruction* instruction : steps_.inOrder())
      if (Op op = opOf(*instruction); op == Op::PutMark || op == Op::Put)
        notePut(cast<CallInst>(*instruction), op);
    for (Instruction* instruction : steps_.inOrder())
      checkInstruction(*instruction);
    for (const Superstep& step : steps_.all())
      checkOldRank(step);
    return violation_;
  }

private:
  void require(bool condition, std::string_view what, const Instruction* where = nullptr) {
    if (!condition && violation_.empty())
      violation_ = where ? violationAt(*where, what) : std::string(what);
  }

  void checkEnter() {
    for (Instruction& instruction : function_.getEntryBlock()) {
      if (Op op = opOf(instruction); op != Op::None)
        return require(op == Op::Enter, "enter is not the first of our calls", &instruction);
    }
    require(false, "there is no enter in the first block");
  }

  void checkOutline(const Spawn& spawn) {
    const auto& planned = spawn.outline.supersteps;
    returns_ = any_of(steps_.inOrder(), [](Instruction* i) { return isa<ReturnInst>(i); });
    require(returns_ && steps_.isLine() ? steps_.count() == planned.size() : steps_.count() <= planned.size(),
            "the function has not the supersteps of its outline");
    require(spawn.steps.size() == planned.size(), "the spawn has not the steps of its outline");
  }

  void checkInstruction(const Instruction& instruction) {
    if (isa<AllocaInst>(instruction))
      require(cast<AllocaInst>(instruction).isStaticAlloca(), "an alloca outside of the first block", &instruction);
    auto* call = dyn_cast<CallInst>(&instruction);
    switch (Op op = opOf(instruction)) {
    case Op::Enter:
      return checkUnique(op, 0, instruction);
    case Op::Barrier:
    case Op::Reassign:
    case Op::Meet:
      return; // Supersteps has checked them
    case Op::Require:
      return checkId(*call, op, 0);
    case Op::Decide:
      require(steps_.step(steps_.stepOf(*call)).decide == call, "a superstep has two decisions", call);
      return checkId(*call, op, 0);
    case Op::Snapshot:
      return checkSnapshot(*call);
    case Op::PutMark:
    case Op::Put:
      return checkId(*call, op, 1);
    case Op::Rank:
    case Op::Size:
      return checkEpoch(*call, *call->getArgOperand(0));
    case Op::Param:
      require(isa<ConstantInt>(call->getArgOperand(0)), "the slot is not constant", call);
      return checkEpoch(*call, *call->getArgOperand(1));
    case Op::Get:
      return checkGet(*call);
    case Op::PutLanded:
    case Op::PutValue:
      return checkReceiver(*call);
    case Op::OldRank:
      return require(steps_.step(steps_.stepOf(*call)).oldrank == call, "oldrank is set twice", call);
    case Op::Assert:
    case Op::Print:
    case Op::BlockSync:
    case Op::WarpShuffle:
    case Op::WarpBallot:
    case Op::WarpSync:
    case Op::TileRank:
    case Op::TileSize:
    case Op::TileId:
    case Op::Append:
    case Op::AppendTake:
    case Op::CheckAccess:
    case Op::CheckValue:
    case Op::CheckIsWritten:
    case Op::CheckSetWritten:
    case Op::CheckPut:
    case Op::CheckBlockSync:
    case Op::CheckWarpSync:
    case Op::CheckFence:
    case Op::CheckUndefined:
    case Op::CheckUnset:
    case Op::None:
      return;
    }
  }

  void checkUnique(Op op, unsigned id, const Instruction& where) {
    require(ids_.emplace(int(op), id).second, "an id occurs twice", &where);
  }

  void checkId(const CallInst& call, Op op, unsigned argument) {
    if (!isa<ConstantInt>(call.getArgOperand(argument)))
      return require(false, "an id is not constant", &call);
    checkUnique(op, constantArgument(call, argument), call);
  }

  void checkEpoch(const CallInst& call, const Value& epoch) {
    auto* maker = dyn_cast<Instruction>(&epoch);
    bool version = opOf(call) == Op::Param && maker && opOf(*maker) == Op::Require;
    require(version || stepOfEpoch(epoch), "the epoch is not of enter, a barrier or a require", &call);
  }

  void checkSnapshot(const CallInst& call) {
    checkId(call, Op::Snapshot, 1);
    const Superstep& step = steps_.step(steps_.stepOf(call));
    require(step.end && dominators_.dominates(&call, step.end), "a snapshot is not made before a barrier", &call);
  }

  void checkGet(const CallInst& call) {
    auto* snapshot = dyn_cast<Instruction>(call.getArgOperand(1));
    require(snapshot && opOf(*snapshot) == Op::Snapshot && leadsTo(steps_.stepOf(*snapshot), steps_.stepOf(call)),
            "a get does not refer to a snapshot of the barrier just before", &call);
    if (violation_.empty())
      require(snapshot->getOperand(0)->getType() == call.getType(), "a get has not the type of its snapshot", &call);
  }

  // True if only that superstep leads there.
  bool leadsTo(unsigned before, unsigned step) const {
    ArrayRef<unsigned> from = steps_.step(step).from;
    return from.size() == 1 && from.front() == before;
  }

  void notePut(const CallInst& put, Op op) {
    if (isa<ConstantInt>(put.getArgOperand(1)))
      puts_.try_emplace({op, constantArgument(put, 1)}, &put);
  }

  // The put of a receiver may be gone as unreachable; one that is there has the receiver's type and number.
  void checkPutOf(const CallInst& receiver, unsigned step) {
    bool value = opOf(receiver) == Op::PutValue;
    auto found = puts_.find({value ? Op::Put : Op::PutMark, constantArgument(receiver, 1)});
    if (found == puts_.end())
      return;
    const CallInst& put = *found->second;
    require(leadsTo(steps_.stepOf(put), step), "a put is not received right after its barrier", &receiver);
    require(!value || put.getArgOperand(2)->getType() == receiver.getType(), "a put is received as another type",
            &receiver);
  }

  void checkReceiver(const CallInst& call) {
    unsigned step = steps_.stepOf(call);
    require(stepOfEpoch(*call.getArgOperand(0)) == step && step > 1, "a put is received in another superstep", &call);
    if (!isa<ConstantInt>(call.getArgOperand(1)))
      return require(false, "an id is not constant", &call);
    checkPutOf(call, step);
    const Superstep& here = steps_.step(step);
    require(!here.reassigned || (here.oldrank && dominators_.dominates(here.oldrank, &call)),
            "a put is received before oldrank", &call);
  }

  void checkOldRank(const Superstep& step) {
    if (step.number > 1 && !step.begin)
      return;
    require(bool(step.oldrank) == step.reassigned || (!step.end && !returns_),
            fmt::format("superstep {}: one oldrank after each reassignment, none elsewhere", step.number));
    if (!step.oldrank)
      return;
    require(step.reassigned, "oldrank without a reassignment", step.oldrank);
    require(!step.end || dominators_.dominates(step.oldrank, step.end), "oldrank is not set on every path",
            step.oldrank);
    for (BasicBlock* block : step.blocks)
      for (Instruction& instruction : *block)
        if (steps_.stepOf(instruction) == step.number)
          checkOperands(instruction, step);
  }

  // Values of earlier supersteps are loaded at oldrank.
  void checkOperands(const Instruction& instruction, const Superstep& step) {
    for (const Use& use : instruction.operands()) {
      auto* value = dyn_cast<Instruction>(use.get());
      if (!value || isHandle(*value) || steps_.stepOf(*value) == step.number ||
          freedom_.freeAtBeginning(*value, step.number))
        continue;
      require(dominators_.dominates(step.oldrank, use), "a value of before the reassignment is used before oldrank",
              &instruction);
    }
  }

  Function& function_;
  const Supersteps& steps_;
  Freedom freedom_;
  DominatorTree dominators_;
  std::set<std::pair<int, unsigned>> ids_;
  std::map<std::pair<Op, unsigned>, const CallInst*> puts_;
  bool returns_ = false; // in some block; code that never ends has lost the code behind it
  std::string violation_;
};

std::string violationIn(const Spawn& spawn) {
  if (std::string violation = violationOfLlvm(*spawn.function); !violation.empty())
    return violation;
  Supersteps steps(*spawn.function);
  if (!steps.violation().empty())
    return steps.violation();
  return Verifier(*spawn.function, steps).run(spawn);
}

} // namespace

std::string violationIn(const Spawns& spawns) {
  FunctionSet functions;
  for (const Spawn& spawn : spawns.spawns) {
    functions.insert(spawn.function);
    if (std::string violation = violationIn(spawn); !violation.empty())
      return inFunction(*spawn.function, violation);
    if (std::string violation = violationInFrame(*spawns.module, spawn.outline); !violation.empty())
      return violation;
  }
  return violationOutside(*spawns.module, functions);
}

} // namespace bsgp::ir
