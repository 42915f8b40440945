// thread.rank, thread.size, thread.oldrank, thread.get; calls of library functions named thread.something.
#include <algorithm>

#include <fmt/format.h>

#include "sema/checker.h"
#include "sema/chosen_elements.h"

namespace bsgp::sema {

namespace {

constexpr std::string_view kValues[] = {"rank", "size", "x", "y", "z", "width", "height", "depth"};

bool isValueOfThread(std::string_view name) {
  return std::ranges::find(kValues, name) != std::end(kValues);
}

} // namespace

Expr* Body::threadMember(const ast::Expr* e) {
  bool known = e->name == "rank" || e->name == "size" || e->name == "oldrank" || e->name == "get" || e->name == "put";
  if (Expr* of_grid = gridMember(e))
    return of_grid;
  if (!known)
    return fail(Diag::unknown_thread_member, e->range, e->name, sema_.memberSuggestion(ast::Family::Thread, e->name));
  if (e->name == "get" || e->name == "put" || e->name == "oldrank")
    return fail(e->name == "oldrank" ? Diag::oldrank_read : Diag::thread_call_form, e->range, e->name);
  if (!rank_type_)
    return fail(Diag::thread_outside_spawn, e->range, e->name);
  if (e->name == "size")
    return sema_.make(Expr::ThreadSize, rank_type_, e->range);
  if (!onDevice())
    return fail(Diag::rank_on_host, e->range, e->name);
  return sema_.make(Expr::ThreadRank, rank_type_, e->range);
}

Expr* Body::threadCall(const ast::Expr* e) {
  std::string_view name = e->a->name;
  if (name == "get")
    return get(e);
  if (name == "put")
    return fail(Diag::put_in_expression, e->range);
  std::string full = fmt::format("thread.{}", name);
  if (!sema_.hasFunction(full) && isValueOfThread(name))
    return fail(Diag::thread_member_called, e->a->range, name);
  if (!sema_.hasFunction(full))
    return fail(Diag::unknown_thread_member, e->a->range, name, sema_.memberSuggestion(ast::Family::Thread, name));
  return callWith(sema_.arena.copy(full), arguments(e->args), e->range, isUsed(e));
}

// A variable of the thread, or a part of one that is fixed at compile time.
bool Body::perThreadPlace(const Expr* e) const {
  for (;;) {
    ConstValue value;
    if (e->kind == Expr::Var)
      return e->variable->side == Side::Device && e->variable->kind == Variable::Local;
    if (e->kind == Expr::Index && (e->a->type->isPointer() || !Sema::constantValue(e->b, value)))
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
    return puts ? "" : kIntoVariable;
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

// Why `place` is none that `name` (thread.get or thread.put) can reach.
void Body::failPlace(std::string_view name, const Expr* place, SourceRange rank) {
  const Expr* open = nullptr; // an index that is no constant
  const Expr* at = place;
  auto is_part = [](const Expr* e) {
    return e->kind == Expr::Field || (e->kind == Expr::Swizzle && e->lane_count == 1) ||
           (e->kind == Expr::Index && !e->a->type->isPointer());
  };
  for (; is_part(at); at = at->a)
    if (ConstValue value; at->kind == Expr::Index && !open && !Sema::constantValue(at->b, value))
      open = at->b;
  if (open && perThreadPlace(at))
    sema_.diag.report(Diag::get_index, open->range, name);
  else
    sema_.diag.report(Diag::get_needs_variable, place->range, name,
                      otherWay(name == "thread.put", *place, sourceText(rank), sema_.diag.sources()));
}

Expr* Body::get(const ast::Expr* e) {
  size_t ranks = ranksIn(e, 1);
  if (e->args.size() != ranks + 1)
    return fail(Diag::argument_count, e->range, "thread.get", ranks + 1, e->args.size());
  if (!onDevice() || !rank_type_)
    return fail(Diag::thread_outside_spawn, e->range, "get");
  Expr *rank = rankAt(e, ranks), *place = expr(e->args[ranks]);
  if (!rank || place->type->isError())
    return error(e->range);
  bool fixed = perThreadPlace(place) && !place->type->isArray();
  if (!fixed && !isChosenElement(place)) {
    failPlace("thread.get", place, ranks == 1 ? e->args[0]->range : SourceRange{});
    return error(e->range);
  }
  sawExchange();
  if (!fixed)
    return getChosen(*this, {rank, place, ranks > 1, e->range});
  Expr* r = sema_.make(Expr::Get, place->type, e->range);
  r->a = rank, r->b = place, r->by_place = ranks > 1;
  return r;
}

} // namespace bsgp::sema
