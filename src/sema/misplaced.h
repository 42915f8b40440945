// Barriers, and what contains them, in control flow: which is an error either way, and is told when the whole spawn (or
// collective) is known, for what to do depends on whether the condition is the same for all threads.
#pragma once

#include <string>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Notes something collective in control flow, for decideFlow. `what` names it, `instead` holds ways out for this call.
void placeCollective(Body& body, const char* what, SourceRange range, std::vector<std::string> instead = {},
                     std::string help = {});

// Reports collectives in control flow whose condition differs between threads.
void reportMisplaced(Body& body, const Function* function, const Stmt* code, const std::vector<Misplaced>& all);

// The text of the program at this place.
std::string sourceText(const Body& body, SourceRange range);

// What to write instead of a collective call in control flow, as the library says in __instead.
std::vector<std::string> insteadOf(Body& body, const Function& function, const std::vector<Argument>& arguments);

// True for a library function of numbers that uses nothing of threads, by its text.
bool isMath(Sema& sema, const ast::Function& function);

// The declaration that an instance was made of. Null: it was made otherwise.
const ast::Function* declarationOf(const Sema& sema, const Function& function);

} // namespace bsgp::sema
