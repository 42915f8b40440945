// What has to hold of a tree that another front end made (builder.h): what the parser would not have made otherwise, and
// the phases behind it take for granted.
#pragma once

#include <string>

#include "diag/diagnostics.h"
#include "parse/ast.h"

namespace bsgp {

// The first mistake of the front end, with its place in `text`: a part that is missing, a node that stands in two places
// or has none in the text. Empty: there is none. What programs get wrong too (trees deeper than kMaxTreeDepth, a name
// that is taken, a case outside of a switch) is reported as there.
std::string checkTree(const ast::Program& program, SourceRange text, Diagnostics& diagnostics);

} // namespace bsgp
