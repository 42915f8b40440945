// How arguments meet parameters.
#pragma once

#include "sema/program.h"
#include "sema/symbols.h"

namespace bsgp::sema {

// Can it be changed through a reference? Variables of the host cannot from device code.
bool bindsToReference(const Expr* value, Side side);

std::vector<Argument> argumentsOf(const std::vector<Expr*>& values);

// A pointer whose space nothing has decided yet.
bool isOpenPointer(const Argument& argument);
const Type* openPointerOf(const std::vector<Argument>& arguments); // the type of the first; null: there is none

// True if a parameter gets a value of the host, or a reference to one.
bool hostArgument(const Argument& argument, bool by_reference);

std::string methodName(const Type* structure, std::string_view name); // S.f, as the function is declared

constexpr int kNo = -1; // of costs: the parameter takes no such argument

constexpr std::string_view kReferenceParameter = "a reference parameter"; // for messages

bool isOpen(const ast::Param& param);                              // written without a type, or with `auto` in it
bool isGeneric(const ast::Function& node);                         // has such a parameter
bool isPartlyOpen(const ast::Param& param);                        // dlist(auto), auto*, P(auto)
bool sameOpenType(const ast::TypeExpr* a, const ast::TypeExpr* b); // of such parameters, as they are written
int closedDepth(const ast::TypeExpr* type);                        // how much is written around `auto`

} // namespace bsgp::sema
