// Barriers, and calls that contain them, in control flow. They are judged when the whole spawn (or collective) has been read: whether
// that is an error, and what to do about it, depends on whether the condition is the same for all threads.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Notes collective code in control flow, for decideFlow. `what` names it, `instead` holds help for this call.
void placeCollective(Body& body, const char* what, SourceRange range, std::vector<std::string> instead = {},
                     std::string help = {});

// Reports what threads come to together inside a wavefront. False: it stands in none.
bool refuseInWavefront(Body& body, std::string_view what, SourceRange range);

// Reports collectives in control flow whose condition differs between threads.
void reportMisplaced(Body& body, const Function* function, const Stmt* code, const std::vector<Misplaced>& all);

bool isWithin(SourceRange inner, SourceRange outer);

// True if collective code within `range` was noted.
bool isPlacedWithin(const Body& body, SourceRange range);

// The collective call as all threads make it, with {0} for the condition around it; empty: the library says no such form.
std::string formForAll(const Misplaced& call);

// The help for a collective call within `range` that stands in a ?:, && or || of it; empty: there is none.
std::string wayOutOfExpression(const Body& body, SourceRange range);

// A name for a new variable that the function's text does not have up to here.
std::string_view nameFor(const Body& body, SourcePos here,
                         std::initializer_list<std::string_view> names = {"x", "value", "known"});

// The text of the program at this place.
std::string sourceText(const Body& body, SourceRange range);

// Gives what to write instead of a collective call in control flow, as the library says in __instead.
std::vector<std::string> insteadOf(Body& body, const Function& function, const std::vector<Argument>& arguments,
                                   SourceRange range);

} // namespace bsgp::sema
