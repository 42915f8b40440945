// The rank loop.
//
// Requires: a thread function as bsp leaves it.
// Ensures: an internal function with the thread's body in a counted loop; only the loop may use the thread's name now.
//
//   define void @k(args) {            define internal void @k.ranks(launch, iN begin, iN end, args) {
//     ...                             entry:  br (begin < end), loop, exit
//     ret void                        loop:   rank = phi [begin, entry], [next, latch]
//   }                           =>            ...  ; ret -> br latch
//                                     latch:  next = rank + 1 nuw nsw;  br (next == end), exit, loop
//                                     exit:   ret void }
//
// A function of its own, not code inside `.blocks`: the arguments stay arguments, so `noalias` holds for the whole loop
// (the metadata that inlining makes of it would end with one iteration).
#include "target/cpu/ranks/rank_loop.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

FunctionType* loopType(Function& thread, IntegerType* rank_type) {
  SmallVector<Type*, 16> types{PointerType::get(thread.getContext(), 0), rank_type, rank_type};
  append_range(types, thread.getFunctionType()->params());
  return FunctionType::get(Type::getVoidTy(thread.getContext()), types, false);
}

// Ranks and sizes are never negative.
void addNotNegative(Argument& argument) {
  unsigned bits = argument.getType()->getIntegerBitWidth();
  AttrBuilder attributes(argument.getContext());
  attributes.addRangeAttr(ConstantRange(APInt::getZero(bits), APInt::getSignedMinValue(bits)));
  argument.addAttrs(attributes);
}

// A physical stream is reached through one parameter and nothing else: no pointer of the program's leads there.
void describeArguments(RankLoop& loop, Function& thread, const plan::Kernel& kernel) {
  addNotNegative(*loop.begin());
  addNotNegative(*loop.end());
  for (auto [index, parameter] : enumerate(kernel.params)) {
    Argument* argument = loop.function->getArg(RankLoop::kFirstArgument + index);
    argument->setName(thread.getArg(index)->getName());
    bool is_size = parameter.kind == plan::Param::Size || parameter.kind == plan::Param::OldSize;
    if (parameter.kind == plan::Param::Stream)
      argument->addAttr(Attribute::NoAlias);
    else if (is_size)
      addNotNegative(*argument);
  }
}

} // namespace

uint64_t blockSizeOf(const Function& function) {
  uint64_t size = 1;
  function.getFnAttribute(kBlockSizeAttribute).getValueAsString().getAsInteger(10, size);
  return size;
}

RankLoop startLoop(Function& thread, const plan::Kernel& kernel, IntegerType* rank_type) {
  BSGP_CHECK(thread.arg_size() == kernel.params.size(), "%s has %zu arguments and %zu parameters",
             kernel.symbol.c_str(), thread.arg_size(), kernel.params.size());
  LLVMContext& context = thread.getContext();
  RankLoop loop;
  loop.function = Function::Create(loopType(thread, rank_type), GlobalValue::InternalLinkage,
                                   thread.getName() + ".ranks", *thread.getParent());
  loop.function->setDoesNotThrow();
  loop.launch()->setName("launch");
  loop.begin()->setName("begin");
  loop.end()->setName("end");
  describeArguments(loop, thread, kernel);
  loop.entry = loop.before = BasicBlock::Create(context, "entry", loop.function);
  loop.latch = BasicBlock::Create(context, "thread.end", loop.function);
  loop.exit = BasicBlock::Create(context, "exit", loop.function);
  ReturnInst::Create(context, loop.exit);
  return loop;
}

void moveBody(Function& thread, RankLoop& loop) {
  loop.body = &thread.getEntryBlock();
  loop.body->setName("thread");
  for (auto [index, argument] : enumerate(thread.args()))
    argument.replaceAllUsesWith(loop.function->getArg(RankLoop::kFirstArgument + index));
  for (Instruction& instruction : make_early_inc_range(*loop.body))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction))
      alloca->moveBefore(*loop.entry, loop.entry->begin());
  for (BasicBlock& block : thread)
    if (auto* end = dyn_cast<ReturnInst>(block.getTerminator()))
      ReplaceInstWithInst(end, BranchInst::Create(loop.latch));
  loop.function->splice(loop.latch->getIterator(), &thread);
}

RankLoop buildRankLoop(Function& thread, const plan::Kernel& kernel, IntegerType* rank_type) {
  RankLoop loop = startLoop(thread, kernel, rank_type);
  auto* header = BasicBlock::Create(thread.getContext(), "loop", loop.function, loop.latch);
  moveBody(thread, loop);

  IRBuilder<> builder(loop.entry);
  builder.CreateCondBr(builder.CreateICmpSLT(loop.begin(), loop.end()), header, loop.exit);
  builder.SetInsertPoint(header);
  PHINode* rank = builder.CreatePHI(rank_type, 2, "rank");
  builder.CreateBr(loop.body);
  builder.SetInsertPoint(loop.latch);
  Value* next = builder.CreateAdd(rank, ConstantInt::get(rank_type, 1), "rank.next", true, true);
  builder.CreateCondBr(builder.CreateICmpEQ(next, loop.end()), loop.exit, header);
  rank->addIncoming(loop.begin(), loop.entry);
  rank->addIncoming(next, loop.latch);
  loop.rank = rank;
  return loop;
}

} // namespace bsgp::target
