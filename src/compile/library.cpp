#include "compile/library.h"

#include <algorithm>

#include "compile/standard_library.h"

namespace bsgp::compile {

namespace {

bool isWordCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A declaration at the top level starts in the first column; its name is the last word in front of what follows names.
// Empty: the line is none.
std::string_view declaredIn(std::string_view line) {
  bool declaration = !line.empty() && isWordCharacter(line[0]);
  size_t end = declaration ? std::min(line.find_first_of("([{=;"), line.size()) : 0;
  while (end > 0 && !isWordCharacter(line[end - 1]))
    --end;
  size_t begin = end;
  while (begin > 0 && isWordCharacter(line[begin - 1]))
    --begin;
  return begin == 0 ? std::string_view() : line.substr(begin, end - begin);
}

void addDeclared(const LibraryFile& file, std::unordered_map<std::string_view, std::string_view>& files) {
  for (std::string_view rest = file.text; !rest.empty();) {
    size_t end = std::min(rest.find('\n'), rest.size());
    if (std::string_view name = declaredIn(rest.substr(0, end)); !name.empty())
      files.emplace(name, file.path);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

} // namespace

Library::Library() {
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.part == LibraryPart::Include) {
      includes_.push_back({file.name, file.text});
      addDeclared(includes_.back(), include_of_);
    }
}

const Prelude& Library::prelude(bool gpu) const {
  Once& once = preludes_[gpu];
  std::lock_guard lock(once.mutex);
  if (once.prelude)
    return *once.prelude;
  std::vector<LibraryFile> files;
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.part == LibraryPart::Every || file.part == (gpu ? LibraryPart::Gpu : LibraryPart::Cpu))
      files.push_back({file.name, file.text});
  once.prelude.emplace(files, includes_);
  ++parsed_;
  return *once.prelude;
}

std::string Library::includeOf(std::string_view name) const {
  auto known = include_of_.find(name);
  return known == include_of_.end() ? std::string() : std::string(known->second);
}

} // namespace bsgp::compile
