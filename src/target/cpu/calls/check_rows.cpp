#include "target/cpu/calls/check_rows.h"

#include <vector>

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "ir/check_code.h"
#include "ir/freedom.h"
#include "ir/operations.h"
#include "ir/supersteps.h"
#include "plan/check_abi.h"
#include "target/common/check_sites.h"
#include "target/cpu/calls/check_calls.h"
#include "target/cpu/ranks/blocks_entry.h"
#include "target/cpu/ranks/rank_lines.h"

namespace bsgp::target {

using namespace llvm;
using ir::Op;

namespace {

constexpr unsigned kMostAccesses = 100;               // all pairs of them are compared
constexpr unsigned kMostBases = 4, kMostChoices = 16; // of an access; conditions and loops that choose among them

struct Access {
  CallInst* check = nullptr;
  Constant* site = nullptr;
  SmallVector<Argument*, 4> bases = {}; // it has one of them; none: the base is known only when the threads run
  bool is_called = true;                // the runtime is called, whatever is proven
  uint64_t bytes = 0, uses = 0;
  std::optional<RankLine> line = {};
  SmallVector<CallInst*, 2> asks = {}, sets = {};
};

bool isOfDevice(const CallInst& operation) {
  return factsOf(*operation.getArgOperand(operation.arg_size() - 1)).space == BSGP_MEMORY_DEVICE;
}

// True if the access orders other accesses, or if the runtime has to note each of them.
bool isAlwaysCalled(const SiteFacts& facts) {
  bool orders = facts.access == BSGP_ACCESS_ATOMIC_LOAD || facts.access == BSGP_ACCESS_ATOMIC_STORE;
  bool is_noted = !(facts.flags & BSGP_SITE_NO_RESULT) || (facts.flags & BSGP_SITE_ORDERS);
  return orders || (facts.access == BSGP_ACCESS_ATOMIC_UPDATE && is_noted);
}

Access accessOf(CallInst& check) {
  SiteFacts facts = factsOf(*check.getArgOperand(2));
  Access access;
  access.check = &check;
  access.site = cast<Constant>(check.getArgOperand(2));
  access.bases = parametersOf(*check.getArgOperand(1));
  if (access.bases.empty())
    access.uses = BSGP_USE_ANYWHERE;
  else
    access.is_called = isAlwaysCalled(facts);
  access.bytes = facts.bytes;
  auto [asks, sets] = writtenCallsOf(check);
  access.asks = std::move(asks), access.sets = std::move(sets);
  return access;
}

std::vector<CallInst*> operationsIn(Function& function, Op op) {
  std::vector<CallInst*> found;
  for (Instruction& instruction : instructions(function))
    if (ir::opOf(instruction) == op)
      found.push_back(cast<CallInst>(&instruction));
  return found;
}

bool isTrue(const Value* value) {
  auto* constant = dyn_cast<ConstantInt>(value);
  return constant && constant->isOne();
}

class Splitter {
public:
  Splitter(Function& thread, const std::string& symbol, const std::string& name) : symbol_(symbol) {
    ValueToValueMapTy values;
    copy_ = CloneFunction(&thread, values);
    copy_->setName(name);
    copy_->setLinkage(thread.getLinkage());
    for (CallInst* check : operationsIn(*copy_, Op::CheckAccess))
      if (isOfDevice(*check))
        accesses_.push_back(accessOf(*check));
  }

  ProvenCopy run() {
    SmallVector<Type*, 16> types(copy_->getFunctionType()->params());
    IRBuilder<> builder(copy_->getContext());
    BlocksEntry entry = startBlocks(builder, *copy_->getParent(), types, symbol_);
    DenseMap<Value*, Value*> arguments;
    for (auto [index, argument] : enumerate(copy_->args()))
      arguments[&argument] = entry.parameters[index];
    RankLines lines(builder, std::move(arguments), entry.size);
    for (Access& access : accesses_)
      if (!access.is_called && access.bases.size() == 1 && (access.line = lines.of(access.check->getArgOperand(0))))
        access.uses |= BSGP_USE_LINE;
    Value* reaches = emitReaches(builder, lines);
    Value* exact = builder.CreateAnd(dropArithmetic(builder, lines), dropParameters(builder));
    noteAlways();
    dropLines();
    SmallVector<BasicBlock*, 32> blocks(make_pointer_range(*copy_));
    dropKnown(blocks);
    classifySets();
    mark();
    ProvenCopy made{copy_, rangeFunction(*entry.function, ".watched"), rangeFunction(*entry.function, ".proven")};
    emitLoop(builder, *entry.function, reaches, exact, made);
    return made;
  }

private:
  // ---- before the threads

  StructType* reachType(IRBuilder<>& builder) {
    Type* word = builder.getInt64Ty();
    return StructType::get(builder.getContext(), {builder.getPtrTy(), word, word, word});
  }

  // Calls `function` for each access and each of its bases, with the row in the table.
  template <class Function> void forRows(const Function& function) const {
    for (const Access& access : accesses_) {
      if (access.bases.empty())
        function(access, nullptr);
      for (Argument* base : access.bases)
        function(access, base);
    }
  }

  Value* emitReaches(IRBuilder<>& builder, RankLines& lines) {
    uint64_t rows = 0;
    forRows([&](const Access&, Argument*) { ++rows; });
    auto* type = ArrayType::get(reachType(builder), rows);
    BasicBlock& begin = builder.GetInsertBlock()->getParent()->getEntryBlock();
    Value* array = new AllocaInst(type, 0, "reaches", begin.begin());
    Value *zero = builder.getInt64(0), *none = ConstantPointerNull::get(builder.getPtrTy());
    uint64_t row = 0;
    forRows([&](const Access& access, Argument* parameter) {
      Value* base = parameter ? builder.CreateAddrSpaceCast(lines.uniform(parameter), builder.getPtrTy()) : none;
      Value* fields[] = {base, access.line ? access.line->first : zero, access.line ? access.line->last : zero,
                         access.line ? builder.CreateZExt(access.line->exact, builder.getInt64Ty()) : zero};
      for (unsigned field = 0; field < 4; ++field)
        builder.CreateStore(fields[field], builder.CreateInBoundsGEP(
                                               type, array, {zero, builder.getInt64(row), builder.getInt32(field)}));
      ++row;
    });
    return array;
  }

  // Drops the checks of sums that are lines, or the same for all threads.
  Value* dropArithmetic(IRBuilder<>& builder, RankLines& lines) {
    Value* exact = builder.getTrue();
    for (CallInst* check : operationsIn(*copy_, Op::CheckValue)) {
      if (ir::constantArgument(*check, 1) != BSGP_VALUE_OVERFLOW)
        continue;
      if (Value* bad = lines.uniform(check->getArgOperand(0))) {
        exact = builder.CreateAnd(exact, builder.CreateNot(bad));
        check->eraseFromParent();
        continue;
      }
      auto* part = dyn_cast<ExtractValueInst>(check->getArgOperand(0));
      auto* both = part ? dyn_cast<WithOverflowInst>(part->getAggregateOperand()) : nullptr;
      std::optional<RankLine> line = both && both->isSigned() ? lines.ofOperation(*both) : std::nullopt;
      if (!line)
        continue;
      exact = builder.CreateAnd(exact, line->exact);
      check->eraseFromParent();
      makePlain(*both);
    }
    return exact;
  }

  // Asks whether the values that the host gives all threads were set.
  Value* dropParameters(IRBuilder<>& builder) {
    Value* are_set = builder.getTrue();
    for (CallInst* ask : operationsIn(*copy_, Op::CheckIsWritten))
      if (ir::asksOfHost(*ask)) {
        Value* launch = builder.GetInsertBlock()->getParent()->getArg(0);
        are_set = builder.CreateAnd(are_set, askedOfHost(builder, *ask, launch));
        ask->replaceAllUsesWith(ConstantInt::getTrue(ask->getType()));
        ask->eraseFromParent();
      }
    return are_set;
  }

  static void makePlain(WithOverflowInst& both) {
    auto* plain = BinaryOperator::Create(both.getBinaryOp(), both.getLHS(), both.getRHS(), "", both.getIterator());
    plain->setHasNoSignedWrap();
    for (User* user : make_early_inc_range(both.users()))
      if (auto* part = dyn_cast<ExtractValueInst>(user); part && part->getIndices()[0] == 0) {
        part->replaceAllUsesWith(plain);
        part->eraseFromParent();
      }
  }

  Function* rangeFunction(Function& like, const char* which) {
    return Function::Create(like.getFunctionType(), GlobalValue::ExternalLinkage, symbol_ + which + ".range",
                            like.getParent());
  }

  Constant* rows(IRBuilder<>& builder) {
    Module& module = *copy_->getParent();
    auto* use = StructType::get(builder.getContext(), {builder.getPtrTy(), builder.getInt64Ty()});
    std::vector<Constant*> uses;
    forRows([&](const Access& access, Argument*) {
      uses.push_back(ConstantStruct::get(use, {access.site, builder.getInt64(access.uses)}));
    });
    auto constant = [&](Constant* value, const char* name) {
      return new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, symbol_ + name);
    };
    Constant* table = constant(ConstantArray::get(ArrayType::get(use, uses.size()), uses), ".uses");
    return constant(ConstantStruct::getAnon({table, builder.getInt32(unsigned(uses.size())), builder.getInt32(flags_)}),
                    ".rows");
  }

  void emitLoop(IRBuilder<>& builder, Function& blocks, Value* reaches, Value* exact, const ProvenCopy& made) {
    LLVMContext& context = builder.getContext();
    Type* word = builder.getInt64Ty();
    BasicBlock* before = builder.GetInsertBlock();
    auto block = [&](const char* name) { return BasicBlock::Create(context, name, &blocks); };
    BasicBlock *header = block("next"), *ask = block("ask"), *proven = block("proven"), *watched = block("watched"),
               *exit = block("exit");
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    PHINode* first = builder.CreatePHI(word, 3);
    Value *launch = blocks.getArg(0), *end = blocks.getArg(2);
    builder.CreateCondBr(builder.CreateICmpSLT(first, end), ask, exit);
    builder.SetInsertPoint(ask);
    Type* pointer = builder.getPtrTy();
    FunctionCallee decide = blocks.getParent()->getOrInsertFunction("bsgp_rt_check_rows", word, pointer, word, word,
                                                                    pointer, pointer, builder.getInt32Ty());
    Value* next = builder.CreateCall(
        decide, {launch, first, end, rows(builder), reaches, builder.CreateZExt(exact, builder.getInt32Ty())});
    builder.CreateCondBr(builder.CreateICmpSGE(next, builder.getInt64(0)), proven, watched);
    first->addIncoming(blocks.getArg(1), before);
    auto way = [&](BasicBlock* at, Function* run, Value* until) {
      builder.SetInsertPoint(at);
      builder.CreateCall(run, {launch, first, until});
      builder.CreateBr(header);
      first->addIncoming(until, at);
    };
    way(proven, made.proven, next);
    builder.SetInsertPoint(watched);
    way(watched, made.watched, builder.CreateNot(next));
    builder.SetInsertPoint(exit);
    builder.CreateRetVoid();
  }

  // ---- the copy

  // An assert may end threads.
  void noteAlways() {
    if (!operationsIn(*copy_, Op::Assert).empty())
      return;
    PostDominatorTree ends(*copy_);
    for (Access& access : accesses_)
      if (any_of(access.sets, [&](CallInst* set) { return ends.dominates(set->getParent(), &copy_->getEntryBlock()); }))
        access.uses |= BSGP_USE_ALWAYS;
  }

  void dropLines() {
    for (Access& access : accesses_) {
      if (!access.asks.empty())
        access.uses |= BSGP_USE_ASKS;
      if (!access.line)
        continue;
      for (CallInst* ask : access.asks) {
        ask->replaceAllUsesWith(ConstantInt::getTrue(ask->getType()));
        ask->eraseFromParent();
      }
      access.asks.clear();
      access.check->replaceAllUsesWith(access.check->getArgOperand(0));
      access.check->eraseFromParent();
      access.check = nullptr;
    }
  }

  void classifySets() {
    for (Access& access : accesses_) {
      for (CallInst* set : access.sets)
        access.uses |= isTrue(set->getArgOperand(1)) ? BSGP_USE_SETS : BSGP_USE_UNSETS;
      if (!access.line)
        continue;
      if (access.uses & BSGP_USE_UNSETS) {
        access.uses &= ~uint64_t(BSGP_USE_SETS | BSGP_USE_ALWAYS);
        continue;
      }
      for (CallInst* set : access.sets)
        set->eraseFromParent();
      access.sets.clear();
    }
  }

  void mark() {
    MDNode* mark = MDNode::get(copy_->getContext(), {});
    SmallPtrSet<CallInst*, 32> known;
    for (Access& access : accesses_) {
      if (access.bases.empty())
        continue;
      if (access.check && !access.is_called)
        access.check->setMetadata(kProvenCheck, mark);
      for (auto* calls : {&access.asks, &access.sets})
        for (CallInst* call : *calls) {
          known.insert(call);
          if (access.bytes <= ir::kMostBytes)
            call->setMetadata(kProvenCheck, mark);
        }
    }
    for (CallInst* ask : operationsIn(*copy_, Op::CheckIsWritten))
      if (isOfDevice(*ask) && !known.contains(ask))
        flags_ |= BSGP_ROWS_ASK_LATER;
    for (CallInst* set : operationsIn(*copy_, Op::CheckSetWritten))
      if (isOfDevice(*set) && !known.contains(set) && !isTrue(set->getArgOperand(1)))
        flags_ |= BSGP_ROWS_UNSET;
  }

  const std::string symbol_;
  Function* copy_;
  std::vector<Access> accesses_;
  uint32_t flags_ = 0;
};

} // namespace

// It also drops checks of whether something was written.
void dropKnown(ArrayRef<BasicBlock*> blocks) {
  if (blocks.empty())
    return;
  SimplifyQuery query(blocks.front()->getModule()->getDataLayout());
  auto simplify = [&](Instruction& instruction) {
    if (!instruction.getType()->isIntegerTy(1) || instruction.use_empty())
      return false;
    Value* simple = simplifyInstruction(&instruction, query);
    if (!simple || simple == &instruction)
      return false;
    instruction.replaceAllUsesWith(simple);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : *block)
        changed |= simplify(instruction);
  }
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : make_early_inc_range(*block))
      if (ir::opOf(instruction) == Op::CheckValue)
        if (auto* bad = dyn_cast<ConstantInt>(instruction.getOperand(0)); bad && bad->isZero())
          instruction.eraseFromParent();
}

static void addWrittenCalls(Value& address, WrittenCalls& found) {
  for (User* user : address.users())
    if (isa<GetElementPtrInst>(user))
      addWrittenCalls(*user, found);
    else if (auto* call = dyn_cast<CallInst>(user); call && call->getArgOperand(0) == &address) {
      if (ir::opOf(*call) == Op::CheckIsWritten)
        found.asks.push_back(call);
      else if (ir::opOf(*call) == Op::CheckSetWritten)
        found.sets.push_back(call);
    }
}

WrittenCalls writtenCallsOf(CallInst& check) {
  WrittenCalls found;
  addWrittenCalls(check, found);
  return found;
}

SmallVector<Argument*, 4> parametersOf(Value& base) {
  SmallVector<Argument*, 4> found;
  SmallVector<Value*, 8> open{&base};
  SmallPtrSet<Value*, 8> seen;
  while (!open.empty()) {
    Value* value = open.pop_back_val()->stripPointerCasts();
    if (!seen.insert(value).second)
      continue;
    if (auto* parameter = dyn_cast<Argument>(value))
      found.push_back(parameter);
    else if (auto* phi = dyn_cast<PHINode>(value))
      append_range(open, phi->incoming_values());
    else if (auto* choice = dyn_cast<SelectInst>(value))
      open.append({choice->getTrueValue(), choice->getFalseValue()});
    else
      return {};
    if (found.size() > kMostBases || seen.size() > kMostChoices)
      return {};
  }
  return found;
}

CheckedAccesses kindOfAccesses(Function& thread) {
  unsigned count = 0, known = 0;
  for (CallInst* check : operationsIn(thread, Op::CheckAccess))
    if (isOfDevice(*check)) {
      ++count;
      known += !parametersOf(*check->getArgOperand(1)).empty();
    }
  if (count == 0)
    return CheckedAccesses::None;
  return known != 0 && count <= kMostAccesses ? CheckedAccesses::Showable : CheckedAccesses::Unshowable;
}

bool mayTellOthers(Function& thread) {
  return any_of(instructions(thread), [](const Instruction& instruction) {
    Op op = ir::opOf(instruction);
    return op == Op::CheckFence || op == Op::CheckWarpSync ||
           (op == Op::CheckAccess && isAlwaysCalled(factsOf(*cast<CallInst>(instruction).getArgOperand(2))));
  });
}

ProvenCopy splitProven(Function& thread, const std::string& symbol, const std::string& copy) {
  return Splitter(thread, symbol, copy).run();
}

} // namespace bsgp::target
