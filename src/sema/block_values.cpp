// Finds the expressions that have one value for all threads of a block.
#include "sema/block_flow_walk.h"
#include "sema/sema.h"

namespace bsgp::sema {

Uniformity BlockFlowWalk::value(const Expr* e) {
  if (!e)
    return {};
  switch (e->kind) {
  case Expr::Var:
    return variable(e);
  case Expr::ThreadRank:
  case Expr::BlockRank:
    return differs(Difference::RankInThread, e->range, nameOfMember(e->kind));
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
    return differs(Difference::WarpMember, e->range, nameOfMember(e->kind));
  case Expr::BlockId:
  case Expr::BlockSize:
    return {nullptr, 0, true};
  case Expr::Deref:
    return memory(e);
  case Expr::Index:
    return e->a->type->isPointer() ? memory(e) : parts(e);
  case Expr::AddrOf:
  case Expr::Decay:
    if (const Variable* root = rootVariable(e->a); root && root->kind == Variable::Local)
      assign(root, differs(Difference::AddressTaken, e->range, root->name), e->range);
    return parts(e);
  case Expr::LogicalAnd:
  case Expr::LogicalOr:
  case Expr::Conditional:
    return guarded(e);
  case Expr::Comma:
    value(e->a);
    return value(e->b);
  case Expr::Assign: {
    Uniformity given = value(e->b);
    assignPlace(e->a, given, e->range);
    return given;
  }
  case Expr::CompoundAssign:
  case Expr::IncDec: {
    Uniformity given = parts(e);
    assignPlace(e->a, given, e->range);
    return given;
  }
  case Expr::Get: {
    Uniformity from = value(e->a);
    from.of_block = true;
    return from;
  }
  case Expr::Call:
    return call(e);
  case Expr::BuiltinCall:
    return builtin(e);
  default:
    return parts(e);
  }
}

Uniformity BlockFlowWalk::parts(const Expr* e) {
  Uniformity all;
  for (const Expr* part : {e->a, e->b, e->c})
    join(all, value(part));
  for (const Expr* arg : e->args)
    if (arg != e->a)
      join(all, value(arg));
  return all;
}

Uniformity BlockFlowWalk::differs(Difference::Root root, SourceRange where, std::string_view name) {
  return {flow_.keep({.root = root, .name = name, .where = where}), 0, true};
}

Uniformity BlockFlowWalk::variable(const Expr* e) {
  const Variable* v = e->variable;
  if (v->kind == Variable::Shared)
    return {nullptr, 0, true};
  if (v->side == Side::Host || v->kind != Variable::Local)
    return {};
  Uniformity known = variables_[v];
  if (!known.difference && known.of_block && numbering_of_definition_[v] != generation_)
    return differs(Difference::Renumbered, e->range, v->name);
  return known;
}

// Memory is the thread's own, or all threads share it: then threads that read one place read one value.
Uniformity BlockFlowWalk::memory(const Expr* e) {
  Uniformity place = parts(e);
  place.of_block = true;
  if (!place.difference && e->a->type->space->root()->space == Space::Private)
    return differs(Difference::PrivateMemory, e->range);
  return place;
}

// && || ?: - not all threads evaluate the right side.
Uniformity BlockFlowWalk::guarded(const Expr* e) {
  Uniformity all = value(e->a);
  conditions_.push_back({all, e->kind == Expr::LogicalAnd  ? Construct::And
                              : e->kind == Expr::LogicalOr ? Construct::Or
                                                           : Construct::Choice});
  join(all, value(e->b));
  join(all, value(e->c));
  conditions_.pop_back();
  return all;
}

// ---- calls
std::string meetingIn(const Function& callee) {
  if (callee.family == ast::Family::Warp && callee.syncs_warp)
    return fmt::format("{}()", callee.name);
  return fmt::format("a call of '{}', which {}", callee.name,
                     callee.syncs_warp ? "lets the threads of a warp meet," : "calls block.sync,");
}

Uniformity BlockFlowWalk::call(const Expr* e) {
  const Function& callee = *e->function;
  std::vector<Uniformity> arguments;
  for (const Expr* arg : e->args)
    arguments.push_back(value(arg));
  if (!callee.body)
    return {};
  const BlockSummary& summary = flow_.summary(callee);
  if (!summary.uniform_wavefronts.empty() && control() == Uniformity{})
    wavefronts_.insert(wavefronts_.end(), summary.uniform_wavefronts.begin(), summary.uniform_wavefronts.end());
  checkNeeds(summary, arguments, e);
  if (callee.syncs_block || callee.syncs_warp)
    synchronize(e->range, meetingIn(callee), !callee.syncs_block);
  for (size_t i = 0; i < e->args.size() && i < callee.params.size(); ++i)
    if (callee.params[i]->by_reference)
      assignPlace(e->args[i], atCall(summary.assigned[i], arguments, e), e->range);
  if (summary.renumbers)
    renumber();
  if (!callee.collective)
    return atCall(summary.result, arguments, e);
  if (callee.host_result)
    return {};
  return differs(Difference::Collective, e->range, callee.name);
}

// Translates a property of the callee into the caller's terms.
Uniformity BlockFlowWalk::atCall(const Uniformity& inside, const std::vector<Uniformity>& arguments, const Expr* e) {
  if (inside.difference)
    return {flow_.keep(inside.difference->reached(Difference::Returned, e->function->name, e->range)), 0, true};
  Uniformity all{nullptr, 0, inside.of_block && !inside.params};
  for (size_t i = 0; i < arguments.size() && i < 64; ++i)
    if (inside.params >> i & 1)
      join(all, arguments[i]);
  return all;
}

void BlockFlowWalk::checkNeeds(const BlockSummary& summary, const std::vector<Uniformity>& arguments, const Expr* e) {
  for (size_t i = 0; i < arguments.size() && i < 64; ++i) {
    if (!(summary.needs >> i & 1))
      continue;
    summary_.needs |= arguments[i].params;
    const Difference* difference = arguments[i].difference;
    if (!difference || !reporting_)
      continue;
    flow_.diag_.report(Diag::sync_argument, e->args[i]->range, e->function->name, e->function->params[i]->name);
    flow_.diag_.report(Diag::note_why, difference->where, textOf(*difference));
  }
}

Uniformity BlockFlowWalk::builtin(const Expr* e) {
  Uniformity all = parts(e);
  switch (e->builtin) {
  case Builtin::BlockSync:
    synchronize(e->range, "block.sync()");
    return {};
  case Builtin::WarpSync:
    synchronize(e->range, "warp.sync()", true);
    return {};
  case Builtin::WarpShuffle:
  case Builtin::WarpBallot:
    synchronize(e->range, "a warp's exchange", true);
    return differs(Difference::WarpExchange, e->range);
  case Builtin::TileRank:
  case Builtin::TileSize:
  case Builtin::TileId:
    return {nullptr, 0, true};
  case Builtin::Asm:
    for (const Expr* output : e->args.first(e->index))
      assignPlace(output, differs(Difference::Asm, e->range), e->range);
    return {};
  case Builtin::AppendTake:
    return differs(Difference::Append, e->range);
  case Builtin::AtomicLoad:
    return differs(Difference::AtomicLoad, e->range);
  default:
    if (e->builtin >= Builtin::AtomicAdd && e->builtin <= Builtin::AtomicCas)
      return differs(Difference::Atomic, e->range);
    return all;
  }
}

// ---- assignments
void BlockFlowWalk::assign(const Variable* v, Uniformity value, SourceRange range) {
  Uniformity when = control(), &known = variables_[v], before = known;
  auto explain = [&](const Difference*& difference, Difference::Step step) {
    if (difference && !known.difference)
      difference = flow_.keep(difference->reached(step, v->name, range));
  };
  explain(value.difference, Difference::Assigned);
  explain(when.difference, Difference::AssignedUnder);
  join(known, value);
  join(known, when);
  changed_ |= !(known == before);
}

void BlockFlowWalk::assignPlace(const Expr* place, Uniformity value, SourceRange range) {
  const Variable* root = rootVariable(place);
  if (!root || root->side == Side::Host || root->kind != Variable::Local)
    return;
  for (const Expr* at = place; at && at->kind != Expr::Var; at = at->a)
    if (at->kind == Expr::Index)
      join(value, this->value(at->b));
  assign(root, value, range);
}

} // namespace bsgp::sema
