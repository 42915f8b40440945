// Loops and switches.
#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

// for, while and do; the condition stands in a block of its own:
//
//   init; jump test (do: body)
//   test: condition ? body : end      body: ...; jump step      step: ...; jump test      end:
void Emitter::loop(const Stmt* s) {
  openScope();
  stmt(s->init);
  llvm::BasicBlock *test = newBlock("test"), *body = newBlock("body"), *step = newBlock("step"), *end = newBlock("end");
  ++loops_, ++branches_;
  targets_.push_back({end, step, scopes_.size()});
  jump(s->test_last ? body : test);
  llvm::BasicBlock* header = s->test_last ? body : test;
  llvm::SmallPtrSet<llvm::BasicBlock*, 2> before(llvm::pred_begin(header), llvm::pred_end(header));
  auto condition = [&] {
    enter(test);
    if (!live())
      return;
    if (s->expr)
      branch(s->expr, body, end);
    else
      jump(body);
  };
  if (!s->test_last)
    condition();
  bool entered = !body->use_empty();
  enter(body);
  if (entered) {
    openScope();
    stmt(s->body);
    closeScope();
    jump(step);
    enter(step);
    if (live() && s->step)
      value(s->step);
    jump(test);
    if (s->test_last)
      condition();
    if (s->unroll)
      unroll(*header, before, s->unroll);
  } else {
    delete step;
  }
  targets_.pop_back();
  --loops_, --branches_;
  enter(end);
  closeScope();
}

// Marks every jump back to the header.
void Emitter::unroll(llvm::BasicBlock& header, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& before, uint32_t times) {
  auto word = [&](const char* text) { return llvm::MDString::get(m.context, text); };
  llvm::MDNode* wish = times == kUnrollAll
                           ? llvm::MDNode::get(m.context, word("llvm.loop.unroll.enable"))
                           : llvm::MDNode::get(m.context, {word("llvm.loop.unroll.count"),
                                                           llvm::ConstantAsMetadata::get(b.getInt32(times))});
  llvm::MDNode* loop = llvm::MDNode::getDistinct(m.context, {nullptr, wish});
  loop->replaceOperandWith(0, loop);
  for (llvm::BasicBlock* latch : llvm::predecessors(&header))
    if (!before.contains(latch))
      latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

// Falls through from case to case as in C. A declaration among the cases may be jumped over, so the arrays declared
// there get no lifetimes.
void Emitter::switchStmt(const Stmt* s) {
  openScope();
  llvm::Value* chosen = scalar(s->expr);
  std::optional<PositionScope> at;
  if (isChecked())
    at.emplace(*this, s->expr->range);
  llvm::BasicBlock *end = newBlock("end"), *otherwise = nullptr;
  std::vector<llvm::BasicBlock*> starts(s->stmts.size() + 1);
  auto startOf = [&](uint32_t first) {
    if (!starts[first])
      starts[first] = newBlock("case");
    return starts[first];
  };
  llvm::SwitchInst* instruction = b.CreateSwitch(chosen, end, static_cast<unsigned>(s->cases.size()));
  scopes_.back().jumped_into = instruction;
  at.reset();
  b.ClearInsertionPoint();
  for (const SwitchCase& c : s->cases)
    if (c.is_default)
      otherwise = startOf(c.first);
    else
      instruction->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(chosen->getType(), c.value, true)),
                           startOf(c.first));
  if (otherwise)
    instruction->setDefaultDest(otherwise);
  ++branches_;
  targets_.push_back({end, nullptr, scopes_.size()});
  for (uint32_t i = 0; i <= s->stmts.size(); ++i) {
    if (starts[i]) {
      jump(starts[i]);
      enter(starts[i]);
    }
    if (i < s->stmts.size())
      stmt(s->stmts[i]);
  }
  jump(end);
  targets_.pop_back();
  --branches_;
  enter(end);
  closeScope();
}

} // namespace bsgp::irgen
