// Plans from their text form.
#pragma once

#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "support/result.h"

namespace bsgp::plan {

// The plans whose texts (plan.h) follow one another, blank lines between them or not; or the first line and column that
// cannot be read, with the reason. What is read is only known to be complete, not to be right: verify.h.
Result<std::vector<Plan>> parse(std::string_view text);

} // namespace bsgp::plan
