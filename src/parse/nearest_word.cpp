#include "parse/nearest_word.h"

#include "support/nearest_word.h"

namespace bsgp {

std::string_view nearestWord(std::string_view word, const std::vector<std::string_view>& known) {
  return nearestOf(word, known);
}

} // namespace bsgp
