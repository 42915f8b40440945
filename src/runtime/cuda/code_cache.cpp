#include "runtime/cuda/code_cache.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include "runtime/environment.h"
#include "runtime/failure.h"

namespace fs = std::filesystem;

namespace bsgp::runtime::cuda {
namespace {

constexpr uint64_t kMagic = 0x3142554350475342; // "BSGPCUB1"
constexpr const char* kSuffix = ".cubin";

struct Header {
  uint64_t magic = kMagic, bytes = 0;
  Hash128 key, checksum;
};

std::string readFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool writeFile(const fs::path& path, const Header& header, std::string_view code) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(code.data(), std::streamsize(code.size()));
  file.close();
  return !file.fail();
}

// The folder may hold files of others: ours are 32 digits and the suffix, with more behind it while they are written.
bool isOurs(const fs::path& path) {
  std::string name = path.filename().string();
  return name.find_first_not_of("0123456789abcdef") == 32 && name.compare(32, std::strlen(kSuffix), kSuffix) == 0;
}

struct Entry {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes;
};

std::vector<Entry> entriesOf(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Entry entry{at->path(), at->last_write_time(gone), 0};
    if (!gone)
      entry.bytes = at->file_size(gone);
    if (!gone && isOurs(entry.path))
      entries.push_back(std::move(entry));
  }
  return entries;
}

fs::path folderFromEnvironment() {
  if (const char* given = environment("BSGP_CACHE_DIR"))
    return given;
  if (const char* caches = environment("XDG_CACHE_HOME"))
    return fs::path(caches) / "bsgp";
  if (const char* home = environment("HOME"))
    return fs::path(home) / ".cache" / "bsgp";
  return {};
}

} // namespace

Result<CodeCache> CodeCache::fromEnvironment() {
  auto megabytes = numberFrom("BSGP_CACHE_SIZE", 256), on = numberFrom("BSGP_CACHE", 1);
  if (!megabytes || !on)
    return megabytes ? on.error() : megabytes.error();
  if (!*on)
    return CodeCache();
  return CodeCache(folderFromEnvironment(), std::min<uint64_t>(*megabytes, UINT32_MAX) << 20);
}

fs::path CodeCache::fileOf(const Hash128& key) const {
  return folder_ / (key.hex() + kSuffix);
}

std::optional<std::string> CodeCache::find(const Hash128& key) const {
  if (folder_.empty())
    return {};
  fs::path path = fileOf(key);
  std::string text = readFile(path);
  Header header;
  if (text.size() < sizeof header)
    return {};
  std::memcpy(&header, text.data(), sizeof header);
  std::string_view code = std::string_view(text).substr(sizeof header);
  if (header.magic != kMagic || header.key != key || header.bytes != code.size() || header.checksum != hash128(code))
    return {};
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return std::string(code);
}

// Whoever reads finds the whole file or none: it gets its name when it is complete.
void CodeCache::keep(const Hash128& key, std::string_view code) const {
  if (folder_.empty() || code.size() + sizeof(Header) > most_bytes_)
    return;
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::path path = fileOf(key), unfinished = path;
  std::random_device random;
  unfinished += formatted(".%08x%08x", random(), random());
  if (writeFile(unfinished, {kMagic, code.size(), key, hash128(code)}, code))
    fs::rename(unfinished, path, error);
  else
    error = std::make_error_code(std::errc::io_error);
  if (error)
    fs::remove(unfinished, error);
  else
    bound();
}

void CodeCache::bound() const {
  std::vector<Entry> entries = entriesOf(folder_);
  uint64_t bytes = 0;
  for (const Entry& entry : entries)
    bytes += entry.bytes;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (size_t i = 0; i < entries.size() && bytes > most_bytes_; ++i) {
    std::error_code error;
    fs::remove(entries[i].path, error);
    bytes -= entries[i].bytes;
  }
}

} // namespace bsgp::runtime::cuda
