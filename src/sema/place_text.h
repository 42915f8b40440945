// Places by their text, before anything is checked: which indices choose an element of a variable itself, and not of memory that a
// pointer or a list leads to?
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// A type as it is written, or one that is known. Neither: the text does not tell.
struct TextType {
  const ast::TypeExpr* written = nullptr;
  const Type* type = nullptr;
  bool isKnown() const { return written || type; }
};

// The type of a place in a variable of type `root`: of s.v[1] and of s itself. Not known where it lies behind a pointer or in a list.
TextType typeOfPlace(const Sema& sema, const ast::Expr& place, const TextType& root);

// The name at which a place of members and indices begins. Null: it begins with something else.
const ast::Expr* rootOfPlace(const ast::Expr& place);

} // namespace bsgp::sema
