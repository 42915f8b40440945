// Source positions, the rendering of messages, and the lexer.
// links: lex diag support
#include "lex/lex.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace bsgp {
namespace {

struct Lexed {
  SourceManager sources;
  Diagnostics diagnostics{sources};
  std::vector<Token> tokens;

  explicit Lexed(std::string source) {
    SourcePos file = sources.addText("t.bsgp", std::move(source));
    tokens = lex(sources, file, diagnostics);
  }
  std::string kinds() const {
    std::string out;
    for (const Token& token : tokens)
      out += std::string(out.empty() ? "" : " ") + std::string(spelling(token.kind));
    return out;
  }
  std::vector<std::string> messages() const {
    std::vector<std::string> names;
    for (const Diagnostic& d : diagnostics.all())
      names.emplace_back(diagName(d.kind));
    return names;
  }
};

using Names = std::vector<std::string>;

// ---- positions
TEST(SourceManager, FindsLineAndColumnInEachFile) {
  SourceManager sources;
  SourcePos a = sources.addText("a", "one\ntwo\n");
  SourcePos b = sources.addText("b", "");
  SourcePos c = sources.addText("c", "x\r\nyy");
  EXPECT_EQ(sources.at(a + 5).line, 2u);
  EXPECT_EQ(sources.at(a + 5).column, 2u);
  EXPECT_EQ(sources.at(b).file, "b");
  EXPECT_EQ(sources.at(b).line, 1u);
  EXPECT_EQ(sources.at(c + 4).file, "c");
  EXPECT_EQ(sources.at(c + 4).line, 2u);
  EXPECT_EQ(sources.lineText(c), "x");
  EXPECT_EQ(sources.lineText(c + 5), "yy");
  EXPECT_EQ(sources.lineText(a + 8), "");
  EXPECT_EQ(sources.text(a + 3), "one\ntwo\n");
  EXPECT_EQ(sources.at(0).line, 0u);
}

TEST(SourceManager, SaysWhyAFileCannotBeRead) {
  SourceManager sources;
  auto missing = sources.addFile("/nowhere/x.bsgp");
  EXPECT_FALSE(missing);
  EXPECT_NE(missing.message().find("/nowhere/x.bsgp"), std::string::npos);
  auto folder = sources.addFile("/tmp");
  EXPECT_NE(folder.message().find("directory"), std::string::npos);
}

// ---- rendering
struct Rendering : ::testing::Test {
  SourceManager sources;
  Diagnostics diagnostics{sources};
  SourcePos file = sources.addText("t.bsgp", "\tab = größe + cd;\nsecond\n" + std::string(300, 'x') + " bad " +
                                                 std::string(300, 'y'));
};

TEST_F(Rendering, MarksTheRangePastTabsAndWideBytes) {
  SourcePos cd = file + SourcePos(sources.text(file).find("cd"));
  diagnostics.report(Diag::expected_expression, {cd, cd + 2}, "'cd'", "try harder");
  EXPECT_EQ(diagnostics.render(), "t.bsgp:1:17: error: expected an expression, found 'cd' [expected_expression]\n"
                                  "        ab = größe + cd;\n"
                                  "                     ^~\n"
                                  "  help: try harder\n");
}

TEST_F(Rendering, CutsLongLinesAroundTheMark) {
  SourcePos bad = file + SourcePos(sources.text(file).find("bad"));
  diagnostics.report(Diag::expected_semicolon, {bad, bad + 3}, "'x'");
  std::string text = diagnostics.render();
  size_t line = text.find("\n    ...") + 5, mark = text.find('^');
  ASSERT_NE(mark, std::string::npos);
  size_t mark_line = text.rfind('\n', mark) + 5;
  EXPECT_EQ(text.substr(line + (mark - mark_line), 3), "bad");
  EXPECT_LT(text.find('\n', line) - line, 140u);
}

TEST_F(Rendering, EndsTheMarkWithTheLine) {
  diagnostics.report(Diag::expected_semicolon, {file + 20, file + 60}, "'x'");
  EXPECT_NE(diagnostics.render().find("second\n    ^~~~~~\n"), std::string::npos);
}

TEST_F(Rendering, PointsAtTheEndOfTheFile) {
  SourcePos end = file + SourcePos(sources.text(file).size());
  diagnostics.report(Diag::expected_semicolon, {end, end + 1}, "'x'");
  EXPECT_NE(diagnostics.render().find('^'), std::string::npos);
}

TEST_F(Rendering, DropsRepeatsAndTheirNotes) {
  for (int i = 0; i < 3; ++i) {
    diagnostics.report(Diag::expected_semicolon, {file, file + 1}, "'x'");
    diagnostics.report(Diag::opened_here, {file + 1, file + 2}, "(");
  }
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all().size(), 2u);
}

TEST_F(Rendering, KeepsANoteThatTwoMessagesShare) {
  for (SourcePos at : {file, file + 3}) {
    diagnostics.report(Diag::expected_semicolon, {at, at + 1}, "'x'");
    diagnostics.report(Diag::opened_here, {file + 1, file + 2}, "(");
  }
  EXPECT_EQ(diagnostics.all().size(), 4u);
}

TEST_F(Rendering, StopsAtAHundredErrors) {
  for (SourcePos i = 0; i < 250; ++i)
    diagnostics.report(Diag::expected_semicolon, {file + i, file + i + 1}, "'x'");
  EXPECT_EQ(diagnostics.errors(), 250u);
  EXPECT_EQ(diagnostics.all().size(), 100u);
  EXPECT_TRUE(diagnostics.render().ends_with("and 150 more errors\n"));
}

TEST_F(Rendering, FollowsTheSourceAndColorsOnRequest) {
  diagnostics.report(Diag::expected_semicolon, {file + 20, file + 21}, "'b'");
  diagnostics.report(Diag::expected_semicolon, {file + 1, file + 2}, "'a'");
  std::string text = diagnostics.render();
  EXPECT_LT(text.find("'a'"), text.find("'b'"));
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(diagnostics.render(true).find("\033[1;31merror"), std::string::npos);
}

TEST_F(Rendering, HasNoPlaceForWhatIsNowhere) {
  diagnostics.report(Diag::include_unreadable, {}, "cannot open 'a'");
  diagnostics.report(Diag::include_unreadable, {}, "cannot open 'b'");
  EXPECT_EQ(diagnostics.render(),
            "error: cannot open 'a' [include_unreadable]\nerror: cannot open 'b' [include_unreadable]\n");
}

// ---- tokens
TEST(Lexer, ReadsEveryFixedToken) {
  for (unsigned kind = unsigned(Tok::If); kind <= unsigned(Tok::PipeEqual); ++kind) {
    Lexed lexed{std::string(spelling(Tok(kind)))};
    ASSERT_EQ(lexed.tokens.size(), 2u) << spelling(Tok(kind));
    EXPECT_EQ(lexed.tokens[0].kind, Tok(kind)) << spelling(Tok(kind));
  }
}

TEST(Lexer, TakesTheLongestPunctuation) {
  EXPECT_EQ(Lexed("a<<=b>>c->d--e...f").kinds(),
            "identifier <<= identifier >> identifier -> identifier -- identifier ... identifier end of file");
  EXPECT_EQ(Lexed("a+++b").kinds(), "identifier ++ + identifier end of file");
  EXPECT_EQ(Lexed("x/*a*/y//z\nw/ /*").kinds(), "identifier identifier identifier / error end of file");
}

// Each of the literals, but for what ends the text, is of this kind; `value` is the field with its value.
template <class T>
void expectLiterals(const Lexed& lexed, Tok kind, T Token::* value, const std::vector<T>& values,
                    const std::vector<unsigned>& bits) {
  ASSERT_EQ(lexed.tokens.size(), values.size() + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(lexed.tokens[i].kind, kind);
    EXPECT_EQ(lexed.tokens[i].*value, values[i]) << i;
    EXPECT_EQ(lexed.tokens[i].bits, bits[i]) << i;
  }
  EXPECT_TRUE(lexed.diagnostics.all().empty());
}

TEST(Lexer, ReadsIntegers) {
  Lexed lexed("0 42 0x1F 0b101 017 1u 2L 3ul 4LLu 0xffffffffffffffff 5000000000u");
  expectLiterals(lexed, Tok::IntLiteral, &Token::integer, {0, 42, 31, 5, 15, 1, 2, 3, 4, ~uint64_t(0), 5000000000},
                 {0, 0, 0, 0, 0, 32, 64, 64, 64, 0, 64});
  EXPECT_TRUE(lexed.tokens[5].is_unsigned && !lexed.tokens[6].is_unsigned && lexed.tokens[7].is_unsigned);
}

TEST(Lexer, ReadsFloats) {
  Lexed lexed("1.0 .5 1. 1e3 2.5e-2f 0x1.8p1 1.5h 1e-400 0.1f 3e+2F 0x.8p0f");
  expectLiterals(lexed, Tok::FloatLiteral, &Token::floating, {1, .5, 1, 1000, 2.5e-2f, 3, 1.5, 0, 0.1f, 300, .5},
                 {0, 0, 0, 0, 32, 0, 16, 0, 32, 32, 32});
}

TEST(Lexer, RoundsAFloatOnce) {
  // Halfway between two floats plus a trifle that a double cannot hold.
  Lexed lexed("1.00000005960464477540f 1.00000005960464477539062500000001f");
  EXPECT_EQ(float(lexed.tokens[0].floating), 1.00000005960464477540f);
  EXPECT_EQ(float(lexed.tokens[1].floating), 1.00000005960464477539062500000001f);
}

// Halfway between each two neighbouring halves, and a trifle beside it that a double cannot hold. The oracle is the
// compiler's conversion.
TEST(Lexer, RoundsAHalfOnce) {
  constexpr int kPlaces = 25; // of the exact digits behind the point
  auto text = [](unsigned __int128 digits, std::string_view more) {
    std::string out;
    for (int i = 0; i <= kPlaces || digits; ++i, digits /= 10)
      out.insert(out.begin(), char('0' + int(digits % 10)));
    out.insert(out.size() - kPlaces, ".");
    return out + std::string(more) + "h ";
  };
  auto half = [](unsigned bits) { return double(std::bit_cast<_Float16>(uint16_t(bits))); };
  constexpr unsigned kLargest = 0x7bff;
  std::string source;
  for (unsigned bits = 0; bits < kLargest; ++bits) {
    auto middle = static_cast<unsigned __int128>(std::ldexp(half(bits) + half(bits + 1), kPlaces - 1));
    for (int i = 0; i < kPlaces; ++i)
      middle *= 5; // times 2^25 above: the middle times 10^25
    source += text(middle - 1, "99999999") + text(middle, "") + text(middle, "00000001");
  }
  Lexed lexed(source + "65519.99999999999999999h");
  EXPECT_TRUE(lexed.diagnostics.all().empty());
  ASSERT_EQ(lexed.tokens.size(), 3 * kLargest + 2);
  for (unsigned bits = 0; bits < kLargest; ++bits) {
    auto nearest = double(_Float16((half(bits) + half(bits + 1)) / 2));
    ASSERT_EQ(lexed.tokens[3 * bits].floating, half(bits)) << bits;
    ASSERT_EQ(lexed.tokens[3 * bits + 1].floating, nearest) << bits;
    ASSERT_EQ(lexed.tokens[3 * bits + 2].floating, half(bits + 1)) << bits;
  }
  EXPECT_EQ(lexed.tokens[3 * kLargest].floating, half(kLargest));
}

TEST(Lexer, RoundsAHexadecimalHalfOnce) {
  Lexed lexed("0x1.002p0h 0x1.00200000000000000000001p0h 0x1.001fffffffffffffffffffp0h 0x1.006p0h "
              "0x.000000000000000000000000000000001002000000000001p+132h 0x1p-25h 0x1.0000000000000000000001p-25h "
              "0x1p-99999999999h 0x8.001000000000000000p-3h");
  double values[] = {1, 0x1.004p0, 1, 0x1.008p0, 0x1.004p0, 0, 0x1p-24, 0, 1};
  for (size_t i = 0; i < std::size(values); ++i)
    EXPECT_EQ(lexed.tokens[i].floating, values[i]) << i;
}

TEST(Lexer, ReadsCharactersAndStrings) {
  Lexed lexed(R"('a' '\n' '\'' '\0' '\xff' '\101' "a\tb\x41\"\\")");
  int64_t values[] = {'a', '\n', '\'', 0, -1, 'A'};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(int64_t(lexed.tokens[i].integer), values[i]) << i;
  EXPECT_EQ(stringBytes(R"("a\tb\x41\"\\")"), "a\tbA\"\\");
  EXPECT_EQ(lexed.tokens[6].kind, Tok::StringLiteral);
  EXPECT_TRUE(lexed.diagnostics.all().empty());
}

TEST(Lexer, RecognizesIncludes) {
  Lexed lexed("#include \"a/b.bsgp\"\n  #  include <sort.bsgp> // library\nx");
  EXPECT_EQ(lexed.kinds(), "include include identifier end of file");
  EXPECT_EQ(lexed.sources.text(1).substr(lexed.tokens[0].range.begin - 1, 10), "\"a/b.bsgp\"");
}

TEST(Lexer, SkipsJoinedLinesAndTheByteOrderMark) {
  EXPECT_EQ(Lexed("\xef\xbb\xbf"
                  "a \\\n b \\\r\n c")
                .kinds(),
            "identifier identifier identifier end of file");
  Lexed macro("#define f(x) \\\n  x + 1\ny");
  EXPECT_EQ(macro.kinds(), "identifier end of file");
  EXPECT_EQ(macro.messages(), Names{"no_preprocessor"});
}

TEST(Lexer, ReadsAPartOfAFile) {
  SourceManager sources;
  sources.addText("before.bsgp", "x");
  SourcePos file = sources.addText("t.bsgp", "int f() { return one /* two */ + 'a' + \"three\"; } int four;");
  std::string_view text = sources.text(file);
  auto namesIn = [&](std::string_view from, std::string_view to) {
    SourceRange part{file + SourcePos(text.find(from)), file + SourcePos(text.find(to))};
    Diagnostics diagnostics(sources);
    Names names;
    for (const Token& token : lex(sources, part, diagnostics))
      if (token.kind == Tok::Identifier)
        names.emplace_back(sources.text(token.range));
    return names;
  };
  EXPECT_EQ(namesIn("{", " int four"), Names{"one"});
  EXPECT_EQ(namesIn("int four", "ur;"), Names{"fo"}); // cut
}

TEST(Lexer, WritesTokensAsText) {
  Lexed lexed("x = 3u;\n1.5f 'a'");
  EXPECT_EQ(text(lexed.tokens, lexed.sources),
            "1:1 identifier x\n1:3 punctuation =\n1:5 int 3u = 3 unsigned 32 bits\n"
            "1:7 punctuation ;\n2:1 float 1.5f = 1.5 32 bits\n2:6 character 'a' = 97\n"
            "2:9 end of file\n");
}

// ---- messages
const std::vector<std::pair<std::string, std::string>> kWrong = {
    {"unterminated_string", "x = \"abc\ny"},
    {"unterminated_char", "x = 'a\ny"},
    {"unterminated_comment", "x /* y"},
    {"unterminated_comment", "x /*"},
    {"empty_char", "''"},
    {"long_char", "'ab'"},
    {"long_char", "'\xc3\xa9'"},
    {"unknown_escape", "\"a\\q\""},
    {"unknown_escape", "'\\x'"},
    {"escape_too_large", "\"\\x100\""},
    {"escape_too_large", "'\\777'"},
    {"stray_character", "a @@ b"},
    {"stray_character", "a \xff\xfe b"},
    {"stray_character", "a\xc2\xa0"
                        "b"},
    {"stray_character", "a \xe2\x88\x92 b"},
    {"stray_character", std::string("a \0\0\0 b", 7)},
    {"stray_character", "a # b"},
    {"typographic_quote", "x = \xe2\x80\x9chello world\xe2\x80\x9d;"},
    {"typographic_quote", "x = \xe2\x80\x99;"},
    {"non_ascii_name", "gr\xc3\xb6\xc3\x9f"
                       "e_2 = 1"},
    {"non_ascii_name", "\xc3\xa9t\xc3\xa9 = 1"},
    {"bad_digit", "0128"},
    {"bad_digit", "0b12"},
    {"missing_digits", "0x"},
    {"missing_digits", "1e+"},
    {"missing_exponent", "0x1.8"},
    {"bad_number_suffix", "1f"},
    {"bad_number_suffix", "12abc"},
    {"bad_number_suffix", "1.5l"},
    {"bad_number_suffix", "1.2.3"},
    {"bad_number_suffix", "1uu"},
    {"integer_too_large", "18446744073709551616"},
    {"float_too_large", "1e400"},
    {"float_too_large", "1e40f"},
    {"float_too_large", "65520.0h"},
    {"no_preprocessor", "#if 1"},
    {"no_preprocessor", "#pragma once"},
    {"bad_include", "#include foo"},
    {"bad_include", "#include \"foo\n"},
    {"bad_include", "#include"},
};

TEST(LexerMessages, SayEachSlipOnce) {
  for (const auto& [name, source] : kWrong) {
    Lexed lexed(source);
    EXPECT_EQ(lexed.messages(), Names{name}) << source << "\n" << lexed.diagnostics.render();
  }
}

TEST(LexerMessages, AreAllTested) {
  std::set<std::string> tested;
  for (const auto& [name, source] : kWrong)
    tested.insert(name);
#define DIAG(kind, severity, message, help) EXPECT_TRUE(tested.count(#kind)) << #kind;
#include "diag/lex_messages.def"
#undef DIAG
}

// ---- size and robustness
TEST(Lexer, KeepsUpWithTenMegabytes) {
  std::string source;
  while (source.size() < 10u << 20)
    source += "float3 value_12 = scan(rop_add, x[i] * 2.5f + 0x1f); // a comment\n";
  auto start = std::chrono::steady_clock::now();
  Lexed lexed(std::move(source));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)); // a hang, not a measurement
  EXPECT_GT(lexed.tokens.size(), 2000000u);
  EXPECT_TRUE(lexed.diagnostics.all().empty());
}

TEST(Lexer, SurvivesRandomBytes) {
  std::mt19937 random(1);
  const std::string likely = "\"'/*\\#.0x1eEpf\n <>=&\xc3\xa9\xe2\x80\x9c";
  for (int round = 0; round < 3000; ++round) {
    std::string source;
    for (unsigned i = random() % 60; i > 0; --i)
      source += random() % 4 ? likely[random() % likely.size()] : char(random());
    Lexed lexed(source);
    ASSERT_EQ(lexed.tokens.back().kind, Tok::End);
    SourcePos last = 1;
    for (const Token& token : lexed.tokens) {
      ASSERT_LE(last, token.range.begin);
      ASSERT_LE(token.range.begin, token.range.end);
      last = token.range.end;
    }
    ASSERT_LE(last, source.size() + 1);
    lexed.diagnostics.render();
    text(lexed.tokens, lexed.sources);
  }
}

} // namespace
} // namespace bsgp
