// Finds the causes of an undefined value: those of its site, as far as the finding confirms them.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/report.h"

namespace bsgp::runtime::check {

// Empty if they are not known, or if the memory tells more. For memory: the copies that brought the value there.
std::vector<Cause> causesOf(const Finding& finding);

std::string sentenceOf(const Cause& cause, bool is_only); // "x is declared here, and nothing sets it on this way"

} // namespace bsgp::runtime::check
