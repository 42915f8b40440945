// The nearest of some words, for who needs no more than this header.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace bsgp {

// Insertions, deletions, replacements and swaps of neighbours, up to `limit`.
inline unsigned editDistance(std::string_view a, std::string_view b, unsigned limit) {
  constexpr size_t kLongest = 64;
  if (a.size() > kLongest || b.size() > kLongest || std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit)
    return limit + 1;
  std::array<std::array<unsigned, kLongest + 1>, kLongest + 1> d;
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = unsigned(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

// key of key2: names that differ in their digits alone are no slips of each other.
inline std::string withoutDigits(std::string_view name) {
  std::string rest;
  std::copy_if(name.begin(), name.end(), std::back_inserter(rest), [](char c) { return c < '0' || c > '9'; });
  return rest;
}

// Apart from capitals and underscores: readFile and read_file.
inline bool haveSameLetters(std::string_view a, std::string_view b) {
  auto letters = [](std::string_view word, size_t& at) {
    while (at < word.size() && word[at] == '_')
      ++at;
    char c = at < word.size() ? word[at++] : '\0';
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  };
  for (size_t i = 0, j = 0;;) {
    char x = letters(a, i), y = letters(b, j);
    if (x != y)
      return false;
    if (x == '\0')
      return true;
  }
}

// The known word nearest to a misspelt one; empty when none is near.
inline std::string_view nearestOf(std::string_view word, const std::vector<std::string_view>& known) {
  unsigned limit = word.size() < 3 ? 0 : word.size() < 6 ? 1 : 2;
  std::string_view nearest;
  unsigned best = limit + 1;
  for (std::string_view candidate : known) {
    unsigned distance = haveSameLetters(word, candidate) ? 0 : editDistance(word, candidate, limit);
    bool nearer = distance < best || (distance == best && !nearest.empty() && candidate < nearest);
    if (distance <= limit && nearer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace bsgp
