// The targets that arrays are evaluated on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bsgp::arrays {

enum class Target : uint8_t { Cpu, Reference, Cuda }; // Cpu: by loops, without a program

constexpr const char* nameOf(Target target) {
  return target == Target::Cpu ? "cpu" : target == Target::Reference ? "reference" : "cuda";
}

constexpr std::optional<Target> targetNamed(std::string_view name) {
  for (Target target : {Target::Cpu, Target::Reference, Target::Cuda})
    if (name == nameOf(target))
      return target;
  return std::nullopt;
}

} // namespace bsgp::arrays
