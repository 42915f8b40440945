// The C and C++ header of a program's exported functions.
#pragma once

#include <string>

#include "sema/program.h"

namespace bsgp::compile {

// For a program that passed checkExports. `name` is the header's file name; its guard comes from it.
//
// Scalars and pointers go by value, structs and vectors by const pointer, reference parameters by pointer, the result
// into the place that the last parameter points to. What is a name to BSGP and a keyword or common macro to C or C++
// gets an underscore at its end (functions keep their symbol). A type has a guard of its own, made of its name and
// fields: headers of several programs can be included together, and share the structs they have in common.
std::string headerText(const Program& program, const SourceManager& sources, const std::string& name);

} // namespace bsgp::compile
