#include "target/cpu/workarounds/cut_switches.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr size_t kMostCases = 128;

struct Case {
  ConstantInt* value;
  BasicBlock* target;
};

std::vector<Case> casesByValue(SwitchInst& choice) {
  std::vector<Case> cases;
  for (auto& entry : choice.cases())
    cases.push_back({entry.getCaseValue(), entry.getCaseSuccessor()});
  llvm::sort(cases, [](const Case& a, const Case& b) { return a.value->getValue().slt(b.value->getValue()); });
  return cases;
}

// A value that comes into phis along the edges of one switch.
struct Incoming {
  PHINode* phi;
  Value* value;
};

// Takes the edges from `from` out of the phis of its successors.
DenseMap<BasicBlock*, SmallVector<Incoming, 2>> takeIncoming(SwitchInst& choice) {
  DenseMap<BasicBlock*, SmallVector<Incoming, 2>> incoming;
  BasicBlock* from = choice.getParent();
  for (BasicBlock* target : successors(from)) {
    auto [place, is_new] = incoming.try_emplace(target);
    if (!is_new)
      continue;
    for (PHINode& phi : target->phis()) {
      place->second.push_back({&phi, phi.getIncomingValueForBlock(from)});
      phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == from; }, false);
    }
  }
  return incoming;
}

class Cutter {
public:
  explicit Cutter(SwitchInst& choice)
      : choice_(choice), cases_(casesByValue(choice)), incoming_(takeIncoming(choice)) {}

  // Replaces the switch.
  void run() {
    BasicBlock* from = choice_.getParent();
    choose(from, cases_);
    choice_.eraseFromParent();
  }

private:
  // Makes the end of `block`, a choice among `cases`.
  void choose(BasicBlock* block, ArrayRef<Case> cases) {
    IRBuilder<> builder(block);
    builder.SetCurrentDebugLocation(choice_.getDebugLoc());
    if (cases.size() <= kMostCases)
      return chooseBySwitch(builder, cases);
    ArrayRef<Case> low = cases.take_front(cases.size() / 2), high = cases.drop_front(cases.size() / 2);
    Value* is_low = builder.CreateICmpSLT(choice_.getCondition(), high.front().value);
    BasicBlock* low_block = newBlock("switch.low");
    BasicBlock* high_block = newBlock("switch.high");
    builder.CreateCondBr(is_low, low_block, high_block);
    choose(low_block, low);
    choose(high_block, high);
  }

  void chooseBySwitch(IRBuilder<>& builder, ArrayRef<Case> cases) {
    BasicBlock* block = builder.GetInsertBlock();
    SwitchInst* part = builder.CreateSwitch(choice_.getCondition(), choice_.getDefaultDest(), cases.size());
    addEdge(block, choice_.getDefaultDest());
    for (const Case& each : cases) {
      part->addCase(each.value, each.target);
      addEdge(block, each.target);
    }
  }

  void addEdge(BasicBlock* from, BasicBlock* to) {
    for (const Incoming& each : incoming_[to])
      each.phi->addIncoming(each.value, from);
  }

  BasicBlock* newBlock(const char* name) {
    return BasicBlock::Create(choice_.getContext(), name, choice_.getFunction(), choice_.getParent()->getNextNode());
  }

  SwitchInst& choice_;
  std::vector<Case> cases_;
  DenseMap<BasicBlock*, SmallVector<Incoming, 2>> incoming_;
};

} // namespace

void cutSwitches(Module& module) {
  std::vector<SwitchInst*> long_ones;
  for (Function& function : module)
    for (BasicBlock& block : function)
      if (auto* choice = dyn_cast<SwitchInst>(block.getTerminator()); choice && choice->getNumCases() > 2 * kMostCases)
        long_ones.push_back(choice);
  for (SwitchInst* choice : long_ones)
    Cutter(*choice).run();
}

} // namespace bsgp::target
