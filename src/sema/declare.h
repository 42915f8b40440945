// Declarations outside of functions: structs, enums, globals, and the signature of main.
#pragma once

#include <span>
#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

// Declares what the program and the library have outside of functions, and checks all functions.
void checkProgram(Sema& sema, const ast::Program& tree);

// True if main may return this type.
bool isMainResult(const Sema& sema, const Type* type);

// True if the signature of main fits.
bool checkMain(Sema& sema, const ast::Function& node);

// Declares the fields of a struct.
void declareStruct(Sema& sema, const ast::Struct& node);

// The fields of a struct, as written.
std::vector<StructField> fieldsOf(Sema& sema, const Type* type, std::span<const ast::Declarator> list);

// Checks the initializer of a variable outside of functions. `type` becomes its type where none is written.
Expr* globalInitializer(Sema& sema, const ast::Expr* init, const Type*& type);

} // namespace bsgp::sema
