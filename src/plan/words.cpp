#include "plan/words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace bsgp::plan {
namespace {

bool isBare(char c) {
  return static_cast<unsigned char>(c) > ' ' && std::string_view("(),#\"\\\x7f").find(c) == std::string_view::npos;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

} // namespace

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (char c : name)
    out += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string word(std::string_view name) {
  for (char c : name)
    if (!isBare(c))
      return quoted(name);
  return name.empty() ? "\"\"" : std::string(name);
}

std::string siteText(const Site& site) {
  return fmt::format("{}:{}:{}", word(site.file), site.line, site.column);
}

std::vector<std::string> slotLabels(const Plan& plan) {
  std::map<std::string_view, unsigned> counts;
  for (const FrameSlot& slot : plan.slots)
    ++counts[slot.name];
  std::vector<std::string> labels;
  for (const FrameSlot& slot : plan.slots)
    labels.push_back(word(slot.name) + (counts[slot.name] > 1 ? fmt::format("#{}", labels.size()) : ""));
  return labels;
}

void LineReader::skipBlanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
}

void LineReader::fail(std::string reason) {
  if (failure_.empty())
    failure_ = std::move(reason);
  rest_ = {};
}

bool LineReader::eat(std::string_view text) {
  skipBlanks();
  if (!rest_.starts_with(text))
    return false;
  bool whole = !isWordCharacter(text.back()) || rest_.size() == text.size() || !isBare(rest_[text.size()]);
  if (whole)
    rest_.remove_prefix(text.size());
  return whole;
}

void LineReader::need(std::string_view text) {
  if (!eat(text))
    fail(fmt::format("'{}' is missing before '{}'", text, rest_));
}

bool LineReader::atEnd() {
  skipBlanks();
  return rest_.empty();
}

void LineReader::end() {
  if (!atEnd())
    fail(fmt::format("what is '{}'?", rest_));
}

std::string LineReader::quotedWord() {
  std::string name;
  for (size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      rest_.remove_prefix(i + 1);
      return name;
    }
    bool escaped = rest_[i] == '\\' && i + 1 < rest_.size();
    char c = escaped ? rest_[++i] : rest_[i];
    name += escaped && c == 'n' ? '\n' : c;
  }
  fail(fmt::format("a '\"' is missing after '{}'", rest_));
  return {};
}

std::string LineReader::bareWord() {
  size_t length = 0;
  while (length < rest_.size() && isBare(rest_[length]))
    ++length;
  std::string name(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return name;
}

std::string LineReader::word(const char* what) {
  skipBlanks();
  if (rest_.starts_with('"'))
    return quotedWord();
  std::string name = bareWord();
  if (name.empty())
    fail(fmt::format("{} is missing before '{}'", what, rest_));
  return name;
}

bool LineReader::atNumber() {
  skipBlanks();
  return !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]));
}

uint32_t LineReader::number(const char* what) {
  skipBlanks();
  uint32_t value = 0;
  auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc())
    fail(fmt::format("{} is missing before '{}'", what, rest_));
  else
    rest_.remove_prefix(size_t(end - rest_.data()));
  return value;
}

// The file's name may have colons of its own.
Site LineReader::site() {
  skipBlanks();
  Site site;
  std::string_view all = rest_;
  std::string file = rest_.starts_with('"') ? quotedWord() : std::string();
  std::string place = bareWord();
  size_t last = place.rfind(':'), first = last == 0 ? std::string::npos : place.rfind(':', last - 1);
  if (last == std::string::npos || first == std::string::npos || (!file.empty() && first != 0)) {
    fail(fmt::format("a place, file:line:column, is missing before '{}'", all));
    return site;
  }
  site.file = file.empty() ? place.substr(0, first) : file;
  LineReader numbers(std::string_view(place).substr(first + 1));
  site.line = numbers.number("a line"), numbers.need(":"), site.column = numbers.number("a column"), numbers.end();
  if (!numbers.failure().empty())
    fail(numbers.failure());
  return site;
}

} // namespace bsgp::plan
