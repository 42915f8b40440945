#include "bsp/partition/options.h"

#include <charconv>

#include <fmt/format.h>

#include "support/nearest_word.h"

namespace bsgp::bsp {

namespace {

constexpr const char* kWords = "off, double-buffered, time-stamps, bipartite, bypass, outputs=N, tile=N";

Error unknown(std::string_view word) {
  std::string_view near = nearestOf(
      word, {"off", "double-buffered", "time-stamps", "bipartite", "bypass", "outputs", "tile"});
  return Error{fmt::format("'{}' is none of its words{}: {}", word,
                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near), kWords)};
}

// True for NAME=N.
bool readNumber(std::string_view word, std::string_view name, uint32_t& number) {
  if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=')
    return false;
  std::string_view digits = word.substr(name.size() + 1);
  uint32_t read = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
  if (error != std::errc() || end != digits.data() + digits.size() || read == 0)
    return false;
  number = read;
  return true;
}

bool readWord(std::string_view word, PartitionOptions& options) {
  using Options = PartitionOptions;
  if (word == "off")
    options.spawns = Options::None;
  else if (word == "double-buffered")
    options.double_buffered = true;
  else if (word == "time-stamps")
    options.stale = Options::TimeStamps;
  else if (word == "bipartite")
    options.stale = Options::Bipartite;
  else if (word == "bypass")
    options.bypass = true;
  else
    return word == "true" || readNumber(word, "outputs", options.outputs) || readNumber(word, "tile", options.tile);
  return true;
}

} // namespace

Result<PartitionOptions> partitionNamed(std::string_view words) {
  PartitionOptions options;
  options.spawns = PartitionOptions::All;
  while (true) {
    size_t length = words.find(',');
    std::string_view word = words.substr(0, length);
    if (!readWord(word, options))
      return unknown(word);
    if (length == std::string_view::npos)
      break;
    words.remove_prefix(length + 1);
  }
  if (options == PartitionOptions{PartitionOptions::All} || options.double_buffered)
    return options;
  if (options.spawns == PartitionOptions::None && options == PartitionOptions{PartitionOptions::None})
    return options;
  return Error{"time-stamps, bipartite, bypass, outputs and tile are of the machine 'double-buffered': name it, too"};
}

std::string text(const PartitionOptions& options) {
  return fmt::format("{}:{}:{}:{}:{}:{}", int(options.spawns), options.double_buffered, int(options.stale),
                     options.bypass, options.outputs, options.tile);
}

} // namespace bsgp::bsp
