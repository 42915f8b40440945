// thread.get(r, v[k]) and thread.put(r, v[k], x) with a k that is known when the program runs. A thread reaches parts of
// another's variables that are fixed, so this is one get or put for each element, of which k chooses.
#include <algorithm>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

constexpr uint64_t kMostElements = 64; // each is kept at the barrier

// The indices in a place that are no constants, the outermost first.
std::vector<Expr*> openIndices(Expr* place) {
  std::vector<Expr*> open;
  ConstValue value;
  for (Expr* at = place; at->kind != Expr::Var; at = at->a)
    if (at->kind == Expr::Index && !Sema::constantValue(at->b, value))
      open.push_back(at);
  return open;
}

// Calls visit for each choice of the indices from `first` on, where they are constants, and puts together what it gives.
template <class Visit, class Choose>
auto eachChoice(std::span<Expr* const> open, const Visit& visit, const Choose& choose) -> decltype(visit()) {
  if (open.empty())
    return visit();
  Expr* index = open[0]->b;
  decltype(visit()) made = nullptr;
  for (uint64_t i = open[0]->a->type->count; i-- > 0;) {
    Expr fixed = *index;
    fixed.kind = Expr::Constant, fixed.value = {static_cast<int64_t>(i), 0};
    fixed.a = fixed.b = fixed.c = nullptr, fixed.args = {}, fixed.variable = nullptr;
    open[0]->b = &fixed;
    auto one = eachChoice(open.subspan(1), visit, choose);
    made = made ? choose(index, static_cast<int64_t>(i), one, made) : one;
  }
  open[0]->b = index;
  return made;
}

} // namespace

// Is it one of few enough parts of a variable of the thread?
bool Body::isChosenElement(const Expr* place) const {
  uint64_t elements = 1;
  const Expr* at = place;
  for (; at->kind != Expr::Var; at = at->a) {
    bool part = at->kind == Expr::Field || (at->kind == Expr::Swizzle && at->lane_count == 1) ||
                (at->kind == Expr::Index && !at->a->type->isPointer() && at->a->type->count > 0);
    if (!part)
      return false;
    if (ConstValue value; at->kind == Expr::Index && !Sema::constantValue(at->b, value))
      elements *= std::min(at->a->type->count, kMostElements + 1);
    if (elements > kMostElements)
      return false;
  }
  return at->variable->side == Side::Device && at->variable->kind == Variable::Local && !place->type->isArray();
}

Expr* Body::isElement(const Expr* index, int64_t number_of) {
  return binaryOn(ast::BinaryOp::Eq, sema_.copyOf(index), number(number_of, index->type, index->range), index->range);
}

// Of which all copies are the same.
void Body::keepOnce(Expr*& value, std::vector<Expr*>& first) {
  if (value->kind == Expr::Constant || value->kind == Expr::ThreadRank)
    return;
  first.push_back(keptLocal("place", value));
  value = useVariable(first.back()->a->variable, value->range);
}

Expr* Body::getChosen(Expr* rank, Expr* place, bool by_place, SourceRange range) {
  std::vector<Expr*> open = openIndices(place), first;
  keepOnce(rank, first);
  for (Expr* at : open)
    keepOnce(at->b, first);
  Expr* chosen = eachChoice(
      open,
      [&] {
        Expr* one = sema_.make(Expr::Get, place->type, range);
        one->a = sema_.copyOf(rank), one->b = sema_.copyOf(place), one->by_place = by_place;
        return one;
      },
      [&](const Expr* index, int64_t i, Expr* then, Expr* otherwise) {
        Expr* made = sema_.make(Expr::Conditional, place->type, range);
        made->a = isElement(index, i), made->b = then, made->c = otherwise;
        return made;
      });
  return behind(first, chosen);
}

Stmt* Body::putChosen(Expr* rank, Expr* place, Expr* value, bool by_place, SourceRange range) {
  std::vector<Expr*> open = openIndices(place), first;
  keepOnce(rank, first);
  for (Expr* at : open)
    keepOnce(at->b, first);
  keepOnce(value, first);
  std::vector<Stmt*> made;
  for (Expr* each : first)
    made.push_back(wrap(each));
  made.push_back(eachChoice(
      open,
      [&] {
        Stmt* one = sema_.make(Stmt::Put, range);
        one->expr = sema_.copyOf(rank), one->target = sema_.copyOf(place), one->value = sema_.copyOf(value);
        one->by_place = by_place;
        return one;
      },
      [&](const Expr* index, int64_t i, Stmt* then, Stmt* otherwise) {
        Stmt* choice = sema_.make(Stmt::If, range);
        choice->expr = isElement(index, i), choice->body = then, choice->otherwise = otherwise;
        return choice;
      }));
  return behind(made, nullptr);
}

} // namespace bsgp::sema
