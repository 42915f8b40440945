#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compile/source.h"

namespace bsgp::compile {

namespace {

// Up to its end.
Result<std::string> readStandardInput() {
  constexpr size_t kMost = size_t(1) << 30;
  std::string text;
  char buffer[1 << 16];
  for (size_t got = 0; text.size() <= kMost && (got = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    text.append(buffer, got);
  if (std::ferror(stdin))
    return Error{std::string("cannot read the standard input: ") + std::strerror(errno)};
  if (text.size() > kMost)
    return Error{"the program on the standard input is larger than 1 GiB"};
  return text;
}

} // namespace

Result<Text> readText(const std::string& path) {
  if (path == "-") {
    Result<std::string> text = readStandardInput();
    if (!text)
      return text.error();
    return Text{kStandardInput, text.take()};
  }
  SourceManager files;
  Result<SourcePos> file = files.addFile(path);
  if (!file)
    return file.error();
  return Text{path, std::string(files.text(*file))};
}

} // namespace bsgp::compile
