// Implicit conversions and the spaces of pointers.
#pragma once

#include "sema/body.h"

namespace bsgp::sema {

// True if two types are the same but for the spaces of their pointers.
bool sameType(const Type* a, const Type* b);

// The type in which C computes with a small integer type; other types stay as they are.
const Type* promoted(Sema& sema, const Type* type);

// The type to which C converts both operands of an operator. Null: there is none.
const Type* common(Sema& sema, const Type* a, const Type* b);

// Decides an open space. `why` and `reason` say where and for what, in messages about other uses.
void decide(Sema& sema, SpaceCell* open, Space space, SourceRange why, const char* reason);

// Makes two pointers have one space, whatever it will be.
void join(Sema& sema, SpaceCell* open, SpaceCell* with);

// Makes the spaces inside two types agree. False if they cannot; that was reported at `range`.
bool unify(Body& body, const Type* a, const Type* b, SourceRange range);

// True if the conversion gives a pointer through which something const could change.
bool dropsConst(const Expr* e, const Type* to);

// True if an implicit conversion exists.
bool convertible(const Body& body, const Expr* e, const Type* to);

// Converts as an assignment does. `what` names the place in messages ("this argument"). Gives an error expression where there is no
// conversion, which was reported.
Expr* convert(Body& body, Expr* e, const Type* to, const char* what);

// Converts between numbers or vectors that are known to fit.
Expr* cast(Body& body, Expr* e, const Type* to);

// The memory in which the elements of an array lie: for the pointer that it decays to.
SpaceCell* memoryOf(Sema& sema, const Expr* array, bool on_device);

// Makes a pointer to the first element of an array; other values stay as they are.
Expr* decay(Body& body, Expr* e);

// Converts to bool, as a condition does.
Expr* toBool(Body& body, Expr* e);

} // namespace bsgp::sema
