// Views, T[,] and T[,,]: structs of a pointer and of extents, the slowest first. How they are made, and their elements.
#pragma once

#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// True if an expression may be computed again: it has no effect and costs little.
bool isRepeatable(const Expr* e);

// Makes the parts of a place repeatable. Appends what is to be computed before to `first`.
void keepParts(Body& body, Expr* place, std::vector<Expr*>& first);

// Makes the value of `last`, with `first` computed before it.
Expr* behind(Body& body, const std::vector<Expr*>& first, Expr* last);

// Makes the pointer of a view, or gives a pointer as it is.
Expr* dataOf(Body& body, Expr* value);

// Reports that `what` takes no view, with the way out. Gives an error expression.
Expr* viewAsPointer(Body& body, const Expr* view, const char* what);

// Makes the number of elements of a view.
Expr* viewCount(Body& body, Expr* view, SourceRange range);

// Calls a function of the library with checked values.
Expr* callOfLibrary(Body& body, std::string_view name, const std::vector<Expr*>& values, SourceRange range);

// Checks a[y, x].
Expr* severalIndices(Body& body, const ast::Expr* e);

// Makes the element of a view at these places, slowest first.
Expr* elementOfView(Body& body, Expr* view, std::vector<Expr*> places, SourceRange range);

// Checks view(p, h, w).
Expr* viewOf(Body& body, const ast::Expr* e);

// Checks copy(to, from) of views.
Expr* copyOfView(Body& body, const ast::Expr* e);

// Keeps a value in a variable without a name. Gives the assignment.
Expr* keptLocal(Body& body, std::string_view name, Expr* value);

// Makes a view of memory that was allocated with several extents.
Expr* allocationOfView(Body& body, const ast::Expr* e, Expr* memory);

} // namespace bsgp::sema
