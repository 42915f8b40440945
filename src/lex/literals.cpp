// Numbers as in C: decimal, 0x, 0b and octal integers with u l ul ll suffixes; floats, also hexadecimal, with f and h.
#include "lex/literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "support/half.h"

namespace bsgp {
namespace {

int digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  char lower = char(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

std::string lowered(const char* begin, const char* end) {
  std::string text(begin, end);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
  return text;
}

struct Radix {
  unsigned base;
  unsigned prefix; // characters
  const char* article_name;
};

Radix radixOf(const char* begin, const char* end) {
  char second = end - begin > 1 ? char(begin[1] | 0x20) : 0;
  if (begin[0] == '0' && second == 'x')
    return {16, 2, "a hexadecimal"};
  if (begin[0] == '0' && second == 'b')
    return {2, 2, "a binary"};
  bool octal = begin[0] == '0' && end - begin > 1 && digitValue(begin[1]) < 10;
  return octal ? Radix{8, 1, "an octal"} : Radix{10, 0, "a decimal"};
}

bool looksFloating(const char* begin, const char* end, const Radix& radix) {
  if (radix.base == 2)
    return false;
  bool hex = radix.base == 16;
  return std::any_of(begin + radix.prefix, end,
                     [&](char c) { return c == '.' || (hex ? (c | 0x20) == 'p' : (c | 0x20) == 'e'); });
}

// u l ul lu ll ull llu, in either case; LL as lL is let through.
bool readIntegerSuffix(const std::string& suffix, Token& token) {
  size_t u = size_t(std::count(suffix.begin(), suffix.end(), 'u'));
  size_t l = size_t(std::count(suffix.begin(), suffix.end(), 'l'));
  if (u + l != suffix.size() || u > 1 || l > 2 || (l == 2 && suffix.find("ll") == std::string::npos))
    return false;
  token.is_unsigned = u == 1;
  token.bits = l ? 64 : u ? 32 : 0;
  return true;
}

void readInteger(const LiteralContext& context, const char* begin, const char* end, Radix radix, Token& token) {
  token.kind = Tok::IntLiteral;
  const char* p = begin + radix.prefix;
  uint64_t value = 0;
  bool overflow = false;
  const char* bad_digit = nullptr;
  const char* digits = p;
  for (; p != end && digitValue(*p) < int(std::max(radix.base, 10u)); ++p) {
    if (digitValue(*p) >= int(radix.base) && !bad_digit)
      bad_digit = p;
    overflow |= __builtin_mul_overflow(value, uint64_t(radix.base), &value);
    overflow |= __builtin_add_overflow(value, uint64_t(digitValue(*p)), &value);
  }
  token.integer = overflow || bad_digit ? 0 : value;
  if (p == digits && radix.prefix == 2)
    return context.diagnostics.report(Diag::missing_digits, context.range(begin, p), std::string_view(begin, 2));
  if (bad_digit)
    return context.diagnostics.report(Diag::bad_digit, context.range(bad_digit, bad_digit + 1),
                                      std::string_view(bad_digit, 1), radix.article_name);
  if (!readIntegerSuffix(lowered(p, end), token)) {
    std::string suffix = lowered(p, end);
    bool is_float = suffix == "f" || suffix == "h";
    std::string help = is_float && radix.prefix == 0 ? fmt::format("a floating-point number needs a point: {}.0{}",
                                                                   std::string_view(begin, size_t(p - begin)), suffix)
                       : is_float                    ? "a floating-point number needs a point: 1.0f"
                                                     : "";
    return context.diagnostics.report(Diag::bad_number_suffix, context.range(p, end),
                                      std::string_view(p, size_t(end - p)), "an integer", help);
  }
  if (overflow)
    return context.diagnostics.report(Diag::integer_too_large, context.range(begin, end));
  if (token.is_unsigned && value > UINT32_MAX)
    token.bits = 64;
}

const char* skipDigits(const char* p, const char* end, unsigned base) {
  while (p != end && digitValue(*p) < int(base))
    ++p;
  return p;
}

// Past mantissa and exponent; null with a report when the exponent has no digits.
const char* scanFloat(const LiteralContext& context, const char* begin, const char* end, Radix radix) {
  unsigned base = radix.base == 16 ? 16 : 10;
  const char* p = skipDigits(begin + (base == 16 ? 2 : 0), end, base);
  if (p != end && *p == '.')
    p = skipDigits(p + 1, end, base);
  char letter = p != end ? char(*p | 0x20) : 0;
  if (letter != (base == 16 ? 'p' : 'e'))
    return p;
  const char* exponent = p + 1;
  if (exponent != end && (*exponent == '+' || *exponent == '-'))
    ++exponent;
  p = skipDigits(exponent, end, 10);
  if (p != exponent)
    return p;
  context.diagnostics.report(Diag::missing_digits, context.range(begin, p), std::string_view(begin, size_t(p - begin)));
  return nullptr;
}

// from_chars is free of locales but leaves its result alone beyond the range, where `fallback` knows 0 from infinity.
template <class T> T nearest(const std::string& digits, bool hex, T (*fallback)(const char*, char**)) {
  T value = 0;
  const char* begin = digits.data() + (hex ? 2 : 0);
  auto format = hex ? std::chars_format::hex : std::chars_format::general;
  auto result = std::from_chars(begin, digits.data() + digits.size(), value, format);
  return result.ec == std::errc::result_out_of_range ? fallback(digits.c_str(), nullptr) : value;
}

// A decimal number as its digits, none of them a zero at either end, and the place of the point before the first one.
struct Decimal {
  std::string digits;
  long point = 0;
  auto operator<=>(const Decimal& other) const {
    return point != other.point ? point <=> other.point : digits <=> other.digits;
  }
};

Decimal decimalOf(std::string_view text) {
  Decimal result;
  size_t e = std::min(text.find('e'), text.find('E')), point = std::min(text.find('.'), e);
  if (e < text.size()) {
    size_t sign = text.substr(e + 1).starts_with('+');
    std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), result.point);
  }
  result.point += long(point);
  for (char c : text.substr(0, e))
    if (c != '.')
      result.digits += c;
  size_t zeros = result.digits.find_first_not_of('0');
  result.digits.erase(0, zeros);
  result.point -= long(zeros);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

// Rounded once: where the nearest double lies halfway between two halves, the digits say on which side of it the number
// is.
double nearestHalf(const std::string& digits) {
  double value = nearest(digits, false, std::strtod), up = roundToHalf(std::nextafter(value, INFINITY));
  double down = roundToHalf(std::nextafter(value, 0));
  if (up == down)
    return up;
  constexpr int kEnoughDigits = 60; // for 12 bits of which the last is worth 2^-25
  char text[kEnoughDigits + 20];
  auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, kEnoughDigits).ptr;
  auto side = decimalOf(digits) <=> decimalOf({text, size_t(end - text)});
  return side == 0 ? roundToHalf(value) : side < 0 ? down : up;
}

// The digits behind the 48th bit become one bit, which says whether there are any: enough to round to 11 bits.
double nearestHalfOfHex(std::string_view text) {
  constexpr int kFarExponent = 1 << 28;
  uint64_t mantissa = 0;
  int exponent = 0;
  bool behind_point = false, more = false;
  size_t at = 2;
  for (; (text[at] | 0x20) != 'p'; ++at) {
    if (text[at] == '.') {
      behind_point = true;
      continue;
    }
    bool full = mantissa >> 44;
    more |= full && text[at] != '0';
    if (!full)
      mantissa = mantissa * 16 + uint64_t(digitValue(text[at]));
    exponent += (full ? 4 : 0) - (behind_point ? 4 : 0);
  }
  int written = 0;
  size_t sign = text[at + 1] == '+';
  auto end = std::from_chars(text.data() + at + 1 + sign, text.data() + text.size(), written);
  if (end.ec == std::errc::result_out_of_range)
    written = text[at + 1] == '-' ? -kFarExponent : kFarExponent;
  written = std::clamp(written, -kFarExponent, kFarExponent);
  return roundToHalf(std::ldexp(double(mantissa * 2 + more), exponent - 1 + written));
}

double roundedLiteral(const std::string& digits, bool hex, unsigned bits) {
  if (bits == 16)
    return hex ? nearestHalfOfHex(digits) : nearestHalf(digits);
  return bits == 32 ? double(nearest(digits, hex, std::strtof)) : nearest(digits, hex, std::strtod);
}

void readFloating(const LiteralContext& context, const char* begin, const char* end, Radix radix, Token& token) {
  token.kind = Tok::FloatLiteral;
  token.floating = 0;
  const char* p = scanFloat(context, begin, end, radix);
  if (!p)
    return;
  bool hex_without_exponent = radix.base == 16 && std::none_of(begin, p, [](char c) { return (c | 0x20) == 'p'; });
  if (hex_without_exponent)
    return context.diagnostics.report(Diag::missing_exponent, context.range(begin, end),
                                      std::string_view(begin, size_t(p - begin)));
  std::string suffix = lowered(p, end);
  if (!suffix.empty() && suffix != "f" && suffix != "h")
    return context.diagnostics.report(Diag::bad_number_suffix, context.range(p, end),
                                      std::string_view(p, size_t(end - p)), "a floating-point",
                                      "the suffixes are f (32 bits) and h (16 bits)");
  token.bits = suffix == "f" ? 32 : suffix == "h" ? 16 : 0;
  token.floating = roundedLiteral({begin, p}, radix.base == 16, token.bits);
  if (std::isinf(token.floating))
    context.diagnostics.report(Diag::float_too_large, context.range(begin, end),
                               token.bits == 16   ? "half"
                               : token.bits == 32 ? "float"
                                                  : "double");
}

} // namespace

void readNumber(const LiteralContext& context, const char* begin, const char* end, Token& token) {
  Radix radix = radixOf(begin, end);
  if (looksFloating(begin, end, radix))
    readFloating(context, begin, end, radix, token);
  else
    readInteger(context, begin, end, radix, token);
}

Escape readEscape(std::string_view after) {
  static constexpr std::string_view kLetters = "ntr\\'\"abfv?";
  static constexpr std::string_view kValues = "\n\t\r\\'\"\a\b\f\v?";
  char c = after[0];
  if (size_t which = kLetters.find(c); which != std::string_view::npos)
    return {unsigned(kValues[which]), 1, Escape::None};
  bool hex = c == 'x';
  unsigned base = hex ? 16 : 8;
  size_t length = hex ? 1 : 0;
  size_t limit = hex ? std::min<size_t>(after.size(), 200) : std::min<size_t>(after.size(), 3);
  unsigned value = 0;
  while (length < limit && digitValue(after[length]) < int(base))
    value = std::min(value * base + unsigned(digitValue(after[length++])), 0x10000u);
  if (length == (hex ? 1u : 0u))
    return {unsigned(static_cast<unsigned char>(c)), 1, Escape::Unknown};
  return {value & 0xff, uint8_t(length), value > 0xff ? Escape::TooLarge : Escape::None};
}

std::string stringBytes(std::string_view spelling) {
  std::string bytes;
  if (spelling.starts_with('"'))
    spelling.remove_prefix(1);
  if (spelling.ends_with('"'))
    spelling.remove_suffix(1);
  for (size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '\\' || i + 1 == spelling.size()) {
      bytes += spelling[i];
      continue;
    }
    Escape escape = readEscape(spelling.substr(i + 1));
    bytes += char(escape.value);
    i += escape.length;
  }
  return bytes;
}

} // namespace bsgp
