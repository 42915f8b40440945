// Bytes in front of and behind each allocation that must not be written to. They are set when it is made and checked
// when it is freed; accesses in between cost nothing.
#pragma once

#include <cstddef>

namespace bsgp::runtime::guard {

constexpr size_t kBytes = 256; // on each side; keeps what alignment the allocator gives

enum class Damage { None, Before, Behind };

void set(void* block, size_t bytes);
Damage find(const void* block, size_t bytes); // Behind if both sides are damaged

} // namespace bsgp::runtime::guard
