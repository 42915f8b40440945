// In a module: the functions of the library that --check does not look at as usual, by where their text stands.
#pragma once

#include <utility>
#include <vector>

#include "support/source.h"
#include "support/watch.h"

namespace llvm {
class Module;
}

namespace bsgp::ir {

using Watched = std::vector<std::pair<SourceRange, Watch>>;

void setWatched(llvm::Module& module, const Watched& watched);
Watched watchedIn(const llvm::Module& module);
Watch watchAt(SourcePos at, const Watched& watched); // Usual: in none of them

} // namespace bsgp::ir
