// Runs a schedule on a target: each kernel is a spawn. Arrays that it reads are copied there, those that are asked for are copied back;
// what is between them stays there.
#pragma once

#include <functional>
#include <span>

#include "arrays/device/target.h"
#include "arrays/schedule.h"

namespace bsgp::arrays {

// Gives `wanted` their values, and others that `by_loops` needs: it runs a kernel on the CPU that the language has nothing for, complex
// numbers and operations of whole arrays. Fails where the target's machine or memory is not there, or an index of a gather is outside.
Result<void> runOn(Target target, const Schedule& schedule, std::span<Node* const> wanted,
                   const std::function<Result<void>(const Kernel&)>& by_loops);

} // namespace bsgp::arrays
