#include "runtime/check/source_lines.h"

#include <deque>
#include <fstream>
#include <istream>
#include <mutex>
#include <sstream>

#include "runtime/check/checks.h"

namespace bsgp::runtime::check {
namespace {

constexpr size_t kMostTexts = 256;

struct Text {
  std::string text;
  bool is_one = true; // else there were several of that name: no line is shown
};

// Never destroyed: a context at file scope may report its findings when all else has ended.
struct Texts {
  std::mutex mutex;
  std::map<std::string, Text> by_name;
  std::deque<std::string> names; // the oldest first
};

Texts& texts() {
  static Texts& all = *new Texts;
  return all;
}

std::vector<std::string> linesOf(std::istream& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::string> linesNamed(const std::string& name) {
  std::lock_guard lock(texts().mutex);
  if (auto known = texts().by_name.find(name); known != texts().by_name.end()) {
    std::istringstream text(known->second.text);
    return known->second.is_one ? linesOf(text) : std::vector<std::string>();
  }
  std::ifstream file(name);
  return linesOf(file);
}

} // namespace

void rememberSource(const std::string& name, const std::string& text) {
  Texts& all = texts();
  std::lock_guard lock(all.mutex);
  auto [known, is_new] = all.by_name.try_emplace(name, Text{text});
  if (!is_new) {
    known->second.is_one &= known->second.text == text;
    return;
  }
  all.names.push_back(name);
  if (all.names.size() <= kMostTexts)
    return;
  all.by_name.erase(all.names.front());
  all.names.pop_front();
}

const std::string* SourceLines::line(const Place& place) {
  auto [found, is_new] = files_.try_emplace(place.file);
  if (is_new && place.isKnown() && !place.of_library)
    found->second = linesNamed(place.file);
  return place.line && place.line <= found->second.size() ? &found->second[place.line - 1] : nullptr;
}

} // namespace bsgp::runtime::check
