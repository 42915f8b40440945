// Runs a schedule on a target: each kernel is a spawn. Arrays that it reads are copied there, those that are asked for are copied back;
// what is between them stays there.
#pragma once

#include <span>

#include "arrays/device/target.h"
#include "arrays/schedule.h"

namespace bsgp::arrays {

// Gives `wanted` their values. Fails where the target's machine or memory is not there, or an index of a gather is outside; no node
// is changed then.
Result<void> runOn(Target target, const Schedule& schedule, std::span<Node* const> wanted);

} // namespace bsgp::arrays
