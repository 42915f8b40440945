// Caches machine code by the hash of its sources, in files between runs of programs: code of GPUs, and of whole
// programs that are compiled where they run. No failure is an error: an unreadable entry is made again, and an entry
// that cannot be written is not cached.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/hash.h"
#include "support/result.h"

namespace bsgp::runtime {

class CodeCache {
public:
  CodeCache() = default; // keeps nothing
  // most_bytes: of all files; the ones whose last use is longest ago go first. A little more may be there for a while.
  CodeCache(std::filesystem::path folder, uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // The folder: $BSGP_CACHE_DIR, $XDG_CACHE_HOME/bsgp, ~/.cache/bsgp. BSGP_CACHE_SIZE in MB, 256 without it;
  // BSGP_CACHE=0: none.
  static Result<CodeCache> fromEnvironment();

  std::optional<std::string> find(const Hash128& key) const; // nothing if the file is damaged or another user's
  void keep(const Hash128& key, std::string_view code) const;
  bool keepsAny() const { return !folder_.empty(); }
  const std::filesystem::path& folder() const { return folder_; }

private:
  std::filesystem::path fileOf(const Hash128& key) const;
  bool isTimeToBound(const Hash128& key, uint64_t bytes) const;
  void bound() const;

  std::filesystem::path folder_; // "": none
  uint64_t most_bytes_ = 0;
};

} // namespace bsgp::runtime
