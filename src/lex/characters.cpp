#include "lex/characters.h"

namespace bsgp {

Character decode(const char* p, const char* end) {
  auto lead = static_cast<unsigned char>(*p);
  unsigned length = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (length == 0 || p + length > end)
    return {};
  uint32_t code = lead & (0x7fu >> length);
  for (unsigned i = 1; i < length; ++i) {
    if ((p[i] & 0xc0) != 0x80)
      return {};
    code = code << 6 | (p[i] & 0x3f);
  }
  return {code, length};
}

bool isTypographicQuote(uint32_t code) {
  return (code >= 0x2018 && code <= 0x201f) || code == 0xab || code == 0xbb;
}
bool isDoubleQuote(uint32_t code) {
  return code >= 0x201c || code == 0xab || code == 0xbb;
}
bool isInvisible(uint32_t code) {
  return code == 0xa0 || code == 0xad || (code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) ||
         code == 0x3000 || code == 0xfeff;
}
bool isSymbol(uint32_t code) {
  return code <= 0xbf || code == 0xd7 || code == 0xf7 || (code >= 0x2000 && code <= 0x2bff) ||
         (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff20) || code >= 0x1f000;
}

const char* asciiFor(uint32_t code) {
  switch (code) {
  case 0x2010:
  case 0x2011:
  case 0x2012:
  case 0x2013:
  case 0x2014:
  case 0x2212:
    return "write -";
  case 0xd7:
  case 0x22c5:
  case 0x2217:
    return "write *";
  case 0xf7:
  case 0x2215:
    return "write /";
  case 0x2264:
    return "write <=";
  case 0x2265:
    return "write >=";
  case 0x2260:
    return "write !=";
  case 0x2026:
    return "write ...";
  case 0x37e:
  case 0xff1b:
    return "write ;";
  case 0xff08:
    return "write (";
  case 0xff09:
    return "write )";
  case 0xff0c:
    return "write ,";
  default:
    return "";
  }
}

} // namespace bsgp
