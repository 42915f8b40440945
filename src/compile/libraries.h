// The compiler's own libraries: the runtime, and those with extern functions of the standard library's modules. They lie
// beside the compiler, in a build tree as where it is installed. Other libraries are found as the system finds them.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace bsgp::compile {

// The folder that has `file`, for this kind of machine or, if it is not empty, for another one: lib/ or the library
// folder of an installation, and in there a folder for each other kind.
Result<std::string> folderOf(const std::string& file, const std::string& triple);

// The files that a program in this process loads: paths of our libraries, lib<name>.so of others, which the system finds.
std::vector<std::string> sharedLibraries(const std::vector<std::string>& names);

// For a linker, as the text of a response file; it may be given anywhere among the objects.
std::string linkerOptions(const std::vector<std::string>& names, const std::string& triple);

} // namespace bsgp::compile
