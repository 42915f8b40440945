// Columns of text, for the listings of this folder.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace bsgp::plan {

using Row = std::vector<std::string>;

// Left-aligned columns two blanks apart; the last cell of a row may be as long as it likes. `indent` blanks stand
// before each row.
std::string table(const std::vector<Row>& rows, size_t indent = 0);

std::string join(const std::vector<std::string>& parts, const char* separator = ", ");
std::string lines(uint32_t first, uint32_t last);    // "line 7", "lines 7-9"; "" for 0
std::string inParentheses(const Site& site);         // " (mesh.bsgp:12:3)"; "" for no place
std::string ways(const std::vector<uint32_t>& next); // of Superstep::next: "superstep 4, or the end"
// "n, pf, stream 0"; `slots` are the names of the plan's slots (slotLabels).
std::string paramNames(const Kernel& kernel, const std::vector<std::string>& slots);
std::string heading(const Plan& plan); // "spawn findFaces:12 (mesh.bsgp:12:3)"

} // namespace bsgp::plan
