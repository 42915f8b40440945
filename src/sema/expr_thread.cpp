#include "sema/expr_thread.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/chosen_elements.h"
#include "sema/constant.h"
#include "sema/expr_calls.h"
#include "sema/expressions.h"
#include "sema/grid.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/nearest_form.h"
#include "sema/stmt_parallel.h"
#include "sema/suggest.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

constexpr std::string_view kValues[] = {"rank", "size", "x", "y", "z", "width", "height", "depth"};

bool isValueOfThread(std::string_view name) {
  return std::ranges::find(kValues, name) != std::end(kValues);
}

} // namespace

static Expr* get(Body& body, const ast::Expr* e);

Expr* threadMember(Body& body, const ast::Expr* e) {
  bool known = e->name == "rank" || e->name == "size" || e->name == "oldrank" || e->name == "get" || e->name == "put";
  if (Expr* of_grid = gridMember(body, e))
    return of_grid;
  if (!known && hasFunction(body.sema, fmt::format("thread.{}", e->name)))
    return fail(body, Diag::thread_call_form, e->range, e->name, formOfMember(body.sema, "thread", e->name));
  if (!known)
    return fail(body, Diag::unknown_thread_member, e->range, e->name,
                memberSuggestion(body.sema, ast::Family::Thread, e->name));
  if (e->name == "oldrank")
    return fail(body, Diag::oldrank_read, e->range, e->name);
  if (e->name == "get" || e->name == "put")
    return fail(body, Diag::thread_call_form, e->range, e->name,
                e->name == "get" ? "write thread.get(rank, x)" : "write thread.put(rank, x, value);");
  if (!body.mode.rank_type)
    return fail(body, Diag::thread_outside_spawn, e->range, e->name);
  if (e->name == "size")
    return body.sema.nodes.make(Expr::ThreadSize, body.mode.rank_type, e->range);
  if (!onDevice(body))
    return fail(body, Diag::rank_on_host, e->range, e->name);
  return body.sema.nodes.make(Expr::ThreadRank, body.mode.rank_type, e->range);
}

Expr* threadCall(Body& body, const ast::Expr* e) {
  std::string_view name = e->a->name;
  if (name == "get")
    return get(body, e);
  if (name == "put")
    return fail(body, Diag::put_in_expression, e->range);
  std::string full = fmt::format("thread.{}", name);
  if (!hasFunction(body.sema, full) && isValueOfThread(name))
    return fail(body, Diag::thread_member_called, e->a->range, name);
  if (!hasFunction(body.sema, full))
    return fail(body, Diag::unknown_thread_member, e->a->range, name,
                memberSuggestion(body.sema, ast::Family::Thread, name));
  return callWith(body, body.sema.arena.copy(full), arguments(body, e->args), e->range, isUsed(body, e));
}

// A variable of the thread, or a part of one that is fixed at compile time.
bool perThreadPlace(const Expr* e) {
  for (;;) {
    ConstValue value;
    if (e->kind == Expr::Var)
      return e->variable->side == Side::Device && e->variable->kind == Variable::Local;
    if (e->kind == Expr::Index && (e->a->type->isPointer() || !constantValue(e->b, value)))
      return false;
    if (e->kind == Expr::Swizzle && e->lane_count != 1)
      return false;
    if (e->kind != Expr::Field && e->kind != Expr::Swizzle && e->kind != Expr::Index)
      return false;
    e = e->a;
  }
}

namespace {

// The help for thread.get and thread.put of a place that is no variable of a thread.
std::string otherWay(bool puts, const Expr& place, std::string_view rank, const SourceManager& sources) {
  if (!isLvalue(&place))
    return puts ? "the place is a variable of the thread: thread.put(rank, x, value)" : kIntoVariable;
  const Expr* at = &place;
  while (at->kind == Expr::Field || at->kind == Expr::Swizzle || (at->kind == Expr::Index && !at->a->type->isPointer()))
    at = at->a;
  if (at->kind == Expr::Var && at->variable->kind == Variable::Shared)
    return "the threads of a block reach it by themselves, behind block.sync()";
  if (at->kind == Expr::Var && at->variable->side == Side::Host)
    return "it is the host's, and one for all threads";
  if (at->kind != Expr::Index && at->kind != Expr::Deref)
    return "";
  std::string element = at == &place && at->kind == Expr::Index && !rank.empty()
                            ? fmt::format(", as {}[{}]", sources.text(at->a->range), rank)
                            : "";
  return puts ? fmt::format("every thread reaches this memory: assign to it{}, and let the other thread read it behind "
                            "a barrier",
                            element)
              : fmt::format("every thread reaches this memory: read it behind a barrier{}", element);
}

} // namespace

// thread.get(x, rank), thread.put(x, rank, value): with the rank in front. Empty: the arguments stand in their order.
static std::string withRankFirst(const ast::Expr& call, const Expr& place, const SourceManager& sources) {
  size_t values = call.a->name == "get" ? 0 : 1;
  const ast::Expr* first = call.args[0];
  bool is_place = first->kind == ast::Expr::Name || first->kind == ast::Expr::Member || first->kind == ast::Expr::Index;
  if (call.args.size() != 2 + values || !is_place || isLvalue(&place) || !place.type->isInt())
    return "";
  std::string help = fmt::format("the rank stands first: thread.{}({}, {}", call.a->name,
                                 sources.text(call.args[1]->range), sources.text(first->range));
  return values ? fmt::format("{}, {})", help, sources.text(call.args[2]->range)) : help + ")";
}

// Why `place` is none that `call` (thread.get or thread.put) can reach.
void failPlace(Body& body, const ast::Expr& call, const Expr* place) {
  std::string name = calledName(call.a);
  size_t behind = name == "thread.put" ? 2 : 1; // what stands from the place on
  SourceRange rank = call.args.size() == behind + 1 ? call.args[0]->range : SourceRange{};
  const Expr* open = nullptr; // an index that is no constant
  const Expr* at = place;
  auto is_part = [](const Expr* e) {
    return e->kind == Expr::Field || (e->kind == Expr::Swizzle && e->lane_count == 1) ||
           (e->kind == Expr::Index && !e->a->type->isPointer());
  };
  for (; is_part(at); at = at->a)
    if (ConstValue value; at->kind == Expr::Index && !open && !constantValue(at->b, value))
      open = at->b;
  std::string swapped = withRankFirst(call, *place, body.sema.diag.sources());
  if (open && perThreadPlace(at))
    body.sema.diag.report(Diag::get_index, open->range, name);
  else
    body.sema.diag.report(Diag::get_needs_variable, place->range, name,
                          swapped.empty()
                              ? otherWay(name == "thread.put", *place, sourceText(body, rank), body.sema.diag.sources())
                              : swapped);
}

static Expr* get(Body& body, const ast::Expr* e) {
  size_t ranks = ranksIn(body, e, 1);
  if (e->args.size() != ranks + 1)
    return fail(body, Diag::argument_count, e->range, "thread.get", ranks + 1, e->args.size());
  if (!onDevice(body) || !body.mode.rank_type)
    return fail(body, Diag::thread_outside_spawn, e->range, "get");
  Expr *rank = rankAt(body, e, ranks), *place = expr(body, e->args[ranks]);
  if (!rank || place->type->isError())
    return error(body, e->range);
  bool fixed = perThreadPlace(place) && !place->type->isArray();
  if (!fixed && !isChosenElement(place)) {
    failPlace(body, *e, place);
    return error(body, e->range);
  }
  sawExchange(body);
  if (!fixed)
    return getChosen(body, {rank, place, ranks > 1, e->range});
  Expr* r = body.sema.nodes.make(Expr::Get, place->type, e->range);
  r->a = rank, r->b = place, r->by_place = ranks > 1;
  return r;
}

} // namespace bsgp::sema
