#include "compile/libraries.h"

#include <filesystem>

#include <fmt/format.h>

#include "compile/compiler_build.h"

namespace bsgp::compile {

namespace fs = std::filesystem;

Result<std::string> folderOf(const std::string& file, const std::string& triple) {
  std::error_code error;
  fs::path own = fs::path(compilerFile()).parent_path(); // of bsgpc, bin; of libbsgp, the libraries' folder
  fs::path root = own.parent_path();
  for (const fs::path& folder : {root / "lib", root / BSGP_LIBDIR, own}) {
    fs::path place = triple.empty() ? folder : folder / triple;
    if (fs::exists(place / file, error))
      return place.string();
  }
  return Error{fmt::format("cannot find {} in {}; it belongs there, beside the folder of bsgpc{}", file,
                           (root / "lib" / triple).string(), triple.empty() ? "" : ", built for " + triple)};
}

namespace {

std::string fileOf(const std::string& name) {
  return "lib" + name + ".so";
}

std::string quoted(const std::string& option) {
  std::string out = "\"";
  for (char c : option)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"\n";
}

} // namespace

std::vector<std::string> sharedLibraries(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    Result<std::string> folder = folderOf(fileOf(name), "");
    files.push_back(folder ? *folder + "/" + fileOf(name) : fileOf(name));
  }
  return files;
}

std::string linkerOptions(const std::vector<std::string>& names, const std::string& triple) {
  if (names.empty())
    return {};
  std::string out = quoted("--push-state") + quoted("--no-as-needed"); // the objects may stand behind them
  for (const std::string& name : names) {
    if (Result<std::string> folder = folderOf(fileOf(name), triple))
      out += quoted("-L" + *folder) + quoted("-rpath=" + *folder);
    out += quoted("-l" + name);
  }
  return out + quoted("--pop-state");
}

} // namespace bsgp::compile
