#include "sema/stmt_parallel.h"

#include <algorithm>

#include "sema/body.h"
#include "sema/chosen_elements.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_thread.h"
#include "sema/expressions.h"
#include "sema/grid.h"
#include "sema/host_flow.h"
#include "sema/misplaced.h"
#include "sema/partition.h"
#include "sema/require_calls.h"
#include "sema/rounds.h"
#include "sema/scopes.h"
#include "sema/statements.h"
#include "sema/warn_counts.h"
#include "sema/warnings.h"

namespace bsgp::sema {

void sawCollective(Body& body) {
  if (body.function.side == Side::Device)
    body.function.collective = body.function.synchronizes = true;
}

// thread.get and thread.put, and calls of functions that have no more than these.
void sawExchange(Body& body) {
  if (body.function.side == Side::Device)
    body.function.collective = true;
}

namespace {

bool isLong(const Expr* extent) {
  const Type* type = extent->type;
  return !type->isError() && (type->bits > 32 || (type->bits == 32 && !type->is_signed));
}

bool isOne(const Expr* extent) {
  ConstValue known;
  return !extent->type->isError() && constantValue(extent, known) && known.integer == 1;
}

} // namespace

static Expr* extent(Body& body, const ast::Expr* written) {
  Expr* made = rvalue(body, written);
  bool bad = !made->type->isError() && !made->type->isInt();
  if (warns(body))
    warnOfThreadsOfBytes(written->range, body.sema.warnings);
  return bad ? fail(body, Diag::bad_spawn_size, written->range, typeName(made->type)) : made;
}

// No scope. `last` may be null.
Stmt* behind(Body& body, std::vector<Stmt*>& before, Stmt* last) {
  if (before.empty())
    return last;
  if (last)
    before.push_back(last);
  Stmt* made = body.sema.nodes.make(Stmt::Sequence, before.front()->range);
  made->stmts = body.sema.nodes.keep(before);
  return made;
}

// A constant of a spawn's head: its block or width.
static uint32_t headConstant(Body& body, const ast::Expr* given, uint32_t otherwise, Diag bad,
                             bool (*isAllowed)(int64_t)) {
  Expr* e = given ? rvalue(body, given) : nullptr;
  if (!e || e->type->isError())
    return otherwise;
  if (ConstValue value; constantValue(e, value) && e->type->isInt() && isAllowed(value.integer))
    return static_cast<uint32_t>(value.integer);
  body.sema.diag.report(bad, given->range);
  return otherwise;
}

// The statements of the threads, in the mode of a spawn.
static Stmt* threadCode(Body& body, const ast::Stmt* s, const Mode& inside, Grid* grid) {
  Restored mode(body.mode);
  Restored enclosing(body.flow.enclosing);
  body.mode = inside;
  body.flow.enclosing.clear();
  body.flow.returns.clear(), body.flow.returned_alone = false;
  body.flow.saw_block_sync = false;
  pushScope(body);
  std::vector<Stmt*> places;
  if (grid)
    placeThreads(body, *grid, s->expr->range, places);
  Stmt* code = s->body->kind == ast::Stmt::Block ? block(body, s->body, "the spawn") : alone(body, s->body);
  popScope(body, "the spawn");
  decideFlow(body, nullptr, code);
  body.flow.returns.clear(), body.flow.returned_alone = false;
  return behind(body, places, code);
}

Stmt* spawn(Body& body, const ast::Stmt* s) {
  if (onDevice(body) || body.mode.in_require) {
    body.sema.diag.report(onDevice(body) ? Diag::spawn_on_device : Diag::spawn_in_require, s->range);
    return nullptr;
  }
  unsigned mistakes = body.sema.diag.mistakes();
  std::vector<Expr*> extents{extent(body, s->expr)};
  for (const ast::Expr* further : s->extents)
    extents.push_back(extent(body, further));
  Mode inside = body.mode;
  inside.block = headConstant(body, s->count, kDefaultBlock, Diag::bad_block_size,
                              [](int64_t n) { return n >= 1 && n <= kLargestBlock; });
  uint32_t width = headConstant(body, s->step, 0, Diag::bad_spawn_width,
                                [](int64_t n) { return n >= 1 && n <= kMostLanes && (n & (n - 1)) == 0; });
  const Type* rank = std::any_of(extents.begin(), extents.end(), isLong) ? body.sema.types.i64 : body.sema.types.i32;
  std::vector<Stmt*> before;
  Grid* grid = extents.size() > 1 ? startGrid(body, extents, rank, before) : nullptr;
  Expr* size = grid ? threadsOf(body, *grid, s->range, before) : cast(body, extents[0], rank);
  inside.side = Side::Device, inside.in_spawn = true, inside.rank_type = rank, inside.grid = grid;
  inside.alone = std::ranges::all_of(extents, isOne);
  inside.loops = inside.switches = 0;
  body.function.has_spawn = true;
  Stmt* code = threadCode(body, s, inside, grid);
  if (body.flow.saw_block_sync && code)
    body.sema.block_flow.checkSpawn(*code);
  Stmt* made = body.sema.nodes.make(Stmt::Spawn, s->range);
  made->expr = size, made->body = code, made->block = inside.block, made->width = width;
  made->is_partition = s->is_partition;
  if (s->is_partition && code)
    checkPartition(*made, body.sema);
  if (code && !size->type->isError() && body.sema.diag.mistakes() == mistakes && body.scope == Scope::Program) {
    warnOfRaces(*made, body.sema.warnings);
    body.sema.block_flow.warnOfUniformWavefronts(*code, body.sema.warnings);
    if (!inside.alone)
      warnOfCountsInLoops(*made, body.sema.warnings);
  }
  return size->type->isError() ? nullptr : behind(body, before, made);
}

Stmt* barrier(Body& body, const ast::Stmt* s) {
  if (!onDevice(body) || !body.mode.rank_type) {
    body.sema.diag.report(body.mode.in_require ? Diag::barrier_in_require : Diag::collective_on_host, s->range,
                          "barrier", kIntoSpawn);
    return nullptr;
  }
  sawCollective(body);
  placeCollective(body, "a barrier", s->range);
  Stmt* made = body.sema.nodes.make(Stmt::Barrier, s->range);
  made->reassigned = s->reassigned;
  return made;
}

Stmt* require(Body& body, const ast::Stmt* s) {
  if (!onDevice(body) || !body.mode.rank_type) {
    body.sema.diag.report(Diag::collective_on_host, s->range, "require",
                          "leave the word away: host code runs once by itself; or put it inside 'spawn (n) { ... }'");
    return nullptr;
  }
  sawCollective(body);
  {
    // A require runs before its superstep, whatever stands before it: only the flow around matters, not returns.
    Restored returns(body.flow.returns);
    body.flow.returns.clear();
    placeCollective(body, "a require", s->range);
  }
  Restored mode(body.mode);
  Restored enclosing(body.flow.enclosing);
  body.mode.side = Side::Host, body.mode.in_require = true;
  body.mode.loops = body.mode.switches = 0;
  body.flow.enclosing.clear();
  std::vector<Stmt*> list;
  Diagnostics::Mark before = body.sema.diag.mark();
  if (s->body->kind == ast::Stmt::Block)
    stmts(body, s->body->stmts, list); // the braces are no scope
  else
    stmts(body, std::span(const_cast<ast::Stmt**>(&s->body), 1), list);
  sayToLeaveRequire(*s, before, body.sema);
  Stmt* made = body.sema.nodes.make(Stmt::Require, s->range);
  made->body = body.sema.nodes.make(Stmt::Sequence, s->range);
  made->body->stmts = body.sema.nodes.keep(list);
  return made;
}

Stmt* par(Body& body, const ast::Stmt* s) {
  if (!onDevice(body) || !body.mode.rank_type) {
    body.sema.diag.report(Diag::par_on_host, s->range);
    std::vector<Stmt*> list;
    stmts(body, s->body->stmts, list); // for the names that they declare
    Stmt* made = body.sema.nodes.make(Stmt::Sequence, s->range);
    made->stmts = body.sema.nodes.keep(list);
    return made;
  }
  sawCollective(body);
  placeCollective(body, "a par", s->range);
  Restored mode(body.mode);
  body.mode.in_par = true, body.mode.loops = body.mode.switches = 0;
  std::vector<Stmt*> arms;
  auto arm = [&](const ast::Stmt* written) {
    if (isWrittenOut(body, written)) // each iteration is an arm
      for (Stmt* round : rounds(body, written))
        arms.push_back(round);
    else if (Stmt* one = stmt(body, written))
      arms.push_back(one);
  };
  if (s->body->kind == ast::Stmt::Block)
    std::for_each(s->body->stmts.begin(), s->body->stmts.end(), arm);
  else
    arm(s->body);
  Stmt* made = body.sema.nodes.make(Stmt::Par, s->range);
  made->stmts = body.sema.nodes.keep(arms);
  return made;
}

Stmt* oldRank(Body& body, const ast::Expr* assign) {
  if (!onDevice(body) || !body.mode.rank_type) {
    body.sema.diag.report(Diag::thread_outside_spawn, assign->range, "oldrank");
    return nullptr;
  }
  Expr* value = rvalue(body, assign->b);
  if (value->type->isError())
    return nullptr;
  if (!value->type->isInt() || assign->has_op) {
    body.sema.diag.report(Diag::bad_index, assign->b->range, typeName(value->type));
    return nullptr;
  }
  sawCollective(body);
  Stmt* made = body.sema.nodes.make(Stmt::OldRank, assign->range);
  made->expr = cast(body, value, body.mode.rank_type);
  return made;
}

Stmt* put(Body& body, const ast::Expr* call, SourceRange range) {
  if (!onDevice(body) || !body.mode.rank_type) {
    body.sema.diag.report(Diag::thread_outside_spawn, range, "put");
    return nullptr;
  }
  size_t ranks = ranksIn(body, call, 2);
  if (call->args.size() != ranks + 2) {
    body.sema.diag.report(Diag::argument_count, range, "thread.put", ranks + 2, call->args.size());
    return nullptr;
  }
  Expr *rank = rankAt(body, call, ranks), *place = expr(body, call->args[ranks]),
       *value = decay(body, expr(body, call->args[ranks + 1]));
  if (!rank || place->type->isError() || value->type->isError())
    return nullptr;
  bool fixed = perThreadPlace(place) && !place->type->isArray();
  if (!fixed && !isChosenElement(place)) {
    failPlace(body, *call, place);
    return nullptr;
  }
  if (!checkWritable(body, place, place->range) || !checkAssignable(body, place->type, place->range))
    return nullptr;
  sawExchange(body);
  value = convert(body, value, place->type, "this put");
  if (value->type->isError())
    return nullptr;
  if (!fixed)
    return putChosen(body, {rank, place, ranks > 1, range}, value);
  Stmt* made = body.sema.nodes.make(Stmt::Put, range);
  made->expr = rank, made->target = place, made->value = value, made->by_place = ranks > 1;
  return made;
}

} // namespace bsgp::sema
