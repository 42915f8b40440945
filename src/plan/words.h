// Words of a Plan's text: bare, or in quotes where a name has other characters than those of names and paths.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace bsgp::plan {

std::string quoted(std::string_view name); // "a \"b\"", with the quotes; as C writes it
std::string word(std::string_view name);   // as it is where it can be read back so; else quoted
std::string siteText(const Site& site);    // "mesh.bsgp:12:3"

// The name of each slot; with its number, "n#3", where another one has the same.
std::vector<std::string> slotLabels(const Plan& plan);

// Reads a line from left to right; blanks before what is read do not matter. After the first failure nothing is read
// any more, and what is asked for is empty or 0.
class LineReader {
public:
  explicit LineReader(std::string_view line) : rest_(line), indented_(line.starts_with(' ')) {}

  bool eat(std::string_view text); // whether it came next; punctuation or a whole word
  void need(std::string_view text);
  void end(); // nothing may follow
  std::string word(const char* what);
  uint32_t number(const char* what);
  Site site();

  bool atNumber();
  bool indented() const { return indented_; } // the whole line
  bool atEnd();
  void fail(std::string reason);
  const std::string& failure() const { return failure_; }

private:
  void skipBlanks();
  std::string quotedWord();
  std::string bareWord();

  std::string_view rest_;
  bool indented_;
  std::string failure_;
};

} // namespace bsgp::plan
