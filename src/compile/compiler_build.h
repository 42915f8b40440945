// Which build of this compiler is running.
#pragma once

#include <string>

namespace bsgp::compile {

// Differs from that of every other build: the build ids that the linker gave to the compiler and to LLVM. "" if one of them has none.
std::string compilerBuild();

// The path of the file that holds the compiler: of bsgpc, or of libbsgp.
std::string compilerFile();

} // namespace bsgp::compile
