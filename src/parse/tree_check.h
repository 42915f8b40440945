// Checks a tree that another front end made (builder.h) for the properties that the parser ensures and the phases
// behind it rely on.
#pragma once

#include <string>

#include "diag/diagnostics.h"
#include "parse/ast.h"

namespace bsgp {

// Returns the first mistake of the front end, with its place in `text`: a part that is missing, a node that stands in
// two places or has none in the text. Empty if there is none. Mistakes that programs also make (trees deeper than
// kMaxTreeDepth, a name that is taken, a case outside of a switch) are reported like theirs.
std::string checkTree(const ast::Program& program, SourceRange text, Diagnostics& diagnostics);

} // namespace bsgp
