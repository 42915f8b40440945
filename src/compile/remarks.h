// Positions of later phases in words of the program's text: what --remarks says, and the lines of -g.
#pragma once

#include <functional>
#include <string>

#include "compile/pipeline.h"
#include "ir/position.h"
#include "target/common/debug_lines.h"

namespace bsgp::compile {

// Gives the remarks of a program that has been expanded to `say`, each once, as lines. What comes back is for
// target::CpuOptions::remark, and does the same with those of a target.
std::function<void(ir::Position, const std::string&)> remarkLines(const Pipeline& pipeline,
                                                                  std::function<void(const std::string&)> say);

// For target::CpuOptions::place_of, as long as the pipeline lives; empty if no debug information is asked for.
target::PlaceOf debugPlaces(const Pipeline& pipeline);

} // namespace bsgp::compile
