// Keeps and renders the messages. What a user sees:
//
//   scale.bsgp:3:14: error: expected ';' after 'v' [expected_semicolon]
//       owner[rk] = v
//                    ^
//     help: ...
#include "diag/diagnostics.h"

#include <algorithm>
#include <iterator>

#include <fmt/ranges.h>

namespace bsgp {
namespace {

constexpr unsigned kMaxErrors = 100;
constexpr unsigned kMaxWarnings = 100;
constexpr size_t kMaxWidth = 120; // columns of a source line that are shown
constexpr size_t kTabWidth = 4;

struct Declaration {
  std::string_view name;
  Severity severity;
  const char* message;
  const char* help;
};

constexpr Declaration kDeclarations[] = {
#define DIAG(kind, severity, message, help) {#kind, Severity::severity, message, help},
#include "diag/messages.def"
#undef DIAG
};

const Declaration& declarationOf(Diag kind) {
  return kDeclarations[size_t(kind)];
}

// A message whose places do not match its arguments is our slip, but no reason to withhold it.
std::string formatted(const char* pattern, fmt::format_args args) {
  try {
    constexpr size_t kLongest = 600; // a name may be as long as a file
    std::string text = fmt::vformat(pattern, args);
    if (text.size() > kLongest)
      text = text.substr(0, kLongest) + "...";
    return text;
  } catch (const fmt::format_error&) {
    return pattern;
  }
}

bool isRepeat(const Diagnostic& a, const Diagnostic& b) {
  return a.kind == b.kind && a.range.begin == b.range.begin && a.range.end == b.range.end &&
         (a.range.valid() || a.message == b.message);
}

// ---- rendering
struct Palette {
  const char *bold, *error, *warning, *note, *mark, *off;
};
constexpr Palette kPlain = {"", "", "", "", "", ""};
constexpr Palette kColor = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

// A source line made printable, with the screen column of each of its bytes (and of its end).
struct ShownLine {
  std::string text;
  std::vector<size_t> columns; // by byte of the source
  std::vector<size_t> offsets; // by byte of the source, into text
};

size_t utf8Length(std::string_view text, size_t at) {
  auto lead = static_cast<unsigned char>(text[at]);
  size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (at + length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[at + i] & 0xc0) != 0x80)
      return 0;
  return length;
}

ShownLine show(std::string_view line) {
  ShownLine shown;
  size_t column = 0;
  for (size_t i = 0; i < line.size();) {
    size_t length = std::max<size_t>(utf8Length(line, i), 1);
    shown.columns.insert(shown.columns.end(), length, column);
    shown.offsets.insert(shown.offsets.end(), length, shown.text.size());
    auto byte = static_cast<unsigned char>(line[i]);
    if (line[i] == '\t') {
      size_t width = kTabWidth - column % kTabWidth;
      shown.text.append(width, ' ');
      column += width;
    } else {
      bool printable = byte >= 0x20 && byte != 0x7f && utf8Length(line, i) != 0;
      shown.text.append(printable ? line.substr(i, length) : "?");
      column += 1;
    }
    i += length;
  }
  shown.columns.push_back(column);
  shown.offsets.push_back(shown.text.size());
  return shown;
}

// The part of the source line, as bytes from-to, that fits the screen and has the marked range in view.
std::pair<size_t, size_t> visiblePart(size_t size, size_t begin, size_t end) {
  if (size <= kMaxWidth)
    return {0, size};
  size_t wanted = std::min(end, begin + kMaxWidth / 2);
  size_t from = wanted > kMaxWidth - 20 ? std::min(begin, wanted - (kMaxWidth - 20)) : 0;
  return {from, std::min(size, from + kMaxWidth)};
}

void moveToCharacter(std::string_view line, size_t& at) {
  while (at > 0 && at < line.size() && (line[at] & 0xc0) == 0x80)
    --at;
}

// The source line and, below it, ^~~~ under the range: its part on the first line.
void renderSource(std::string& out, std::string_view line, size_t begin, size_t end, const Palette& color) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  auto [from, to] = visiblePart(line.size(), begin, end);
  moveToCharacter(line, from);
  moveToCharacter(line, to);
  end = std::max(begin, std::min(end, to));
  ShownLine shown = show(line.substr(from, to - from));
  const char* left = from > 0 ? "..." : "";
  out += fmt::format("    {}{}{}\n", left, shown.text, to < line.size() ? "..." : "");
  size_t column = shown.columns[begin - from];
  size_t width = std::max<size_t>(shown.columns[end - from] - column, 1);
  out += fmt::format("    {}{}^{}{}\n", std::string(column + (from > 0 ? 3 : 0), ' '), color.mark,
                     std::string(width - 1, '~'), color.off);
}

void renderOne(std::string& out, const Diagnostic& message, const SourceManager& sources, const WarningPolicy& policy,
               const Palette& color) {
  bool stops = message.severity == Severity::Warning && policy.stopsAt(diagName(message.kind));
  bool located = message.range.valid();
  LineColumn at = sources.at(message.range.begin);
  if (located)
    out += fmt::format("{}{}:{}:{}:{} ", color.bold, at.file, at.line, at.column, color.off);
  auto [word, tint] = stops || message.severity == Severity::Error ? std::pair("error", color.error)
                      : message.severity == Severity::Warning      ? std::pair("warning", color.warning)
                                                                   : std::pair("note", color.note);
  out += fmt::format("{}{}:{} {}{}{} [{}{}]\n", tint, word, color.off, color.bold, message.message, color.off,
                     diagName(message.kind), stops ? ", -Werror" : "");
  if (located) {
    size_t begin = at.column - 1;
    renderSource(out, sources.lineText(message.range.begin), begin,
                 begin + (std::max(message.range.end, message.range.begin) - message.range.begin), color);
  }
  if (!message.help.empty())
    out += fmt::format("  help: {}\n", message.help);
}

// As one reads the source, whichever phase found them; notes stay with their message.
std::vector<const Diagnostic*> inSourceOrder(const std::vector<Diagnostic>& list) {
  std::vector<std::pair<SourcePos, const Diagnostic*>> keyed;
  for (const Diagnostic& message : list) {
    bool note = message.severity == Severity::Note && !keyed.empty();
    keyed.emplace_back(note ? keyed.back().first : message.range.begin, &message);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Diagnostic*> ordered;
  for (const auto& [position, message] : keyed)
    ordered.push_back(message);
  return ordered;
}

} // namespace

std::string_view diagName(Diag kind) {
  return declarationOf(kind).name;
}

std::vector<std::string_view> warningNames() {
  std::vector<std::string_view> names;
  for (const Declaration& declaration : kDeclarations)
    if (declaration.severity == Severity::Warning)
      names.push_back(declaration.name);
  return names;
}

bool WarningPolicy::leavesOut(std::string_view kind) const {
  return none || std::find(off.begin(), off.end(), kind) != off.end();
}

bool WarningPolicy::stopsAt(std::string_view kind) const {
  return all_errors || std::find(errors.begin(), errors.end(), kind) != errors.end();
}

std::string WarningPolicy::text() const {
  return fmt::format("{} {} {} / {}", none, all_errors, fmt::join(off, " "), fmt::join(errors, " "));
}

void Diagnostics::add(Diag kind, SourceRange range, fmt::format_args args) {
  const Declaration& declared = declarationOf(kind);
  put({kind, declared.severity, range, formatted(declared.message, args), formatted(declared.help, args)});
}

void Diagnostics::put(Diagnostic message) {
  auto repeats = [&](const Diagnostic& other) { return isRepeat(message, other); };
  if (message.severity == Severity::Note) {
    auto primary =
        std::find_if(list_.rbegin(), list_.rend(), [](const Diagnostic& d) { return d.severity != Severity::Note; });
    if (!dropping_notes_ && std::none_of(list_.rbegin(), primary, repeats))
      list_.push_back(std::move(message));
    return;
  }
  dropping_notes_ = std::any_of(list_.begin(), list_.end(), repeats);
  if (dropping_notes_) {
    repeats_ += message.severity == Severity::Error;
    return;
  }
  if (help_ && message.kind != Diag::front_end)
    message.help = help_(message);
  bool is_warning = message.severity == Severity::Warning;
  if (is_warning && policy_.leavesOut(diagName(message.kind))) {
    dropping_notes_ = true;
    return;
  }
  stopping_warnings_ += is_warning && policy_.stopsAt(diagName(message.kind));
  unsigned& count = message.severity == Severity::Error ? errors_ : warnings_;
  dropping_notes_ = count++ >= (message.severity == Severity::Error ? kMaxErrors : kMaxWarnings);
  if (!dropping_notes_)
    list_.push_back(std::move(message));
}

// Past the limit messages are only counted: then there is nothing to take, and the counts stay.
std::vector<Diagnostic> Diagnostics::takeSince(const Mark& mark) {
  std::vector<Diagnostic> taken(std::make_move_iterator(list_.begin() + static_cast<ptrdiff_t>(mark.size)),
                                std::make_move_iterator(list_.end()));
  list_.resize(mark.size);
  if (!taken.empty())
    errors_ = mark.errors, warnings_ = mark.warnings, stopping_warnings_ = mark.stopping_warnings;
  return taken;
}

std::string Diagnostics::render(bool color) const {
  const Palette& palette = color ? kColor : kPlain;
  std::string out;
  for (const Diagnostic* message : inSourceOrder(list_))
    renderOne(out, *message, sources_, policy_, palette);
  auto rest = [&](unsigned count, unsigned limit, const char* word) {
    if (count > limit)
      out += fmt::format("and {} more {}{}\n", count - limit, word, count - limit == 1 ? "" : "s");
  };
  rest(errors_, kMaxErrors, "error");
  rest(warnings_, kMaxWarnings, "warning");
  return out;
}

} // namespace bsgp
