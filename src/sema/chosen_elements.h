// thread.get(r, v[k]) and thread.put(r, v[k], x) with a k that is known when the program runs (chosen_elements.cpp).
#pragma once

#include "sema/program.h"

namespace bsgp::sema {

struct Body;

// Another thread's place with such indices.
struct ChosenElement {
  Expr* rank;
  Expr* place;
  bool by_place; // Expr::by_place
  SourceRange range;
};

bool isChosenElement(const Expr* place); // is it one of few enough parts of a variable of the thread?
Expr* getChosen(Body& body, ChosenElement element);
Stmt* putChosen(Body& body, ChosenElement element, Expr* value);

} // namespace bsgp::sema
