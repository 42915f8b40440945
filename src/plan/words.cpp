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
  return fmt::format("{}{}:{}:{}", site.of_library ? "library " : "", word(site.file), site.line, site.column);
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

void LineReader::skip(size_t characters) {
  last_ = line_.size() - rest_.size();
  rest_.remove_prefix(characters);
}

void LineReader::failAt(size_t column, std::string reason) {
  if (failure_.empty())
    failure_ = std::move(reason), column_ = column;
  rest_ = {};
}

void LineReader::fail(std::string reason) {
  failAt(line_.size() - rest_.size() + 1, std::move(reason));
}

void LineReader::failBefore(std::string reason) {
  failAt(last_ + 1, std::move(reason));
}

// Quotes the rest of the line for a message. Unprintable characters become '?', and a long line is cut.
std::string LineReader::next() const {
  constexpr size_t kLongest = 60;
  std::string shown(rest_.substr(0, kLongest));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      c = '?';
  return fmt::format("'{}{}'", shown, rest_.size() > kLongest ? "..." : "");
}

// A blank in `text` stands for any number of them.
bool LineReader::eat(std::string_view text) {
  skipBlanks();
  size_t at = 0;
  for (char c : text) {
    if (at == rest_.size() || rest_[at] != c)
      return false;
    at = c == ' ' ? std::min(rest_.find_first_not_of(' ', at), rest_.size()) : at + 1;
  }
  bool whole = !isWordCharacter(text.back()) || at == rest_.size() || !isBare(rest_[at]);
  if (whole)
    skip(at);
  return whole;
}

void LineReader::need(std::string_view text) {
  if (!eat(text))
    fail(fmt::format("'{}' is missing before {}", text, next()));
}

bool LineReader::atEnd() {
  skipBlanks();
  return rest_.empty();
}

void LineReader::end() {
  if (!atEnd())
    fail(fmt::format("what is {}?", next()));
}

std::string LineReader::quotedWord() {
  std::string name;
  for (size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      skip(i + 1);
      return name;
    }
    bool escaped = rest_[i] == '\\' && i + 1 < rest_.size();
    char c = escaped ? rest_[++i] : rest_[i];
    name += escaped && c == 'n' ? '\n' : c;
  }
  fail(fmt::format("a '\"' is missing after {}", next()));
  return {};
}

std::string LineReader::bareWord() {
  size_t length = 0;
  while (length < rest_.size() && isBare(rest_[length]))
    ++length;
  std::string name(rest_.substr(0, length));
  skip(length);
  return name;
}

std::string LineReader::word(const char* what) {
  skipBlanks();
  if (rest_.starts_with('"'))
    return quotedWord();
  std::string name = bareWord();
  if (name.empty())
    fail(fmt::format("{} is missing before {}", what, next()));
  return name;
}

bool LineReader::atNumber() {
  skipBlanks();
  return !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0]));
}

bool LineReader::atLabel() {
  skipBlanks();
  return rest_.size() > 1 && rest_[0] == 'L' && std::isdigit(static_cast<unsigned char>(rest_[1]));
}

uint32_t LineReader::label() {
  if (!atLabel()) {
    fail(fmt::format("a label is missing before {}", next()));
    return 0;
  }
  size_t begin = line_.size() - rest_.size();
  skip(1);
  uint32_t value = number("a label's number");
  last_ = begin;
  return value;
}

uint32_t LineReader::number(const char* what) {
  skipBlanks();
  uint32_t value = 0;
  auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error == std::errc::result_out_of_range)
    fail(fmt::format("{} is at most {}, and not {}", what, UINT32_MAX, next()));
  else if (error != std::errc())
    fail(fmt::format("{} is missing before {}", what, next()));
  else
    skip(size_t(end - rest_.data()));
  return value;
}

// The file's name may have colons of its own.
Site LineReader::site() {
  skipBlanks();
  Site site;
  site.of_library = eat("library");
  skipBlanks();
  size_t column = line_.size() - rest_.size() + 1;
  std::string all = next(), file = rest_.starts_with('"') ? quotedWord() : std::string();
  std::string place = bareWord();
  size_t last = place.rfind(':'), first = last == 0 ? std::string::npos : place.rfind(':', last - 1);
  if (last == std::string::npos || first == std::string::npos || (!file.empty() && first != 0)) {
    failAt(column, fmt::format("a place, file:line:column, is missing before {}", all));
    return site;
  }
  site.file = file.empty() ? place.substr(0, first) : file;
  LineReader numbers(std::string_view(place).substr(first + 1));
  site.line = numbers.number("a line"), numbers.need(":"), site.column = numbers.number("a column"), numbers.end();
  if (!numbers.failure().empty())
    failAt(column, numbers.failure());
  else if (site.line == 0)
    failAt(column, "lines are counted from 1");
  return site;
}

} // namespace bsgp::plan
