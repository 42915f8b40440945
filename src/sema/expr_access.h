// Indexing, members, swizzles; where memory is touched.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// Checks a dereference of `pointer` here: this side of the program must reach its space. Decides an open one.
void touchMemory(Body& body, Expr* pointer, SourceRange range,
                 const Expr* at = nullptr); // at: the index, if there is one

// A note where the field of a struct is declared; none of a generic struct.
void noteField(Body& body, const Expr& field);

// Checks a[i], and a[y, x] of views.
Expr* index(Body& body, const ast::Expr* e);

// Makes a[i] of a checked base and index.
Expr* elementAt(Body& body, Expr* base, Expr* at, SourceRange range);

// Makes the struct to which p in p->f points.
Expr* pointee(Body& body, const ast::Expr* e);

// Makes *pointer.
Expr* dereferenced(Body& body, Expr* pointer, SourceRange range);

// Checks s.f and p->f: fields, components of vectors, members of lists and views.
Expr* member(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
