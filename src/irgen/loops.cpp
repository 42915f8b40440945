// Loops and switches.
#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

#include "ir/loop_marks.h"
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
  bool is_wavefront = s->is_wavefront && runsThreads();
  unsigned wavefronts_before = wavefronts_;
  ++loops_, ++branches_;
  wavefronts_ += is_wavefront, wavefronts_around_ += is_wavefront;
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
    if (s->unroll || wavefronts_around_ || wavefronts_ > wavefronts_before)
      mark(*header, before, *s, is_wavefront);
  } else {
    delete step;
  }
  wavefronts_around_ -= is_wavefront;
  targets_.pop_back();
  --loops_, --branches_;
  enter(end);
  closeScope();
}

// Marks every jump back to the header.
void Emitter::mark(llvm::BasicBlock& header, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& before, const Stmt& s,
                   bool is_wavefront) {
  auto word = [&](const char* text) { return llvm::MDString::get(m.context, text); };
  llvm::SmallVector<llvm::Metadata*, 2> properties;
  if (is_wavefront)
    properties.push_back(ir::wavefrontMark(m.context, ast::wavefrontWord(s.range)));
  if (s.unroll == kUnrollAll)
    properties.push_back(llvm::MDNode::get(m.context, word("llvm.loop.unroll.enable")));
  else if (s.unroll)
    properties.push_back(llvm::MDNode::get(
        m.context, {word("llvm.loop.unroll.count"), llvm::ConstantAsMetadata::get(b.getInt32(s.unroll))}));
  llvm::SmallVector<llvm::BasicBlock*, 2> latches;
  for (llvm::BasicBlock* latch : llvm::predecessors(&header))
    if (!before.contains(latch))
      latches.push_back(latch);
  ir::markLatches(latches, properties);
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
