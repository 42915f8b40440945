// Checks the rules of a flat program that irgen relies on. A violation is a bug of ours, never of the user's program.
#pragma once

#include <string>

#include "expand/flat.h"

namespace bsgp::expand {

// The first rule that the program breaks, with the spawn, superstep and item that does; empty: none.
// - a spawn has a size of its rank type, which has 32 or 64 bits, a block and a width that there are, and a superstep;
// - requires are numbered in order, each stands once, before the statements of its superstep;
// - no statement or expression has two places;
// - names in device code are declared before, or are host variables of the function in a version whose require stands
//   there already; it changes no host variable;
// - break, continue and return have something to leave;
// - edges lead to supersteps, on or back to the head of a loop, and to each but the first; if there are several, a
//   test decides, of host code, with one value for each but the last; `meets` is set if several arrive, which is never
//   where ranks are reassigned;
// - thread.put names variables of threads; thread.get those that its superstep has a snapshot of, which are declared
//   earlier; each snapshot is read;
// - the old rank is set once in a superstep that reassigns ranks, for all threads, and nowhere else; the first
//   superstep does not;
// - a scope of temporaries is freed once, when it has a require and none is to come.
std::string verify(const FlatProgram& flat);

// Ends the process on a violation.
void check(const FlatProgram& flat);

} // namespace bsgp::expand
