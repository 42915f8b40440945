// Characters to tokens, in one pass over a text that ends with a zero byte.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "lex/characters.h"
#include "lex/lex.h"
#include "lex/literals.h"
#include "support/nearest_word.h"

namespace bsgp {
namespace {

enum Class : uint8_t { Other, Space, Letter, Digit, High }; // High: part of a character outside of ASCII

constexpr std::array<Class, 256> makeClasses() {
  std::array<Class, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
    classes[c] = letter ? Letter : c >= '0' && c <= '9' ? Digit : space ? Space : c >= 0x80 ? High : Other;
  }
  return classes;
}
constexpr std::array<Class, 256> kClasses = makeClasses();

Class classOf(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

// ---- reserved words: a small table hashed by length and three characters
struct Word {
  std::string_view text;
  Tok kind;
};
constexpr Word kWords[] = {
#define WORD(kind, spelling) {spelling, Tok::kind},
#define CONTEXT(kind, spelling) {spelling, Tok::kind},
#include "lex/tokens.def"
};
constexpr unsigned kWordSlots = 256;

constexpr unsigned wordHash(std::string_view w) {
  unsigned h = unsigned(w.size()) * 7 + unsigned(w[0]) * 31 + unsigned(w[1]) * 5 + unsigned(w[w.size() - 1]) * 3;
  return h % kWordSlots;
}

constexpr std::array<uint8_t, kWordSlots> makeWordTable() {
  std::array<uint8_t, kWordSlots> table{}; // index + 1, open addressing
  unsigned index = 0;
  for (const Word& word : kWords) {
    unsigned slot = wordHash(word.text);
    while (table[slot])
      slot = (slot + 1) % kWordSlots;
    table[slot] = uint8_t(++index);
  }
  return table;
}
constexpr std::array<uint8_t, kWordSlots> kWordTable = makeWordTable();

Tok wordKind(std::string_view text) {
  if (text.size() < 2)
    return Tok::Identifier;
  for (unsigned slot = wordHash(text); kWordTable[slot]; slot = (slot + 1) % kWordSlots)
    if (const Word& word = kWords[kWordTable[slot] - 1]; word.text == text)
      return word.kind;
  return Tok::Identifier;
}

class Lexer {
public:
  Lexer(std::string_view text, SourcePos base, Diagnostics& diagnostics)
      : begin_(text.data()), end_(begin_ + text.size()), p_(begin_), diagnostics_(diagnostics),
        literals_{diagnostics, begin_, base} {
    tokens_.reserve(text.size() / 4 + 16);
  }

  std::vector<Token> run() {
    if (end_ - p_ >= 3 && std::memcmp(p_, "\xef\xbb\xbf", 3) == 0)
      p_ += 3;
    while (p_ != end_)
      lexOne();
    add(Tok::End, p_);
    return std::move(tokens_);
  }

private:
  SourceRange from(const char* start) const { return literals_.range(start, p_); }

  Token& add(Tok kind, const char* start) {
    Token token;
    token.kind = kind;
    token.range = from(start);
    return tokens_.emplace_back(token);
  }

  template <class... Args> void report(Diag kind, const char* start, const Args&... args) {
    diagnostics_.report(kind, from(start), args...);
  }

  void lexOne() {
    switch (classOf(*p_)) {
    case Space:
      ++p_;
      return;
    case Letter:
      return lexWord();
    case Digit:
      return lexNumber();
    case High:
      return lexHigh();
    case Other:
      return lexOther();
    }
  }

  void lexWord() {
    const char* start = p_;
    while (classOf(*p_) == Letter || classOf(*p_) == Digit)
      ++p_;
    if (classOf(*p_) == High && continuesName())
      return finishNonAsciiName(start);
    add(wordKind({start, size_t(p_ - start)}), start);
  }

  bool continuesName() const {
    Character c = decode(p_, end_);
    return c.length && !isSymbol(c.code) && !isInvisible(c.code);
  }

  // Reported once and then taken as the name it was meant to be.
  void finishNonAsciiName(const char* start) {
    for (;; ++p_) {
      if (classOf(*p_) == High && continuesName())
        p_ += decode(p_, end_).length - 1;
      else if (classOf(*p_) != Letter && classOf(*p_) != Digit)
        break;
    }
    report(Diag::non_ascii_name, start, std::string_view(start, size_t(p_ - start)));
    add(Tok::Identifier, start);
  }

  // The longest run that could be a number; readNumber then judges it as a whole.
  void lexNumber() {
    const char* start = p_;
    bool hex = p_[0] == '0' && (p_[1] | 0x20) == 'x';
    for (++p_; classOf(*p_) == Digit || classOf(*p_) == Letter || (*p_ == '.' && p_[1] != '.'); ++p_) {
      bool exponent = (*p_ | 0x20) == (hex ? 'p' : 'e');
      if (exponent && (p_[1] == '+' || p_[1] == '-') && classOf(p_[2]) == Digit)
        ++p_;
    }
    Token& token = add(Tok::IntLiteral, start);
    readNumber(literals_, start, p_, token);
  }

  void lexHigh() {
    const char* start = p_;
    Character c = decode(p_, end_);
    if (c.length && isTypographicQuote(c.code))
      return lexTypographicQuote(c);
    if (c.length && !isSymbol(c.code) && !isInvisible(c.code))
      return finishNonAsciiName(start);
    p_ += c.length ? c.length : 1;
    if (c.length == 0)
      return strayBytes(start);
    std::string shown = isInvisible(c.code) ? fmt::format("U+{:04X}, a kind of space,", c.code)
                                            : fmt::format("'{}' (U+{:04X})", std::string_view(start, c.length), c.code);
    report(Diag::stray_character, start, shown, isInvisible(c.code) ? "write a plain space" : asciiFor(c.code));
    if (!isInvisible(c.code))
      add(Tok::Error, start);
  }

  // A run of bytes that are no text at all is one message.
  void strayBytes(const char* start) {
    while (p_ != end_ && classOf(*p_) == High && decode(p_, end_).length == 0)
      ++p_;
    report(Diag::stray_character, start, fmt::format("0x{:02x}", static_cast<unsigned char>(*start)),
           "source files are UTF-8 text");
    add(Tok::Error, start);
  }

  // Up to its partner on the line, where there is one, so that the words inside are not taken for code.
  void lexTypographicQuote(Character quote) {
    const char* start = p_;
    p_ += quote.length;
    report(Diag::typographic_quote, start, std::string_view(start, quote.length),
           isDoubleQuote(quote.code) ? "\"" : "'");
    for (const char* q = p_; q != end_ && *q != '\n' && *q != ';'; ++q) {
      Character c = classOf(*q) == High ? decode(q, end_) : Character{uint32_t(*q), 1};
      bool closes = isTypographicQuote(c.code) || c.code == '"' || c.code == '\'';
      if (closes) {
        p_ = q + c.length;
        break;
      }
    }
    add(Tok::Error, start);
  }

  void lexOther() {
    const char* start = p_;
    switch (*p_) {
    case '"':
      return lexString();
    case '\'':
      return lexChar();
    case '#':
      return lexDirective();
    case '/':
      if (p_[1] == '/')
        return skipLine();
      if (p_[1] == '*')
        return skipComment();
      break;
    case '.':
      if (classOf(p_[1]) == Digit)
        return lexNumber();
      break;
    case '\\':
      if (p_[1] == '\n' || (p_[1] == '\r' && p_[2] == '\n')) {
        ++p_;
        return;
      }
      break;
    }
    if (Tok kind = punctuation(); kind != Tok::Error) {
      add(kind, start);
      return;
    }
    strayAscii(start);
  }

  void strayAscii(const char* start) {
    ++p_;
    auto byte = static_cast<unsigned char>(*start);
    bool shown = byte > 0x20 && byte < 0x7f;
    while (p_ != end_ && *p_ == *start)
      ++p_;
    report(Diag::stray_character, start, shown ? fmt::format("'{}'", *start) : fmt::format("0x{:02x}", byte),
           byte == '@' ? "functions have no decorators: code inside spawn (n) {...} runs on the device" : "");
    add(Tok::Error, start);
  }

  // The longest punctuation here, consumed; Error: none.
  Tok punctuation() {
    auto take = [&](Tok kind, unsigned length) {
      p_ += length;
      return kind;
    };
    // c, c= and cc for the operators that have them
    auto plain = [&](Tok one, Tok with_equal) { return p_[1] == '=' ? take(with_equal, 2) : take(one, 1); };
    auto doubled = [&](Tok one, Tok with_equal, Tok two) {
      return p_[1] == *p_ ? take(two, 2) : plain(one, with_equal);
    };
    auto shift = [&](Tok one, Tok with_equal, Tok two, Tok two_equal) {
      return p_[1] != *p_ ? plain(one, with_equal) : p_[2] == '=' ? take(two_equal, 3) : take(two, 2);
    };
    switch (*p_) {
    case '(':
      return take(Tok::LParen, 1);
    case ')':
      return take(Tok::RParen, 1);
    case '[':
      return take(Tok::LBracket, 1);
    case ']':
      return take(Tok::RBracket, 1);
    case '{':
      return take(Tok::LBrace, 1);
    case '}':
      return take(Tok::RBrace, 1);
    case ';':
      return take(Tok::Semicolon, 1);
    case ',':
      return take(Tok::Comma, 1);
    case '?':
      return take(Tok::Question, 1);
    case ':':
      return take(Tok::Colon, 1);
    case '~':
      return take(Tok::Tilde, 1);
    case '.':
      return p_[1] == '.' && p_[2] == '.' ? take(Tok::Ellipsis, 3) : take(Tok::Dot, 1);
    case '!':
      return plain(Tok::Not, Tok::NotEqual);
    case '=':
      return plain(Tok::Equal, Tok::EqualEqual);
    case '*':
      return plain(Tok::Star, Tok::StarEqual);
    case '/':
      return plain(Tok::Slash, Tok::SlashEqual);
    case '%':
      return plain(Tok::Percent, Tok::PercentEqual);
    case '^':
      return plain(Tok::Caret, Tok::CaretEqual);
    case '+':
      return doubled(Tok::Plus, Tok::PlusEqual, Tok::PlusPlus);
    case '-':
      return p_[1] == '>' ? take(Tok::Arrow, 2) : doubled(Tok::Minus, Tok::MinusEqual, Tok::MinusMinus);
    case '&':
      return doubled(Tok::Amp, Tok::AmpEqual, Tok::AmpAmp);
    case '|':
      return doubled(Tok::Pipe, Tok::PipeEqual, Tok::PipePipe);
    case '<':
      return shift(Tok::Less, Tok::LessEqual, Tok::Shl, Tok::ShlEqual);
    case '>':
      return shift(Tok::Greater, Tok::GreaterEqual, Tok::Shr, Tok::ShrEqual);
    default:
      return Tok::Error;
    }
  }

  void skipLine() {
    const void* newline = std::memchr(p_, '\n', size_t(end_ - p_));
    p_ = newline ? static_cast<const char*>(newline) : end_;
  }

  void skipComment() {
    const char* start = p_;
    for (p_ += 2; p_ != end_; ++p_) {
      p_ = static_cast<const char*>(std::memchr(p_, '*', size_t(end_ - p_)));
      if (!p_)
        break;
      if (p_[1] == '/') {
        p_ += 2;
        return;
      }
    }
    p_ = start + 2;
    report(Diag::unterminated_comment, start);
    p_ = end_;
    add(Tok::Error, end_);
  }

  // Checks the escapes up to the closing quote; false at the end of the line.
  bool scanQuoted(char quote) {
    for (++p_; p_ != end_ && *p_ != '\n'; ++p_) {
      if (*p_ == quote) {
        ++p_;
        return true;
      }
      if (*p_ == '\\' && p_ + 1 != end_ && p_[1] != '\n')
        checkEscape();
    }
    return false;
  }

  void checkEscape() {
    const char* start = p_;
    Escape escape = readEscape({p_ + 1, size_t(end_ - p_ - 1)});
    p_ += escape.length; // the caller steps over the last character
    SourceRange range = literals_.range(start, p_ + 1);
    if (escape.problem == Escape::Unknown)
      diagnostics_.report(Diag::unknown_escape, range, std::string_view(start + 1, size_t(classOf(start[1]) != High)));
    else if (escape.problem == Escape::TooLarge)
      diagnostics_.report(Diag::escape_too_large, range);
  }

  void lexString() {
    const char* start = p_;
    bool closed = scanQuoted('"');
    if (!closed)
      diagnostics_.report(Diag::unterminated_string, literals_.range(start, start + 1));
    add(closed ? Tok::StringLiteral : Tok::Error, start);
  }

  void lexChar() {
    const char* start = p_;
    if (!scanQuoted('\'')) {
      diagnostics_.report(Diag::unterminated_char, literals_.range(start, start + 1));
      add(Tok::Error, start);
      return;
    }
    Token& token = add(Tok::CharLiteral, start);
    std::string_view inside(start + 1, size_t(p_ - start - 2));
    if (inside.empty())
      return report(Diag::empty_char, start);
    bool escaped = inside[0] == '\\';
    Escape escape =
        escaped ? readEscape(inside.substr(1)) : Escape{static_cast<unsigned char>(inside[0]), 0, Escape::None};
    token.integer = uint64_t(int64_t(int8_t(escape.value)));
    if (inside.size() != escape.length + 1u)
      report(Diag::long_char, start, std::string_view(start, size_t(p_ - start)));
  }

  // ---- #
  void skipBlanks() {
    while (*p_ == ' ' || *p_ == '\t')
      ++p_;
  }

  bool firstOnLine() const {
    const char* q = p_;
    while (q != begin_ && (q[-1] == ' ' || q[-1] == '\t'))
      --q;
    return q == begin_ || q[-1] == '\n' || static_cast<unsigned char>(q[-1]) == 0xbf;
  }

  void lexDirective() {
    const char* start = p_;
    if (!firstOnLine())
      return strayAscii(start);
    ++p_;
    skipBlanks();
    const char* word = p_;
    while (classOf(*p_) == Letter || classOf(*p_) == Digit)
      ++p_;
    std::string_view name(word, size_t(p_ - word));
    if (name == "include")
      return lexInclude(start);
    bool goes_on = name == "else" || name == "elif" || name == "endif"; // of a directive that was reported
    if (!goes_on || !in_conditional_)
      report(Diag::no_preprocessor, start, name, name == "pragma" ? pragmaHelp() : directiveHelp(name));
    in_conditional_ |= name.starts_with("if");
    skipDirective();
  }

  static const char* directiveHelp(std::string_view name) {
    if (!nearestOf(name, {"include"}).empty())
      return "did you mean '#include'?";
    if (name == "define" || name == "undef")
      return "use a const variable, an enum or an inline function";
    return "use const, enum and inline instead; each file is read once however often it is included";
  }

  // #pragma unroll 4, #pragma unroll(4), #pragma omp parallel for; #pragma GCC unroll 4
  std::string pragmaHelp() {
    std::string_view rest(p_, size_t(std::find(p_, end_, '\n') - p_));
    if (size_t at = rest.find("unroll"); at != std::string_view::npos) {
      rest.remove_prefix(at);
      rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
      std::string_view rounds = rest.substr(0, rest.find_first_not_of("0123456789"));
      return fmt::format("delete the line, and write unroll{} in front of the loop: unroll{} for (...)",
                         rounds.empty() ? "" : fmt::format("({})", rounds),
                         rounds.empty() ? "" : fmt::format("({})", rounds));
    }
    if (rest.find("omp") != std::string_view::npos && rest.find("for") != std::string_view::npos)
      return "delete the line, and write spawn (n) { ... } in place of the loop: n threads run its body, each with its "
             "own thread.rank in place of the loop's variable";
    if (rest.find("once") != std::string_view::npos)
      return "delete the line; each file is read once however often it is included";
    return "delete the line";
  }

  // To the end of its line, and of the lines that a backslash joins to it.
  void skipDirective() {
    do {
      skipLine();
      const char* last = p_ > begin_ && p_[-1] == '\r' ? p_ - 1 : p_;
      if (p_ == end_ || last == begin_ || last[-1] != '\\')
        return;
      ++p_;
    } while (p_ != end_);
  }

  void lexInclude(const char* start) {
    skipBlanks();
    const char* name = p_;
    char close = *p_ == '<' ? '>' : *p_ == '"' ? '"' : 0;
    for (++p_; close && p_ < end_ && *p_ != '\n' && *p_ != close;)
      ++p_;
    if (!close || p_ >= end_ || *p_ != close || p_ == name + 1) {
      p_ = name;
      report(Diag::bad_include, start);
      return skipLine();
    }
    ++p_;
    add(Tok::Include, name);
  }

  const char* begin_;
  const char* end_;
  const char* p_;
  Diagnostics& diagnostics_;
  LiteralContext literals_;
  std::vector<Token> tokens_;
  bool in_conditional_ = false; // an #if was reported: the directives that belong to it are not
};

} // namespace

std::vector<Token> lex(const SourceManager& sources, SourcePos file, Diagnostics& diagnostics) {
  return Lexer(sources.text(file), sources.begin(file), diagnostics).run();
}

std::vector<Token> lex(const SourceManager& sources, SourceRange part, Diagnostics& diagnostics) {
  std::string text(sources.text(part)); // with the zero behind it that ends a token
  return Lexer(text, part.begin, diagnostics).run();
}

} // namespace bsgp
