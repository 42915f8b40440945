// The phases recurse over trees that may be thousands of levels deep: they get a stack to match.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bsgp::driver {

constexpr size_t kUnknownBytes = size_t(-1);

// Bytes of a program; kUnknownBytes where it includes files, or where the path leads to none ("-").
size_t bytesOfText(std::string_view text);
size_t bytesOfFile(const std::string& path);

// Runs `work` on a thread of its own and waits for it. The stack is for a text of so many bytes: up to 512 MiB of address
// space, or less where that is limited. False when no such thread can be made: then nothing is done.
bool onDeepStack(size_t text_bytes, const std::function<void()>& work);

} // namespace bsgp::driver
