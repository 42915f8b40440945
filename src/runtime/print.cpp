#include "runtime/print.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

#include "plan/plan_abi.h"
#include "runtime/failure.h"
#include "runtime/output.h"

namespace bsgp::runtime {
namespace {

constexpr int kWidest = 1 << 16; // of a field; wider ones are cut to it

enum class Length { Int, Short, Char, Long };

class Printer {
public:
  Printer(const char* format, std::span<const uint64_t> slots) : at_(format), slots_(slots) {}

  std::string run() {
    while (*at_) {
      const char* percent = std::strchr(at_, '%');
      if (!percent)
        return out_ += at_;
      out_.append(at_, percent);
      at_ = percent;
      conversion();
    }
    return out_;
  }

private:
  void conversion();
  std::string flags();
  int number(); // digits or *; -1: none
  Length length();
  bool print(char kind, const std::string& flags, int width, int precision, Length length);
  bool hasNext() const { return next_ < slots_.size(); }
  uint64_t next() { return slots_[next_++]; }

  const char* at_;
  std::span<const uint64_t> slots_;
  size_t next_ = 0;
  std::string out_;
};

std::string Printer::flags() {
  const char* begin = at_;
  at_ += std::strspn(at_, "-+ #0");
  return {begin, at_};
}

int Printer::number() {
  if (*at_ == '*') {
    ++at_;
    return hasNext() ? int(std::clamp<int64_t>(int64_t(next()), -kWidest, kWidest)) : -1;
  }
  if (*at_ < '0' || *at_ > '9')
    return -1;
  int value = 0;
  for (; *at_ >= '0' && *at_ <= '9'; ++at_)
    value = std::min(kWidest, value * 10 + (*at_ - '0'));
  return value;
}

Length Printer::length() {
  std::string_view modifiers(at_, std::strspn(at_, "hljztL"));
  at_ += modifiers.size();
  if (modifiers.empty())
    return Length::Int;
  if (modifiers[0] != 'h')
    return Length::Long;
  return modifiers.size() == 1 ? Length::Short : Length::Char;
}

// A negative int comes sign-extended; as unsigned it is the 32-bit number that C shows. Else a %u of a long is right
// too.
uint64_t asUnsigned(uint64_t slot, Length length) {
  switch (length) {
  case Length::Char:
    return uint8_t(slot);
  case Length::Short:
    return uint16_t(slot);
  case Length::Int:
    return slot >> 31 == 0x1FFFFFFFF ? uint32_t(slot) : slot;
  case Length::Long:
    break;
  }
  return slot;
}

int64_t asSigned(uint64_t slot, Length length) {
  return length == Length::Short ? int16_t(slot) : length == Length::Char ? int8_t(slot) : int64_t(slot);
}

// C prints the sign of a NaN, which depends on the machine.
double withoutSignOfNan(double x) {
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
}

void Printer::conversion() {
  const char* begin = at_++;
  std::string flags = this->flags();
  int width = number(), precision = -1;
  if (width < -1) {
    flags += '-';
    width = -width;
  }
  if (*at_ == '.') {
    ++at_;
    precision = *at_ == '*' || (*at_ >= '0' && *at_ <= '9') ? number() : 0;
  }
  Length length = this->length();
  char kind = *at_;
  if (kind)
    ++at_;
  if (!print(kind, flags, width, precision, length))
    out_.append(begin, at_);
}

bool Printer::print(char kind, const std::string& flags, int width, int precision, Length length) {
  if (kind == '%') {
    out_ += '%';
    return true;
  }
  if (!kind || !std::strchr("diuxXocspfFeEgGaA", kind) || !hasNext())
    return false;
  std::string spec = "%" + flags;
  if (width >= 0)
    spec += std::to_string(width);
  if (precision >= 0)
    spec += "." + std::to_string(precision);
  uint64_t slot = next();
  const char* text = slot ? reinterpret_cast<const char*>(uintptr_t(slot)) : "(null)";
  bool is_int = std::strchr("diuxXo", kind);
  spec += is_int ? std::string("ll") + kind : std::string(1, kind);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  switch (kind) {
  case 'd':
  case 'i':
    out_ += formatted(spec.c_str(), static_cast<long long>(asSigned(slot, length)));
    break;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    out_ += formatted(spec.c_str(), static_cast<unsigned long long>(asUnsigned(slot, length)));
    break;
  case 'c':
    out_ += formatted(spec.c_str(), int(slot));
    break;
  case 's':
    out_ += formatted(spec.c_str(), text);
    break;
  case 'p':
    out_ += formatted(spec.c_str(), reinterpret_cast<void*>(uintptr_t(slot)));
    break;
  default:
    out_ += formatted(spec.c_str(), withoutSignOfNan(std::bit_cast<double>(slot)));
    break;
  }
#pragma GCC diagnostic pop
  return true;
}

} // namespace

std::string formatSlots(const char* format, std::span<const uint64_t> slots) {
  return Printer(format, slots).run();
}

} // namespace bsgp::runtime

extern "C" void bsgp_rt_print(const char* format, uint32_t count, const uint64_t* arguments) try {
  bsgp::runtime::print(bsgp::runtime::formatSlots(format, {arguments, count}));
} catch (const std::bad_alloc&) {
  bsgp::runtime::notPrinted(ENOMEM);
}
