// spawn, barrier, require, par, thread.oldrank, thread.put: and where they may stand.
#include <algorithm>

#include "sema/checker.h"
#include "sema/chosen_elements.h"
#include "sema/warnings.h"

namespace bsgp::sema {

void Body::sawCollective() {
  if (fn_.side == Side::Device)
    fn_.collective = fn_.synchronizes = true;
}

// thread.get and thread.put, and calls of functions that have no more than these.
void Body::sawExchange() {
  if (fn_.side == Side::Device)
    fn_.collective = true;
}

namespace {

bool isLong(const Expr* extent) {
  const Type* type = extent->type;
  return !type->isError() && (type->bits > 32 || (type->bits == 32 && !type->is_signed));
}

bool isOne(const Expr* extent) {
  ConstValue known;
  return !extent->type->isError() && Sema::constantValue(extent, known) && known.integer == 1;
}

} // namespace

Expr* Body::extent(const ast::Expr* written) {
  Expr* made = rvalue(written);
  bool bad = !made->type->isError() && !made->type->isInt();
  return bad ? fail(Diag::bad_spawn_size, written->range, typeName(made->type)) : made;
}

// No scope. `last` may be null.
Stmt* Body::behind(std::vector<Stmt*>& before, Stmt* last) {
  if (before.empty())
    return last;
  if (last)
    before.push_back(last);
  Stmt* made = sema_.make(Stmt::Sequence, before.front()->range);
  made->stmts = sema_.keep(before);
  return made;
}

Stmt* Body::spawn(const ast::Stmt* s) {
  if (onDevice() || in_require_) {
    sema_.diag.report(onDevice() ? Diag::spawn_on_device : Diag::spawn_in_require, s->range);
    return nullptr;
  }
  unsigned mistakes = sema_.diag.mistakes();
  std::vector<Expr*> extents{extent(s->expr)};
  for (const ast::Expr* further : s->extents)
    extents.push_back(extent(further));
  auto constant = [&](const ast::Expr* given, uint32_t otherwise, Diag bad, auto isAllowed) {
    Expr* e = given ? rvalue(given) : nullptr;
    if (!e || e->type->isError())
      return otherwise;
    if (ConstValue value; Sema::constantValue(e, value) && e->type->isInt() && isAllowed(value.integer))
      return static_cast<uint32_t>(value.integer);
    sema_.diag.report(bad, given->range);
    return otherwise;
  };
  uint32_t block_size =
      constant(s->count, kDefaultBlock, Diag::bad_block_size, [](auto n) { return n >= 1 && n <= kLargestBlock; });
  uint32_t width = constant(s->step, 0, Diag::bad_spawn_width,
                            [](auto n) { return n >= 1 && n <= kMostLanes && (n & (n - 1)) == 0; });
  const Type* rank = std::any_of(extents.begin(), extents.end(), isLong) ? types_.i64 : types_.i32;
  std::vector<Stmt*> before;
  Grid* grid = extents.size() > 1 ? startGrid(extents, rank, before) : nullptr;
  Expr* size = grid ? threadsOf(*grid, s->range, before) : cast(extents[0], rank);
  auto enclosing = std::move(enclosing_);
  enclosing_.clear();
  unsigned loops = loops_, switches = switches_;
  loops_ = switches_ = 0;
  side_ = Side::Device, in_spawn_ = true, rank_type_ = rank, grid_ = grid, block_ = block_size;
  alone_ = std::ranges::all_of(extents, isOne);
  returns_.clear(), returned_alone_ = false;
  fn_.has_spawn = true;
  saw_block_sync_ = false;
  pushScope();
  std::vector<Stmt*> places;
  if (grid)
    placeThreads(*grid, s->expr->range, places);
  Stmt* code = s->body->kind == ast::Stmt::Block ? this->block(s->body, "the spawn") : alone(s->body);
  popScope("the spawn");
  decideFlow(nullptr, code);
  code = behind(places, code);
  side_ = Side::Host, in_spawn_ = alone_ = false, rank_type_ = nullptr, grid_ = nullptr, block_ = 0;
  returns_.clear(), returned_alone_ = false;
  loops_ = loops, switches_ = switches;
  enclosing_ = std::move(enclosing);
  if (saw_block_sync_ && code)
    sema_.block_flow.checkSpawn(*code);
  Stmt* made = sema_.make(Stmt::Spawn, s->range);
  made->expr = size, made->body = code, made->block = block_size, made->width = width;
  if (code && !size->type->isError() && sema_.diag.mistakes() == mistakes && scope_ == Scope::Program)
    warnOfRaces(*made, sema_.warnings);
  return size->type->isError() ? nullptr : behind(before, made);
}

Stmt* Body::barrier(const ast::Stmt* s) {
  if (!onDevice() || !rank_type_) {
    sema_.diag.report(in_require_ ? Diag::barrier_in_require : Diag::collective_on_host, s->range, "barrier",
                      kIntoSpawn);
    return nullptr;
  }
  sawCollective();
  placeCollective("a barrier", s->range);
  Stmt* made = sema_.make(Stmt::Barrier, s->range);
  made->reassigned = s->reassigned;
  return made;
}

Stmt* Body::require(const ast::Stmt* s) {
  if (!onDevice() || !rank_type_) {
    sema_.diag.report(Diag::collective_on_host, s->range, "require",
                      "leave the word away: host code runs once by itself; or put it inside 'spawn (n) { ... }'");
    return nullptr;
  }
  sawCollective();
  // A require runs before its superstep, whatever stands before it: only the flow around matters, not returns.
  std::vector<SourceRange> returned = std::exchange(returns_, {});
  placeCollective("a require", s->range);
  returns_ = std::move(returned);
  side_ = Side::Host, in_require_ = true;
  unsigned loops = std::exchange(loops_, 0), switches = std::exchange(switches_, 0);
  auto enclosing = std::move(enclosing_);
  enclosing_.clear();
  std::vector<Stmt*> list;
  if (s->body->kind == ast::Stmt::Block)
    stmts(s->body->stmts, list); // the braces are no scope
  else
    stmts(std::span(const_cast<ast::Stmt**>(&s->body), 1), list);
  enclosing_ = std::move(enclosing);
  side_ = Side::Device, in_require_ = false;
  loops_ = loops, switches_ = switches;
  Stmt* made = sema_.make(Stmt::Require, s->range);
  made->body = sema_.make(Stmt::Sequence, s->range);
  made->body->stmts = sema_.keep(list);
  return made;
}

Stmt* Body::par(const ast::Stmt* s) {
  if (!onDevice() || !rank_type_) {
    sema_.diag.report(Diag::par_on_host, s->range);
    std::vector<Stmt*> list;
    stmts(s->body->stmts, list); // for the names that they declare
    Stmt* made = sema_.make(Stmt::Sequence, s->range);
    made->stmts = sema_.keep(list);
    return made;
  }
  sawCollective();
  placeCollective("a par", s->range);
  bool outer = std::exchange(in_par_, true);
  unsigned loops = std::exchange(loops_, 0), switches = std::exchange(switches_, 0);
  std::vector<Stmt*> arms;
  auto arm = [&](const ast::Stmt* written) {
    if (isWrittenOut(written)) // each round is one
      for (Stmt* round : rounds(written))
        arms.push_back(round);
    else if (Stmt* one = stmt(written))
      arms.push_back(one);
  };
  if (s->body->kind == ast::Stmt::Block)
    std::for_each(s->body->stmts.begin(), s->body->stmts.end(), arm);
  else
    arm(s->body);
  in_par_ = outer, loops_ = loops, switches_ = switches;
  Stmt* made = sema_.make(Stmt::Par, s->range);
  made->stmts = sema_.keep(arms);
  return made;
}

Stmt* Body::hostAssign(Expr* assign) {
  sawCollective();
  Stmt* made = sema_.make(Stmt::HostAssign, assign->range);
  made->expr = assign;
  return made;
}

Stmt* Body::oldRank(const ast::Expr* assign) {
  if (!onDevice() || !rank_type_) {
    sema_.diag.report(Diag::thread_outside_spawn, assign->range, "oldrank");
    return nullptr;
  }
  Expr* value = rvalue(assign->b);
  if (value->type->isError())
    return nullptr;
  if (!value->type->isInt() || assign->has_op) {
    sema_.diag.report(Diag::bad_index, assign->b->range, typeName(value->type));
    return nullptr;
  }
  sawCollective();
  Stmt* made = sema_.make(Stmt::OldRank, assign->range);
  made->expr = cast(value, rank_type_);
  return made;
}

Stmt* Body::put(const ast::Expr* call, SourceRange range) {
  if (!onDevice() || !rank_type_) {
    sema_.diag.report(Diag::thread_outside_spawn, range, "put");
    return nullptr;
  }
  size_t ranks = ranksIn(call, 2);
  if (call->args.size() != ranks + 2) {
    sema_.diag.report(Diag::argument_count, range, "thread.put", ranks + 2, call->args.size());
    return nullptr;
  }
  Expr *rank = rankAt(call, ranks), *place = expr(call->args[ranks]), *value = decay(expr(call->args[ranks + 1]));
  if (!rank || place->type->isError() || value->type->isError())
    return nullptr;
  bool fixed = perThreadPlace(place) && !place->type->isArray();
  if (!fixed && !isChosenElement(place)) {
    failPlace("thread.put", place, ranks == 1 ? call->args[0]->range : SourceRange{});
    return nullptr;
  }
  if (!checkWritable(place, place->range) || !checkAssignable(place->type, place->range))
    return nullptr;
  sawExchange();
  value = convert(value, place->type, "this put");
  if (value->type->isError())
    return nullptr;
  if (!fixed)
    return putChosen(*this, {rank, place, ranks > 1, range}, value);
  Stmt* made = sema_.make(Stmt::Put, range);
  made->expr = rank, made->target = place, made->value = value, made->by_place = ranks > 1;
  return made;
}

} // namespace bsgp::sema
