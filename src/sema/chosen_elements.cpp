// thread.get(r, v[k]) and thread.put(r, v[k], x) with a k that is known when the program runs. A thread reaches parts of
// another's variables that are fixed, so this is one get or put for each element, of which k chooses.
#include "sema/chosen_elements.h"

#include <algorithm>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/statements.h"
#include "sema/stmt_parallel.h"
#include "sema/views.h"

namespace bsgp::sema {

namespace {

constexpr uint64_t kMostElements = 64; // each is kept at the barrier

// The indices in a place that are no constants, the outermost first.
std::vector<Expr*> openIndices(Expr* place) {
  std::vector<Expr*> open;
  ConstValue value;
  for (Expr* at = place; at->kind != Expr::Var; at = at->a)
    if (at->kind == Expr::Index && !constantValue(at->b, value))
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

struct ChosenElements {
  ChosenElements(Body& body, ChosenElement element)
      : body_(body), sema_(body.sema), element_(element), open_(openIndices(element.place)) {
    keepOnce(element_.rank);
    for (Expr* at : open_)
      keepOnce(at->b);
  }

  Expr* get() {
    auto one = [&] {
      Expr* get = sema_.nodes.make(Expr::Get, element_.place->type, element_.range);
      get->a = sema_.nodes.copyOf(element_.rank), get->b = sema_.nodes.copyOf(element_.place),
      get->by_place = element_.by_place;
      return get;
    };
    auto choice = [&](const Expr* index, int64_t i, Expr* then, Expr* otherwise) {
      return sema_.nodes.choice(isElement(index, i), then, otherwise, element_.range);
    };
    return behind(body_, first_, eachChoice(open_, one, choice));
  }

  Stmt* put(Expr* value) {
    keepOnce(value);
    auto one = [&] {
      Stmt* put = sema_.nodes.make(Stmt::Put, element_.range);
      put->expr = sema_.nodes.copyOf(element_.rank), put->target = sema_.nodes.copyOf(element_.place);
      put->value = sema_.nodes.copyOf(value), put->by_place = element_.by_place;
      return put;
    };
    auto choice = [&](const Expr* index, int64_t i, Stmt* then, Stmt* otherwise) {
      Stmt* made = sema_.nodes.make(Stmt::If, element_.range);
      made->expr = isElement(index, i), made->body = then, made->otherwise = otherwise;
      return made;
    };
    std::vector<Stmt*> made;
    for (Expr* each : first_)
      made.push_back(wrap(body_, each));
    made.push_back(eachChoice(open_, one, choice));
    return behind(body_, made, nullptr);
  }

private:
  // All copies of the value are the same then.
  void keepOnce(Expr*& value) {
    if (value->kind == Expr::Constant || value->kind == Expr::ThreadRank)
      return;
    first_.push_back(keptLocal(body_, "place", value));
    value = useVariable(body_, first_.back()->a->variable, value->range);
  }

  Expr* isElement(const Expr* index, int64_t wanted) {
    Expr* number_of = number(body_, wanted, index->type, index->range);
    return binaryOn(body_, ast::BinaryOp::Eq, sema_.nodes.copyOf(index), number_of, index->range);
  }

  Body& body_;
  Sema& sema_;
  ChosenElement element_;
  std::vector<Expr*> open_, first_; // first_: computed before
};

bool isChosenElement(const Expr* place) {
  uint64_t elements = 1;
  const Expr* at = place;
  for (; at->kind != Expr::Var; at = at->a) {
    bool part = at->kind == Expr::Field || (at->kind == Expr::Swizzle && at->lane_count == 1) ||
                (at->kind == Expr::Index && !at->a->type->isPointer() && at->a->type->count > 0);
    if (!part)
      return false;
    if (ConstValue value; at->kind == Expr::Index && !constantValue(at->b, value))
      elements *= std::min(at->a->type->count, kMostElements + 1);
    if (elements > kMostElements)
      return false;
  }
  return at->variable->side == Side::Device && at->variable->kind == Variable::Local && !place->type->isArray();
}

Expr* getChosen(Body& body, ChosenElement element) {
  return ChosenElements(body, element).get();
}

Stmt* putChosen(Body& body, ChosenElement element, Expr* value) {
  return ChosenElements(body, element).put(value);
}

} // namespace bsgp::sema
