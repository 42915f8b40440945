#include "driver/outputs.h"

#include <filesystem>

namespace bsgp::driver {

namespace fs = std::filesystem;

namespace {

// The same file, also where there is none yet.
bool isSame(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (a.empty() || b.empty())
    return false;
  return fs::equivalent(a, b, ignored) || fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

Result<void> checkOutput(const CommandLine& line, const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::path(path).parent_path();
  if (isSame(line.file, path))
    return Error{"'" + path + "' is the program's text; name another file to write"};
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return Error{"cannot write '" + path + "': there is no folder '" + folder.string() + "'"};
  if (fs::is_directory(path, ignored))
    return Error{"cannot write '" + path + "': it is a folder"};
  return {};
}

// Several may go to /dev/null.
bool isKept(const std::string& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

} // namespace

Result<void> checkOutputs(const CommandLine& line, const std::vector<std::string>& paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty())
      continue;
    if (Result<void> good = checkOutput(line, paths[i]); !good)
      return good;
    for (size_t j = 0; j < i; ++j)
      if (isSame(paths[i], paths[j]) && isKept(paths[i]))
        return Error{"'" + paths[i] + "' is named twice, for two things to write"};
  }
  return {};
}

Result<void> checkNoneIsRead(const std::vector<std::string>& texts, const std::vector<std::string>& paths) {
  for (const std::string& text : texts)
    for (const std::string& path : paths)
      if (isSame(text, path))
        return Error{"'" + path + "' is a text that the program includes; name another file to write"};
  return {};
}

} // namespace bsgp::driver
