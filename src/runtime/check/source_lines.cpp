#include "runtime/check/source_lines.h"

#include <fstream>
#include <istream>
#include <mutex>
#include <sstream>

namespace bsgp::runtime::check {
namespace {

struct Texts {
  std::mutex mutex;
  std::map<std::string, std::string> by_name;
};

Texts& texts() {
  static Texts all;
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
    std::istringstream text(known->second);
    return linesOf(text);
  }
  std::ifstream file(name);
  return linesOf(file);
}

} // namespace

void rememberSource(const std::string& name, const std::string& text) {
  std::lock_guard lock(texts().mutex);
  texts().by_name[name] = text;
}

const std::string* SourceLines::line(const Place& place) {
  auto [found, is_new] = files_.try_emplace(place.file);
  if (is_new && !place.file.empty() && place.file[0] != '<')
    found->second = linesNamed(place.file);
  return place.line && place.line <= found->second.size() ? &found->second[place.line - 1] : nullptr;
}

} // namespace bsgp::runtime::check
