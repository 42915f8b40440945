// Operations on the bits of two values, of one lane.
#pragma once

namespace bsgp::emulator {

struct And {
  template <class T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T of(T a, T b) { return a ^ b; }
};

} // namespace bsgp::emulator
