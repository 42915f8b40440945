// Lambdas as arguments. Variables around a lambda that it names are parameters of it, behind those that were written:
// constants, given where it is called. A function that a lambda is given to has such parameters too, to hand them on.
#pragma once

#include <string>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// Makes a function of a lambda, with the variables around it that it names as parameters.
Callable lambda(Body& body, const ast::Expr* e);

// True if a variable is a lambda's copy of one around it.
bool isCopy(const Body& body, const Variable& variable);

// True if a call hands a collective on to the function.
bool runsCollective(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments);

// Appends the captured variables of a callable argument to the key of an instance.
void capturedKey(Sema& sema, const Callable& callable, const ast::Function& node, bool collective, Side side,
                 std::string& key);

// Adds the captured variables of a callable argument to the parameters of an instance.
void addCaptured(Sema& sema, const Callable& callable, const ast::Function& node, bool collective, Function& function);

// The callable as the instance names it: captured variables are its parameters, from the `next` one on.
Callable boundTo(Sema& sema, const Callable& callable, const Function& function, size_t& next);

// The callable with its captured variables as they are named here.
Callable again(Body& body, const Callable& callable);

// Appends the captured variables of a callable to the values of a call. Gives their number.
size_t passCaptured(Body& body, const Callable& callable, std::vector<Expr*>& values);

// Calls a lambda or a callable parameter.
Expr* callLambda(Body& body, const Callable& lambda, std::vector<Argument> arguments, SourceRange range);

} // namespace bsgp::sema
