// The phases recurse over trees that may be thousands of levels deep: they get a stack to match.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "compile/source.h"

namespace bsgp::compile {

constexpr size_t kUnknownBytes = size_t(-1);

// Bytes of a program; kUnknownBytes where it includes files, or where the path leads to none ("-").
size_t bytesOfText(std::string_view text);
size_t bytesOfFile(const std::string& path);

size_t bytesOf(const Source& source); // a tree may be as deep as the longest text

// Runs `work` where the stack is for a text of so many bytes, and waits for it: here, if this is such a thread, else on one of its own,
// which has up to 512 MiB of address space, or less where that is limited. What `work` throws is thrown here. False when no such thread
// can be made: then nothing is done.
bool onDeepStack(size_t text_bytes, const std::function<void()>& work);

} // namespace bsgp::compile
