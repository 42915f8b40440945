// What --remarks says.
#pragma once

#include <functional>
#include <string>

#include "ir/position.h"
#include "support/source.h"

namespace bsgp::driver {

// For target::CpuOptions::remark: gives each remark once, as a line, to `say`.
std::function<void(ir::Position, const std::string&)> remarkLines(const SourceManager& sources,
                                                                  std::function<void(const std::string&)> say);

} // namespace bsgp::driver
