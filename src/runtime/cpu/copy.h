// Copies and fills of memory by all threads of a pool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsgp::runtime {

class Pool;

constexpr size_t kPastCaches = size_t(64) << 20; // bytes from which on copies and fills go past the caches

void copyBytes(Pool& pool, void* to, const void* from, size_t bytes); // may overlap
void fillBytes(Pool& pool, void* to, uint8_t byte, size_t bytes);

// Past the caches, by the calling thread; others see it when it returns.
void streamCopy(char* to, const char* from, size_t bytes);

} // namespace bsgp::runtime
