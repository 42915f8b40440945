// Locals of device code that the host can have after all, found when a spawn or a collective has been checked. host_locals
// decides by the text, where a condition counts that is a constant in this instance, and a local that a collective returns
// counts as each thread's if it is assigned again. Here the arms that are not taken are gone, and every value is known.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sema/program.h"

namespace bsgp::sema {

struct HostQuestion {
  std::unordered_set<const Stmt*> flow; // ifs, loops and switches that the host is to run
  std::vector<const Expr*> needed;      // values that it needs for them
  bool results = false;                 // and those that the function returns
};

struct FoundLocal {
  Variable* variable;
  std::vector<Stmt*> assigned; // its declaration, statements, loops in whose steps it is assigned
};

// They become the host's: their sides are changed, and their assignments are the caller's to change.
std::vector<FoundLocal> takeHostLocals(Stmt* body, const HostQuestion& question);

} // namespace bsgp::sema
