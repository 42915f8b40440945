#include "sema/block_flow.h"

#include "sema/block_flow_walk.h"

namespace bsgp::sema {

const Difference* BlockFlow::keep(const Difference& difference) {
  return &differences_.emplace_back(difference);
}

const BlockSummary& BlockFlow::summary(const Function& function) {
  auto [known, fresh] = summaries_.try_emplace(&function);
  if (fresh) // the entry stands already: a cycle, which is an error anyway, ends there
    summaries_[&function] = BlockFlowWalk(*this, &function).run(function.body, false);
  return summaries_[&function];
}

void BlockFlow::check(const Function& function) {
  summaries_[&function] = BlockFlowWalk(*this, &function).run(function.body, true);
}

void BlockFlow::checkSpawn(const Stmt& body) {
  BlockFlowWalk(*this, nullptr).run(&body, true);
}

std::vector<Uniformity> BlockFlow::ask(const Function* function, const Stmt& body,
                                       const std::vector<FlowQuestion>& questions) {
  BlockFlowWalk walk(*this, function);
  walk.run(&body, false);
  std::vector<Uniformity> answers;
  for (const FlowQuestion& question : questions)
    answers.push_back(walk.answer(question));
  return answers;
}

void BlockFlow::warnOfUniformWavefronts(const Stmt& body, Diagnostics& warnings) {
  if (!has_wavefronts_)
    return;
  for (const Stmt* loop : BlockFlowWalk(*this, nullptr).run(&body, false).uniform_wavefronts)
    if (!diag_.sources().ofLibrary(loop->range) && reported_wavefronts_.insert(loop->range.begin).second)
      warnings.report(Diag::wavefront_gains_nothing, ast::wavefrontWord(loop->range));
}

// ---- the walk
BlockFlowWalk::BlockFlowWalk(BlockFlow& flow, const Function* function) : flow_(flow), function_(function) {
  if (!function)
    return;
  for (size_t i = 0; i < function->params.size(); ++i) {
    const Variable* param = function->params[i];
    variables_[param].params = i < 64 ? uint64_t(1) << i : 0;
    variables_[param].of_block = true;
    if (i >= 64)
      variables_[param].difference = flow.keep({.root = Difference::TooManyParameters, .where = param->range});
  }
}

BlockSummary BlockFlowWalk::run(const Stmt* body, bool report) {
  do {
    changed_ = false;
    pass(body);
  } while (changed_);
  reporting_ = report;
  if (report)
    pass(body);
  std::erase_if(wavefronts_, [&](const Stmt* loop) { return loops_[loop].when != Uniformity{}; });
  summary_.uniform_wavefronts = std::move(wavefronts_);
  if (function_)
    for (const Variable* param : function_->params)
      summary_.assigned.push_back(variables_[param]);
  return summary_;
}

Uniformity BlockFlowWalk::answer(const FlowQuestion& question) {
  return question.loop ? loops_[question.loop].when : value(question.condition);
}

void BlockFlowWalk::pass(const Stmt* body) {
  generation_ = 0;
  conditions_.clear(), jumps_.clear(), targets_.clear(), wavefronts_.clear();
  statement(body);
}

void BlockFlowWalk::statements(std::span<Stmt* const> list) {
  for (const Stmt* s : list)
    statement(s);
}

void BlockFlowWalk::statement(const Stmt* s) {
  if (!s)
    return;
  switch (s->kind) {
  case Stmt::Expr:
  case Stmt::OldRank:
    value(s->expr);
    return;
  case Stmt::Decl:
    numbering_of_definition_[s->variable] = generation_;
    if (s->expr)
      assign(s->variable, value(s->expr), s->range);
    return;
  case Stmt::Block:
  case Stmt::Sequence:
  case Stmt::Par:
  case Stmt::Inlined:
    return statements(s->stmts);
  case Stmt::If: {
    conditions_.push_back({value(s->expr), Construct::If});
    statement(s->body);
    statement(s->otherwise);
    conditions_.pop_back();
    return;
  }
  case Stmt::Loop:
    return loop(*s);
  case Stmt::Switch:
    return switchStmt(*s);
  case Stmt::Break:
  case Stmt::Continue:
    return jump(*s);
  case Stmt::Return:
    return returnStmt(*s);
  case Stmt::Barrier:
    if (s->reassigned)
      renumber();
    return;
  case Stmt::Put: {
    value(s->expr);
    value(s->value);
    assignPlace(s->target, differs(Difference::Collective, s->range, "thread.put"), s->range);
    return;
  }
  case Stmt::Require:
  case Stmt::HostAssign:
  case Stmt::Spawn:
    return;
  }
}

// From here on, values that were the same in each block of threads need not be.
void BlockFlowWalk::renumber() {
  ++generation_;
  summary_.renumbers = true;
}

// ---- dependences of control flow
void BlockFlowWalk::join(Uniformity& to, const Uniformity& from) {
  if (!to.difference)
    to.difference = from.difference;
  to.params |= from.params;
  to.of_block |= from.of_block;
}

Uniformity BlockFlowWalk::control(size_t first_condition, size_t first_jump) const {
  Uniformity all;
  for (size_t i = first_condition; i < conditions_.size(); ++i)
    join(all, conditions_[i].when);
  for (size_t i = first_jump; i < jumps_.size(); ++i)
    join(all, jumps_[i].when);
  return all;
}

void BlockFlowWalk::leaveLoop(const Stmt* loop, const Uniformity& when, Construct jump) {
  Condition& known = loops_[loop];
  Uniformity before = known.when;
  if (!known.when.difference && when.difference)
    known.construct = jump;
  join(known.when, when);
  changed_ |= !(known.when == before);
}

void BlockFlowWalk::loop(const Stmt& s) {
  statement(s.init);
  if (s.is_wavefront && control() == Uniformity{})
    wavefronts_.push_back(&s);
  targets_.push_back({&s, conditions_.size() + 1, jumps_.size()});
  conditions_.push_back(loops_[&s]); // whether it goes on
  auto test = [&] {
    if (s.expr)
      leaveLoop(&s, value(s.expr), constructOf(s));
  };
  if (!s.test_last)
    test();
  statement(s.body);
  dropJumps(Construct::Continue);
  if (s.step)
    value(s.step);
  if (s.test_last)
    test();
  conditions_.pop_back();
  targets_.pop_back();
}

void BlockFlowWalk::switchStmt(const Stmt& s) {
  Uniformity chosen = value(s.expr);
  targets_.push_back({nullptr, conditions_.size() + 1, jumps_.size()});
  conditions_.push_back({chosen, Construct::Switch});
  statements(s.stmts);
  dropJumps(Construct::Break);
  conditions_.pop_back();
  targets_.pop_back();
}

// Threads that jumped to the end of the loop's body, or of the switch, are there now.
void BlockFlowWalk::dropJumps(Construct construct) {
  auto first = jumps_.begin() + static_cast<ptrdiff_t>(targets_.back().first_jump);
  jumps_.erase(std::remove_if(first, jumps_.end(), [&](const Condition& jump) { return jump.construct == construct; }),
               jumps_.end());
}

void BlockFlowWalk::addJump(Uniformity when, Construct jump, SourceRange range) {
  if (when.difference)
    when.difference = flow_.keep(when.difference->reached(Difference::JumpUnder, wordOf(jump), range));
  jumps_.push_back({when, jump});
}

// A break leaves a loop, which then is not the same for all threads as a whole; in a switch, and a continue, it passes
// over what follows.
void BlockFlowWalk::jump(const Stmt& s) {
  bool is_break = s.kind == Stmt::Break;
  auto target = targets_.rbegin();
  while (target != targets_.rend() && !is_break && !target->loop)
    ++target;
  if (target == targets_.rend())
    return;
  Uniformity when = control(target->first_condition, target->first_jump);
  if (when == Uniformity{})
    return;
  addJump(when, constructOf(s), s.range);
  if (is_break && target->loop) {
    leaveLoop(target->loop, jumps_.back().when, Construct::Break);
    jumps_.pop_back();
  }
}

void BlockFlowWalk::returnStmt(const Stmt& s) {
  Uniformity when = control(), result = s.expr ? value(s.expr) : Uniformity{};
  join(summary_.result, result);
  join(summary_.result, when);
  if (when == Uniformity{})
    return;
  for (const Target& target : targets_)
    if (target.loop) {
      addJump(control(target.first_condition, target.first_jump), Construct::Return, s.range);
      Uniformity leaves = jumps_.back().when;
      jumps_.pop_back();
      leaveLoop(target.loop, leaves, Construct::Return);
    }
  addJump(when, Construct::Return, s.range);
}

// ---- where the block comes together
// `warps_alone`: only the threads of each warp. The library is trusted to know that they come together.
void BlockFlowWalk::synchronize(SourceRange range, const std::string& what, bool warps_alone) {
  if (warps_alone && flow_.diag_.sources().ofLibrary(range))
    return;
  if (flow_.reported_syncs_.count(range.begin))
    return;
  summary_.needs |= control().params;
  if (!reporting_)
    return;
  for (std::vector<Condition>* list : {&conditions_, &jumps_})
    for (Condition& condition : *list)
      if (condition.when.difference) {
        if (!std::exchange(condition.reported, true)) // one message for each
          report(condition, list == &jumps_, range, what);
        return;
      }
}

void BlockFlowWalk::report(const Condition& condition, bool jump, SourceRange range, const std::string& what) {
  Construct construct = condition.construct;
  if (jump) {
    flow_.diag_.report(Diag::sync_after_leaving, range, what, wordOf(construct));
  } else if (construct == Construct::Break || construct == Construct::Return) {
    flow_.diag_.report(Diag::sync_in_divergent_loop, range, what);
  } else {
    flow_.diag_.report(Diag::sync_divergent, range, what, wordOf(construct),
                       isOfExpression(construct) ? "compute it before, in a statement of its own"
                                                 : "move it out, so that all threads of the block reach it");
  }
  flow_.diag_.report(Diag::note_why, condition.when.difference->where, textOf(*condition.when.difference));
}

} // namespace bsgp::sema
