#include "runtime/code_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/environment.h"
#include "runtime/failure.h"

namespace fs = std::filesystem;

namespace bsgp::runtime {
namespace {

constexpr uint64_t kMagic = 0x31444f4350475342; // "BSGPCOD1"
constexpr const char* kSuffix = ".code";
constexpr uint64_t kMostMegabytes = UINT32_MAX;

struct Header {
  uint64_t magic = kMagic, bytes = 0;
  Hash128 key, checksum;
};

class File {
public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Nothing but a plain file; and none of another user, whose code this process would run.
  std::optional<size_t> ownSize() const {
    struct stat info;
    bool known = descriptor_ >= 0 && fstat(descriptor_, &info) == 0;
    if (!known || !S_ISREG(info.st_mode) || (info.st_uid != geteuid() && info.st_uid != 0))
      return {};
    return size_t(info.st_size);
  }
  bool read(void* to, size_t bytes) const {
    size_t done = 0;
    for (ssize_t got; done < bytes; done += size_t(got))
      if ((got = ::read(descriptor_, static_cast<char*>(to) + done, bytes - done)) <= 0)
        return false;
    return true;
  }
  bool write(const void* from, size_t bytes) const {
    size_t done = 0;
    for (ssize_t put; done < bytes; done += size_t(put))
      if ((put = ::write(descriptor_, static_cast<const char*>(from) + done, bytes - done)) <= 0)
        return false;
    return true;
  }
  bool close() {
    int descriptor = std::exchange(descriptor_, -1);
    return descriptor >= 0 && ::close(descriptor) == 0;
  }

private:
  int descriptor_; // -1: not open
};

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

// An empty folder of that name makes way.
bool takeName(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::is_directory(to, error))
    fs::remove(to, error);
  fs::rename(from, to, error);
  return !error;
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
  auto megabytes = numberFrom("BSGP_CACHE_SIZE", 256, kMostMegabytes), on = numberFrom("BSGP_CACHE", 1, 1);
  if (!megabytes || !on)
    return megabytes ? on.error() : megabytes.error();
  if (!*on)
    return CodeCache();
  return CodeCache(folderFromEnvironment(), *megabytes << 20);
}

fs::path CodeCache::fileOf(const Hash128& key) const {
  return folder_ / (key.hex() + kSuffix);
}

std::optional<std::string> CodeCache::find(const Hash128& key) const {
  if (folder_.empty())
    return {};
  fs::path path = fileOf(key);
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a path that is no file may block
  std::optional<size_t> size = file.ownSize();
  Header header;
  if (!size || *size < sizeof header || *size > most_bytes_ || !file.read(&header, sizeof header))
    return {};
  if (header.magic != kMagic || header.key != key || header.bytes != *size - sizeof header)
    return {};
  std::string code(size_t(header.bytes), '\0');
  if (!file.read(code.data(), code.size()) || header.checksum != hash128(code))
    return {};
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return code;
}

// Whoever reads finds the whole file or none: it gets its name when it is complete.
void CodeCache::keep(const Hash128& key, std::string_view code) const {
  if (folder_.empty() || code.size() + sizeof(Header) > most_bytes_)
    return;
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::path path = fileOf(key);
  std::string unfinished = path.string() + ".XXXXXX";
  File file(mkostemp(unfinished.data(), O_CLOEXEC));
  Header header{kMagic, code.size(), key, hash128(code)};
  bool written = file.write(&header, sizeof header) && file.write(code.data(), code.size());
  if (!file.close() || !written || !takeName(unfinished, path))
    fs::remove(unfinished, error);
  else if (isTimeToBound(key, code.size() + sizeof header))
    bound();
}

// To look at all files costs 5 us for each, more than a small program takes to compile. So this process does it when it has written a part
// of what may be there, and now and then for others that write little: one key of 32 is chosen.
bool CodeCache::isTimeToBound(const Hash128& key, uint64_t bytes) const {
  constexpr uint64_t kPart = 64, kChosen = 32;
  static std::atomic<uint64_t> written{0};
  if (written.fetch_add(bytes) + bytes < most_bytes_ / kPart && key.low % kChosen != 0)
    return false;
  written = 0;
  return true;
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

} // namespace bsgp::runtime
