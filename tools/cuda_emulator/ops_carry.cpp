// Sums of more than 64 bits: additions, subtractions and products that write or read the carry of their lane.
#include "lanes.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

enum class Form { add, sub, mad_low, mad_high };

template <class T> T high(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
  else
    return static_cast<T>((uint64_t(a) * b) >> 32);
}
template <class T> T highSigned(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>((static_cast<__int128>(static_cast<int64_t>(a)) * static_cast<int64_t>(b)) >> 64);
  else
    return static_cast<T>((int64_t(static_cast<int32_t>(a)) * static_cast<int32_t>(b)) >> 32);
}

// in: reads the carry; out: writes it.
template <class T, Form form, bool is_signed, bool in, bool out> void carry(Warp& w, const Op& op) {
  T* d = w.at<T>(op.o[0]);
  const T *a = w.at<T>(op.o[1]), *b = w.at<T>(op.o[2]);
  for (uint32_t rest = w.exec; rest; rest &= rest - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(rest));
    unsigned __int128 x = a[i], y = b[i], c = in ? w.carry >> i & 1 : 0;
    if (form == Form::mad_low || form == Form::mad_high) {
      x = form == Form::mad_low ? static_cast<T>(a[i] * b[i]) : is_signed ? highSigned(a[i], b[i]) : high(a[i], b[i]);
      y = w.at<T>(op.o[3])[i];
    }
    unsigned __int128 sum = form == Form::sub ? x - y - c : x + y + c;
    d[i] = static_cast<T>(sum);
    if (out)
      w.carry = (w.carry & ~kLaneBit[i]) | ((sum >> (8 * sizeof(T)) & 1) ? kLaneBit[i] : 0);
  }
}

template <class T, Form form, bool is_signed>
void addForms(Table& t, const std::string& name, const std::string& with_carry, const std::string& type) {
  bool mad = form == Form::mad_low || form == Form::mad_high;
  const char* operands = sizeof(T) == 8 ? (mad ? "8888" : "888") : (mad ? "4444" : "444");
  t.add(name + ".cc." + type, carry<T, form, is_signed, false, true>, operands);
  t.add(with_carry + "." + type, carry<T, form, is_signed, true, false>, operands);
  t.add(with_carry + ".cc." + type, carry<T, form, is_signed, true, true>, operands);
}

template <class T, bool is_signed> void addType(Table& t, const std::string& type) {
  addForms<T, Form::add, is_signed>(t, "add", "addc", type);
  addForms<T, Form::sub, is_signed>(t, "sub", "subc", type);
  addForms<T, Form::mad_low, is_signed>(t, "mad.lo", "madc.lo", type);
  addForms<T, Form::mad_high, is_signed>(t, "mad.hi", "madc.hi", type);
}

} // namespace

void addCarries(Table& t) {
  addType<uint32_t, false>(t, "u32");
  addType<uint32_t, true>(t, "s32");
  addType<uint64_t, false>(t, "u64");
  addType<uint64_t, true>(t, "s64");
}

} // namespace bsgp::emulator
