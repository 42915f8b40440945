// Which build of this compiler is running.
#pragma once

#include <string>

namespace bsgp::compile {

// What tells it from every other build, that of LLVM included: the build ids that the linker gave them. "" where one of
// them has none: then nothing is known.
std::string compilerBuild();

// The program's file that it is in, or libbsgp's.
std::string compilerFile();

} // namespace bsgp::compile
