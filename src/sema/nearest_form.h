// How a function is called, for calls that no function of the name takes, or that take another one than was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

// A function with its parameters as they are written: sort(p, long n).
std::string formOf(const Sema& sema, const ast::Function& node);

// Returns the form of a call of block.f or warp.f, which stands without its arguments.
std::string formOfMember(const Sema& sema, std::string_view family, std::string_view name);

// Gives the call that was meant where one argument is too many, stands in another's place or is of another kind: a list with a count, an
// end in place of a count, an order in front. Empty: it is none of these.
std::string meantCall(Sema& sema, Overloads set, const std::vector<Argument>& arguments, Body& caller);

// Gives min(a, min(b, c)) for min(a, b, c); empty: it is no such call.
std::string nestedCall(const Sema& sema, Overloads set, const std::vector<Argument>& arguments);

// The call with its operator in front, as "the operator stands first: scan(+, i)". Empty: it is there, or there is none.
std::string operatorFirst(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments);

// The function of a set that would take the arguments after one change of the call. Null: none would.
const ast::Function* nearestForm(Sema& sema, Overloads set, const std::vector<Argument>& arguments, Body& caller);

// Gives what to write where host code calls a function that threads call together: the form of that name for arrays and a length.
std::string formOfArrays(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments);

// True if a function of this name is one that threads call together.
bool threadsCall(Sema& sema, std::string_view name);

// Gives what to write where device code calls a function of host code: the form of that name that threads call together.
std::string formOfThreads(Sema& sema, std::string_view name);

// Gives the form of a call of the library in which `inside` was reported, if its arguments stand in another order.
// Empty if they do not.
std::string helpForOrder(Sema& sema, const Diagnostic& inside, std::string_view name,
                         const std::vector<Argument>& arguments, Body* caller);

// The place of the parameter that `inside` reports to be each thread's where host code of the library uses it; `arguments`: it reports
// no such thing.
size_t parameterOfHost(const Sema& sema, const Diagnostic& inside, std::string_view name, size_t arguments);

} // namespace bsgp::sema
