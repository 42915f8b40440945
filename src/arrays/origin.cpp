#include "arrays/origin.h"

#include <map>
#include <mutex>
#include <vector>

namespace bsgp::arrays {

namespace {

// Never destroyed: arrays may be computed while the process ends.
struct Places {
  std::mutex mutex;
  std::map<std::string, uint32_t> numbers;
  std::vector<std::string> texts{""};
};
Places& places() {
  static auto* const all = new Places;
  return *all;
}

} // namespace

uint32_t& currentOrigin() {
  thread_local uint32_t current = 0;
  return current;
}

uint32_t originNamed(const std::string& place) {
  if (place.empty())
    return 0;
  Places& all = places();
  std::lock_guard lock(all.mutex);
  auto [found, is_new] = all.numbers.try_emplace(place, uint32_t(all.texts.size()));
  if (is_new)
    all.texts.push_back(place);
  return found->second;
}

Error at(uint32_t origin, Error error) {
  if (origin == 0)
    return error;
  Places& all = places();
  std::lock_guard lock(all.mutex);
  error.message = all.texts[origin] + ": " + error.message;
  return error;
}

} // namespace bsgp::arrays
