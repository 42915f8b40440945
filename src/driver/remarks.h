// What --remarks says.
#pragma once

#include <functional>
#include <string>

#include "driver/pipeline.h"
#include "ir/position.h"

namespace bsgp::driver {

// Gives the remarks of a program that has been expanded to `say`, each once, as lines. What comes back is for
// target::CpuOptions::remark, and does the same with those of a target.
std::function<void(ir::Position, const std::string&)> remarkLines(const Pipeline& pipeline,
                                                                  std::function<void(const std::string&)> say);

} // namespace bsgp::driver
