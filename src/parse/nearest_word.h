// Misspelt words: "did you mean".
#pragma once

#include <string_view>
#include <vector>

namespace bsgp {

// The known word nearest to a misspelt one; empty when none is near.
std::string_view nearestWord(std::string_view word, const std::vector<std::string_view>& known);

} // namespace bsgp
