#include "compile/c_names.h"

#include <algorithm>
#include <array>

namespace bsgp::compile {

namespace {

// Sorted. Keywords of C23 and C++23 and of GNU modes; then macros and types.
constexpr auto kTaken = [] {
  std::array names = std::to_array<std::string_view>(
      {"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
       "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
       "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
       "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
       "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
       "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
       "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
       "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
       "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
       "xor_eq",
       // macros: predefined, stddef, stdint, limits, stdio, stdlib, errno, assert, complex, math, signal, sysmacros
       "BUFSIZ", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "DOMAIN", "EDOM", "EINVAL", "ENOMEM", "EOF", "ERANGE",
       "EXIT_FAILURE", "EXIT_SUCCESS", "HUGE_VAL", "I", "INFINITY", "INT_MAX", "INT_MIN", "LONG_MAX", "LONG_MIN", "M_E",
       "M_PI", "NAN", "NDEBUG", "NULL", "OVERFLOW", "RAND_MAX", "SEEK_CUR", "SEEK_END", "SEEK_SET", "SIG_DFL",
       "SIG_ERR", "SIG_IGN", "SIZE_MAX", "UINT_MAX", "ULONG_MAX", "UNDERFLOW", "assert", "complex", "errno",
       "fpclassify", "imaginary", "isfinite", "isinf", "isnan", "isnormal", "linux", "major", "makedev", "minor",
       "noreturn", "offsetof", "signbit", "stderr", "stdin", "stdout", "unix", "va_arg", "va_copy", "va_end", "va_list",
       "va_start",
       // types
       "int16_t", "int32_t", "int64_t", "int8_t", "size_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t"});
  std::sort(names.begin(), names.end());
  return names;
}();

// These names belong to the C compiler and its headers: __x, _X, INT32_MAX, UINT_LEAST8_MAX, PRId64 ...
bool belongsToC(std::string_view name) {
  if (name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'))
    return true;
  if ((name.starts_with("INT") || name.starts_with("UINT")) &&
      (name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_C")))
    return true;
  return name.starts_with("PRI") || name.starts_with("BSGP_") || name.starts_with("bsgp_");
}

} // namespace

std::string allowedInC(std::string_view name) {
  bool taken = std::binary_search(kTaken.begin(), kTaken.end(), name) || belongsToC(name);
  return std::string(name) + (taken ? "_" : "");
}

} // namespace bsgp::compile
