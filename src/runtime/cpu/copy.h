// Copies and fills of memory by all threads of a pool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsgp::runtime {

class Pool;

void copyBytes(Pool& pool, void* to, const void* from, size_t bytes); // may overlap
void fillBytes(Pool& pool, void* to, uint8_t byte, size_t bytes);

} // namespace bsgp::runtime
