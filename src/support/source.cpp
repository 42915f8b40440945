#include "support/source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

#include "support/check.h"

namespace bsgp {
namespace {

constexpr uint64_t kMaxTotal = uint64_t(1) << 31;
constexpr uint64_t kMaxFile = uint64_t(1) << 28;

std::vector<uint32_t> findLineStarts(std::string_view text) {
  std::vector<uint32_t> starts{0};
  const char* begin = text.data();
  const char* end = begin + text.size();
  for (const char* p = begin; (p = static_cast<const char*>(std::memchr(p, '\n', size_t(end - p)))); ++p)
    starts.push_back(uint32_t(p + 1 - begin));
  return starts;
}

// Also reads what has no size in advance, such as a pipe.
Result<std::string> readAll(const std::string& path, uint64_t room) {
  uint64_t limit = std::min(room, kMaxFile);
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return Error{"cannot read '" + path + "': it is a directory"};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file)
    return Error{"cannot open '" + path + "': " + std::strerror(errno)};
  std::string text;
  char buffer[1 << 16];
  size_t got = 0;
  while (text.size() <= limit && (got = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    text.append(buffer, got);
  bool failed = std::ferror(file);
  std::fclose(file);
  if (failed)
    return Error{"cannot read '" + path + "': " + std::strerror(errno)};
  if (text.size() > limit)
    return Error{
        "cannot read '" + path + "': " +
        (limit == kMaxFile ? "a source file has 256 MiB at most" : "the source files together would pass 2 GiB")};
  return text;
}

} // namespace

SourceManager SourceManager::after(const SourceManager& others) {
  SourceManager sources;
  sources.files_ = others.files_;
  return sources;
}

Result<SourcePos> SourceManager::addFile(const std::string& path) {
  uint64_t used = files_.empty() ? 1 : files_.back()->begin + files_.back()->text.size() + 1;
  auto text = readAll(path, kMaxTotal - std::min(kMaxTotal, used + 1));
  if (!text)
    return text.error();
  return addText(path, text.take());
}

// A position one past the last character still belongs to the file, so that "end of file" can be pointed at.
SourcePos SourceManager::addText(std::string name, std::string text, Origin origin) {
  uint64_t begin = files_.empty() ? 1 : uint64_t(files_.back()->begin) + files_.back()->text.size() + 1;
  BSGP_CHECK(begin + text.size() + 1 <= kMaxTotal, "the source text passes 2 GiB with %s", name.c_str());
  std::vector<uint32_t> line_starts = findLineStarts(text);
  files_.push_back(std::make_shared<const File>(
      File{std::move(name), std::move(text), SourcePos(begin), origin, std::move(line_starts)}));
  return SourcePos(begin);
}

const SourceManager::File& SourceManager::fileOf(SourcePos position) const {
  BSGP_CHECK(position != 0 && !files_.empty(), "a position that is nowhere was asked for its file");
  auto after = std::upper_bound(files_.begin(), files_.end(), position,
                                [](SourcePos p, const std::shared_ptr<const File>& f) { return p < f->begin; });
  return **std::prev(after);
}

std::string_view SourceManager::text(SourcePos position) const {
  return fileOf(position).text;
}
std::string_view SourceManager::text(SourceRange range) const {
  if (!range.valid())
    return {};
  const File& file = fileOf(range.begin);
  return std::string_view(file.text).substr(range.begin - file.begin, range.end - range.begin);
}
std::string_view SourceManager::name(SourcePos position) const {
  return fileOf(position).name;
}
bool SourceManager::ofLibrary(SourceRange range) const {
  return range.valid() && fileOf(range.begin).origin == Origin::Library;
}

SourcePos SourceManager::begin(SourcePos position) const {
  return fileOf(position).begin;
}

std::vector<SourcePos> SourceManager::begins() const {
  std::vector<SourcePos> all;
  for (const auto& file : files_)
    all.push_back(file->begin);
  return all;
}

LineColumn SourceManager::at(SourcePos position) const {
  if (position == 0)
    return {};
  const File& file = fileOf(position);
  uint32_t offset = std::min(position - file.begin, SourcePos(file.text.size()));
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset);
  return {file.name, uint32_t(after - file.line_starts.begin()), offset - *std::prev(after) + 1};
}

std::string_view SourceManager::lineText(SourcePos position) const {
  if (position == 0)
    return {};
  const File& file = fileOf(position);
  uint32_t offset = std::min(position - file.begin, SourcePos(file.text.size()));
  std::string_view text = file.text;
  uint32_t start = offset - (at(position).column - 1);
  std::string_view line = text.substr(start, std::min(text.find('\n', start), text.size()) - start);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

} // namespace bsgp
