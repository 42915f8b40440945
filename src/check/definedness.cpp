// The idea is that of LLVM's MemorySanitizer, with one bit for a value and no propagation through arithmetic: a value
// that may be undefined (undefined_values.h) has a shadow (shadow_values.h).
//
//   %z = add %x, 1        =>        check.value(!%x.set, UNDEFINED)        unless %x was tested before
//                                   %z = add %x, 1
//
// A shadow crosses barriers as any other value does. The function is walked along its dominators: behind a test a value
// counts as set.
#include "check/definedness.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "check/causes.h"
#include "check/shadow_values.h"
#include "ir/names.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;

namespace {

class Watcher {
public:
  Watcher(Function& function, Sites& sites) : function_(function), sites_(sites), shadows_(function, sites) {}

  void run() {
    shadows_.beginPhis();
    walk();
    shadows_.fold();
    findCauses();
    shadows_.finish();
    for (CallInst* use : uses_)
      use->eraseFromParent();
    for (const Test& test : tests_)
      finish(*test.call);
  }

private:
  struct Test {
    CallInst* call;
    Value* value;
    Instruction* user;
  };
  struct Visit {
    DomTreeNode* node;
    DomTreeNode::iterator next;
    size_t tested; // values, before it
  };

  void walk() {
    DominatorTree dominators(function_);
    SmallVector<Visit, 32> path;
    auto enter = [&](DomTreeNode* node) {
      path.push_back({node, node->begin(), tested_.size()});
      visitBlock(*node->getBlock());
    };
    enter(dominators.getRootNode());
    while (!path.empty()) {
      if (path.back().next != path.back().node->end()) {
        enter(*path.back().next++);
        continue;
      }
      for (size_t before = path.back().tested; tested_.size() > before; tested_.pop_back())
        shadows_.forget(tested_.back());
      path.pop_back();
    }
  }

  void visitBlock(BasicBlock& block) {
    SmallVector<Instruction*, 64> own;
    for (Instruction& instruction : block)
      if (!shadows_.isMade(instruction))
        own.push_back(&instruction);
    for (Instruction* instruction : own) {
      for (Use& use : instruction->operands())
        if ((shadows_.mayBeUndefined(use) || isUnset(use)) && !moves(use))
          test(*use, *instruction);
      if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) && !shadows_.mayBeUndefined(instruction))
        tell(shadows_.beforeUpdate(*instruction), *instruction, *instruction);
      shadows_.visit(*instruction);
      if (isUse(*instruction))
        uses_.push_back(cast<CallInst>(instruction));
    }
    shadows_.endPhis(block);
  }

  // True for the tests that irgen wrote at uses of a value.
  static bool isUse(const Instruction& instruction) {
    return ir::opOf(instruction) == Op::CheckValue &&
           ir::constantArgument(cast<CallInst>(instruction), 1) == BSGP_VALUE_UNDEFINED;
  }

  void test(Value& value, Instruction& user) {
    tell(shadows_.of(&value), value, user);
    if (!isa<Instruction>(value)) // a constant
      return;
    if (shadows_.assume(&value))
      tested_.push_back(&value);
  }

  // Emits the report. Until the end its first argument is the shadow as it is.
  void tell(Value* shadow, Value& value, Instruction& user) {
    if (shadow == shadows_.yes())
      return;
    IRBuilder<> builder(&user);
    Value* kind = builder.getInt32(BSGP_VALUE_UNDEFINED);
    Value *place = shadows_.placeOf(value, user), *zero = builder.getInt64(0);
    if (place)
      place = builder.CreatePtrToInt(place, builder.getInt64Ty());
    CallInst* call =
        shadows_.call(builder, Op::CheckValue, {shadow, kind, place ? place : zero, zero, siteOf(value, user)});
    tests_.push_back({call, &value, &user});
  }

  // Sets the causes of each report. If the value was only read from memory, the report finds the cause by the
  // address.
  void findCauses() {
    Causes causes(function_, shadows_, sites_);
    for (auto [call, value, user] : tests_) {
      if (call->getArgOperand(0) == shadows_.yes())
        continue;
      Watched& watched = sites_.at(cast<Constant>(call->getArgOperand(4)));
      if (CallInst* get = causes.getOf(*value, *user)) {
        setAsked(*call, *get, watched);
        watched.causes = causes.ofGet(*get);
        continue;
      }
      watched.causes = causes.of(*value);
      bool has_place = !isa<Constant>(call->getArgOperand(2));
      if (has_place && watched.causes.size() == 1 && watched.causes[0].kind == BSGP_CAUSE_READ)
        watched.causes.clear();
    }
  }

  static void setAsked(CallInst& test, CallInst& get, Watched& watched) {
    IRBuilder<> builder(&test);
    test.setArgOperand(2, builder.CreateSExt(get.getArgOperand(0), builder.getInt64Ty()));
    watched.flags |= BSGP_SITE_ASKED;
  }

  Constant* siteOf(Value& value, Instruction& user) {
    Watched watched;
    watched.is_access = &value == &user; // an atomic, which updates it
    Instruction* operand = watched.is_access ? nullptr : operandIn(user, value);
    if (operand)
      return sites_.addPart(user, *operand, watched);
    auto* made = dyn_cast<Instruction>(&value);
    return sites_.add(user.getDebugLoc() || !made ? user : *made, watched,
                      watched.is_access ? "" : textOf(value, user));
  }

  // Returns the instruction that reads the value in the expression of `user`, before casts; null if it is elsewhere.
  Instruction* operandIn(const Instruction& user, Value& value) const {
    Instruction* found = nullptr;
    for (auto* moved = dyn_cast<Instruction>(&value); moved; moved = dyn_cast<Instruction>(moved->getOperand(0))) {
      if (sites_.isPart(*moved, user))
        found = moved;
      if (!isa<CastInst>(moved) && !isRead(moved))
        break;
    }
    return found;
  }

  // Names the undefined value in the program's words; "" if the expression that uses it says more. Names of variables
  // of the library say nothing.
  std::string textOf(Value& value, const Instruction& user) const {
    Value* source = sourceOf(&value);
    auto* read = dyn_cast<Instruction>(source);
    if (read && sites_.isOfLibrary(*read) && !sites_.isOfLibrary(user)) // a shuffle
      return sites_.callAt(*read).str();
    std::string text = isa<LoadInst>(source) ? sites_.textAt(*cast<Instruction>(source)).str() : "";
    std::string name = ir::sourceName(*source);
    bool wants_text = name.empty() || sites_.isOfLibrary(user);
    return wants_text && !text.empty() ? text : name;
  }

  void finish(CallInst& test) {
    Value* shadow = test.getArgOperand(0);
    IRBuilder<> builder(&test);
    if (shadow == shadows_.yes())
      test.eraseFromParent();
    else
      test.setArgOperand(0, builder.CreateNot(shadow));
  }

  Function& function_;
  Sites& sites_;
  ShadowValues shadows_;
  SmallVector<Value*, 64> tested_; // on the path
  std::vector<Test> tests_;
  std::vector<CallInst*> uses_;
};

} // namespace

void watchDefinedness(Function& function, Sites& sites) {
  Watcher(function, sites).run();
}

} // namespace bsgp::check
