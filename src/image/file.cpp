// Whole files in memory.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>

#include "image/image.h"

namespace bsgp::image {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// "" or why it is not read: what is no regular file may have no end, and opening a pipe may wait for ever.
std::string problemOf(const struct stat& facts, uint64_t most) {
  if (S_ISDIR(facts.st_mode))
    return std::strerror(EISDIR);
  if (!S_ISREG(facts.st_mode))
    return "it is no regular file";
  return uint64_t(facts.st_size) > most ? "it has more than " + std::to_string(most) + " bytes" : "";
}

// Some systems' files say that they have no bytes, and have some.
std::string readAll(std::FILE* file, uint64_t most, std::string& bytes) {
  char part[1 << 16];
  errno = 0;
  while (size_t count = std::fread(part, 1, sizeof part, file)) {
    bytes.append(part, count);
    if (bytes.size() > most)
      return "it has more than " + std::to_string(most) + " bytes";
  }
  return std::ferror(file) ? std::strerror(errno) : "";
}

} // namespace

std::string readFile(const char* path, uint64_t most, std::string& bytes) {
  struct stat facts = {};
  if (stat(path, &facts) != 0)
    return std::strerror(errno);
  if (std::string problem = problemOf(facts, most); !problem.empty())
    return problem;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // it may have become a pipe
  File file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"), std::fclose);
  return file ? readAll(file.get(), most, bytes) : std::strerror(errno);
}

std::string writeFile(const char* path, std::string_view bytes) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file)
    return std::strerror(errno);
  errno = 0;
  bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int problem = errno;
  if (std::fclose(file) != 0 && whole)
    whole = false, problem = errno;
  return whole ? "" : std::strerror(problem);
}

} // namespace bsgp::image
