// Words that people bring along from C, C++, CUDA and elsewhere, with what to write instead; and misspelt words.
#include <algorithm>
#include <array>

#include "parse/parser.h"

namespace bsgp {
namespace {

constexpr const char* kNoClasses = "write a struct, and functions that take it as a parameter";
constexpr const char* kNoTemplates = "write an inline function with open parameters: inline f(a, b) {...}";
constexpr const char* kLoop = "write for (i = 0; i < n; i++), or spawn(n) for parallel work";
constexpr const char* kCast = "write (T)x";
constexpr const char* kInfer = "write x = ..., auto x = ... or the type";
constexpr const char* kKernel = "delete it: code inside spawn(n) {...} runs on the device, all else on the host";
constexpr const char* kDrop = "delete it";
constexpr const char* kFunction =
    "write the name and parameters: f(int x) {...}, with a result type in front where it has one";
constexpr const char* kErrors = "return a value that tells of the failure";

constexpr ForeignWord kForeignWords[] = {
    {"__global__", kKernel, true},
    {"__device__", kKernel, true},
    {"__host__", kKernel, true},
    {"__kernel", kKernel, true},
    {"kernel", kKernel, true},
    {"__shared__", "write shared T x[N];", true},
    {"__constant__", "write const T x[N] = {...};", true},
    {"__restrict__", kDrop, true},
    {"__restrict", kDrop, true},
    {"restrict", kDrop, true},
    {"volatile", kDrop, true},
    {"register", kDrop, true},
    {"constexpr", "write const", true},
    {"uniform", kDrop, true},
    {"varying", kDrop, true},
    {"__forceinline__", "write inline", true},
    {"class", kNoClasses, false},
    {"private", kNoClasses, false},
    {"public", kNoClasses, false},
    {"virtual", kNoClasses, false},
    {"template", kNoTemplates, false},
    {"typename", kNoTemplates, false},
    {"namespace", "names are global; give them a prefix", false},
    {"using", "write typedef T name;", false},
    {"std", "there is no C++ library; see the library's own functions", false},
    {"foreach", kLoop, false},
    {"forall", kLoop, false},
    {"parallel_for", "write spawn(n) {...}", false},
    {"each", kLoop, false},
    {"let", kInfer, false},
    {"var", kInfer, false},
    {"val", kInfer, false},
    {"def", kFunction, false},
    {"fn", kFunction, false},
    {"func", kFunction, false},
    {"function", kFunction, false},
    {"elif", "write else if", false},
    {"elseif", "write else if", false},
    {"elsif", "write else if", false},
    {"until", "write while (!...)", false},
    {"then", "write if (...) {...}", false},
    {"try", kErrors, false},
    {"catch", kErrors, false},
    {"throw", kErrors, false},
    {"static_cast", kCast, false},
    {"reinterpret_cast", kCast, false},
    {"dynamic_cast", kCast, false},
    {"const_cast", kCast, false},
    {"import", "write #include \"file\"", false},
    {"and", "write &&", false},
    {"or", "write ||", false},
    {"not", "write !", false},
};

// Insertions, deletions, replacements and swaps of neighbours, up to `limit`.
unsigned editDistance(std::string_view a, std::string_view b, unsigned limit) {
  constexpr size_t kLongest = 32;
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

} // namespace

const ForeignWord* findForeignWord(std::string_view word) {
  auto found = std::find_if(std::begin(kForeignWords), std::end(kForeignWords),
                            [&](const ForeignWord& foreign) { return foreign.word == word; });
  return found == std::end(kForeignWords) ? nullptr : found;
}

std::string_view nearestWord(std::string_view word, const std::vector<std::string_view>& known) {
  unsigned limit = word.size() < 3 ? 0 : word.size() < 6 ? 1 : 2;
  std::string_view nearest;
  unsigned best = limit + 1;
  for (std::string_view candidate : known) {
    unsigned distance = editDistance(word, candidate, limit);
    bool nearer = distance < best || (distance == best && !nearest.empty() && candidate < nearest);
    if (distance <= limit && nearer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace bsgp
