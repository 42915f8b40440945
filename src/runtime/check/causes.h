// Where a value that nobody has set comes from: what a site says of it, in the light of what was found.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// Empty: they are not known, or the memory says more. Of memory: the copies that brought the value there.
std::vector<Cause> causesOf(const Finding& finding);

std::string sentenceOf(const Cause& cause, bool is_only); // "x is declared here, and nothing sets it on this way"

} // namespace bsgp::runtime::check
