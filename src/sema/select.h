// Overload resolution: what a call needs of each function of its name, and what is given for the arguments it leaves out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

// Checks the types of an operator's parameters.
void checkOperands(Sema& sema, const ast::Function& node);

// Checks the default values of parameters.
void checkDefaults(Sema& sema, const ast::Function& node);

// True if an argument is passed by reference because it is const and large.
bool refersToConst(Sema& sema, const ast::Function& node, const ast::Param& param, const Expr* argument, Side side);

// True if an argument is passed by reference: the function may write it, or must not copy it.
bool passedByReference(Sema& sema, const ast::Function& node, const ast::Param& param, const Expr* argument, Side side);

// The cost of giving this argument for a parameter of the function. kNo: the parameter does not take it.
int argumentCost(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument,
                 Body& caller);

// True if some function of the name takes these arguments.
bool takes(Sema& sema, std::string_view name, const std::vector<Argument>& arguments, Body& caller);

// Reports that no function has this name, with the nearest one.
void reportUnknownFunction(Sema& sema, std::string_view name, SourceRange range, Body& caller);

// The names of a struct's functions, for messages.
std::string methodsOf(const Sema& sema, const Type* structure);

// Resolves a call: the best of all functions of the name. `used`: its value is used. Reports where there is none, or none is best.
Selected select(Sema& sema, std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller,
                bool used, Scope scope);

} // namespace bsgp::sema
