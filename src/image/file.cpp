// Whole files in memory.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "image/image.h"

namespace bsgp::image {

std::string readFile(const char* path, std::string& bytes) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file)
    return std::strerror(errno);
  char part[1 << 16];
  errno = 0;
  while (size_t count = std::fread(part, 1, sizeof part, file))
    bytes.append(part, count);
  std::string problem = std::ferror(file) ? std::strerror(errno) : "";
  std::fclose(file);
  return problem;
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
