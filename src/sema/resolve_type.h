// Types as written to types.
#pragma once

#include <string_view>

#include "sema/services.h"

namespace bsgp::sema {

// The type of a keyword, as int. Null: it names none.
const Type* builtinType(const Sema& sema, std::string_view name);

// The space that a pointer type names; else `open_space`, or a new open one.
SpaceCell* spaceAsWritten(Sema& sema, const ast::TypeExpr& pointer, SpaceCell* open_space);

// True if the type is written with const.
bool isConst(const Sema& sema, const ast::TypeExpr* type);

// The type of a parameter. Null: it is open.
const Type* parameterType(Sema& sema, const ast::Param& param, SpaceCell* open_space = nullptr);

// The type that is written. `body` gives typeof and array sizes their names and may be null. Pointers without a space get `open_space`.
const Type* resolve(Sema& sema, const ast::TypeExpr* type, Body* body, SpaceCell* open_space = nullptr);

// As resolve, without asking for the fields of a struct.
const Type* resolveWritten(Sema& sema, const ast::TypeExpr* type, Body* body, SpaceCell* open_space);

} // namespace bsgp::sema
