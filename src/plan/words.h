// Words of a Plan's text: bare, or in quotes where a name has other characters than those of names and paths.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace bsgp::plan {

std::string quoted(std::string_view name); // "a \"b\"", with the quotes; as C writes it
std::string word(std::string_view name);   // as it is where it can be read back so; else quoted
std::string siteText(const Site& site);    // "mesh.bsgp:12:3", "library "<so>":12:3"

// The name of each slot; with its number, "n#3", where another one has the same.
std::vector<std::string> slotLabels(const Plan& plan);

// Reads a line from left to right; blanks before what is read do not matter, nor how many there are. After the first
// failure nothing is read any more, and what is asked for is empty or 0.
class LineReader {
public:
  explicit LineReader(std::string_view line) : line_(line), rest_(line) {}

  bool eat(std::string_view text); // whether it came next; punctuation or whole words
  void need(std::string_view text);
  void end(); // nothing may follow
  std::string word(const char* what);
  uint32_t number(const char* what);
  Site site();

  uint32_t label(); // the number of "L3"

  bool atNumber();
  bool atLabel();
  bool indented() const { return line_.starts_with(' '); }
  bool atEnd();
  void fail(std::string reason);       // at the next word
  void failBefore(std::string reason); // for the word, number or text that was read last
  const std::string& failure() const { return failure_; }
  size_t column() const { return column_; } // of the failure, from 1

private:
  void skipBlanks();
  void skip(size_t characters);
  void failAt(size_t column, std::string reason);
  std::string next() const; // as a message shows it
  std::string quotedWord();
  std::string bareWord();

  std::string_view line_, rest_;
  size_t last_ = 0; // the beginning of the last word read
  size_t column_ = 0;
  std::string failure_;
};

} // namespace bsgp::plan
