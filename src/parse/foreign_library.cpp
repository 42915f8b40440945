// Names of C++'s library behind std::, and its headers, with the help for each.
#include "parse/foreign_library.h"
#include "parse/foreign_answers.h"
#include "parse/parser.h"

namespace bsgp {
namespace {

using namespace answers;

constexpr const char* kLimits = "write lowest(x), highest(x), INFINITY";
constexpr const char* kScan = "write scan(+, x) in a spawn: docs/primitives.md";

constexpr ForeignName kStdNames[] = {
    {"sort", kSort},
    {"stable_sort", kSort},
    {"accumulate", kReduceArray},
    {"reduce", kReduceArray},
    {"transform", kTransform},
    {"for_each", kEach},
    {"greater", "write the operator alone, as in sort(p, n, >)"},
    {"less", "write the operator alone, as in sort(p, n, <)"},
    {"plus", "write the operator alone, as in reduce(+, x)"},
    {"fill", "write fill(p, n, x), for device memory"},
    {"iota", "write spawn (n) p[thread.rank] = thread.rank;"},
    {"exclusive_scan", kScan},
    {"inclusive_scan", kScan},
    {"partial_sum", kScan},
    {"copy", kCopy},
    {"memcpy", kCopy},
    {"move", "delete it: return and l = f() move lists"},
    {"thread", kThreads},
    {"jthread", kThreads},
    {"async", kThreads},
    {"atomic", kAtomicPlace},
    {"atomic_ref", kAtomicPlace},
    {"mutex", kAtomicPlace},
    {"mt19937", kRandom},
    {"mt19937_64", kRandom},
    {"random_device", kRandom},
    {"default_random_engine", kRandom},
    {"uniform_real_distribution", kRandom},
    {"uniform_int_distribution", kRandom},
    {"normal_distribution", kRandom},
    {"rand", kRandom},
    {"chrono", kSeconds},
    {"numeric_limits", kLimits},
    {"function", "write a parameter without a type: it takes a function, an operator or a lambda"},
    {"print", kPrint},
    {"println", kPrint},
    {"format", kPrint},
    {"endl", kPrint},
    {"optional", "write a struct with a value and a bool"},
    {"span", "write a pointer and a count"},
    {"malloc", kHostMemory},
    {"free", "write delete p;"},
};

// These names exist here, too.
constexpr std::string_view kSameNames[] = {
    "abs",   "acos",    "asin",    "atan",     "atan2",   "cbrt",     "ceil",  "clamp",  "copysign",  "cos",
    "cosh",  "erf",     "erfc",    "exp",      "exp2",    "expm1",    "fabs",  "floor",  "fma",       "fmax",
    "fmin",  "fmod",    "frexp",   "hypot",    "ilogb",   "isfinite", "isinf", "isnan",  "ldexp",     "lerp",
    "log",   "log10",   "log1p",   "log2",     "max",     "min",      "pow",   "printf", "remainder", "rint",
    "round", "signbit", "sin",     "sinh",     "size_t",  "sqrt",     "swap",  "tan",    "tanh",      "trunc",
    "exit",  "getenv",  "int32_t", "uint32_t", "int64_t", "uint64_t"};

constexpr std::string_view kHeaders[] = {"algorithm", "array",  "atomic",  "cassert", "chrono",  "cmath",
                                         "cstdint",   "cstdio", "cstdlib", "cstring", "fstream", "functional",
                                         "iostream",  "limits", "map",     "memory",  "numeric", "random",
                                         "sstream",   "string", "thread",  "utility", "vector"};

// Those of C and CUDA, without the .h behind them.
constexpr std::string_view kHeadersOfC[] = {
    "assert",   "complex", "ctype",  "cuda",   "cuda_fp16", "cuda_runtime", "errno",   "fcntl",  "float",
    "inttypes", "limits",  "malloc", "math",   "memory",    "omp",          "pthread", "stdarg", "stdbool",
    "stddef",   "stdint",  "stdio",  "stdlib", "string",    "strings",      "time",    "unistd"};

bool contains(const std::string_view* begin, const std::string_view* end, std::string_view name) {
  return std::find(begin, end, name) != end;
}

bool endsWith(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
}

} // namespace

std::string helpForStd(std::string_view name) {
  if (contains(std::begin(kSameNames), std::end(kSameNames), name))
    return "delete 'std::'";
  if (const ForeignName* found = findForeign(kStdNames, name))
    return found->help;
  const ForeignWord* word = findForeignWord(name == "std" ? "" : name);
  return std::string(word ? word->help : findForeignWord("std")->help);
}

bool isForeignHeader(std::string_view name, bool in_quotes) {
  bool of_c =
      endsWith(name, ".h") && contains(std::begin(kHeadersOfC), std::end(kHeadersOfC), name.substr(0, name.size() - 2));
  if (in_quotes) // a file of the program's own, if it is not known
    return of_c || contains(std::begin(kHeaders), std::end(kHeaders), name);
  return endsWith(name, ".h") || endsWith(name, ".hpp") || endsWith(name, ".cuh") ||
         contains(std::begin(kHeaders), std::end(kHeaders), name);
}

} // namespace bsgp
