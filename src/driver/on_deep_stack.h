// The phases recurse over trees that may be thousands of levels deep: they get a stack to match.
#pragma once

#include <functional>

namespace bsgp::driver {

// Runs `work` on a thread of its own with 512 MiB of stack and waits for it. False when no such thread can be made.
bool onDeepStack(const std::function<void()>& work);

} // namespace bsgp::driver
