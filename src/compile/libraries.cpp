#include "compile/libraries.h"

#include <filesystem>

#include <fmt/format.h>

#include "bsgp/bsgp.h"
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

// A wheel of Python has no links: our libraries have only the names there that programs ask for.
std::string loadedFile(const std::string& name) {
  std::string versioned = fmt::format("{}.{}.{}", fileOf(name), BSGP_VERSION_MAJOR, BSGP_VERSION_MINOR);
  for (const std::string& file : {fileOf(name), versioned})
    if (Result<std::string> folder = folderOf(file, ""))
      return *folder + "/" + file;
  return fileOf(name);
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
  for (const std::string& name : names)
    files.push_back(loadedFile(name));
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
