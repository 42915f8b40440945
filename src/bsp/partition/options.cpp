#include "bsp/partition/options.h"

#include <fmt/format.h>

#include "support/nearest_word.h"

namespace bsgp::bsp {

Result<PartitionOptions> partitionNamed(std::string_view word) {
  if (word == "true" || word == "all")
    return PartitionOptions{PartitionOptions::All};
  if (word == "marked")
    return PartitionOptions{PartitionOptions::Marked};
  if (word == "off")
    return PartitionOptions{PartitionOptions::None};
  std::string_view near = nearestOf(word, {"all", "marked", "off"});
  return Error{fmt::format("'{}' is none of its words, which are all, marked and off{}", word,
                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near))};
}

} // namespace bsgp::bsp
