// #include: finds files, and reads each once.
#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "parse/foreign_library.h"
#include "parse/parser.h"
#include "support/nearest_word.h"

namespace bsgp {
namespace {

namespace fs = std::filesystem;
constexpr unsigned kMaxIncludeDepth = 200;

// Gives a file the same spelling, whatever path named it.
std::string canonical(const std::string& path) {
  std::error_code failed;
  fs::path result = fs::weakly_canonical(path, failed);
  return failed ? path : result.string();
}

bool exists(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

// A folder of that name is no file, but "it is a directory" is a better answer than "not found".
bool isFile(const std::string& path) {
  std::error_code failed;
  return exists(path) && !fs::is_directory(path, failed);
}

// A device or a pipe may never end.
bool isRegular(const std::string& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

// <image> and <imgae.bsgp> are <image.bsgp>. Empty: none is near.
std::string nearestLibraryFile(std::string_view name, std::span<const LibraryFile> library) {
  constexpr std::string_view kEnd = ".bsgp";
  std::string_view stem = name.substr(0, name.find('.'));
  std::vector<std::string_view> known;
  for (const LibraryFile& entry : library)
    if (std::string_view path = entry.path; path.ends_with(kEnd))
      known.push_back(path.substr(0, path.size() - kEnd.size()));
  std::string_view near = stem.empty() ? stem : nearestOf(stem, known);
  bool is_other = near != stem && isForeignHeader(name, false);
  return near.empty() || is_other ? "" : std::string(near) + std::string(kEnd);
}

} // namespace

void Parser::rememberFile(const std::string& path) {
  files_read_.insert(canonical(path));
}

std::string Parser::libraryName(std::string_view path) {
  return "<" + std::string(path) + ">";
}

// Looks `name` up in the library: if it is there, returns true and `file`, which is 0 if it was read before.
bool Parser::openLibraryFile(std::string_view name, SourcePos& file) {
  for (const LibraryFile& entry : options_.library) {
    if (entry.path != name)
      continue;
    std::string known = libraryName(name);
    bool is_new = files_read_.insert(known).second;
    file = is_new ? sources_.addText(known, std::string(entry.text), Origin::Library) : 0;
    return true;
  }
  return false;
}

// `done`: the search ends here. Then `file` is the file, or stays 0 when it was read before or cannot be read.
void Parser::openDiskFile(const std::string& path, SourceRange range, SourcePos& file, bool& done) {
  done = isFile(path);
  if (!done || !files_read_.insert(canonical(path)).second)
    return;
  if (!isRegular(path)) {
    incomplete_ = true;
    return diagnostics_.report(Diag::include_unreadable, range,
                               fmt::format("cannot read '{}': it is no regular file", path));
  }
  auto added = sources_.addFile(path);
  if (added)
    file = *added;
  else
    incomplete_ = true, diagnostics_.report(Diag::include_unreadable, range, added.message());
}

void Parser::parseInclude() {
  const Token token = advance();
  std::string_view quoted = spell(token);
  bool angled = quoted.front() == '<';
  std::string name(quoted.substr(1, quoted.size() - 2));

  std::vector<std::string> places;
  if (!angled || fs::path(name).is_absolute())
    places.push_back((fs::path(folder_) / name).string());
  for (const std::string& dir : options_.include_dirs)
    places.push_back((fs::path(dir) / name).string());

  SourcePos file = 0;
  bool done = angled && openLibraryFile(name, file);
  for (size_t i = 0; i < places.size() && !done; ++i)
    openDiskFile(places[i], token.range, file, done);
  done = done || openLibraryFile(name, file);
  if (std::string near = done || !angled ? "" : nearestLibraryFile(name, options_.library); !near.empty()) {
    incomplete_ = true;
    return diagnostics_.report(Diag::include_misspelt, token.range, name, near);
  }
  if (!done && isForeignHeader(name, !angled))
    return diagnostics_.report(Diag::foreign_word, token.range, quoted,
                               "delete the line: printf and math need none, <host.bsgp> has files, strings and time");
  if (!done) {
    incomplete_ = true;
    std::string tried = angled ? "the standard library" : "";
    for (const std::string& place : places)
      tried += (tried.empty() ? "" : ", ") + place + (exists(place) ? " (a directory)" : "");
    return diagnostics_.report(Diag::include_not_found, token.range, name, tried);
  }
  if (!file)
    return;
  incomplete_ |= include_depth_ == kMaxIncludeDepth;
  if (include_depth_ == kMaxIncludeDepth)
    return diagnostics_.report(Diag::include_too_deep, token.range, kMaxIncludeDepth);
  ++include_depth_;
  bool enters_library = sources_.ofLibrary({file, file + 1}) && !sources_.ofLibrary(token.range);
  enters_library ? parseLibraryFile(file) : parseFile(file);
  --include_depth_;
}

// Before the first file of the program adds its names, if it includes any file.
void Parser::keepNamesOfLibrary() {
  auto isInclude = [](const Token& token) { return token.kind == Tok::Include; };
  if (names_of_library_.empty() && !sources_.ofLibrary({base_, base_}) && std::ranges::any_of(tokens_, isInclude))
    names_of_library_ = names_;
}

// The library's file is parsed with the library's own names: a program that includes it may use them for its types.
void Parser::parseLibraryFile(SourcePos file) {
  std::unordered_map<std::string_view, Name> of_program = std::exchange(names_, std::move(names_of_library_));
  parseFile(file);
  names_of_library_ = std::exchange(names_, std::move(of_program));
  names_.insert(names_of_library_.begin(), names_of_library_.end());
}

} // namespace bsgp
