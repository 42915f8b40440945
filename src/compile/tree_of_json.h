// Trees as JSON, for front ends that are not written in C++ (bsgp_compile_tree; docs/trees.md has the forms of nodes).
#pragma once

#include <string>

#include "compile/source.h"
#include "support/result.h"

namespace bsgp::compile {

// Fails if the text is no JSON, or has no texts in it. A node of a wrong form is reported when the tree is made.
Result<Tree> treeOfJson(const std::string& text);

} // namespace bsgp::compile
